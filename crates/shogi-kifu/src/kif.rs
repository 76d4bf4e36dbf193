//! KIF and KI2, the formats of Kifu for Windows (<http://kakinoki.o.oo7.jp/kif_format.html>).
//!
//! Both have the same headers, boards, comments and variations and differ in how a move is written, so one reader
//! reads both, even mixed.

use shogi_core::{Color, Position};

use crate::ending::GameEnding;
use crate::error::{KifuError, KifuProblem};
use crate::record::{GameRecord, Headers, RecordBuilder};
use crate::start::{BoardLines, Handicap};
use crate::text::read_lines;
use crate::words::{NoSuchMove, digit, is_blank, player_of_mark, take_move};

/// Reads one game in KIF or KI2.
///
/// # Errors
/// With the line, and what was expected there.
pub fn read_kif(text: &str) -> Result<GameRecord, KifuError> {
    read_kif_opening(text, usize::MAX)
}

/// Reads one game up to the line that has its move number `plies`.
pub(crate) fn read_kif_opening(text: &str, plies: usize) -> Result<GameRecord, KifuError> {
    let reader = KifReader::default();
    let depth = |reader: &KifReader| reader.builder.as_ref().map(RecordBuilder::depth);
    read_lines(
        text,
        plies,
        reader,
        depth,
        KifReader::line,
        KifReader::finish,
    )
}

/// The parts of a game before its first move, then the game.
#[derive(Default)]
pub(crate) struct KifReader {
    pub(crate) headers: Headers,
    board: BoardLines,
    handicap: Option<Handicap>,
    /// A 手合割 that names no handicap.
    other_start: Option<String>,
    comments: Vec<String>,
    remarks: Vec<String>,
    bookmark: Option<String>,
    is_kifu: bool,
    builder: Option<RecordBuilder>,
    /// The number of the first move in the file, less 1.
    before_first: Option<u64>,
}

impl KifReader {
    pub(crate) fn line(&mut self, line: &str) -> Result<(), KifuProblem> {
        let bare = line.trim_start_matches(is_blank);
        let Some(first) = bare.chars().next() else {
            return Ok(());
        };
        if let Some(comment) = line.strip_prefix('*') {
            self.beside(
                comment,
                |builder| &mut builder.node_mut().comments,
                |reader| &mut reader.comments,
            );
        } else if let Some(remark) = line.strip_prefix('#') {
            self.is_kifu |= remark.trim_start().starts_with("KIF");
            if !is_version_remark(remark) {
                self.beside(
                    remark,
                    |builder| &mut builder.node_mut().remarks,
                    |reader| &mut reader.remarks,
                );
            }
        } else if let Some(name) = line.strip_prefix('&') {
            let name = Some(name.to_owned());
            match &mut self.builder {
                Some(builder) => builder.node_mut().bookmark = name,
                None => self.bookmark = name,
            }
        } else if is_decoration(bare) {
            self.is_kifu |= bare.starts_with("手数--");
        } else if (first.is_ascii_digit() || ('０'..='９').contains(&first)) && is_numbered(bare)
        {
            self.numbered(bare)?;
        } else if player_of_mark(first).is_some() {
            self.marked_moves(bare)?;
        } else if bare.starts_with("変化") {
            self.variation(bare)?;
        } else if bare.starts_with("まで") {
            self.sentence(bare)?;
        } else if first == '同' || (digit(first).is_some() && take_move(&mut { bare }).is_some()) {
            self.marked_moves(bare)?;
        } else if self.builder.is_none() {
            self.header(line, bare)?;
        } else {
            self.unknown(line);
        }
        Ok(())
    }

    fn beside(
        &mut self,
        text: &str,
        of_node: impl Fn(&mut RecordBuilder) -> &mut Vec<String>,
        of_start: impl Fn(&mut Self) -> &mut Vec<String>,
    ) {
        match &mut self.builder {
            Some(builder) => of_node(builder).push(text.to_owned()),
            None => of_start(self).push(text.to_owned()),
        }
    }

