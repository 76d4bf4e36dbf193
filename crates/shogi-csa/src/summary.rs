//! The game that a server offers: players, times, start position, and moves that were played before.

use shogi_core::{Color, Move, PieceKind, Position, Square};
use shogi_kifu::{KifuError, Step, read_csa};
use thiserror::Error;

/// Most lines of a summary: a game of a thousand moves that goes on has fewer.
pub(crate) const MOST_LINES: usize = 20_000;

/// The reason why an offered game cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SummaryError {
    /// A line that every summary has is missing.
    #[error("the game summary has no line {0}")]
    Missing(&'static str),
    /// The value of a line is not understood.
    #[error("the game summary has the line {line:?}, expected {expected}")]
    Value {
        /// The line.
        line: String,
        /// What is understood.
        expected: &'static str,
    },
    /// The position cannot be read.
    #[error("the position of the game summary: {0}")]
    Position(KifuError),
    /// The position is none of a game.
    #[error("the position of the game summary cannot be played: {0}")]
    Unplayable(String),
    /// The moves before are no game, or it has ended.
    #[error("the moves of the game summary: {0}")]
    Moves(&'static str),
    /// A move before cannot be played.
    #[error("move {number} of the game summary, {text}, is not legal")]
    Move {
        /// The number of the move, from 1.
        number: usize,
        /// The move, as CSA writes it.
        text: String,
    },
    /// It has more lines than any game.
    #[error("the game summary has more than {MOST_LINES} lines")]
    TooLong,
}

impl From<KifuError> for SummaryError {
    fn from(error: KifuError) -> Self {
        Self::Position(error)
    }
}

/// The time that a player has. All in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CsaTime {
    /// Unit of the times in messages (`Time_Unit`).
    pub unit_ms: u64,
    /// Time for the game (`Total_Time`).
    pub total_ms: u64,
    /// Time for each move when the clock has run out (`Byoyomi`).
    pub byoyomi_ms: u64,
    /// Time that is added for each move, before it is made (`Increment`).
    pub increment_ms: u64,
    /// Time of each move that does not count (`Delay`).
    pub delay_ms: u64,
    /// Time that a move counts at least (`Least_Time_Per_Move`).
    pub least_ms: u64,
    /// True if parts of a unit count as a whole one (`Time_Roundup`).
    pub rounds_up: bool,
}

impl CsaTime {
    /// Returns whether the player may think as long as it likes.
    pub(crate) const fn is_unlimited(&self) -> bool {
        self.total_ms == 0 && self.byoyomi_ms == 0 && self.increment_ms == 0
    }
}

/// The lines of a block `Time`, as numbers of units.
#[derive(Clone, Copy, Debug)]
struct RawTime {
    unit_ms: u64,
    total: u64,
    byoyomi: u64,
    increment: u64,
    delay: u64,
    least: u64,
    rounds_up: bool,
}

impl RawTime {
    const DEFAULT: Self = Self {
        unit_ms: 1000,
        total: 0,
        byoyomi: 0,
        increment: 0,
        delay: 0,
        least: 0,
        rounds_up: false,
    };

    fn finish(self) -> CsaTime {
        let ms = |units: u64| units.saturating_mul(self.unit_ms);
        CsaTime {
            unit_ms: self.unit_ms,
            total_ms: ms(self.total),
            byoyomi_ms: ms(self.byoyomi),
            increment_ms: ms(self.increment),
            delay_ms: ms(self.delay),
            least_ms: ms(self.least),
            rounds_up: self.rounds_up,
        }
    }
}

/// A move that was played before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierMove {
    /// The move.
    pub m: Move,
    /// The time that it took, in units of the game.
    pub spent: Option<u64>,
}

/// A game that a server offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsaSummary {
    /// Its name (`Game_ID`); empty when the server gives it none.
    pub game_id: String,
    /// The names of black and white.
    pub names: [String; 2],
    /// The colour of the client.
    pub color: Color,
    /// Number of moves after which the game ends (`Max_Moves`).
    pub max_moves: Option<u32>,
    /// The rule about declarations (`Declaration`).
    pub declaration: Option<String>,
    /// The times of black and white.
    pub times: [CsaTime; 2],
    /// What is left of the times when the game begins, where the server says so (`Remaining_Time+`).
    pub remaining_ms: [Option<u64>; 2],
    /// The start position.
    pub start: Position,
    /// The moves that were played before; the game goes on after them.
    pub moves: Vec<EarlierMove>,
    /// Other lines, by their keywords.
    pub other: Vec<(String, String)>,
}

