//! The formats that records are written in, and what each cannot hold.

use std::fmt;
use std::str::FromStr;

use othello_core::{Move, Position, Side};

use crate::tree::{GameVariant, MoveNote, OthelloRecord};
use crate::{OthelloNodeId, base81, diagram, egaroucid, ggf, parse, pgn, quest, sgf};

/// A format of game records or positions that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OthelloFormat {
    /// Moves, a game a line: `f5d6c3`. Another start position stands before them as 64 squares and a side.
    Transcript,
    /// GGF, of GGS.
    Ggf,
    /// SGF, with variations.
    Sgf,
    /// Tags as in chess, and numbered moves.
    Pgn,
    /// WTHOR: tournament games (`.wtb`) with names in two other files.
    Wthor,
    /// JSON of Othello Quest.
    Quest,
    /// JSON of Egaroucid's game library.
    Egaroucid,
    /// The last position as an end-game problem (`.obf`).
    Obf,
    /// The last position as 64 squares and a side.
    Board,
    /// The last position as GGS sends it.
    Ggs,
    /// The last position as two hexadecimal numbers, h8 = bit 0.
    Bitboards,
    /// The last position as two hexadecimal numbers of black and white, h8 = bit 0, with these words before them.
    BlackWhite,
    /// The last position in Egaroucid's 16 characters of base 81, and a side.
    Base81,
    /// The last position drawn for people.
    Diagram,
}

/// Name, extension and format; a format's own entry first.
const NAMES: [(&str, &str, OthelloFormat); 14] = [
    ("transcript", "txt", OthelloFormat::Transcript),
    ("ggf", "ggf", OthelloFormat::Ggf),
    ("sgf", "sgf", OthelloFormat::Sgf),
    ("pgn", "pgn", OthelloFormat::Pgn),
    ("wthor", "wtb", OthelloFormat::Wthor),
    ("quest", "json", OthelloFormat::Quest),
    ("egaroucid", "json", OthelloFormat::Egaroucid),
    ("obf", "obf", OthelloFormat::Obf),
    ("board", "board", OthelloFormat::Board),
    ("ggs", "ggs", OthelloFormat::Ggs),
    ("bitboards", "bitboards", OthelloFormat::Bitboards),
    ("black-white", "bitboards", OthelloFormat::BlackWhite),
    ("base81", "base81", OthelloFormat::Base81),
    ("diagram", "diagram", OthelloFormat::Diagram),
];

impl OthelloFormat {
    /// All formats.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.into_iter().map(|(_, _, format)| format)
    }

    /// The name, as on command lines.
    pub const fn name(self) -> &'static str {
        NAMES[self as usize].0
    }

    /// The extension of files.
    pub const fn extension(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// The format of an extension; `None` if there is none or several.
    pub fn of_extension(extension: &str) -> Option<Self> {
        let extension = extension.to_ascii_lowercase();
        let mut fits = NAMES
            .into_iter()
            .filter(|(_, other, _)| *other == extension);
        match (fits.next(), fits.next()) {
            (Some((_, _, format)), None) => Some(format),
            // Mover and opponent are what programs copy.
            (Some((_, _, Self::Bitboards)), _) => Some(Self::Bitboards),
            _ => None,
        }
    }

    /// Returns whether a file holds one game only.
    pub const fn is_single(self) -> bool {
        matches!(self, Self::Quest | Self::Egaroucid)
    }

    /// Returns whether only the last position is written.
    pub const fn is_of_positions(self) -> bool {
        matches!(
            self,
            Self::Obf
                | Self::Board
                | Self::Ggs
                | Self::Bitboards
                | Self::BlackWhite
                | Self::Base81
                | Self::Diagram
        )
    }

    /// The text between two games of a file.
    pub const fn separator(self) -> &'static str {
        match self {
            Self::Pgn | Self::Diagram => "\n",
            _ => "",
        }
    }

    /// The text of a record, with a line end, and what it leaves out. [`Wthor`](Self::Wthor) is written by
    /// [`WthorWriter`](crate::WthorWriter): here its games are transcripts.
    pub fn write(self, record: &OthelloRecord) -> (String, RecordLosses) {
        let mut losses = RecordLosses::default();
        let text = match self {
            Self::Transcript | Self::Wthor => transcript(record, &mut losses),
            Self::Ggf => ggf::write(record, &mut losses),
            Self::Sgf => sgf::write(record, &mut losses),
            Self::Pgn => pgn::write(record, &mut losses),
            Self::Quest => quest::write(record, &mut losses),
            Self::Egaroucid => egaroucid::write(record, &mut losses),
            Self::Obf => obf(record, &mut losses),
            Self::Board
            | Self::Ggs
            | Self::Bitboards
            | Self::BlackWhite
            | Self::Base81
            | Self::Diagram => {
                losses.add(RecordLoss::Moves, record.game().moves().len());
                losses.add_all_but_moves(record);
                board(self, record.node(record.last()).position())
            }
        };
        (text, losses)
    }
}

