//! KIF and KI2, the formats of Kifu for Windows (<http://kakinoki.o.oo7.jp/kif_format.html>).
//!
//! Both have the same headers, boards, comments and variations and differ in how a move is written, so one reader
//! reads both, even mixed.

use shogi_core::{Color, Position};

use crate::ending::GameEnding;
use crate::error::{KifuError, KifuProblem, StartProblem};
use crate::kif_time::{WrittenTime, read_time};
use crate::record::{GameRecord, Headers, RecordBuilder};
use crate::start::{BoardLines, Handicap};
use crate::text::read_lines;
use crate::words::{NoSuchMove, digit, is_blank, kanji_number, player_of_mark, take_move};

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
    /// A line of moves with marks was read: a KI2.
    is_marked: bool,
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
        } else if let Some(files) = board_files(bare) {
            if self.builder.is_some() {
                self.unknown(line);
            } else if files != 9 {
                return Err(KifuProblem::Start(StartProblem::Files(files)));
            }
        } else if (first.is_ascii_digit() || ('０'..='９').contains(&first)) && is_numbered(bare)
        {
            self.numbered(bare)?;
        } else if player_of_mark(first).is_some() {
            self.marked_moves(bare)?;
        } else if bare.starts_with("変化") {
            self.variation(bare)?;
        } else if bare.starts_with("まで") {
            self.sentence(bare)?;
        } else if first == '同'
            || (digit(first).is_some() && take_move(&mut { bare }).is_some())
            || ((self.builder.is_some() || self.is_kifu) && is_bare_ending(bare))
        {
            self.marked_moves(bare)?;
        } else if let Some(at) = self.moves_behind_text(bare) {
            let (text, moves) = bare.split_at(at);
            self.builder()?;
            self.unknown(text.trim_end_matches(is_blank));
            self.marked_moves(moves)?;
        } else if self.builder.is_none() {
            self.header(line, bare)?;
        } else {
            self.unknown(line);
        }
        Ok(())
    }

    /// The place of the first mark in a line of KI2 that begins with other text, when nothing but moves is behind it.
    fn moves_behind_text(&self, bare: &str) -> Option<usize> {
        let at = bare.find(|c| player_of_mark(c).is_some())?;
        let is_header = self.builder.is_none() && bare[..at].contains(['：', ':']);
        // A KIF has moves with numbers, or without them, but no lines of them.
        let is_kif = self.before_first.is_some() || self.builder.is_some();
        if is_header || (is_kif && !self.is_marked) {
            return None;
        }
        let mut rest = &bare[at..];
        loop {
            rest = rest.trim_start_matches(is_blank);
            if rest.is_empty() {
                return Some(at);
            }
            let marked = rest.strip_prefix(|c| player_of_mark(c).is_some());
            let mut behind = marked.unwrap_or(rest);
            if marked.is_none() || take_move(&mut behind).is_none() {
                // An ending, with or without a mark.
                let word = &behind[..word_end(behind)];
                behind = GameEnding::is_kif_word(word).then(|| &behind[word.len()..])?;
            }
            rest = behind;
        }
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
            return Err(KifuProblem::Start(StartProblem::Handicap(name.clone())));
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
        let marks = rest
            .chars()
            .filter(|&c| player_of_mark(c).is_some())
            .count();
        let found = self.moves_behind_text(rest);
        // Moves with origins are those of a KIF that has marks.
        self.is_marked |= found.is_some() && !rest.contains(['(', '（']);
        self.before_first.get_or_insert(number.saturating_sub(1));
        let last = rest.rsplit(is_blank).find(|word| !word.is_empty());
        let ends = last.is_some_and(GameEnding::is_kif_word);
        if let Some(at) = found.filter(|&at| at > 0 || marks > 1 || ends) {
            // A line of KI2 behind its number.
            let (text, moves) = rest.split_at(at);
            if !text.is_empty() {
                self.builder()?;
                self.unknown(bare[..bare.len() - moves.len()].trim_end_matches(is_blank));
            }
            return self.marked_moves(moves);
        }
        let builder = self.builder()?;
        // Numbers are there for people: they may repeat or be missing.
        let mut after = rest
            .strip_prefix(|c| player_of_mark(c).is_some())
            .unwrap_or(rest);
        if rest.is_empty() {
            // A number alone.
            self.unknown(bare);
            return Ok(());
        }
        if let Some(written) = take_move(&mut after) {
            let text = &rest[..rest.len() - after.len()];
            play(builder, &written, text)?;
        } else {
            let word = &after[..word_end(after)];
            let odd = looks_like_a_move(word) || word.starts_with(|c| digit(c).is_some());
            if word.is_empty() || (odd && !GameEnding::is_kif_word(word)) {
                return Err(KifuProblem::expected(
                    "a move such as ７六歩(77) or an ending such as 投了",
                    rest,
                ));
            }
            if builder.is_ended() {
                // The game has its ending; this one is a remark.
                self.unknown(bare);
                return Ok(());
            }
            end_with(builder, word);
            after = &after[word.len()..];
        }
        self.time(after);
        Ok(())
    }

    /// The time behind the move or ending that was just read.
    fn time(&mut self, text: &str) {
        let Some(builder) = &mut self.builder else {
            return;
        };
        let close = text.find([')', '）']).map_or(text.len(), |at| {
            at + text[at..].chars().next().map_or(0, char::len_utf8)
        });
        let (time, behind) = text.split_at(close);
        let node = builder.node_mut();
        let mut keep = |text: &str| {
            let text = text.trim_matches(is_blank).trim_start_matches('+');
            if !text.is_empty() {
                node.remarks.push(text.trim_matches(is_blank).to_owned());
            }
        };
        match read_time(time) {
            WrittenTime::Own(time) => {
                keep(behind);
                node.time = Some(time);
            }
            WrittenTime::None if time.trim_matches(is_blank).starts_with(['(', '（']) => {
                keep(behind);
            }
            // One odd time, or what else stands there, does not cost the game.
            WrittenTime::None | WrittenTime::Unreadable => keep(text),
        }
    }

    /// `▲７六歩 △３四歩 …`, with endings (`△投了`) and times between them.
    fn marked_moves(&mut self, bare: &str) -> Result<(), KifuProblem> {
        self.is_marked |= bare.starts_with(|c| player_of_mark(c).is_some());
        let mut rest = bare;
        loop {
            rest = rest.trim_start_matches(is_blank);
            let Some(first) = rest.chars().next() else {
                return Ok(());
            };
            let here = rest;
            if matches!(first, '(' | '（') {
                let end = rest.find([')', '）']).map_or(rest.len(), |at| {
                    at + rest[at..].chars().next().map_or(0, char::len_utf8)
                });
                self.time(&rest[..end]);
                rest = rest[end..].trim_start_matches('+');
                continue;
            }
            let marked = player_of_mark(first);
            if marked.is_some() {
                rest = &rest[first.len_utf8()..];
            }
            let builder = self.builder()?;
            let Some(written) = take_move(&mut rest) else {
                let word = &rest[..word_end(rest)];
                let known = GameEnding::is_kif_word(word);
                if word.is_empty() || !(known || marked.is_some() && !looks_like_a_move(word)) {
                    return Err(KifuProblem::expected("a move such as ▲７六歩", here));
                }
                rest = &rest[word.len()..];
                let (ending, _) = GameEnding::of_kif_word(word);
                let decided =
                    ending.outcome(builder.side()) != ending.outcome(builder.side().flip());
                if builder.is_ended() {
                    self.unknown(&here[..here.len() - rest.len()]);
                } else if decided && marked.is_some_and(|color| color != builder.side()) {
                    // The other player's resignation has no word of its own.
                    builder.end(GameEnding::Other(
                        here[..here.len() - rest.len()].to_owned(),
                    ));
                } else {
                    end_with(builder, word);
                }
                continue;
            };
            let _ = builder.reopen();
            if marked.is_some_and(|color| color != builder.side()) {
                let black = builder.side() == Color::Black;
                let mark = if black { '▲' } else { '△' };
                return Err(KifuProblem::expected(format!("a move of {mark}"), here));
            }
            play(builder, &written, &here[..here.len() - rest.len()])?;
        }
    }

    /// `変化：5手`.
    fn variation(&mut self, bare: &str) -> Result<(), KifuProblem> {
        if self.builder.is_none() {
            // There is no game yet that it could be a variation of.
            self.unknown(bare);
            return Ok(());
        }
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
        if let Some(ended) = builder.ending().cloned() {
            // The sentence only says again what the ending said, or it is a remark.
            let side = builder.side().flip();
            let told = GameEnding::from_sentence(bare, side).map(|(told, _)| told.outcome(side));
            if told.is_some_and(|told| told != ended.outcome(side)) {
                self.unknown(bare);
            }
        } else if let Some((ending, word)) = GameEnding::from_sentence(bare, builder.side()) {
            builder.end(ending);
            builder.node_mut().word = word;
        }
        Ok(())
    }

    /// The ending of the line of moves.
    pub(crate) fn ending(&self) -> Option<&GameEnding> {
        self.builder.as_ref()?.ending()
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
    ["手数--", "手数－", "手数ー", "+--", "---", "＋－", "+－"]
        .iter()
        .any(|start| bare.starts_with(start))
}