    fn unknown(&mut self, line: &str) {
        self.beside(
            line,
            |builder| &mut builder.node_mut().remarks,
            |reader| &mut reader.remarks,
        );
    }

    /// A line before the first move.
    fn header(&mut self, line: &str, bare: &str) -> Result<(), KifuProblem> {
        if bare.starts_with(['|', '｜']) {
            return self.board.read_rank(bare).map_err(KifuProblem::Start);
        }
        let turns = [
            ("先手番", Color::Black),
            ("下手番", Color::Black),
            ("後手番", Color::White),
            ("上手番", Color::White),
        ];
        if let Some((_, color)) = turns.iter().find(|(word, _)| bare.starts_with(word)) {
            self.board.side = Some(*color);
            self.is_kifu = true;
            return Ok(());
        }
        if let Some(rest) = bare
            .strip_prefix("手数＝")
            .or_else(|| bare.strip_prefix("手数="))
        {
            let digits: String = rest
                .chars()
                .map_while(|c| digit(c).or_else(|| zero(c)))
                .map(|d| d.to_string())
                .collect();
            let moves = digits
                .parse()
                .map_err(|_| KifuProblem::expected("a number of moves behind 手数＝", rest))?;
            self.board.moves = Some(moves);
            return Ok(());
        }
        let Some((key, value)) = line.split_once(['：', ':']) else {
            self.unknown(line);
            return Ok(());
        };
        let key = key.trim_matches(is_blank);
        let hands = [
            ("先手", Color::Black),
            ("下手", Color::Black),
            ("後手", Color::White),
            ("上手", Color::White),
        ];
        let owner = key
            .strip_suffix("の持駒")
            .or_else(|| key.strip_suffix("の持ち駒"));
        if let Some((_, color)) =
            owner.and_then(|owner| hands.iter().find(|(name, _)| *name == owner))
        {
            self.is_kifu = true;
            return self
                .board
                .read_hand(*color, value)
                .map_err(KifuProblem::Start);
        }
        if key == "手合割" {
            let value = value.trim_matches(is_blank);
            self.is_kifu = true;
            self.handicap = Handicap::from_kif(value);
            self.other_start = self.handicap.is_none().then(|| value.to_owned());
        } else if key.is_empty() || key.contains(is_blank) {
            self.unknown(line);
        } else {
            self.is_kifu |= KNOWN_KEYS.contains(&key);
            self.headers.set(key, value);
        }
        Ok(())
    }

    /// The game, begun when it was not.
    fn builder(&mut self) -> Result<&mut RecordBuilder, KifuProblem> {
        if self.builder.is_none() {
            let start = self.start()?;
            let mut builder = RecordBuilder::new(start);
            if let Some(name) = self.other_start.take().filter(|name| name != "その他") {
                builder.headers().set("手合割", name);
            }
            for (key, value) in self.headers.iter() {
                builder.headers().set(key, value);
            }
            let root = builder.node_mut();
            root.comments = std::mem::take(&mut self.comments);
            root.remarks = std::mem::take(&mut self.remarks);
            root.bookmark = self.bookmark.take();
            self.builder = Some(builder);
        }
        Ok(self.builder.as_mut().expect("it was just made"))
    }

    fn start(&self) -> Result<Position, KifuProblem> {
        if self.board.has_ranks() {
            let handicap = self
                .handicap
                .is_some_and(|handicap| handicap != Handicap::Even);
            let side = if handicap { Color::White } else { Color::Black };
            return self.board.position(side).map_err(KifuProblem::Start);
        }
        if let Some(name) = &self.other_start {
            let text = format!("手合割：{name} names no handicap; expected a board");
            return Err(KifuProblem::Start(text));
        }
        let start = self.handicap.unwrap_or(Handicap::Even).position();
        Ok(match self.board.moves {
            Some(moves) => start.with_ply(moves.saturating_add(1)),
            None => start,
        })
    }

