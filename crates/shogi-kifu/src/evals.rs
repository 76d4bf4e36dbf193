//! Evaluations that programs write beside the moves: the value, who it was for, depth, nodes and the line that was expected.
//!
//! Every program has a form of its own, and all but two write from black's side whoever moves:
//!
//! | written by | form (as a comment) | side |
//! |---|---|---|
//! | floodgate, CSA 3.0 | `* 30 +7776FU -3334FU #1234` | black |
//! | `ShogiHome` | `*評価値=30`, `*詰み=先手勝ち:5手`, `*読み筋=…`, `*深さ=…`, `*ノード数=…`; `#` before those of an analysis | black |
//! | `ShogiGUI`, 将棋所, servers of tournaments | `*対局 時間 … 深さ 22/28 ノード数 … 評価値 88 読み筋 …`, `*解析 0 ○ 候補1 …`, `*検討 …`; mates as `+詰 13` | black |
//! | 棋神アナリティクス | `* 解析 … 評価値 88 …` | black |
//! | ぴよ将棋, K-Shogi | `#指し手[62]△７五歩…`, `#形勢[62]…` | black |
//! | `ShogiArena` | `info`, then `*評価値=+30`, `*詰み=5` … | mover |
//! | `AobaZero` | the remark `v=0.545,800,7776FU,400,…`: part of games won, visits, visits of moves | mover |

use shogi_core::{Color, Move, Position};

use crate::csa::move_from_csa;
use crate::record::advance;
use crate::record::{GameNode, GameNodeId, GameRecord, Step};
use crate::words::{is_blank, player_of_mark, take_move};

/// The size of a score that stands for a mate, less the plies to it, as engines write it.
const MATE: i32 = 32_000;

/// The largest score of a value that is a part of games won.
const MOST: f64 = 30_000.0;

/// Centipawns of a value of 1 / (1 + 1/e): those of hcpe files.
const WIN_SCALE: f64 = 756.086_5;

/// A program, or a form that several share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommentWriter {
    /// floodgate's, and that of CSA 3.0.
    Floodgate,
    /// `ShogiHome`'s.
    ShogiHome,
    /// `ShogiGUI`'s, which 将棋所 and servers of tournaments write too.
    ShogiGui,
    /// That of 棋神アナリティクス.
    Kishin,
    /// That of ぴよ将棋 and K-Shogi.
    Piyo,
    /// `ShogiArena`'s.
    ShogiArena,
    /// `AobaZero`'s.
    AobaZero,
}

impl CommentWriter {
    /// The name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Floodgate => "floodgate",
            Self::ShogiHome => "ShogiHome",
            Self::ShogiGui => "ShogiGUI",
            Self::Kishin => "棋神アナリティクス",
            Self::Piyo => "ぴよ将棋",
            Self::ShogiArena => "ShogiArena",
            Self::AobaZero => "AobaZero",
        }
    }
}

/// A value in a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentScore {
    /// Centipawns, positive when black is better.
    Centipawns(i32),
    /// This player mates, in so many plies if it says so.
    Mate(Color, Option<u32>),
}

impl CommentScore {
    /// The value as a number, positive when black is better: a mate in N plies is 32000 − N.
    pub fn centipawns(self) -> i32 {
        match self {
            Self::Centipawns(score) => score,
            Self::Mate(winner, plies) => {
                let plies = i32::try_from(plies.unwrap_or(0)).unwrap_or(MATE).min(MATE);
                match winner {
                    Color::Black => MATE - plies,
                    Color::White => plies - MATE,
                }
            }
        }
    }

    fn flip(self) -> Self {
        match self {
            Self::Centipawns(score) => Self::Centipawns(score.saturating_neg()),
            Self::Mate(winner, plies) => Self::Mate(winner.flip(), plies),
        }
    }
}

/// An evaluation that stands in the comments of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentEval {
    /// The form that it is written in.
    pub writer: CommentWriter,
    /// Whether it was added by an analysis of the position after the move. Else the player that made the move has written it, of the
    /// position before it.
    pub is_analysis: bool,
    /// The value, from black's side.
    pub score: CommentScore,
    /// Depth of the search in plies.
    pub depth: Option<u32>,
    /// Number of positions that were searched (`AobaZero`: visits).
    pub nodes: Option<u64>,
    /// The number of the candidate, from 1, where there are several.
    pub candidate: Option<u32>,
    /// The moves that were expected, as they are written; [`GameRecord::expected_line`] reads them.
    pub line: Option<String>,
}