/// Remarks that name the format or the program.
pub(crate) fn is_version_remark(remark: &str) -> bool {
    let remark = remark.trim_start();
    remark.starts_with("KIF") || remark.starts_with("----")
}

/// The number of files that a line above a board names: `  ９ ８ ７ ６ ５ ４ ３ ２ １`.
fn board_files(bare: &str) -> Option<usize> {
    let words: Vec<&str> = bare
        .split(is_blank)
        .filter(|word| !word.is_empty())
        .collect();
    let number = |word: &&str| kanji_number(word).map(usize::from);
    let numbers: Option<Vec<usize>> = words.iter().map(number).collect();
    let numbers = numbers.filter(|numbers| numbers.len() > 1)?;
    let counts_down = numbers.iter().rev().copied().eq(1..=numbers.len());
    let counts_up = numbers.iter().copied().eq(1..=numbers.len());
    (counts_down || counts_up).then_some(numbers.len())
}

/// Where a word ends: at a blank, a bracket, or the mark of the next move.
fn word_end(text: &str) -> usize {
    let ends = |c: char| is_blank(c) || matches!(c, '(' | '（') || player_of_mark(c).is_some();
    text.find(ends).unwrap_or(text.len())
}

/// Returns whether a word begins as moves do, so that it is no ending.
fn looks_like_a_move(word: &str) -> bool {
    let mut chars = word.chars();
    match (chars.next(), chars.next()) {
        (Some('同'), _) => true,
        (Some(a), Some(b)) => digit(a).is_some() && digit(b).is_some(),
        _ => false,
    }
}