    /// `1 ７六歩(77)   ( 0:16/00:00:16)`.
    fn numbered(&mut self, bare: &str) -> Result<(), KifuProblem> {
        let end = bare.find(|c: char| digit(c).is_none() && zero(c).is_none() || is_kanji_digit(c));
        let (number, rest) = bare.split_at(end.unwrap_or(bare.len()));
        let ascii: String = number
            .chars()
            .filter_map(|c| digit(c).or_else(|| zero(c)))
            .map(|d| d.to_string())
            .collect();
        let number: u64 = ascii
            .parse()
            .map_err(|_| KifuProblem::expected("a move number", bare))?;
        let rest = rest
            .trim_start_matches([':', '.', '：', '．', '手'])
            .trim_start_matches(is_blank);
        let before_first = *self.before_first.get_or_insert(number.saturating_sub(1));
        let builder = self.builder()?;
        let expected = before_first + builder.depth() as u64 + 1;
        if number != expected && !builder.is_ended() {
            return Err(KifuProblem::expected(format!("move {expected}"), bare));
        }
        let mut after = rest
            .strip_prefix(|c| player_of_mark(c).is_some())
            .unwrap_or(rest);
        if let Some(written) = take_move(&mut after) {
            let text = &rest[..rest.len() - after.len()];
            play(builder, &written, text)?;
        } else {
            let end = rest
                .find(|c| is_blank(c) || c == '(' || c == '（')
                .unwrap_or(rest.len());
            let word = &rest[..end];
            let mut chars = word.chars().filter(|&c| player_of_mark(c).is_none());
            let looks_like_a_move = match (chars.next(), chars.next()) {
                (Some('同'), _) => true,
                (Some(a), Some(b)) => digit(a).is_some() && digit(b).is_some(),
                _ => false,
            };
            if word.is_empty() || looks_like_a_move {
                return Err(KifuProblem::expected(
                    "a move such as ７六歩(77) or an ending such as 投了",
                    rest,
                ));
            }
            let ending = GameEnding::of_kif_word(word);
            if !builder.end(ending) {
                return Err(after_end(builder, word));
            }
            after = &rest[end..];
        }
        builder.node_mut().time = read_time(after)?;
        Ok(())
    }

    /// `▲７六歩 △３四歩 …`.
    fn marked_moves(&mut self, bare: &str) -> Result<(), KifuProblem> {
        let builder = self.builder()?;
        let mut rest = bare;
        loop {
            rest = rest.trim_start_matches(is_blank);
            let Some(first) = rest.chars().next() else {
                return Ok(());
            };
            let here = rest;
            if let Some(color) = player_of_mark(first) {
                rest = &rest[first.len_utf8()..];
                if color != builder.side() {
                    let mark = if color == Color::Black { '△' } else { '▲' };
                    return Err(KifuProblem::expected(format!("a move of {mark}"), here));
                }
            }
            let written = take_move(&mut rest)
                .ok_or_else(|| KifuProblem::expected("a move such as ▲７六歩", here))?;
            play(builder, &written, &here[..here.len() - rest.len()])?;
        }
    }

    /// `変化：5手`.
    fn variation(&mut self, bare: &str) -> Result<(), KifuProblem> {
        let rest = bare
            .trim_start_matches(['変', '化', '：', ':'])
            .trim_start_matches(is_blank);
        let digits: String = rest
            .chars()
            .map_while(|c| digit(c).or_else(|| zero(c)))
            .map(|d| d.to_string())
            .collect();
        let number: u64 = digits
            .parse()
            .map_err(|_| KifuProblem::expected("変化： and a move number", bare))?;
        let before_first = self.before_first.unwrap_or(0);
        let builder = self.builder()?;
        let moves = builder.depth();
        let problem = KifuProblem::Variation { number, moves };
        let depth = number
            .checked_sub(before_first + 1)
            .and_then(|depth| usize::try_from(depth).ok());
        match depth {
            Some(depth) if depth <= moves && builder.back_to(depth) => Ok(()),
            _ => Err(problem),
        }
    }