impl CommentEval {
    const fn new(writer: CommentWriter, is_analysis: bool, score: CommentScore) -> Self {
        Self {
            writer,
            is_analysis,
            score,
            depth: None,
            nodes: None,
            candidate: None,
            line: None,
        }
    }
}

/// The visits of a search, as `AobaZero` writes them beside its moves.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchVisits {
    /// Part of the games that the player to move is expected to win, 0 to 1.
    pub value: f64,
    /// Visits in all.
    pub total: u64,
    /// Moves with their visits, the most visited first.
    pub moves: Vec<(Move, u32)>,
}

impl GameNode {
    /// All evaluations in the comments of the move, in their order.
    ///
    /// ```
    /// use shogi_kifu::CommentScore;
    /// let record = shogi_kifu::read_csa("PI\n+\n+7776FU\n'** 30 -3334FU #1200\n")?;
    /// let first = record.main_line().next().unwrap();
    /// let found = record.node(first).evaluations();
    /// assert_eq!((found[0].score, found[0].nodes), (CommentScore::Centipawns(30), Some(1200)));
    /// # Ok::<(), shogi_kifu::KifuError>(())
    /// ```
    pub fn evaluations(&self) -> Vec<CommentEval> {
        let mover = self.played_move().map(Move::color);
        let mut reader = EvalReader {
            by_mover: self.comments.iter().any(|comment| comment.trim() == "info"),
            mover,
            ..EvalReader::default()
        };
        for comment in &self.comments {
            reader.comment(comment);
        }
        let won = mover.zip(self.remarks.iter().find_map(|remark| won_part(remark)));
        if let Some((mover, (value, rest))) = won {
            let score = CommentScore::Centipawns(score_of_part(value));
            let score = if mover == Color::Black {
                score
            } else {
                score.flip()
            };
            let mut eval = CommentEval::new(CommentWriter::AobaZero, false, score);
            eval.nodes = visit_fields(rest).next().and_then(|word| word.parse().ok());
            reader.found.push(eval);
        }
        reader.found
    }

    /// The evaluation of the position before the move, as the player that made it has written it into a comment: in centipawns,
    /// positive when black is better; a mate in N plies is 32000 − N.
    ///
    /// ```
    /// let record = shogi_kifu::read_csa("PI\n+\n+7776FU\n'** 30 -3334FU\n")?;
    /// let first = record.main_line().next().unwrap();
    /// assert_eq!(record.node(first).player_score(), Some(30));
    /// # Ok::<(), shogi_kifu::KifuError>(())
    /// ```
    pub fn player_score(&self) -> Option<i32> {
        self.first_score(false)
    }

    /// The evaluation of the position after the move, as an analysis has written it into a comment; the same units as
    /// [`Self::player_score`].
    pub fn analysis_score(&self) -> Option<i32> {
        self.first_score(true)
    }

    fn first_score(&self, is_analysis: bool) -> Option<i32> {
        if self.comments.is_empty() && self.remarks.is_empty() {
            return None;
        }
        let found = self.evaluations();
        let first = found.iter().find(|eval| eval.is_analysis == is_analysis);
        first.map(|eval| eval.score.centipawns())
    }

    /// Adds a comment in floodgate's form with the evaluation of the position before the move: in centipawns, positive when
    /// black is better.
    pub fn set_player_score(&mut self, score: i32) {
        self.comments.push(format!("* {score}"));
    }
}

impl GameRecord {
    /// The position that the step to a node is made in. [`Self::ROOT`]: the start.
    pub(crate) fn position_before(&self, id: GameNodeId) -> Position {
        let parents = std::iter::successors(self.node(id).parent(), |&id| self.node(id).parent());
        let mut steps: Vec<&Step> = parents.filter_map(|id| self.node(id).step()).collect();
        steps.reverse();
        let mut position = self.start().clone();
        for step in steps {
            advance(&mut position, step);
        }
        position
    }

