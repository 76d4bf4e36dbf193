//! The lines that an engine writes to a GUI: reports of its search (`info`) and other responses.

use std::convert::Infallible;
use std::fmt;
use std::num::NonZeroI32;
use std::str::{FromStr, SplitAsciiWhitespace};
use std::time::Duration;

use shogi_core::{MoveText, Repetition};

use crate::OptionSpec;

/// A score for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// Plies to mate: positive when mating, negative when being mated. Never 0, which GUIs read as
    /// a mate of unknown length.
    Mate(NonZeroI32),
    /// Mating, in a number of plies that is not known (`mate +`).
    MateUnknown,
    /// Being mated, in a number of plies that is not known (`mate -`).
    MatedUnknown,
}

/// The bound of a score that is not exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreBound {
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
}

/// An element of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PvItem {
    /// A move.
    Move(MoveText),
    /// The side to move resigns.
    Resign,
    /// The side to move wins by declaration.
    Win,
    /// The line repeats.
    Repetition(Repetition),
}

impl PvItem {
    fn parse(word: &str) -> Option<Self> {
        const REPETITIONS: [Repetition; 5] = [
            Repetition::Draw,
            Repetition::Win,
            Repetition::Lose,
            Repetition::Superior,
            Repetition::Inferior,
        ];
        match word {
            "resign" => Some(Self::Resign),
            "win" => Some(Self::Win),
            _ => match REPETITIONS.into_iter().find(|kind| kind.name() == word) {
                Some(kind) => Some(Self::Repetition(kind)),
                None => MoveText::from_usi(word).map(Self::Move),
            },
        }
    }
}

impl fmt::Display for PvItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move(m) => write!(f, "{m}"),
            Self::Resign => f.write_str("resign"),
            Self::Win => f.write_str("win"),
            Self::Repetition(kind) => f.write_str(kind.name()),
        }
    }
}

/// The fields of an `info` line. Those that are `None` or empty are not written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Depth of the iteration, in plies.
    pub depth: Option<u32>,
    /// Deepest ply reached.
    pub sel_depth: Option<u32>,
    /// Number of the line, 1 for the best.
    pub multi_pv: Option<u32>,
    /// Score for the side to move.
    pub score: Option<Score>,
    /// Set when the score is only a bound.
    pub bound: Option<ScoreBound>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// Positions per second.
    pub nps: Option<u64>,
    /// Use of the transposition table, per mille.
    pub hash_full: Option<u32>,
    /// Time since the search began, in whole milliseconds on the wire.
    pub time: Option<Duration>,
    /// The root move being searched.
    pub current_move: Option<MoveText>,
    /// The line, best move first.
    pub pv: Vec<PvItem>,
    /// Free text; takes the rest of the line, so that no line has both this and a `pv`.
    pub text: Option<String>,
}

impl Info {
    /// `info string text`. Line breaks in `text` are replaced by blanks.
    pub fn text(text: impl AsRef<str>) -> Self {
        let text = text.as_ref().replace(['\r', '\n'], " ");
        Self {
            text: Some(text),
            ..Self::default()
        }
    }

    /// Reads what follows the word `info`. Lenient, since it reads other engines: unknown words are
    /// skipped, and a line (`pv`) ends at the first word that is no move.
    pub fn parse(text: &str) -> Self {
        Self::parse_fields(text, true)
    }

    /// As [`Self::parse`], but without the line (`pv`) and the free text: for lines of which only the latest
    /// matters. Nothing is allocated.
    pub fn parse_head(text: &str) -> Self {
        Self::parse_fields(text, false)
    }

    fn parse_fields(text: &str, whole: bool) -> Self {
        let mut info = Self::default();
        let mut words = text.split_ascii_whitespace();
        while let Some(word) = words.next() {
            match word {
                // Blanks inside are kept.
                "string" => {
                    let end = word.as_ptr().addr() + word.len() - text.as_ptr().addr();
                    let Some(string) = text[end..].strip_prefix(' ') else {
                        continue;
                    };
                    info.text = whole.then(|| string.to_owned());
                    break;
                }
                // No word of a line is the name of a field.
                "pv" if !whole => {}
                _ => info.read_field(word, &mut words),
            }
        }
        info
    }