/// Returns whether a line is the word of an ending, with or without a time behind it.
fn is_bare_ending(bare: &str) -> bool {
    let word = &bare[..word_end(bare)];
    let rest = bare[word.len()..].trim_matches(is_blank);
    GameEnding::is_kif_word(word) && (rest.is_empty() || rest.starts_with(['(', '（', '+']))
}

/// Ends the line with a word.
fn end_with(builder: &mut RecordBuilder, word: &str) {
    let (ending, own) = GameEnding::of_kif_word(word);
    if builder.end(ending) {
        builder.node_mut().word = own;
    }
}

fn play(
    builder: &mut RecordBuilder,
    written: &crate::words::WrittenMove,
    text: &str,
) -> Result<(), KifuProblem> {
    let ended = builder.reopen();
    let found = written.resolve(builder.position(), builder.last_to());
    if let (Some(id), true) = (ended, found.is_err()) {
        // What cannot be played behind the end of the game is a remark.
        builder.go_to(id);
        let text = text.trim_matches(is_blank).to_owned();
        builder.node_mut().remarks.push(text);
        return Ok(());
    }
    let m = found.map_err(|reason| KifuProblem::Move {
        found: text.trim_matches(is_blank).to_owned(),
        reason: match reason {
            NoSuchMove::NothingBefore => "no move before it goes to the same square",
            NoSuchMove::NoPiece => "no such piece can",
            NoSuchMove::Ambiguous => "more than one piece can",
            NoSuchMove::OtherPiece => "another piece is there",
        }
        .to_owned(),
    })?;
    builder.play_on(m);
    Ok(())
}