    /// The moves that an evaluation beside a node expects, from the position after the node's move or, where programs repeat that
    /// move, from the one before it. Behind the first that cannot be played nothing is read.
    pub fn expected_line(&self, id: GameNodeId, eval: &CommentEval) -> Vec<Move> {
        let Some(text) = &eval.line else {
            return Vec::new();
        };
        let before = self.position_before(id);
        let played = self.node(id).played_move();
        let mut after = before.clone();
        if let Some(step) = self.node(id).step() {
            advance(&mut after, step);
        }
        let found = moves_of(text, after, played);
        if found.is_empty() {
            let earlier = self
                .node(id)
                .parent()
                .and_then(|id| self.node(id).played_move());
            return moves_of(text, before, earlier);
        }
        found
    }

    /// The visits that `AobaZero` has written beside a move.
    pub fn search_visits(&self, id: GameNodeId) -> Option<SearchVisits> {
        let mut remarks = self.node(id).remarks.iter();
        let (value, rest) = remarks.find_map(|remark| won_part(remark))?;
        let position = self.position_before(id);
        let mut fields = visit_fields(rest);
        let total = fields.next()?.parse().ok()?;
        let mut moves = Vec::new();
        while let (Some(text), Some(visits)) = (fields.next(), fields.next()) {
            let m = move_from_csa(&position, text)
                .ok()
                .filter(|&m| position.is_legal(m));
            match m.zip(visits.parse().ok()) {
                Some(found) => moves.push(found),
                None => break,
            }
        }
        Some(SearchVisits {
            value,
            total,
            moves,
        })
    }
}

/// The part of games won of a remark `v=0.545,…`, and what stands behind it.
fn won_part(remark: &str) -> Option<(f64, &str)> {
    let text = remark.trim_start_matches(['\'', ' ']).strip_prefix("v=")?;
    let (value, rest) = text.split_once(',').unwrap_or((text, ""));
    let value: f64 = value.trim().parse().ok()?;
    (0.0..=1.0).contains(&value).then_some((value, rest))
}

/// The fields behind the value, without those that have names (`r=0.5`).
fn visit_fields(text: &str) -> impl Iterator<Item = &str> {
    let fields = text.split(',').map(str::trim);
    fields.filter(|field| !field.is_empty() && !field.contains('='))
}

/// A part of games won as a score of the same player.
fn score_of_part(value: f64) -> i32 {
    let score = -(1.0 / value - 1.0).ln() * WIN_SCALE;
    score.clamp(-MOST, MOST).round() as i32
}

/// The moves of a line in CSA's, USI's or Japanese words.
fn moves_of(text: &str, mut position: Position, before: Option<Move>) -> Vec<Move> {
    let mut found: Vec<Move> = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c| is_blank(c) || c == ',');
        let last_to = found.last().copied().or(before).map(Move::to);
        let word = rest.split([' ', '\u{3000}', ',']).next().unwrap_or("");
        let m = if rest.starts_with(['+', '-']) {
            rest = &rest[word.len()..];
            move_from_csa(&position, word).ok()
        } else if let Ok(m) = position.move_from_usi(word) {
            rest = &rest[word.len()..];
            Some(m)
        } else {
            rest = rest
                .strip_prefix(|c| player_of_mark(c).is_some())
                .unwrap_or(rest);
            take_move(&mut rest).and_then(|m| m.resolve(&position, last_to).ok())
        };
        match m.filter(|&m| position.is_legal(m)) {
            Some(m) => {
                let _ = position.do_move_from_diagram_unchecked(m);
                found.push(m);
            }
            None => return found,
        }
    }
}

/// Collects evaluations from the comments of a move.
#[derive(Default)]
struct EvalReader {
    found: Vec<CommentEval>,
    /// Values are from the mover's side.
    by_mover: bool,
    mover: Option<Color>,
    /// The evaluations that lines such as `*深さ=22` belong to: of the player and of an analysis.
    open: [Option<usize>; 2],
    /// The last line without a value said that an analysis follows (`*解析 0`), or a player's evaluation.
    announced: Option<bool>,
}