/// The line of servers that let a player come back into a game: a secret for that.
const RECONNECT_TOKEN: &str = "Reconnect_Token";

impl CsaSummary {
    /// The secret with which a player comes back into this game after a lost connection, where the server has given one.
    pub fn reconnect_token(&self) -> Option<&str> {
        let mut other = self.other.iter();
        let (_, token) = other.find(|(key, _)| key == RECONNECT_TOKEN)?;
        Some(token)
    }

    /// Takes a line of the state of a game that goes on: `Black_Time_Remaining_Ms:5000`. Others are left out.
    pub(crate) fn time_left(&mut self, line: &str) {
        for (side, key) in ["Black_Time_Remaining_Ms:", "White_Time_Remaining_Ms:"]
            .into_iter()
            .enumerate()
        {
            let ms = line.strip_prefix(key);
            if let Some(ms) = ms.and_then(|ms| ms.trim().parse().ok()) {
                self.remaining_ms[side] = Some(ms);
            }
        }
    }

    /// Returns whether this is an offer to go on with the game of `earlier`.
    pub fn goes_on(&self, earlier: &Self) -> bool {
        !self.game_id.is_empty()
            && self.game_id == earlier.game_id
            && self.names == earlier.names
            && self.color == earlier.color
    }

    /// The name of the opponent.
    pub fn opponent(&self) -> &str {
        &self.names[self.color.flip().index()]
    }

    /// Reads the lines between `BEGIN Game_Summary` and `END Game_Summary`.
    ///
    /// ```
    /// use shogi_csa::CsaSummary;
    /// let text = "Game_ID:g\nName+:a\nName-:b\nYour_Turn:-\nBEGIN Time\nTotal_Time:300\nIncrement:10\nEND Time\n\
    ///     BEGIN Position\nPI\n+\n+7776FU,T3\nEND Position";
    /// let summary = CsaSummary::parse(text.lines())?;
    /// assert_eq!((summary.opponent(), summary.moves.len()), ("a", 1));
    /// assert_eq!(summary.times[0].total_ms, 300_000);
    /// # Ok::<(), shogi_csa::SummaryError>(())
    /// ```
    ///
    /// # Errors
    /// When something is missing or wrong, so that the game cannot be played.
    pub fn parse<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Self, SummaryError> {
        let mut reader = Reader::default();
        for line in lines {
            reader.line(line.trim_end())?;
        }
        reader.finish()
    }
}

/// The block that a line stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum Block {
    #[default]
    Head,
    Time,
    TimeOf(Color),
    Position,
}

