//! Writing of KIF and KI2.

use std::fmt::Write as _;

use shogi_core::{Color, Move, Position};

use crate::ending::GameEnding;
use crate::error::{LossKind, Losses};
use crate::kif::{KifReader, is_version_remark};
use crate::record::advance;
use crate::record::{GameNodeId, GameRecord, Step};
use crate::start::{Handicap, write_bod};
use crate::text::one_line;
use crate::words::{is_blank, ki2_move, kif_move, take_move};

/// Writes a game as KIF in UTF-8, with LF line ends.
pub fn write_kif(record: &GameRecord) -> (String, Losses) {
    let mut writer = KifWriter::new(record, Notation::Kif);
    writer.text.push_str("#KIF version=2.0 encoding=UTF-8\n");
    writer.head();
    writer.text.push_str("手数----指手---------消費時間--\n");
    writer.game();
    (writer.text, writer.losses)
}

/// Writes a game as KI2 in UTF-8, with LF line ends.
pub fn write_ki2(record: &GameRecord) -> (String, Losses) {
    let mut writer = KifWriter::new(record, Notation::Ki2);
    writer.head();
    writer.game();
    writer.end_line();
    (writer.text, writer.losses)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Notation {
    Kif,
    Ki2,
}

struct KifWriter<'a> {
    record: &'a GameRecord,
    notation: Notation,
    text: String,
    losses: Losses,
    /// Moves in the line being written (KI2).
    in_line: usize,
}

impl<'a> KifWriter<'a> {
    fn new(record: &'a GameRecord, notation: Notation) -> Self {
        Self {
            record,
            notation,
            text: String::with_capacity(1000 + record.node_count() * 60),
            losses: Losses::default(),
            in_line: 0,
        }
    }

    /// Everything before the moves.
    fn head(&mut self) {
        let record = self.record;
        let start = record.start();
        if let Some(handicap) = record.handicap() {
            let _ = writeln!(self.text, "手合割：{}", handicap.kif());
            // Readers of today know the older names only.
            if handicap.is_newer() {
                self.text.push_str(&write_bod(start));
            }
        } else {
            if let Some(name) = record.headers.get("手合割") {
                let _ = writeln!(self.text, "手合割：{name}");
            }
            self.text.push_str(&write_bod(start));
        }
        for (key, value) in record.headers.iter().filter(|(key, _)| *key != "手合割") {
            let plain = |c: char| !c.is_control();
            let line = format!("{key}：{value}\n");
            let mut probe = KifReader::default();
            let reads = value.chars().all(plain) && probe.line(line.trim_end_matches('\n')).is_ok();
            if reads && probe.headers.get(key) == Some(value) {
                self.text.push_str(&line);
            } else {
                self.losses.add(LossKind::Headers, 1);
            }
        }
    }

    fn game(&mut self) {
        self.beside(GameRecord::ROOT);
        // A line that is still to be written: its first node and that node's depth.
        let mut waiting: Vec<(GameNodeId, usize)> = Vec::new();
        if let Some(&first) = self.record.node(GameRecord::ROOT).children().first() {
            waiting.push((first, 1));
        }
        let mut is_variation = false;
        while let Some((first, depth)) = waiting.pop() {
            if is_variation {
                self.end_line();
                let _ = writeln!(self.text, "\n変化：{depth}手");
            }
            is_variation = true;
            let line: Vec<GameNodeId> = self.record.line_from(first).collect();
            self.line(&line, depth);
            // The last variation of the line is written first, so it is pushed last.
            for (index, &id) in line.iter().enumerate() {
                let parent = self.record.node(id).parent().unwrap_or(GameRecord::ROOT);
                let siblings = self.record.node(parent).children();
                if siblings.first() == Some(&id) {
                    let others = siblings[1..].iter().rev();
                    waiting.extend(others.map(|&other| (other, depth + index)));
                }
            }
        }
    }

    /// Writes a line whose first node is the `depth`th of its game.
    fn line(&mut self, line: &[GameNodeId], depth: usize) {
        let record = self.record;
        let (mut position, mut last_to, mut totals) = self.before(line[0]);
        for (index, &id) in line.iter().enumerate() {
            let node = record.node(id);
            let number = depth + index;
            let color = record.side_at(number - 1);
            let total = &mut totals[color.index()];
            *total += node.time.unwrap_or(0);
            let total = *total;
            match node.step() {
                Some(step @ (Step::Move(m) | Step::Illegal(m))) => {
                    self.write_move(number, &position, *m, last_to);
                    last_to = Some(m.to());
                    advance(&mut position, step);
                }
                Some(Step::End(ending)) => self.write_ending(number, ending, node.word.as_deref()),
                None => {}
            }
            self.write_time(id, total);
            self.beside(id);
        }
    }

    /// The position, the last square and the times of both players before a node.
    fn before(&self, id: GameNodeId) -> (Position, Option<shogi_core::Square>, [u64; 2]) {
        let parents = std::iter::successors(self.record.node(id).parent(), |&id| {
            self.record.node(id).parent()
        });
        let mut path: Vec<GameNodeId> = parents.collect();
        path.reverse();
        let mut position = self.record.start().clone();
        let (mut last_to, mut totals) = (None, [0; 2]);
        for (depth, &id) in path.iter().enumerate().skip(1) {
            let node = self.record.node(id);
            totals[self.record.side_at(depth - 1).index()] += node.time.unwrap_or(0);
            if let Some(m) = node.played_move() {
                last_to = Some(m.to());
            }
            if let Some(step) = node.step() {
                advance(&mut position, step);
            }
        }
        (position, last_to, totals)
    }