impl EvalReader {
    fn comment(&mut self, comment: &str) {
        if let Some(text) = comment.strip_prefix('#') {
            if self.named(text, true) {
                return;
            }
            let bracket = text
                .strip_prefix("指し手[")
                .or_else(|| text.strip_prefix("形勢["));
            if let Some((score, line)) = bracket.and_then(|text| text.split_once(']')) {
                self.push(CommentWriter::Piyo, true, score, Some(line));
            }
            return;
        }
        let text = comment.strip_prefix('*');
        if let Some(text) = text {
            if self.named(text, false) {
                return;
            }
            let bare = text.trim_start_matches(is_blank);
            if leading_number(bare).is_some() {
                self.floodgate(bare);
                return;
            }
        }
        self.in_words(text.unwrap_or(comment), text.is_some());
    }

    /// `30 +7776FU -3334FU #1234`.
    fn floodgate(&mut self, text: &str) {
        let (number, line) = text.split_once(is_blank).unwrap_or((text, ""));
        let (line, nodes) = line.split_once('#').unwrap_or((line, ""));
        if self.push(CommentWriter::Floodgate, false, number, Some(line))
            && let Some(eval) = self.found.last_mut()
        {
            eval.nodes = nodes.trim().parse().ok();
        }
    }

    /// `評価値=30`, `詰み=先手勝ち:15手`, `深さ=22` …; false when it is none of them.
    fn named(&mut self, text: &str, is_analysis: bool) -> bool {
        let Some((name, value)) = text.split_once('=') else {
            return false;
        };
        let writer = if self.by_mover {
            CommentWriter::ShogiArena
        } else {
            CommentWriter::ShogiHome
        };
        let open = self.open[usize::from(is_analysis)];
        let value = value.trim_matches(is_blank);
        match name.trim_matches(is_blank) {
            "詰み" => {
                let score = self.mate(value);
                if let Some(score) = score {
                    self.open[usize::from(is_analysis)] = Some(self.found.len());
                    self.found
                        .push(CommentEval::new(writer, is_analysis, score));
                }
            }
            "評価値" => {
                // A mate that was just told is the same search's.
                let told = open.is_some_and(|at| {
                    at + 1 == self.found.len()
                        && matches!(self.found[at].score, CommentScore::Mate(..))
                        && self.found[at].depth.is_none()
                        && self.found[at].line.is_none()
                });
                if !told && self.push(writer, is_analysis, value, None) {
                    self.open[usize::from(is_analysis)] = Some(self.found.len() - 1);
                }
            }
            "深さ" | "読み筋" | "ノード数" => {
                if let Some(eval) = open.and_then(|at| self.found.get_mut(at)) {
                    match name.trim_matches(is_blank) {
                        "深さ" => eval.depth = leading_digits(value),
                        "読み筋" => eval.line = Some(value.to_owned()),
                        _ => eval.nodes = leading_digits(value),
                    }
                }
            }
            _ => return false,
        }
        true
    }

    /// `先手勝ち:15手`, `後手勝ち`, or a number of plies from the mover's side.
    fn mate(&self, value: &str) -> Option<CommentScore> {
        let (winner, plies) = value.split_once(':').unwrap_or((value, ""));
        let plies = leading_digits(plies);
        match winner {
            "先手勝ち" => return Some(CommentScore::Mate(Color::Black, plies)),
            "後手勝ち" => return Some(CommentScore::Mate(Color::White, plies)),
            _ => {}
        }
        let plies = leading_number(value)?;
        let side = if self.by_mover {
            self.mover?
        } else {
            Color::Black
        };
        let winner = if plies >= 0 { side } else { side.flip() };
        Some(CommentScore::Mate(winner, Some(plies.unsigned_abs())))
    }