#[derive(Default)]
struct Reader {
    block: Block,
    game_id: String,
    names: [String; 2],
    color: Option<Color>,
    to_move: Option<Color>,
    max_moves: Option<u32>,
    declaration: Option<String>,
    times: Option<[RawTime; 2]>,
    remaining: [Option<u64>; 2],
    position: String,
    other: Vec<(String, String)>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), SummaryError> {
        match line {
            "" => return Ok(()),
            "BEGIN Time" => self.block = Block::Time,
            "BEGIN Time+" => self.block = Block::TimeOf(Color::Black),
            "BEGIN Time-" => self.block = Block::TimeOf(Color::White),
            "BEGIN Position" => self.block = Block::Position,
            "END Time" | "END Time+" | "END Time-" | "END Position" => self.block = Block::Head,
            _ if self.block == Block::Position => {
                self.position.push_str(line);
                self.position.push('\n');
            }
            _ => {
                let (key, value) = line.split_once(':').unwrap_or((line, ""));
                let value = value.trim();
                return match self.block {
                    Block::Time => self.time(line, key, value, &Color::ALL),
                    Block::TimeOf(color) => self.time(line, key, value, &[color]),
                    Block::Head | Block::Position => self.head(line, key, value),
                };
            }
        }
        Ok(())
    }

    fn head(&mut self, line: &str, key: &str, value: &str) -> Result<(), SummaryError> {
        match key {
            "Game_ID" => value.clone_into(&mut self.game_id),
            "Name+" => value.clone_into(&mut self.names[0]),
            "Name-" => value.clone_into(&mut self.names[1]),
            "Your_Turn" => self.color = Some(color(line, value)?),
            "To_Move" => self.to_move = Some(color(line, value)?),
            "Max_Moves" => {
                let moves: u32 = value.parse().map_err(|_| SummaryError::Value {
                    line: line.to_owned(),
                    expected: "a number of moves",
                })?;
                self.max_moves = Some(moves).filter(|&moves| moves > 0);
            }
            "Declaration" => self.declaration = Some(value.to_owned()),
            "Format" if !value.is_empty() && !value.starts_with("Shogi") => {
                return Err(SummaryError::Value {
                    line: line.to_owned(),
                    expected: "Format:Shogi 1.0",
                });
            }
            _ => self.other.push((key.to_owned(), value.to_owned())),
        }
        Ok(())
    }

    fn time(
        &mut self,
        line: &str,
        key: &str,
        value: &str,
        colors: &[Color],
    ) -> Result<(), SummaryError> {
        let wrong = |expected| SummaryError::Value {
            line: line.to_owned(),
            expected,
        };
        let number = || -> Result<u64, SummaryError> {
            value
                .parse()
                .map_err(|_| wrong("a number of units of time"))
        };
        match key {
            "Remaining_Time+" => self.remaining[0] = Some(number()?),
            "Remaining_Time-" => self.remaining[1] = Some(number()?),
            "Time_Unit"
            | "Total_Time"
            | "Byoyomi"
            | "Increment"
            | "Delay"
            | "Least_Time_Per_Move"
            | "Time_Roundup" => {
                let times = self.times.get_or_insert([RawTime::DEFAULT; 2]);
                for color in colors {
                    let time = &mut times[color.index()];
                    match key {
                        "Time_Unit" => {
                            time.unit_ms = unit(value)
                                .ok_or_else(|| wrong("a unit such as 1sec, 1min or 100msec"))?;
                        }
                        "Total_Time" => time.total = number()?,
                        "Byoyomi" => time.byoyomi = number()?,
                        "Increment" => time.increment = number()?,
                        "Delay" => time.delay = number()?,
                        "Least_Time_Per_Move" => time.least = number()?,
                        _ => {
                            time.rounds_up = match value {
                                "YES" => true,
                                "NO" => false,
                                _ => return Err(wrong("YES or NO")),
                            }
                        }
                    }
                }
            }
            _ => self.other.push((key.to_owned(), value.to_owned())),
        }
        Ok(())
    }

    fn finish(mut self) -> Result<CsaSummary, SummaryError> {
        let color = self.color.ok_or(SummaryError::Missing("Your_Turn"))?;
        let times = self
            .times
            .unwrap_or([RawTime::DEFAULT; 2])
            .map(RawTime::finish);
        let has_side = |line: &str| {
            line == "+" || line == "-" || (line.len() > 2 && line.starts_with(['+', '-']))
        };
        if self.position.is_empty() {
            self.position.push_str("PI\n");
        }
        if !self.position.lines().any(has_side) {
            let side = self.to_move.unwrap_or(Color::Black);
            self.position.push_str(["+\n", "-\n"][side.index()]);
        }
        let record = read_csa(&self.position)?;
        if let Some(problem) = unplayable(record.start()) {
            return Err(SummaryError::Unplayable(problem));
        }
        let mut moves = Vec::new();
        for id in record.main_line() {
            let node = record.node(id);
            match node.step() {
                Some(Step::Move(m)) => moves.push(EarlierMove {
                    m: *m,
                    spent: node.time.map(|ms| ms / 1000),
                }),
                Some(Step::Illegal(_)) => return Err(SummaryError::Moves("one is illegal")),
                Some(Step::End(_)) => return Err(SummaryError::Moves("the game has ended")),
                None => {}
            }
        }
        let [black, white] = [0, 1].map(|side| {
            let units: Option<u64> = self.remaining[side];
            units.map(|units| units.saturating_mul(times[side].unit_ms))
        });
        Ok(CsaSummary {
            game_id: self.game_id,
            names: self.names,
            color,
            max_moves: self.max_moves,
            declaration: self.declaration,
            times,
            remaining_ms: [black, white],
            start: record.start().clone(),
            moves,
            other: self.other,
        })
    }
}

/// What no position of a game has, if `position` has it: a player without a king, two pawns on a file, or a piece that can never move.
fn unplayable(position: &Position) -> Option<String> {
    for (color, name) in [(Color::Black, "black"), (Color::White, "white")] {
        if position.king(color).is_none() {
            return Some(format!("{name} has no king"));
        }
        let mut files = [0; 9];
        for square in position.pieces(color, PieceKind::Pawn) {
            let count = &mut files[square.file().index()];
            *count += 1;
            if *count > 1 {
                let file = square.file().index() + 1;
                return Some(format!("{name} has two pawns on file {file}"));
            }
        }
        for (kind, ranks, word) in [
            (PieceKind::Pawn, 1, "pawn"),
            (PieceKind::Lance, 1, "lance"),
            (PieceKind::Knight, 2, "knight"),
        ] {
            let is_stuck = |square: &Square| {
                let rank = square.rank().index();
                let ahead = if color == Color::Black {
                    rank
                } else {
                    8 - rank
                };
                ahead < ranks
            };
            if position
                .pieces(color, kind)
                .into_iter()
                .any(|square| is_stuck(&square))
            {
                return Some(format!("{name} has a {word} that can never move"));
            }
        }
    }
    None
}