    fn read_field(&mut self, word: &str, words: &mut SplitAsciiWhitespace<'_>) {
        fn value<T: std::str::FromStr>(words: &mut SplitAsciiWhitespace<'_>) -> Option<T> {
            let mut ahead = words.clone();
            let value = ahead.next()?.parse().ok()?;
            *words = ahead;
            Some(value)
        }
        match word {
            "depth" => self.depth = value(words),
            "seldepth" => self.sel_depth = value(words),
            "multipv" => self.multi_pv = value(words),
            "nodes" => self.nodes = value(words),
            "nps" => self.nps = value(words),
            "hashfull" => self.hash_full = value(words),
            "time" => self.time = value(words).map(Duration::from_millis),
            "currmove" => {
                self.current_move = words.next().and_then(MoveText::from_usi);
            }
            "score" => self.score = read_score(words),
            "lowerbound" => self.bound = Some(ScoreBound::Lower),
            "upperbound" => self.bound = Some(ScoreBound::Upper),
            "pv" => self.pv = read_pv(words),
            _ => {}
        }
    }
}

/// The words up to the first one that is no move.
fn read_pv(words: &mut SplitAsciiWhitespace<'_>) -> Vec<PvItem> {
    let mut pv = Vec::new();
    let mut ahead = words.clone();
    while let Some(item) = ahead.next().and_then(PvItem::parse) {
        pv.push(item);
        *words = ahead.clone();
    }
    pv
}

fn read_score(words: &mut SplitAsciiWhitespace<'_>) -> Option<Score> {
    let kind = words.next()?;
    let value = words.next()?;
    match (kind, value) {
        ("cp", value) => value.parse().ok().map(Score::Cp),
        ("mate", "+" | "+0" | "0") => Some(Score::MateUnknown),
        ("mate", "-" | "-0") => Some(Score::MatedUnknown),
        ("mate", value) => value.parse().ok().map(Score::Mate),
        _ => None,
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cp(cp) => write!(f, "cp {cp}"),
            Self::Mate(plies) => write!(f, "mate {plies}"),
            Self::MateUnknown => f.write_str("mate +"),
            Self::MatedUnknown => f.write_str("mate -"),
        }
    }
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn field(f: &mut fmt::Formatter<'_>, name: &str, value: Option<u64>) -> fmt::Result {
            value.map_or(Ok(()), |value| write!(f, " {name} {value}"))
        }
        f.write_str("info")?;
        field(f, "depth", self.depth.map(u64::from))?;
        field(f, "seldepth", self.sel_depth.map(u64::from))?;
        field(f, "multipv", self.multi_pv.map(u64::from))?;
        if let Some(score) = self.score {
            write!(f, " score {score}")?;
        }
        match self.bound {
            None => {}
            Some(ScoreBound::Lower) => f.write_str(" lowerbound")?,
            Some(ScoreBound::Upper) => f.write_str(" upperbound")?,
        }
        field(f, "nodes", self.nodes)?;
        field(f, "nps", self.nps)?;
        field(f, "hashfull", self.hash_full.map(u64::from))?;
        field(f, "time", self.time.map(|time| time.as_millis() as u64))?;
        if let Some(m) = self.current_move {
            write!(f, " currmove {m}")?;
        }
        if let Some(text) = &self.text {
            return write!(f, " string {text}");
        }
        if !self.pv.is_empty() {
            f.write_str(" pv")?;
        }
        self.pv.iter().try_for_each(|item| write!(f, " {item}"))
    }
}

// Responses: the lines that an engine writes to a GUI.

/// The decision of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BestMove {
    /// Play `best`.
    Move {
        /// The move.
        best: MoveText,
        /// The reply to ponder on.
        ponder: Option<MoveText>,
    },
    /// Give up.
    Resign,
    /// Declare the win (入玉宣言).
    Win,
}

