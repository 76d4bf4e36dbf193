//! The rules of a game as a match needs them, whatever the game is: a side to move, answers that are judged, an end.
//!
//! [`crate::ShogiRules`] are the rules of shogi, [`crate::OthelloRules`] those of othello. A game with other rules joins by
//! implementing [`RuleBook`] and [`Referee`], and its engines by an [`EngineProtocol`](crate::EngineProtocol).

use std::fmt;
use std::fmt::Debug;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use yane_base::random::{GOLDEN_GAMMA, Stream, stream};
use yane_io::sniff::Expected;
use yane_io::{Checksum, Error};

use crate::error::{OpeningLineError, Result, TextError};

/// A game that matches can be of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameName {
    /// Shogi.
    #[default]
    Shogi,
    /// Othello.
    Othello,
}

impl fmt::Display for GameName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shogi => "shogi",
            Self::Othello => "othello",
        })
    }
}

impl FromStr for GameName {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let games = [Self::Shogi, Self::Othello];
        let found = games.into_iter().find(|game| game.to_string() == text);
        found.ok_or(TextError::Missing("shogi or othello"))
    }
}

/// The colour of a player: black moves first where nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayerColor {
    /// Black.
    Black,
    /// White.
    White,
}

impl PlayerColor {
    /// Black and white.
    pub const ALL: [Self; 2] = [Self::Black, Self::White];

    /// 0 for black, 1 for white.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other colour.
    pub const fn opponent(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

/// The reason why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EndOfGame {
    /// The loser has no legal move.
    Mate,
    /// The loser resigned.
    Resign,
    /// The winner declared (27-point rule).
    Declaration,
    /// The same position for the fourth time.
    Repetition,
    /// The same position for the fourth time, the loser having given check all the while.
    PerpetualCheck,
    /// Nobody can move any more, and what each has was counted: the discs of othello.
    Counted,
    /// The game has reached the greatest number of plies.
    MaxPlies,
    /// Both engines have long seen the loser far behind.
    AgreedWin,
    /// Both engines have long seen nobody ahead.
    AgreedDraw,
    /// The loser answered something that is no legal move, or declared without having the points.
    IllegalMove,
    /// The loser thought for too long.
    TimeForfeit,
    /// The loser's process died or its answer could not be read.
    Crash,
}

impl EndOfGame {
    /// Returns whether the game ended because an engine misbehaved.
    pub(crate) const fn is_violation(self) -> bool {
        matches!(self, Self::IllegalMove | Self::TimeForfeit | Self::Crash)
    }
}

/// The result of a game and its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// `None`: a draw.
    pub winner: Option<PlayerColor>,
    /// The reason.
    pub reason: EndOfGame,
}

impl Verdict {
    /// A draw.
    pub const fn draw(reason: EndOfGame) -> Self {
        Self {
            winner: None,
            reason,
        }
    }

    /// A win.
    pub(crate) const fn won_by(winner: PlayerColor, reason: EndOfGame) -> Self {
        Self {
            winner: Some(winner),
            reason,
        }
    }
}

/// Follows one game, and trusts neither player.
pub trait Referee: Debug {
    /// The colour that is to move.
    fn side_to_move(&self) -> PlayerColor;

    /// Number of plies played, those of the opening included.
    fn plies(&self) -> usize;

    /// Judges the answer of the side to move, and plays it if it is a legal move. Returns the verdict if that ends the
    /// game.
    fn answer(&mut self, text: &str) -> Option<Verdict>;

    /// The verdict on the current position, if it ends the game.
    fn verdict(&self) -> Option<Verdict>;

    /// The points that black is ahead of white at the end of a game in which they are counted.
    fn lead(&self) -> Option<i32> {
        None
    }
}

/// The rules of a game: openings as text, and referees.
pub trait RuleBook: Debug + Send + Sync {
    /// Checks a line of a file of openings and returns it in the form that engines and logs have it.
    ///
    /// # Errors
    /// Names what is wrong.
    fn opening(&self, line: &str) -> Result<String, OpeningLineError>;