fn color(line: &str, value: &str) -> Result<Color, SummaryError> {
    match value {
        "+" => Ok(Color::Black),
        "-" => Ok(Color::White),
        _ => Err(SummaryError::Value {
            line: line.to_owned(),
            expected: "+ or -",
        }),
    }
}

/// `1sec`, `1min`, `500msec` in milliseconds.
fn unit(value: &str) -> Option<u64> {
    let (number, scale) = if let Some(number) = value.strip_suffix("msec") {
        (number, 1)
    } else if let Some(number) = value.strip_suffix("sec") {
        (number, 1000)
    } else {
        (value.strip_suffix("min")?, 60_000)
    };
    let number: u64 = match number.trim() {
        "" => 1,
        number => number.parse().ok()?,
    };
    number.checked_mul(scale).filter(|&ms| ms > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<CsaSummary, SummaryError> {
        CsaSummary::parse(text.lines())
    }

    /// The error about a position of which these lines of the usual one are others.
    fn of_position(changes: &[(&str, &str)]) -> Result<CsaSummary, SummaryError> {
        let mut text = "Your_Turn:+\nBEGIN Position\n\
             P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI *  *  *  *  * -KA * \nP3-FU-FU-FU-FU-FU-FU-FU-FU-FU\n\
             P4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  * \n\
             P7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI * \nP9+KY+KE+GI+KI+OU+KI+GI+KE+KY\n\
             P+\nP-\n+\nEND Position"
            .to_owned();
        for (from, to) in changes {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        parse(&text)
    }

    #[test]
    fn positions_that_nobody_can_play() {
        assert!(of_position(&[]).is_ok());
        let pawns = ("P4 *  * ", "P4-FU * ");
        for (changes, problem) in [
            (&[("+OU", " * ")][..], "black has no king"),
            (&[("-OU", " * ")], "white has no king"),
            (
                &[("P6 *  * ", "P6 * +FU"), ("+FU+FU\nP8", "+FU * \nP8")],
                "black has two pawns on file 8",
            ),
            (
                &[pawns, ("-FU-FU\nP4", "-FU * \nP4")],
                "white has two pawns on file 9",
            ),
            (
                &[("P3-FU", "P3 * "), ("P9+KY", "P9-FU")],
                "white has a pawn that can never move",
            ),
            (
                &[("P9+KY", "P9 * "), ("P1-KY", "P1+KY")],
                "black has a lance that can never move",
            ),
            (
                &[("KI+GI+KE", "KI+GI * "), ("P2 * ", "P2+KE")],
                "black has a knight that can never move",
            ),
        ] {
            let expected = SummaryError::Unplayable(problem.to_owned());
            assert_eq!(of_position(changes), Err(expected), "{problem}");
        }
        // Handicaps and other odd positions are fine.
        assert!(
            of_position(&[
                ("-HI", " * "),
                ("-KA", " * "),
                ("P6 *  * ", "P6 * +TO"),
                ("+FU+FU\nP8", "+FU * \nP8")
            ])
            .is_ok()
        );
    }

    #[test]
    fn games_that_go_on_are_recognised() {
        let text = |id: &str, color: char| {
            format!(
                "Game_ID:{id}\nName+:a\nName-:b\nYour_Turn:{color}\nReconnect_Token:0f0f\nBEGIN Position\nPI\n+\nEND Position"
            )
        };
        let [game, same] = [0, 0].map(|_| parse(&text("g", '+')).unwrap());
        assert_eq!(game.reconnect_token(), Some("0f0f"));
        assert!(same.goes_on(&game));
        assert!(!parse(&text("h", '+')).unwrap().goes_on(&game));
        assert!(!parse(&text("g", '-')).unwrap().goes_on(&game));
        assert!(
            !parse(&text("", '+'))
                .unwrap()
                .goes_on(&parse(&text("", '+')).unwrap())
        );
    }

    #[test]
    fn a_summary_of_the_official_form() {
        let summary = parse(
            "Protocol_Version:1.2\nProtocol_Mode:Server\nFormat:Shogi 1.0\nDeclaration:Jishogi 1.1\n\
             Game_ID:20150505-CSA25-3-5-7\nName+:TANUKI\nName-:KITSUNE\nYour_Turn:+\nRematch_On_Draw:NO\n\
             To_Move:+\nMax_Moves:256\nBEGIN Time\nTime_Unit:1sec\nTotal_Time:1500\nByoyomi:10\n\
             Least_Time_Per_Move:1\nEND Time\nBEGIN Position\n\
             P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI *  *  *  *  * -KA * \nP3-FU-FU-FU-FU-FU-FU-FU-FU-FU\n\
             P4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  * \n\
             P7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI * \nP9+KY+KE+GI+KI+OU+KI+GI+KE+KY\n\
             P+\nP-\n+\n+2726FU,T12\n-3334FU,T6\nEND Position",
        )
        .unwrap();
        assert_eq!(summary.game_id, "20150505-CSA25-3-5-7");
        assert_eq!(summary.opponent(), "KITSUNE");
        assert_eq!(summary.max_moves, Some(256));
        assert_eq!(summary.start, Position::startpos());
        let spent: Vec<_> = summary.moves.iter().map(|earlier| earlier.spent).collect();
        assert_eq!(spent, [Some(12), Some(6)]);
        let time = summary.times[1];
        assert_eq!(time, summary.times[0]);
        assert_eq!(
            (time.total_ms, time.byoyomi_ms, time.least_ms),
            (1_500_000, 10_000, 1000)
        );
        assert!(
            summary
                .other
                .contains(&("Protocol_Version".to_owned(), "1.2".to_owned()))
        );
    }

    #[test]
    fn players_can_have_different_times() {
        let summary = parse(
            "Your_Turn:-\nBEGIN Time+\nTotal_Time:10\nTime_Unit:1min\nEND Time+\nBEGIN Time-\n\
             Time_Unit:100msec\nTotal_Time:50\nIncrement:20\nDelay:3\nTime_Roundup:YES\nEND Time-",
        )
        .unwrap();
        let [black, white] = summary.times;
        assert_eq!(
            (black.total_ms, black.unit_ms, black.rounds_up),
            (600_000, 60_000, false)
        );
        assert_eq!(
            (white.total_ms, white.increment_ms, white.delay_ms),
            (5000, 2000, 300)
        );
        assert!(white.rounds_up && !white.is_unlimited());
        assert_eq!(summary.color, Color::White);
        assert_eq!(summary.start, Position::startpos());
        assert!(parse("Your_Turn:+").unwrap().times[0].is_unlimited());
    }

    #[test]
    fn positions_of_all_forms() {
        for (position, to_move, sfen) in [
            (
                "PI82HI22KA\n-",
                "-",
                "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
            ),
            (
                "PI82HI",
                "-",
                "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
            ),
            (
                "P-51OU\nP+59OU53FU00KI\nP-00AL",
                "+",
                "4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1",
            ),
        ] {
            let text =
                format!("Your_Turn:+\nTo_Move:{to_move}\nBEGIN Position\n{position}\nEND Position");
            assert_eq!(parse(&text).unwrap().start.to_sfen(), sfen, "{position}");
        }
    }

    #[test]
    fn remaining_times_of_a_game_that_goes_on() {
        let text = "Your_Turn:+\nBEGIN Time\nTotal_Time:900\nRemaining_Time+:20\nRemaining_Time-:30\nEND Time";
        assert_eq!(
            parse(text).unwrap().remaining_ms,
            [Some(20_000), Some(30_000)]
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, expected) in [
            ("Name+:a", "has no line Your_Turn"),
            ("Your_Turn:black", "expected + or -"),
            (
                "Your_Turn:+\nBEGIN Time\nTime_Unit:1hour\nEND Time",
                "a unit such as",
            ),
            (
                "Your_Turn:+\nBEGIN Time\nTotal_Time:ten\nEND Time",
                "a number of units",
            ),
            ("Your_Turn:+\nFormat:Go 1.0", "Format:Shogi"),
            (
                "Your_Turn:+\nBEGIN Position\nP1+XX\nEND Position",
                "the position of the game summary: line 1",
            ),
            (
                "Your_Turn:+\nBEGIN Position\nPI\n+\n+7775FU\nEND Position",
                "one is illegal",
            ),
            (
                "Your_Turn:+\nBEGIN Position\nPI\n+\n%TORYO\nEND Position",
                "has ended",
            ),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