    /// `まで7手で先手の勝ち`: tells the ending of KI2, and of KIF when nothing else did.
    fn sentence(&mut self, bare: &str) -> Result<(), KifuProblem> {
        let builder = self.builder()?;
        if !builder.is_ended()
            && let Some(ending) = GameEnding::from_sentence(bare, builder.side())
        {
            builder.end(ending);
        }
        Ok(())
    }

    /// Returns whether the line of moves has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.builder.as_ref().is_some_and(RecordBuilder::is_ended)
    }

    fn finish(mut self) -> Result<GameRecord, KifuProblem> {
        let is_kifu = self.is_kifu || self.board.has_ranks() || self.builder.is_some();
        if !is_kifu {
            return Err(KifuProblem::Nothing);
        }
        self.builder()?;
        Ok(self.builder.expect("it was just made").finish())
    }
}

/// Headers by which a text without moves is known as a record.
const KNOWN_KEYS: [&str; 8] = [
    "先手",
    "後手",
    "下手",
    "上手",
    "開始日時",
    "棋戦",
    "作品名",
    "表題",
];

/// A digit begins a move number, not `７六歩`.
fn is_numbered(bare: &str) -> bool {
    take_move(&mut { bare }).is_none()
}

fn zero(c: char) -> Option<usize> {
    matches!(c, '0' | '０').then_some(0)
}

fn is_kanji_digit(c: char) -> bool {
    !c.is_ascii_digit() && !('０'..='９').contains(&c)
}

/// Lines that are there for the eye.
fn is_decoration(bare: &str) -> bool {
    let files = bare.split(is_blank).filter(|word| !word.is_empty());
    let is_files =
        bare.starts_with('９') && files.eq("９８７６５４３２１".split_inclusive(|_| true));
    is_files || bare.starts_with("手数--") || bare.starts_with("+--") || bare.starts_with("---")
}

/// Remarks that name the format or the program.
pub(crate) fn is_version_remark(remark: &str) -> bool {
    let remark = remark.trim_start();
    remark.starts_with("KIF") || remark.starts_with("----")
}

fn after_end(builder: &RecordBuilder, found: &str) -> KifuProblem {
    KifuProblem::AfterEnd {
        found: found.to_owned(),
        after: if builder.is_ended() {
            "the end of the game"
        } else {
            "an illegal move"
        },
    }
}

fn play(
    builder: &mut RecordBuilder,
    written: &crate::words::WrittenMove,
    text: &str,
) -> Result<(), KifuProblem> {
    if builder.is_ended() || builder.is_illegal() {
        return Err(after_end(builder, text.trim()));
    }
    let m = written
        .resolve(builder.position(), builder.last_to())
        .map_err(|reason| KifuProblem::Move {
            found: text.trim_matches(is_blank).to_owned(),
            reason: match reason {
                NoSuchMove::NothingBefore => "no move before it goes to the same square",
                NoSuchMove::NoPiece => "no such piece can",
                NoSuchMove::Ambiguous => "more than one piece can",
                NoSuchMove::OtherPiece => "another piece is there",
            }
            .to_owned(),
        })?;
    builder.play(m);
    Ok(())
}

/// `( 0:16/00:00:16)`, the time of the move in milliseconds.
fn read_time(text: &str) -> Result<Option<u64>, KifuProblem> {
    let text = text.trim_matches(is_blank).trim_end_matches('+');
    let Some(inner) = text.strip_prefix(['(', '（']) else {
        return Ok(None);
    };
    let own = inner.split(['/', ')', '）']).next().unwrap_or(inner);
    let bad = || KifuProblem::expected("a time such as ( 0:16/00:00:16)", text);
    let mut seconds = 0u64;
    let mut fraction = 0;
    for part in own.split(':') {
        let part = part.trim_matches(is_blank);
        let (whole, rest) = part.split_once('.').unwrap_or((part, ""));
        let whole: u32 = whole.parse().map_err(|_| bad())?;
        seconds = seconds.saturating_mul(60).saturating_add(u64::from(whole));
        fraction = crate::text::milliseconds(rest).ok_or_else(bad)?;
    }
    Ok(seconds.checked_mul(1000).map(|ms| ms + fraction))
}