impl fmt::Display for OthelloFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Parses a [`name`](OthelloFormat::name).
impl FromStr for OthelloFormat {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let named = NAMES.into_iter().find(|(name, _, _)| *name == text);
        named.map(|(_, _, format)| format).ok_or(())
    }
}

/// The transcript, behind the start position if it is another, and the result if it is stated.
fn transcript(record: &OthelloRecord, losses: &mut RecordLosses) -> String {
    let game = record.game();
    let mut text = String::new();
    if game.start() != Position::START {
        text = format!("{} ", game.start());
    }
    text.push_str(&game.to_string());
    if game.moves().is_empty() && game.start() == Position::START {
        // An empty line is no game.
        text = game.start().to_string();
    }
    if let Some(result) = record.info.result.filter(|_| !game.moves().is_empty()) {
        text.push(' ');
        text.push_str(&result.to_string());
        losses.check_end(result);
    } else {
        losses.add(
            RecordLoss::Results,
            usize::from(record.info.result.is_some()),
        );
    }
    let mut other = record.clone();
    other.info.result = None;
    losses.add_all_but_moves(&other);
    text.push('\n');
    text
}

/// The line of an `.obf` file of the last position; the answers are those of the file that it was read from.
fn obf(record: &OthelloRecord, losses: &mut RecordLosses) -> String {
    let position = record.node(record.last()).position();
    let mut rest = record.clone();
    let is_position = record.game().moves().is_empty();
    let is_answer = |extra: &crate::RecordExtra| {
        is_position && extra.format == OthelloFormat::Obf && extra.key == "answers"
    };
    let answers = record.info.extras.iter().find(|extra| is_answer(extra));
    let answers = answers
        .map(|extra| format!(" {}", extra.value))
        .unwrap_or_default();
    let comment = one_line(&record.info.comment);
    rest.info.extras.retain(|extra| !is_answer(extra));
    rest.info.comment.clear();
    losses.add(RecordLoss::Moves, record.game().moves().len());
    losses.add_all_but_moves(&rest);
    let comment = if comment.is_empty() {
        String::new()
    } else {
        format!(" % {comment}")
    };
    format!("{position};{answers}{comment}\n")
}

/// A text without line ends and blanks around it.
pub(crate) fn one_line(text: &str) -> String {
    text.split(['\n', '\r'])
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The numbers of black and white, and the side to move: words tell them from those of the mover and the opponent.
fn black_white(position: Position) -> String {
    let (black, white) = (
        position.black().reverse_bits(),
        position.white().reverse_bits(),
    );
    let side = if position.side() == Side::Black {
        "black"
    } else {
        "white"
    };
    format!("black 0x{black:016x} white 0x{white:016x} {side}")
}

/// A position in one of the forms of boards.
fn board(format: OthelloFormat, position: Position) -> String {
    let text = match format {
        OthelloFormat::Ggs => ggf::board(position),
        OthelloFormat::Bitboards => {
            // Without a word, two numbers are the mover's and the opponent's, and black moves.
            let [mover, opponent] = position.board().h8_first();
            let side = if position.side() == Side::Black {
                "black"
            } else {
                "white"
            };
            let text = format!("0x{mover:016x}\t0x{opponent:016x}\t{side}");
            // Of a board that no game leads to, the numbers would be exchanged.
            if parse(&text).is_ok_and(|read| read.position() == position) {
                text
            } else {
                black_white(position)
            }
        }
        OthelloFormat::BlackWhite => black_white(position),
        OthelloFormat::Base81 => base81(position),
        OthelloFormat::Diagram => diagram(position).trim_end().to_owned(),
        _ => position.to_string(),
    };
    format!("{text}\n")
}

/// A kind of information that a format cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordLoss {
    /// Moves before the position that is written.
    Moves,
    /// Variations.
    Variations,
    /// Comments.
    Comments,
    /// Values of positions.
    Values,
    /// Levels of searches.
    Levels,
    /// Times of moves.
    Times,
    /// Fractions of discs or seconds.
    Fractions,
    /// Names of players, events and places.
    Names,
    /// Ratings.
    Ratings,
    /// Dates, or their times of day.
    Dates,
    /// Time controls.
    TimeControls,
    /// Results, or the way games ended.
    Results,
    /// Start positions.
    Starts,
    /// Properties that only the source knows.
    Properties,
}