    /// `対局 時間 … 深さ 22/28 ノード数 … 評価値 88 読み筋 …`, `解析 0 ○ 候補1 …`, `評価値 +44 読み筋 …`.
    fn in_words(&mut self, text: &str, starred: bool) {
        let bare = text.trim_start_matches(is_blank);
        let kinds = [("対局", false), ("解析", true), ("検討", true)];
        let kind = kinds.iter().find(|(word, _)| {
            bare.strip_prefix(word)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(is_blank))
        });
        let kind = kind.map(|(_, is_analysis)| *is_analysis);
        let Some((head, value)) = field(bare, "評価値") else {
            self.announced = kind.or(self.announced.filter(|_| starred));
            return;
        };
        let writer = match kind {
            Some(_) if text.len() > bare.len() => CommentWriter::Kishin,
            Some(_) => CommentWriter::ShogiGui,
            // Words of people have evaluations too, in the middle of a sentence.
            None if head.is_empty() => CommentWriter::ShogiGui,
            None if starred && text.len() > bare.len() => CommentWriter::Kishin,
            None => return,
        };
        let is_analysis = kind.or(self.announced).unwrap_or(true);
        let (score, line) = match field(value, "読み筋") {
            Some((score, line)) => (score, Some(line)),
            None => (value, None),
        };
        if self.push(writer, is_analysis, score, line)
            && let Some(eval) = self.found.last_mut()
        {
            eval.depth = field(head, "深さ").and_then(|(_, text)| leading_digits(text));
            eval.nodes = field(head, "ノード数").and_then(|(_, text)| leading_digits(text));
            let mut words = head.split(is_blank);
            eval.candidate = words.find_map(|word| leading_digits(word.strip_prefix("候補")?));
        }
    }

    /// Adds an evaluation; false when its score is none.
    fn push(
        &mut self,
        writer: CommentWriter,
        is_analysis: bool,
        score: &str,
        line: Option<&str>,
    ) -> bool {
        let Some(mut score) = score_of(score) else {
            return false;
        };
        if self.by_mover && writer == CommentWriter::ShogiArena {
            match self.mover {
                Some(Color::Black) => {}
                Some(Color::White) => score = score.flip(),
                None => return false,
            }
        }
        let mut eval = CommentEval::new(writer, is_analysis, score);
        let line = line.map(|line| line.trim_matches(is_blank).to_owned());
        eval.line = line.filter(|line| !line.is_empty());
        self.found.push(eval);
        true
    }
}

/// What stands before and behind a word between blanks.
fn field<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find(word)?;
        let (head, rest) = (&text[..at], &text[at + word.len()..]);
        let begins = head.is_empty() || head.ends_with(is_blank);
        if begins && rest.starts_with(is_blank) {
            return Some((head.trim_matches(is_blank), rest.trim_matches(is_blank)));
        }
        from = at + word.len();
    }
}

/// `88`, `-12.7`, `+詰 13`, `-詰`, `詰 5`.
fn score_of(text: &str) -> Option<CommentScore> {
    let text = text.trim_matches(is_blank);
    let (negative, rest) = match text.chars().next()? {
        '+' | '＋' => (false, text.trim_start_matches(['+', '＋'])),
        '-' | '－' | '−' => (true, text.trim_start_matches(['-', '－', '−'])),
        _ => (false, text),
    };
    let mates = ["詰み", "詰", "Mate", "mate"];
    let Some(plies) = mates.iter().find_map(|word| rest.strip_prefix(word)) else {
        let number = leading_number(rest)?;
        return Some(CommentScore::Centipawns(if negative {
            -number
        } else {
            number
        }));
    };
    let plies = plies.trim_start_matches(|c| is_blank(c) || matches!(c, ':' | '：' | '='));
    let (negative, plies) = match plies.strip_prefix('-') {
        Some(plies) => (!negative, plies),
        None => (negative, plies.trim_start_matches('+')),
    };
    let winner = if negative { Color::White } else { Color::Black };
    Some(CommentScore::Mate(winner, leading_digits(plies)))
}

/// The digits at the front.
fn leading_digits<N: std::str::FromStr>(text: &str) -> Option<N> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text[..end].parse().ok()
}

/// The number that is the first word; what does not fit is as large as can be, digits behind a point are cut off.
fn leading_number(text: &str) -> Option<i32> {
    let word = text.split(is_blank).next()?;
    let (whole, rest) = word.split_once('.').unwrap_or((word, ""));
    let digits = whole.strip_prefix(['+', '-']).unwrap_or(whole);
    let is_number = !digits.is_empty()
        && (digits.bytes().chain(rest.bytes())).all(|byte| byte.is_ascii_digit());
    if !is_number {
        return None;
    }
    let size = digits.parse().unwrap_or(i32::MAX);
    Some(if whole.starts_with('-') { -size } else { size })
}

#[cfg(test)]
mod tests;