impl fmt::Display for BestMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move { best, ponder: None } => write!(f, "{best}"),
            Self::Move {
                best,
                ponder: Some(ponder),
            } => write!(f, "{best} ponder {ponder}"),
            Self::Resign => f.write_str("resign"),
            Self::Win => f.write_str("win"),
        }
    }
}

impl BestMove {
    /// Reads what follows the word `bestmove`; `None` when the first word is no move. A ponder move
    /// that cannot be read is left out.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        match words.next()? {
            "resign" => Some(Self::Resign),
            "win" => Some(Self::Win),
            word => {
                let best = MoveText::from_usi(word)?;
                let ponder = words
                    .next()
                    .filter(|word| *word == "ponder")
                    .and_then(|_| words.next())
                    .and_then(MoveText::from_usi);
                Some(Self::Move { best, ponder })
            }
        }
    }
}

/// The answer to `go mate`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckMate {
    /// A mating line.
    Mate(Vec<MoveText>),
    /// There is no mate.
    NoMate,
    /// Not found in time.
    Timeout,
    /// The engine has no mate search.
    NotImplemented,
}

impl CheckMate {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "nomate" => Self::NoMate,
            "timeout" => Self::Timeout,
            "notimplemented" => Self::NotImplemented,
            _ => {
                let moves: Option<Vec<_>> = text
                    .split_ascii_whitespace()
                    .map(MoveText::from_usi)
                    .collect();
                Self::Mate(moves.filter(|moves| !moves.is_empty())?)
            }
        })
    }
}

impl fmt::Display for CheckMate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mate(moves) => {
                for (index, m) in moves.iter().enumerate() {
                    write!(f, "{}{m}", if index == 0 { "" } else { " " })?;
                }
                Ok(())
            }
            Self::NoMate => f.write_str("nomate"),
            Self::Timeout => f.write_str("timeout"),
            Self::NotImplemented => f.write_str("notimplemented"),
        }
    }
}

/// A line of an engine's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// The engine's name.
    IdName(String),
    /// The authors of the engine.
    IdAuthor(String),
    /// An option that the engine has.
    Option(OptionSpec),
    /// The answer to `usi` is complete.
    UsiOk,
    /// The engine is ready for a game.
    ReadyOk,
    /// About the search, or a message.
    Info(Box<Info>),
    /// The decision of a search.
    BestMove(BestMove),
    /// The answer of a mate search.
    CheckMate(CheckMate),
    /// A line outside of the protocol, which GUIs ignore.
    Other(String),
}

impl FromStr for Response {
    type Err = Infallible;

    /// Never fails: lines that cannot be read are [`Response::Other`].
    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let line = line.trim_ascii();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let parsed = match word {
            "id" => match rest.split_once(' ') {
                Some(("name", name)) => Some(Self::IdName(name.to_owned())),
                Some(("author", author)) => Some(Self::IdAuthor(author.to_owned())),
                _ => None,
            },
            "option" => rest.parse().ok().map(Self::Option),
            "usiok" if rest.is_empty() => Some(Self::UsiOk),
            "readyok" if rest.is_empty() => Some(Self::ReadyOk),
            "info" => Some(Self::Info(Box::new(Info::parse(rest)))),
            "bestmove" => BestMove::parse(rest).map(Self::BestMove),
            "checkmate" => CheckMate::parse(rest).map(Self::CheckMate),
            _ => None,
        };
        Ok(parsed.unwrap_or_else(|| Self::Other(line.to_owned())))
    }
}

impl fmt::Display for Response {
    /// The line without its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IdName(name) => write!(f, "id name {name}"),
            Self::IdAuthor(author) => write!(f, "id author {author}"),
            Self::Option(option) => write!(f, "option {option}"),
            Self::UsiOk => f.write_str("usiok"),
            Self::ReadyOk => f.write_str("readyok"),
            Self::Info(info) => write!(f, "{info}"),
            Self::BestMove(best) => write!(f, "bestmove {best}"),
            Self::CheckMate(mate) => write!(f, "checkmate {mate}"),
            Self::Other(line) => f.write_str(line),
        }
    }
}
