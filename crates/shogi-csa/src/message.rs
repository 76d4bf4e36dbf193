//! The lines of a server as data, and the lines of a client as text.

use std::fmt;

use serde::Serialize;
use shogi_core::{Color, Move, Position};
use shogi_kifu::csa_move;
use shogi_usi::{PvItem, Score};

/// Longest line of moves that is sent behind a move: with it a message has less than 256 bytes.
const PV_MOVES: usize = 24;

/// The score that a mate counts as, less its number of plies, as floodgate's clients have it.
pub const MATE_SCORE: i32 = 30_000;

/// A line of a server. What it means depends on the state of the session ([`crate::CsaSession`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerMessage<'a> {
    /// An empty line: the answer to an empty line of the client.
    Blank,
    /// `LOGIN:name OK`.
    LoginOk(&'a str),
    /// `LOGIN:incorrect`.
    LoginRefused,
    /// `LOGOUT:completed`.
    LogoutDone,
    /// `BEGIN Game_Summary`; lines of the summary follow.
    BeginSummary,
    /// `START:game`.
    Start(&'a str),
    /// `REJECT:game by name`.
    Reject {
        /// The name of the game.
        game: &'a str,
        /// The player or server that has rejected it.
        by: &'a str,
    },
    /// `+7776FU,T12`: a move and the time that it took.
    Move {
        /// The move in CSA's form.
        text: &'a str,
        /// The time in units of the game.
        spent: Option<u64>,
    },
    /// `%TORYO,T3`: a word instead of a move.
    Special {
        /// The word, without `%`.
        word: &'a str,
        /// The time in units of the game.
        spent: Option<u64>,
    },
    /// `#RESIGN` and others: the reason for the end of the game; its result follows.
    Cause(EndCause),
    /// `#WIN` and others: the result, after which the game is over.
    Result(GameVerdict),
    /// Anything else: `##[…]` of servers with more commands, or texts for people.
    Other(&'a str),
}

/// The reason for the end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndCause {
    /// `#RESIGN`.
    Resign,
    /// `#TIME_UP`.
    TimeUp,
    /// `#ILLEGAL_MOVE`: an illegal move, or a declaration without the points.
    IllegalMove,
    /// `#ILLEGAL_ACTION`: a move of a player whose turn it was not.
    IllegalAction,
    /// `#SENNICHITE`.
    Repetition,
    /// `#OUTE_SENNICHITE`: a repetition by nothing but checks.
    PerpetualCheck,
    /// `#JISHOGI`: a declaration.
    Jishogi,
    /// `#MAX_MOVES`.
    MaxMoves,
    /// `#CHUDAN`: broken off.
    Interrupted,
}

impl EndCause {
    const ALL: [(Self, &'static str, &'static str); 9] = [
        (Self::Resign, "RESIGN", "toryo"),
        (Self::TimeUp, "TIME_UP", "time up"),
        (Self::IllegalMove, "ILLEGAL_MOVE", "illegal move"),
        (Self::IllegalAction, "ILLEGAL_ACTION", "illegal action"),
        (Self::Repetition, "SENNICHITE", "sennichite"),
        (Self::PerpetualCheck, "OUTE_SENNICHITE", "oute_sennichite"),
        (Self::Jishogi, "JISHOGI", "kachi"),
        (Self::MaxMoves, "MAX_MOVES", "max_moves"),
        (Self::Interrupted, "CHUDAN", "chudan"),
    ];

    /// The word of the protocol, without `#`.
    pub const fn word(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The word of shogi-server's summaries in records.
    pub(crate) const fn summary(self) -> &'static str {
        Self::ALL[self as usize].2
    }
}

impl fmt::Display for EndCause {
    /// The word of the protocol, without `#`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The result of a game for the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GameVerdict {
    /// `#WIN`.
    Win,
    /// `#LOSE`.
    Lose,
    /// `#DRAW`.
    Draw,
    /// `#CENSORED`: broken off, people decide.
    Censored,
    /// `#CHUDAN`: broken off; or the connection was lost.
    Interrupted,
}

impl GameVerdict {
    /// The name in JSON and for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Lose => "lose",
            Self::Draw => "draw",
            Self::Censored => "censored",
            Self::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for GameVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl<'a> ServerMessage<'a> {
    /// Reads a line, with or without its end. Total: what nobody knows is [`Self::Other`].
    ///
    /// ```
    /// use shogi_csa::{EndCause, ServerMessage};
    /// let message = ServerMessage::parse("+7776FU,T12\r\n");
    /// assert_eq!(message, ServerMessage::Move { text: "+7776FU", spent: Some(12) });
    /// assert_eq!(ServerMessage::parse("#TIME_UP"), ServerMessage::Cause(EndCause::TimeUp));
    /// ```
    pub fn parse(line: &'a str) -> Self {
        let line = line.trim_end_matches(['\r', '\n', ' ', '\t']);
        match line.as_bytes() {
            [] => Self::Blank,
            [b'+' | b'-', ..] => {
                let (text, spent) = split_time(line);
                if text.len() == 7 && text.is_ascii() {
                    Self::Move { text, spent }
                } else {
                    Self::Other(line)
                }
            }
            [b'%', b'A'..=b'Z', ..] => {
                let (word, spent) = split_time(line);
                Self::Special {
                    word: &word[1..],
                    spent,
                }
            }
            [b'#', b'A'..=b'Z', ..] => Self::parse_end(line),
            _ => Self::parse_word(line),
        }
    }

    fn parse_end(line: &'a str) -> Self {
        match &line[1..] {
            "WIN" => Self::Result(GameVerdict::Win),
            "LOSE" => Self::Result(GameVerdict::Lose),
            "DRAW" => Self::Result(GameVerdict::Draw),
            "CENSORED" => Self::Result(GameVerdict::Censored),
            "CHUDAN" => Self::Result(GameVerdict::Interrupted),
            word => match EndCause::ALL.iter().find(|row| row.1 == word) {
                Some(row) => Self::Cause(row.0),
                None => Self::Other(line),
            },
        }
    }

    fn parse_word(line: &'a str) -> Self {
        if line == "BEGIN Game_Summary" {
            return Self::BeginSummary;
        }
        let Some((word, rest)) = line.split_once(':') else {
            return Self::Other(line);
        };
        match word {
            "LOGIN" if rest.trim() == "incorrect" => Self::LoginRefused,
            "LOGIN" => match rest.strip_suffix("OK") {
                Some(name) => Self::LoginOk(name.trim()),
                None => Self::Other(line),
            },
            "LOGOUT" if rest.trim() == "completed" => Self::LogoutDone,
            "START" => Self::Start(rest.trim()),
            "REJECT" => {
                let (game, by) = rest.split_once(" by ").unwrap_or((rest, ""));
                Self::Reject {
                    game: game.trim(),
                    by: by.trim(),
                }
            }
            _ => Self::Other(line),
        }
    }
}

/// `+7776FU,T12` as the move and the time. Anything else behind a comma is passed over.
fn split_time(line: &str) -> (&str, Option<u64>) {
    let mut parts = line.split(',').map(str::trim);
    let text = parts.next().unwrap_or(line);
    let spent = parts.find_map(|part| part.strip_prefix('T')?.trim().parse().ok());
    (text, spent)
}

/// The line of moves and the score of a search as floodgate has them behind a move: the score in centipawns as black sees it,
/// then the moves that are expected after `m`. `None` without a score.
///
/// ```
/// use shogi_core::Position;
/// use shogi_csa::floodgate_comment;
/// use shogi_usi::{PvItem, Score};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let position = Position::startpos();
/// let m = position.move_from_usi("7g7f")?;
/// let pv = ["7g7f", "3c3d", "2g2f"].map(|text| shogi_core::MoveText::from_usi(text).map(PvItem::Move));
/// let pv: Vec<PvItem> = pv.into_iter().flatten().collect();
/// let comment = floodgate_comment(&position, m, Some(Score::Cp(30)), &pv);
/// assert_eq!(comment.as_deref(), Some("30 -3334FU +2726FU"));
/// # Ok(())
/// # }
/// ```
pub fn floodgate_comment(
    position: &Position,
    m: Move,
    score: Option<Score>,
    pv: &[PvItem],
) -> Option<String> {
    let score = match score? {
        Score::Cp(cp) => cp.clamp(-MATE_SCORE, MATE_SCORE),
        Score::Mate(plies) if plies.get() > 0 => MATE_SCORE.saturating_sub(plies.get()).max(1),
        Score::Mate(plies) => MATE_SCORE
            .saturating_neg()
            .saturating_sub(plies.get())
            .min(-1),
        Score::MateUnknown => MATE_SCORE,
        Score::MatedUnknown => -MATE_SCORE,
    };
    let black_score = match position.side_to_move() {
        Color::Black => score,
        Color::White => -score,
    };
    let mut text = black_score.to_string();
    let mut after = position.clone();
    if after.try_do_move(m).is_err() {
        return Some(text);
    }
    let line = match pv.split_first() {
        Some((PvItem::Move(first), line)) if *first == m.into() => line,
        _ => &[],
    };
    for item in line.iter().take(PV_MOVES) {
        let PvItem::Move(reply) = item else { break };
        let Some(reply) = after.move_from_text(*reply) else {
            break;
        };
        text.push(' ');
        text.push_str(&csa_move(reply));
        let _ = after.do_move_unchecked(reply);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroI32;

    use super::*;

    #[test]
    fn lines_of_a_server() {
        use ServerMessage as M;
        let rows = [
            ("", M::Blank),
            ("\r\n", M::Blank),
            ("LOGIN:gps OK", M::LoginOk("gps")),
            ("LOGIN:incorrect", M::LoginRefused),
            ("LOGOUT:completed\n", M::LogoutDone),
            ("BEGIN Game_Summary", M::BeginSummary),
            (
                "START:wdoor+floodgate-300-10F+a+b+1",
                M::Start("wdoor+floodgate-300-10F+a+b+1"),
            ),
            (
                "REJECT:x+y by gps by l",
                M::Reject {
                    game: "x+y",
                    by: "gps by l",
                },
            ),
            (
                "-0055KA, T3",
                M::Move {
                    text: "-0055KA",
                    spent: Some(3),
                },
            ),
            (
                "+7776FU",
                M::Move {
                    text: "+7776FU",
                    spent: None,
                },
            ),
            (
                "%KACHI,T60",
                M::Special {
                    word: "KACHI",
                    spent: Some(60),
                },
            ),
            ("#OUTE_SENNICHITE", M::Cause(EndCause::PerpetualCheck)),
            ("#CHUDAN", M::Result(GameVerdict::Interrupted)),
            ("#CENSORED", M::Result(GameVerdict::Censored)),
            ("##[ERROR] no", M::Other("##[ERROR] no")),
            ("#NEVER_SEEN", M::Other("#NEVER_SEEN")),
            ("+77飛FU", M::Other("+77飛FU")),
            ("LOGIN:gps", M::Other("LOGIN:gps")),
        ];
        for (line, expected) in rows {
            assert_eq!(ServerMessage::parse(line), expected, "{line:?}");
        }
    }

    #[test]
    fn causes_have_their_words() {
        for (cause, word, _) in EndCause::ALL {
            assert_eq!(cause.word(), word);
        }
    }

    #[test]
    fn scores_are_those_of_black() {
        let mut position = Position::startpos();
        let score = |position: &Position, score| {
            let m = position.moves::<shogi_core::movegen::Legal>()[0];
            floodgate_comment(position, m, Some(score), &[]).unwrap()
        };
        let mate = |plies| Score::Mate(NonZeroI32::new(plies).unwrap());
        assert_eq!(score(&position, Score::Cp(123)), "123");
        assert_eq!(score(&position, mate(5)), "29995");
        assert_eq!(score(&position, mate(-4)), "-29996");
        assert_eq!(score(&position, mate(i32::MIN)), "-1");
        assert_eq!(score(&position, mate(i32::MAX)), "1");
        let m = position.move_from_usi("7g7f").unwrap();
        let _ = position.do_move_unchecked(m);
        assert_eq!(score(&position, Score::Cp(123)), "-123");
        assert_eq!(score(&position, mate(-4)), "29996");
        assert_eq!(score(&position, Score::MatedUnknown), "30000");
    }

    #[test]
    fn a_line_ends_where_it_cannot_be_played() {
        let position = Position::startpos();
        let m = position.move_from_usi("7g7f").unwrap();
        let item = |text| PvItem::Move(shogi_core::MoveText::from_usi(text).unwrap());
        let comment = |pv: &[PvItem]| floodgate_comment(&position, m, Some(Score::Cp(1)), pv);
        let pv = [item("7g7f"), item("3c3d"), item("8h2b"), item("5e5d")];
        assert_eq!(comment(&pv).unwrap(), "1 -3334FU +8822KA");
        // The line of another move.
        assert_eq!(comment(&[item("2g2f"), item("3c3d")]).unwrap(), "1");
        assert_eq!(comment(&[item("7g7f"), PvItem::Resign]).unwrap(), "1");
        let long: Vec<_> = ["7g7f", "8b7b"]
            .into_iter()
            .chain(
                ["2h3h", "7b8b", "3h2h", "8b7b"]
                    .into_iter()
                    .cycle()
                    .take(60),
            )
            .map(item)
            .collect();
        let text = comment(&long).unwrap();
        assert_eq!(text.split(' ').count(), 1 + PV_MOVES);
        assert!(format!("+7776FU,'* {text}\n").len() < 256);
        assert_eq!(floodgate_comment(&position, m, None, &pv), None);
    }
}