    /// The different openings of a file of game records, at most `plies` moves of each; `None` when the file is none, so that its
    /// lines are openings.
    ///
    /// # Errors
    /// When the file cannot be read, or a record is damaged.
    fn openings_of_records(&self, path: &Path, plies: usize) -> Result<Option<Vec<String>>> {
        let _ = (path, plies);
        Ok(None)
    }

    /// A balanced opening of `plies` random moves. The same random numbers give the same one.
    fn random_opening(&self, random: &mut Stream, plies: u32) -> String;

    /// A referee for a game that continues `opening`, whose moves count as moves of the game; it is drawn after
    /// `max_plies` plies.
    ///
    /// # Errors
    /// When the opening is none.
    fn referee(
        &self,
        opening: &str,
        max_plies: usize,
    ) -> Result<Box<dyn Referee>, OpeningLineError>;
}

/// The openings of a match.
#[derive(Clone, Debug)]
pub enum Openings {
    /// In this order, from the first again when they have been used up. Never empty.
    Listed(Vec<String>),
    /// Random moves from the initial position.
    Random {
        /// Seed of the random numbers.
        seed: u64,
        /// Number of moves.
        plies: u32,
    },
}

impl Openings {
    /// Number of moves that are taken of a game record unless told otherwise.
    pub const PLIES_OF_RECORDS: usize = 24;

    /// Reads a file of openings: one a line, or game records in any format of the game. Empty lines and lines that start with
    /// `#` or `//` are skipped. Of each opening at most `plies` moves are taken; without it all of a line, and
    /// [`Self::PLIES_OF_RECORDS`] of a record. Records that begin alike give one opening.
    ///
    /// # Errors
    /// When the file cannot be read, a line or record is no opening, or there is none.
    pub fn read(path: &Path, rules: &dyn RuleBook, plies: Option<usize>) -> Result<Self> {
        let of_records = plies.unwrap_or(Self::PLIES_OF_RECORDS);
        if let Some(openings) = rules.openings_of_records(path, of_records)? {
            return Ok(Self::Listed(openings));
        }
        let expected =
            Expected::text("openings, one a line (startpos moves ..., a position, or moves)");
        let text = yane_io::read_text(path, &expected, yane_io::ReadLimit::List)?;
        let text = String::from_utf8_lossy(&text);
        let mut openings = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim().trim_start_matches('\u{feff}');
            if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
                continue;
            }
            let opening = rules
                .opening(line)
                .map_err(|reason| Error::file(path, format!("line {}: {reason}", index + 1)))?;
            openings.push(match plies {
                Some(plies) => first_moves(&opening, plies),
                None => opening,
            });
        }
        if openings.is_empty() {
            return Err(Error::file(path, "there are no openings in it").into());
        }
        Ok(Self::Listed(openings))
    }

    /// What tells these openings from others: the checksum of those of a list, or seed and plies.
    pub fn identity(&self) -> String {
        match self {
            Self::Listed(openings) => {
                Checksum::of_bytes(openings.join("\n").as_bytes()).to_string()
            }
            Self::Random { seed, plies } => format!("{plies} random plies, seed {seed}"),
        }
    }

    /// The opening with the given number, counted from 0.
    pub fn get(&self, number: usize, rules: &dyn RuleBook) -> String {
        match self {
            Self::Listed(openings) => openings[number % openings.len()].clone(),
            Self::Random { seed, plies } => {
                rules.random_opening(&mut random(*seed, number), *plies)
            }
        }
    }
}

/// The opening with no more than `plies` of its moves.
fn first_moves(opening: &str, plies: usize) -> String {
    let Some((start, moves)) = opening.split_once(" moves") else {
        return opening.to_owned();
    };
    let mut line = start.to_owned();
    for (index, m) in moves.split_whitespace().take(plies).enumerate() {
        line.push_str(if index == 0 { " moves " } else { " " });
        line.push_str(m);
    }
    line
}

/// Random numbers for item `number` of a run, counted from 0: they depend on nothing but it and the seed, so that a run
/// that is resumed draws the same ones.
pub(crate) fn random(seed: u64, number: usize) -> Stream {
    // Consecutive seeds give unrelated streams: the generator hashes its seed first. The odd factor
    // keeps the numbers of neighbouring seeds apart.
    stream(seed.wrapping_mul(GOLDEN_GAMMA).wrapping_add(number as u64))
}