const LOSSES: [&str; 14] = [
    "moves",
    "variations",
    "comments",
    "values",
    "levels",
    "times of moves",
    "fractions",
    "names",
    "ratings",
    "dates",
    "time controls",
    "results",
    "start positions",
    "other properties",
];

impl RecordLoss {
    /// The name for people and in JSON, in the plural.
    pub const fn name(self) -> &'static str {
        LOSSES[self as usize]
    }
}

/// What was left out in writing, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordLosses([u64; LOSSES.len()]);

impl RecordLosses {
    /// Returns whether nothing was left out.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&count| count == 0)
    }

    /// The names of the kinds of which something was left out, with the number.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        LOSSES
            .into_iter()
            .zip(self.0)
            .filter(|&(_, count)| count > 0)
    }

    /// Number of items of a kind that were left out.
    pub const fn count(&self, kind: RecordLoss) -> u64 {
        self.0[kind as usize]
    }

    /// Adds those of another record.
    pub fn absorb(&mut self, other: &Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }

    pub(crate) fn add(&mut self, kind: RecordLoss, count: usize) {
        self.0[kind as usize] += count as u64;
    }

    /// Counts a text that is left out.
    pub(crate) fn text(&mut self, kind: RecordLoss, text: &str) {
        self.add(kind, usize::from(!text.is_empty()));
    }

    /// Counts the way that a game ended if a result with a score does not tell it.
    pub(crate) fn check_end(&mut self, result: crate::OthelloResult) {
        let is_told = result == crate::result::parse_result(&result.to_string()).unwrap_or(result);
        self.add(RecordLoss::Results, usize::from(!is_told));
    }

    /// Counts everything but the moves of the line that is played.
    fn add_all_but_moves(&mut self, record: &OthelloRecord) {
        let info = &record.info;
        self.header(info);
        self.text(RecordLoss::Comments, &info.comment);
        self.add(RecordLoss::Results, usize::from(info.result.is_some()));
        self.add(RecordLoss::Properties, info.extras.len());
        self.add(RecordLoss::Variations, record.variations());
        for id in record.ids() {
            self.whole_note(&record.node(id).note);
        }
    }

    /// Counts all that is noted about a move.
    pub(crate) fn whole_note(&mut self, note: &MoveNote) {
        self.note(note);
        self.text(RecordLoss::Comments, &note.comment);
        self.add(RecordLoss::Properties, note.extras.len());
    }

    /// Counts names, ratings, date and time control.
    fn header(&mut self, info: &crate::OthelloInfo) {
        for text in [
            &info.black.name,
            &info.white.name,
            &info.event,
            &info.round,
            &info.place,
        ] {
            self.text(RecordLoss::Names, text);
        }
        self.text(RecordLoss::Ratings, &info.black.rating);
        self.text(RecordLoss::Ratings, &info.white.rating);
        self.text(RecordLoss::Dates, &info.date);
        self.text(RecordLoss::TimeControls, &info.time_control);
        self.variant(info);
    }

    /// Counts rules that are not the usual ones.
    pub(crate) fn variant(&mut self, info: &crate::OthelloInfo) {
        let is_other = info.variant != GameVariant::Standard;
        self.add(RecordLoss::Properties, usize::from(is_other));
    }

    /// Counts value, level and time of a move.
    pub(crate) fn note(&mut self, note: &MoveNote) {
        self.add(RecordLoss::Values, usize::from(note.value.is_some()));
        self.add(RecordLoss::Levels, usize::from(note.level.is_some()));
        self.add(RecordLoss::Times, usize::from(note.time.is_some()));
    }

    /// Counts variations, and the notes of their moves.
    pub(crate) fn variations(&mut self, record: &OthelloRecord) {
        self.add(RecordLoss::Variations, record.variations());
    }

    /// Counts the properties of a list that other formats know.
    pub(crate) fn foreign(&mut self, extras: &[crate::RecordExtra], format: OthelloFormat) {
        let foreign = extras.iter().filter(|extra| extra.format != format);
        self.add(RecordLoss::Properties, foreign.count());
    }
}

impl fmt::Display for RecordLosses {
    /// `3 variations, 12 comments`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, count)) in self.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{count} {name}")?;
        }
        Ok(())
    }
}

/// A step of a line that is written: a node with its move and the side that made it.
pub(crate) fn steps(
    record: &OthelloRecord,
) -> impl Iterator<Item = (OthelloNodeId, Side, Move)> + '_ {
    record.main_line().filter_map(|id| {
        let node = record.node(id);
        Some((id, node.position().side().other(), node.mv()?))
    })
}
