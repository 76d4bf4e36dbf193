//! The `go` command: limits of a search.

use std::fmt;
use std::str::{FromStr, SplitAsciiWhitespace};
use std::time::Duration;

use shogi_core::MoveText;
use thiserror::Error;

/// Why the text after `go` (or `ponderhit`) cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GoError {
    /// A word that is none of the command's.
    #[error("unknown word {0:?}")]
    UnknownWord(String),
    /// A word that needs a number stands at the end.
    #[error("{0} needs a number")]
    MissingNumber(&'static str),
    /// Something else stands where a number is needed.
    #[error("{word} needs a number, found {found:?}")]
    BadNumber {
        /// The word before it.
        word: &'static str,
        /// What stands there.
        found: String,
    },
    /// A word after `searchmoves` is not a move.
    #[error("searchmoves: {0:?} is not a move")]
    BadMove(String),
    /// `searchmoves` without moves.
    #[error("searchmoves needs moves")]
    NoMoves,
}

/// Clock times as a GUI sends them with `go` and, in "early ponder" mode, with `ponderhit`. In whole
/// milliseconds on the wire; a negative time counts as 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockTimes {
    /// Black's remaining time.
    pub btime: Option<Duration>,
    /// White's remaining time.
    pub wtime: Option<Duration>,
    /// Time for each move when the remaining time is used up (秒読み), for both sides.
    pub byoyomi: Option<Duration>,
    /// What black gets added after each move. The GUI has already subtracted it from `btime`.
    pub binc: Option<Duration>,
    /// What white gets added after each move.
    pub winc: Option<Duration>,
}

impl ClockTimes {
    /// Whether no time is given.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The field that `word` names.
    fn field(&mut self, word: &str) -> Option<(&'static str, &mut Option<Duration>)> {
        Some(match word {
            "btime" => ("btime", &mut self.btime),
            "wtime" => ("wtime", &mut self.wtime),
            "byoyomi" => ("byoyomi", &mut self.byoyomi),
            "binc" => ("binc", &mut self.binc),
            "winc" => ("winc", &mut self.winc),
            _ => return None,
        })
    }
}

impl FromStr for ClockTimes {
    type Err = GoError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut clock = Self::default();
        let mut words = text.split_ascii_whitespace();
        while let Some(word) = words.next() {
            let (name, field) = clock
                .field(word)
                .ok_or_else(|| GoError::UnknownWord(word.to_owned()))?;
            *field = Some(milliseconds(name, &mut words)?);
        }
        Ok(clock)
    }
}

impl fmt::Display for ClockTimes {
    /// ` btime 1000 ...`: with a leading blank, nothing when no time is given.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = [
            ("btime", self.btime),
            ("wtime", self.wtime),
            ("byoyomi", self.byoyomi),
            ("binc", self.binc),
            ("winc", self.winc),
        ];
        for (name, time) in fields {
            if let Some(time) = time {
                write!(f, " {name} {}", time.as_millis())?;
            }
        }
        Ok(())
    }
}

/// How long a mate search (`go mate`) may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MateLimit {
    /// Until it is stopped.
    Infinite,
    /// This long.
    Time(Duration),
}

/// A `go` command. `GoCommand::default()` is `go` alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoCommand {
    /// Think on the opponent's time until `ponderhit` or `stop`.
    pub ponder: bool,
    /// Clocks.
    pub clock: ClockTimes,
    /// Exactly this long, plus a random part that grows in the opening (an extension
    /// for self-play).
    pub rtime: Option<Duration>,
    /// Exactly this long.
    pub movetime: Option<Duration>,
    /// Deepest iteration, in plies.
    pub depth: Option<u32>,
    /// Number of positions visited.
    pub nodes: Option<u64>,
    /// Search for a mate; the answer is `checkmate`.
    pub mate: Option<MateLimit>,
    /// Count move sequences of this many plies instead of searching (an extension).
    pub perft: Option<u32>,
    /// Until `stop`.
    pub infinite: bool,
    /// Only these moves; all when empty. Last on the line.
    pub search_moves: Vec<MoveText>,
}

