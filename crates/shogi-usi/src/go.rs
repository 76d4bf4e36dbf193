//! The `go` command: limits of a search.

use std::fmt;
use std::iter::Peekable;
use std::str::{FromStr, SplitAsciiWhitespace};
use std::time::Duration;

use shogi_core::MoveText;
use thiserror::Error;

/// An error in the text after `go` (or `ponderhit`).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GoError {
    /// A word that is none of the command's, with what follows it up to the next that is.
    #[error("unknown word {0:?}")]
    UnknownWord(String),
    /// No number follows a word that needs one.
    #[error("{0} needs a number")]
    MissingNumber(&'static str),
    /// The text is not a number where one is needed.
    #[error("{word} needs a number, found {found:?}")]
    BadNumber {
        /// The word before it.
        word: &'static str,
        /// The text there.
        found: String,
    },
    /// A number that is not whole, or too large or too small, with what it was read as.
    #[error("{word} needs a number, found {found:?}, read as {read}")]
    ForcedNumber {
        /// The word before it.
        word: &'static str,
        /// The text there.
        found: String,
        /// The nearest number that fits.
        read: u64,
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
    /// Black's increment for each move. The GUI has already subtracted it from `btime`.
    pub binc: Option<Duration>,
    /// White's increment for each move.
    pub winc: Option<Duration>,
}

impl ClockTimes {
    /// Returns whether no time is given.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Reads what follows the word `ponderhit` leniently; returns errors about what was left out or corrected too.
    /// [`str::parse`] fails with the first of these.
    pub fn parse_leniently(text: &str) -> (Self, Vec<GoError>) {
        let mut clock = Self::default();
        let mut words = Words::new(text, is_clock);
        while let Some(word) = words.next_known() {
            if let Some((name, field)) = clock.field(&word) {
                *field = words.milliseconds(name).or(*field);
            }
        }
        (clock, words.errors)
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

/// Returns whether `word` names a clock.
fn is_clock(word: &str) -> bool {
    ["btime", "wtime", "byoyomi", "binc", "winc"].contains(&word)
}

/// Returns whether `word` is one of `go`.
fn is_of_go(word: &str) -> bool {
    const OTHERS: [&str; 10] = [
        "ponder",
        "infinite",
        "rtime",
        "movetime",
        "depth",
        "nodes",
        "perft",
        "movestogo",
        "mate",
        "searchmoves",
    ];
    is_clock(word) || OTHERS.contains(&word)
}

impl FromStr for ClockTimes {
    type Err = GoError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        without_errors(Self::parse_leniently(text))
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

/// The time limit of a mate search (`go mate`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MateLimit {
    /// Until it is stopped.
    Infinite,
    /// This time.
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
    /// Only these moves; all when empty. Written last on the line.
    pub search_moves: Vec<MoveText>,
}

impl GoCommand {
    /// Reads what follows the word `go` leniently; returns errors about what was left out or corrected too.
    /// [`str::parse`] fails with the first of these.
    ///
    /// Case does not matter. Unknown words are left out. Numbers lose their fraction (`0.9` is 0, `1e3` is 1000) and
    /// are clamped to the range; a word without a valid number is left out, as are a negative `depth`, `nodes` or
    /// `perft`; a negative time counts as 0. `movestogo N` is accepted and ignored.
    ///
    /// ```
    /// use shogi_usi::GoCommand;
    /// let (go, errors) = GoCommand::parse_leniently("time 0 movetime 99.5");
    /// assert_eq!(go.to_string(), "go movetime 99");
    /// assert_eq!(errors.len(), 2);
    /// ```
    pub fn parse_leniently(text: &str) -> (Self, Vec<GoError>) {
        let mut go = Self::default();
        let mut words = Words::new(text, is_of_go);
        while let Some(word) = words.next_known() {
            match word.as_str() {
                "ponder" => go.ponder = true,
                "infinite" => go.infinite = true,
                "rtime" => go.rtime = words.milliseconds("rtime").or(go.rtime),
                "movetime" => go.movetime = words.milliseconds("movetime").or(go.movetime),
                "depth" => go.depth = words.count_u32("depth").or(go.depth),
                "nodes" => go.nodes = words.count("nodes", u64::MAX).or(go.nodes),
                "perft" => go.perft = words.count_u32("perft").or(go.perft),
                "movestogo" => drop(words.count_u32("movestogo")),
                "mate" => go.mate = Some(words.mate_limit()),
                "searchmoves" => go.search_moves.extend(words.moves()),
                clock => {
                    if let Some((name, field)) = go.clock.field(clock) {
                        *field = words.milliseconds(name).or(*field);
                    }
                }
            }
        }
        (go, words.errors)
    }
}

impl FromStr for GoCommand {
    type Err = GoError;

    /// Reads what follows the word `go`. `movestogo N` is accepted and ignored.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        without_errors(Self::parse_leniently(text))
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

/// The value, or the first error.
fn without_errors<T>((read, errors): (T, Vec<GoError>)) -> Result<T, GoError> {
    errors.into_iter().next().map_or(Ok(read), Err)
}

/// Most milliseconds: some 35 years, so that sums of times do not overflow.
const MAX_MILLISECONDS: u64 = (1 << 40) - 1;

/// The words of a command, and the errors in them.
struct Words<'a> {
    left: Peekable<SplitAsciiWhitespace<'a>>,
    is_known: fn(&str) -> bool,
    errors: Vec<GoError>,
}

impl<'a> Words<'a> {
    fn new(text: &'a str, is_known: fn(&str) -> bool) -> Self {
        Self {
            left: text.split_ascii_whitespace().peekable(),
            is_known,
            errors: Vec::new(),
        }
    }

    /// The next word of the command in lower case. Those before it are unknown.
    fn next_known(&mut self) -> Option<String> {
        let mut unknown = String::new();
        while let Some(word) = self.next_value() {
            if !unknown.is_empty() {
                unknown.push(' ');
            }
            unknown.push_str(word);
        }
        if !unknown.is_empty() {
            self.errors.push(GoError::UnknownWord(unknown));
        }
        self.left.next().map(str::to_ascii_lowercase)
    }

    /// The next word unless it is one of the command.
    fn next_value(&mut self) -> Option<&'a str> {
        let is_known = self.is_known;
        self.left
            .next_if(|word| !is_known(&word.to_ascii_lowercase()))
    }

    /// The number after `word`, and its text.
    fn number(&mut self, word: &'static str) -> Option<(i128, &'a str)> {
        let Some(text) = self.next_value() else {
            self.errors.push(GoError::MissingNumber(word));
            return None;
        };
        let number = whole_part(text);
        if number.is_none() {
            self.bad_number(word, text);
        }
        number.map(|number| (number, text))
    }

    fn bad_number(&mut self, word: &'static str, text: &str) {
        let found = text.to_owned();
        self.errors.push(GoError::BadNumber { word, found });
    }

    /// `number`, clamped to at most `most`, with an error if that changes the `text`.
    fn clamp(&mut self, word: &'static str, (number, text): (i128, &str), most: u64) -> u64 {
        let read = number.clamp(0, most.into()) as u64;
        // Some GUIs send a negative time to a player who is late.
        let as_written = text.parse() == Ok(number) && number <= most.into();
        if !as_written {
            let found = text.to_owned();
            self.errors
                .push(GoError::ForcedNumber { word, found, read });
        }
        read
    }

    /// A count, at most `most`; a negative one is an error.
    fn count(&mut self, word: &'static str, most: u64) -> Option<u64> {
        let number = self.number(word)?;
        if number.0 < 0 {
            self.bad_number(word, number.1);
            return None;
        }
        Some(self.clamp(word, number, most))
    }

    fn count_u32(&mut self, word: &'static str) -> Option<u32> {
        self.count(word, u32::MAX.into()).map(|count| count as u32)
    }

    fn milliseconds(&mut self, word: &'static str) -> Option<Duration> {
        let number = self.number(word)?;
        Some(Duration::from_millis(self.clamp(
            word,
            number,
            MAX_MILLISECONDS,
        )))
    }

    fn mate_limit(&mut self) -> MateLimit {
        let is_known = self.is_known;
        let next = self.left.peek().map(|word| word.to_ascii_lowercase());
        match next.as_deref() {
            Some("infinite") => {
                self.left.next();
                MateLimit::Infinite
            }
            Some(word) if !is_known(word) => self
                .milliseconds("mate")
                .map_or(MateLimit::Infinite, MateLimit::Time),
            _ => MateLimit::Infinite,
        }
    }

    /// The moves up to the next word of the command.
    fn moves(&mut self) -> Vec<MoveText> {
        let (mut moves, mut words) = (Vec::new(), 0);
        while let Some(word) = self.next_value() {
            words += 1;
            match MoveText::from_usi(word) {
                Some(text) => moves.push(text),
                None => self.errors.push(GoError::BadMove(word.to_owned())),
            }
        }
        if words == 0 {
            self.errors.push(GoError::NoMoves);
        }
        moves
    }
}

/// The integer part of a number, clamped; `None` if `text` does not begin with one.
fn whole_part(text: &str) -> Option<i128> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_nan() => None,
        Ok(number) => Some(number as i128),
        Err(_) => {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            (digits > 0).then(|| text[..digits].parse().unwrap_or(i128::MAX))
        }
    }
}