    fn write_move(
        &mut self,
        number: usize,
        position: &Position,
        m: Move,
        last_to: Option<shogi_core::Square>,
    ) {
        match self.notation {
            Notation::Kif => {
                let text = kif_move(m, last_to);
                let width: usize = text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
                let _ = write!(
                    self.text,
                    "{number:4} {text}{}",
                    " ".repeat(12usize.saturating_sub(width))
                );
            }
            Notation::Ki2 => {
                let mark = if m.color() == Color::Black {
                    '▲'
                } else {
                    '△'
                };
                let legal = position.is_legal(m);
                let text = ki2_move(position, m, last_to);
                // The words of a move against the rules may name another one, or none.
                let plain = legal
                    || take_move(&mut text.as_str())
                        .is_some_and(|w| w.resolve(position, last_to) == Ok(m));
                let text = if plain { text } else { kif_move(m, last_to) };
                if self.in_line == 6 {
                    self.end_line();
                }
                if self.in_line > 0 {
                    self.text.push(' ');
                }
                self.in_line += 1;
                let _ = write!(self.text, "{mark}{text}");
            }
        }
    }

    fn write_ending(&mut self, number: usize, ending: &GameEnding, own: Option<&str>) {
        match self.notation {
            Notation::Kif => {
                let held = [own, Some(ending.kif())]
                    .into_iter()
                    .flatten()
                    .find(|word| Self::holds_ending(word, ending));
                self.count_ending(own, held.is_some(), held);
                let word = held.unwrap_or("中断");
                let width: usize = word.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
                let _ = write!(
                    self.text,
                    "{number:4} {word}{}",
                    " ".repeat(12usize.saturating_sub(width))
                );
            }
            Notation::Ki2 => {
                self.end_line();
                let side = self.record.side_at(number - 1);
                let handicap = self
                    .record
                    .handicap()
                    .is_some_and(|handicap| handicap != Handicap::Even);
                let names = if handicap {
                    ["下手", "上手"]
                } else {
                    ["先手", "後手"]
                };
                let reads = |line: &String| {
                    let read = GameEnding::from_sentence(line, side).map(|(ending, _)| ending);
                    !line.contains(char::is_control) && read.as_ref() == Some(ending)
                };
                let with_word = own.map(|own| ending.sentence(Some(own), number - 1, side, names));
                let with_word = with_word.filter(reads);
                let plain = Some(ending.sentence(None, number - 1, side, names)).filter(reads);
                self.count_ending(
                    own,
                    with_word.is_some() || plain.is_some(),
                    own.filter(|_| with_word.is_some()),
                );
                let line = with_word.or(plain).unwrap_or_else(|| {
                    GameEnding::Interrupt.sentence(None, number - 1, side, names)
                });
                let _ = writeln!(self.text, "{line}");
            }
        }
    }

    /// Counts what is lost of an ending: all of it, or its own word.
    fn count_ending(&mut self, own: Option<&str>, held: bool, word: Option<&str>) {
        if !held {
            self.losses.add(LossKind::Endings, 1);
        } else if own.is_some() && word != own {
            self.losses.add(LossKind::EndingWords, 1);
        }
    }

    /// Returns whether a line with this word is read as the ending; a word may also be a move.
    fn holds_ending(word: &str, ending: &GameEnding) -> bool {
        let bare = !word.is_empty()
            && !word.contains(|c: char| is_blank(c) || matches!(c, '(' | '（') || c.is_control());
        let mut probe = KifReader::default();
        bare && GameEnding::of_kif_word(word).0 == *ending
            && probe.line(&format!("1 {word}")).is_ok()
            && probe.ending() == Some(ending)
    }

    fn write_time(&mut self, id: GameNodeId, total: u64) {
        let node = self.record.node(id);
        match (self.notation, node.time) {
            (Notation::Ki2, None) => return,
            (Notation::Ki2, Some(_)) => {
                self.losses.add(LossKind::Times, 1);
                return;
            }
            (Notation::Kif, Some(time)) => {
                let (own, total) = (time / 1000, total / 1000);
                let _ = write!(
                    self.text,
                    " ({:2}:{:02}/{:02}:{:02}:{:02})",
                    own / 60,
                    own % 60,
                    total / 3600,
                    total / 60 % 60,
                    total % 60
                );
                if !time.is_multiple_of(1000) {
                    self.losses.add(LossKind::Fractions, 1);
                }
            }
            (Notation::Kif, None) => {
                let bare = self.text.trim_end_matches(' ').len();
                self.text.truncate(bare);
            }
        }
        let parent = node.parent().unwrap_or(GameRecord::ROOT);
        let siblings = self.record.node(parent).children();
        if node.time.is_some() && siblings.last() != Some(&id) {
            self.text.push('+');
        }
        self.text.push('\n');
    }

    /// Comments, bookmarks and remarks of a node.
    fn beside(&mut self, id: GameNodeId) {
        let node = self.record.node(id);
        if node.comments.is_empty() && node.remarks.is_empty() && node.bookmark.is_none() {
            return;
        }
        self.end_line();
        for comment in &node.comments {
            let comment = one_line(comment, LossKind::Comments, &mut self.losses);
            let _ = writeln!(self.text, "*{comment}");
        }
        if let Some(name) = &node.bookmark {
            let name = one_line(name, LossKind::Bookmarks, &mut self.losses);
            let _ = writeln!(self.text, "&{name}");
        }
        for remark in &node.remarks {
            if is_version_remark(remark) {
                self.losses.add(LossKind::Remarks, 1);
            } else {
                let remark = one_line(remark, LossKind::Remarks, &mut self.losses);
                let _ = writeln!(self.text, "#{remark}");
            }
        }
    }

    /// Ends the line of moves (KI2).
    fn end_line(&mut self) {
        if self.in_line > 0 {
            self.text.push('\n');
            self.in_line = 0;
        }
    }
}