impl FromStr for GoCommand {
    type Err = GoError;

    /// Reads what follows the word `go`. `movestogo N` is accepted and ignored.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut go = Self::default();
        let mut words = text.split_ascii_whitespace();
        while let Some(word) = words.next() {
            match word {
                "ponder" => go.ponder = true,
                "infinite" => go.infinite = true,
                "rtime" => go.rtime = Some(milliseconds("rtime", &mut words)?),
                "movetime" => go.movetime = Some(milliseconds("movetime", &mut words)?),
                "depth" => go.depth = Some(number("depth", &mut words)?),
                "nodes" => go.nodes = Some(number("nodes", &mut words)?),
                "perft" => go.perft = Some(number("perft", &mut words)?),
                "movestogo" => drop(number::<u32>("movestogo", &mut words)?),
                "mate" => go.mate = Some(mate_limit(&mut words)?),
                "searchmoves" => go.search_moves = moves(&mut words)?,
                _ => {
                    let (name, field) = go
                        .clock
                        .field(word)
                        .ok_or_else(|| GoError::UnknownWord(word.to_owned()))?;
                    *field = Some(milliseconds(name, &mut words)?);
                }
            }
        }
        Ok(go)
    }
}

impl fmt::Display for GoCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "go")?;
        if self.ponder {
            write!(f, " ponder")?;
        }
        match self.mate {
            None => {}
            Some(MateLimit::Infinite) => write!(f, " mate infinite")?,
            Some(MateLimit::Time(time)) => write!(f, " mate {}", time.as_millis())?,
        }
        write!(f, "{}", self.clock)?;
        if let Some(time) = self.rtime {
            write!(f, " rtime {}", time.as_millis())?;
        }
        if let Some(time) = self.movetime {
            write!(f, " movetime {}", time.as_millis())?;
        }
        if let Some(depth) = self.depth {
            write!(f, " depth {depth}")?;
        }
        if let Some(nodes) = self.nodes {
            write!(f, " nodes {nodes}")?;
        }
        if let Some(perft) = self.perft {
            write!(f, " perft {perft}")?;
        }
        if self.infinite {
            write!(f, " infinite")?;
        }
        if !self.search_moves.is_empty() {
            write!(f, " searchmoves")?;
        }
        self.search_moves.iter().try_for_each(|m| write!(f, " {m}"))
    }
}

fn number<T: FromStr>(
    word: &'static str,
    words: &mut SplitAsciiWhitespace<'_>,
) -> Result<T, GoError> {
    let text = words.next().ok_or(GoError::MissingNumber(word))?;
    text.parse().map_err(|_| GoError::BadNumber {
        word,
        found: text.to_owned(),
    })
}

fn milliseconds(
    word: &'static str,
    words: &mut SplitAsciiWhitespace<'_>,
) -> Result<Duration, GoError> {
    // Some GUIs send a negative time to a player who is late.
    let ms: i64 = number(word, words)?;
    Ok(Duration::from_millis(ms.max(0).unsigned_abs()))
}

fn mate_limit(words: &mut SplitAsciiWhitespace<'_>) -> Result<MateLimit, GoError> {
    let mut ahead = words.clone();
    match ahead.next() {
        None | Some("infinite") => {
            *words = ahead;
            Ok(MateLimit::Infinite)
        }
        Some(_) => milliseconds("mate", words).map(MateLimit::Time),
    }
}

fn moves(words: &mut SplitAsciiWhitespace<'_>) -> Result<Vec<MoveText>, GoError> {
    let read =
        |word: &str| MoveText::from_usi(word).ok_or_else(|| GoError::BadMove(word.to_owned()));
    let moves: Vec<_> = words.map(read).collect::<Result<_, _>>()?;
    if moves.is_empty() {
        Err(GoError::NoMoves)
    } else {
        Ok(moves)
    }
}
