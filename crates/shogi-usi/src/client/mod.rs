//! The GUI's side: a USI engine as a child process.
//!
//! [`EngineProcess`] owns the process. Every wait has a time limit and drains the standard error too, which would block
//! the engine when full. On Unix the caller that waits reads the pipes itself; elsewhere threads do. Output that nobody
//! waits for stays in the pipe, and an engine that fills it blocks.
//!
//! An engine stands in a process group of its own, which is ended as one: Ctrl-C at the terminal does not reach it, and nothing that
//! it has started outlives it.
//!
//! ```no_run
//! use std::time::Duration;
//! use shogi_usi::{GoCommand, client::EngineProcess};
//!
//! let second = Duration::from_secs(1);
//! let mut engine = EngineProcess::spawn("target/release/yaneura", &[])?;
//! engine.handshake(10 * second)?;
//! engine.set_option("USI_Hash", "64")?;
//! engine.get_ready(60 * second)?;
//! engine.new_game()?;
//! engine.set_position(&"startpos".parse().expect("a position"))?;
//! let go = GoCommand { movetime: Some(second), ..GoCommand::default() };
//! println!("{}", engine.go(&go, 5 * second)?.best);
//! engine.quit(5 * second)?;
//! # Ok::<(), shogi_usi::client::EngineError>(())
//! ```

mod paths;
mod process;
mod ready;

use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use shogi_core::Game;
use thiserror::Error;

use crate::PositionCommand;

pub use paths::absolute_path_value;
pub use process::{EngineProcess, GoResult};
pub use ready::ReadyReport;

// Errors of an engine process.

/// An error of an engine process.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The program could not be started.
    #[error("cannot start {program}: {reason}")]
    Spawn {
        /// The program.
        program: String,
        /// The error of the system.
        reason: io::Error,
    },
    /// A command could not be written: the engine has ended or closed its input.
    #[error("cannot write {command:?} to {engine}: {reason}")]
    Write {
        /// The engine.
        engine: String,
        /// The command.
        command: String,
        /// The error of the system.
        reason: io::Error,
    },
    /// The answer did not come in time. The engine still runs.
    #[error("{engine} did not answer with {expected} within {} ms", .after.as_millis())]
    Timeout {
        /// The engine.
        engine: String,
        /// The expected answer.
        expected: &'static str,
        /// The time limit.
        after: Duration,
    },
    /// The engine closed its output before the answer.
    #[error("{engine} ended before {expected}; the end of its standard error: {stderr:?}")]
    Closed {
        /// The engine.
        engine: String,
        /// The expected answer.
        expected: &'static str,
        /// The last text on its standard error.
        stderr: String,
    },
    /// The engine said of an error while it got ready.
    #[error("{engine} says {words:?}")]
    Reported {
        /// The engine.
        engine: String,
        /// Its words.
        words: String,
    },
    /// A line with a control character was to be sent.
    #[error("{line:?} has a control character and is not sent to {engine}")]
    ControlCharacter {
        /// The engine.
        engine: String,
        /// The line.
        line: String,
    },
    /// A `bestmove` line without a move.
    #[error("{engine} answered {line:?}, which is no move")]
    BadMove {
        /// The engine.
        engine: String,
        /// The line.
        line: String,
    },
    /// The process could not be waited for or killed.
    #[error("cannot end {engine}: {reason}")]
    End {
        /// The engine.
        engine: String,
        /// The error of the system.
        reason: io::Error,
    },
}

// The text of the last `position` command, extended when the next game continues the last.

/// The last `position` command and the game it describes.
#[derive(Debug, Default)]
struct PositionText {
    text: String,
    /// True if the text has moves behind the start.
    has_moves: bool,
    sent: Option<SentGame>,
}

#[derive(Debug)]
struct SentGame {
    plies: usize,
    /// The key of the start and these plies.
    line_key: Option<u64>,
}

impl SentGame {
    fn of(game: &Game) -> Self {
        let plies = game.len();
        Self {
            plies,
            line_key: game.line_key(plies),
        }
    }
}

impl PositionText {
    /// The command for the end of `game`, without a line feed. The caller may append to it and must truncate it again.
    fn of(&mut self, game: &Game) -> &mut String {
        if !self.extend(game) {
            self.text.clear();
            let command = PositionCommand::from_game(game);
            write!(self.text, "position {command}").expect("a string takes everything");
            self.has_moves = !command.moves().is_empty();
            self.sent = Some(SentGame::of(game));
        }
        &mut self.text
    }

    /// Appends the new moves if `game` continues the last one; returns whether it does.
    fn extend(&mut self, game: &Game) -> bool {
        let Some(sent) = &mut self.sent else {
            return false;
        };
        if game.line_key(sent.plies) != sent.line_key {
            return false;
        }
        for m in game.moves_from(sent.plies) {
            // After a pass the text starts anew.
            let Some(m) = m else {
                return false;
            };
            self.text
                .push_str(if self.has_moves { " " } else { " moves " });
            self.has_moves = true;
            write!(self.text, "{m}").expect("a string takes everything");
        }
        *sent = SentGame::of(game);
        true
    }
}

#[cfg(test)]
mod tests {
    use shogi_core::Position;

    use super::*;

    fn text(sent: &mut PositionText, game: &Game) -> String {
        let text = sent.of(game);
        let len = text.len();
        text.push_str("\ngo infinite\n");
        text.truncate(len);
        text.clone()
    }

    fn expected(game: &Game) -> String {
        format!("position {}", PositionCommand::from_game(game))
    }

    #[test]
    fn extended_text_equals_new_text() {
        let lines = [
            "startpos",
            "startpos moves 7g7f",
            "startpos moves 7g7f 3c3d 8h2b+",
            "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e",
            // Back, another branch, another start with the same moves.
            "startpos moves 7g7f",
            "startpos moves 2g2f 3c3d",
            "4k4/9/4P4/9/9/9/9/9/9 b G 1 moves G*5b",
            "4k4/9/4P4/9/9/9/9/9/9 b 2G 1 moves G*5b",
            "4k4/9/4P4/9/9/9/9/9/9 b 2G 5 moves G*5b",
            "4k4/9/4P4/9/9/9/9/9/9 b G 1",
            "4k4/9/4P4/9/9/9/9/9/9 w G 1",
            "startpos",
        ];
        let games = lines.map(|line| shogi_core::parse_position_line(line).unwrap());
        let mut sent = PositionText::default();
        for game in &games {
            assert_eq!(text(&mut sent, game), expected(game));
        }
        for a in &games {
            for b in &games {
                let mut sent = PositionText::default();
                text(&mut sent, a);
                assert_eq!(text(&mut sent, b), expected(b), "{a:?}");
            }
        }
    }

    #[test]
    fn equal_moves_from_starts_that_a_capture_made_equal() {
        // The rook takes a pawn or a lance; what is in hand makes up for it.
        let starts = [
            "4k4/9/9/9/9/9/7p1/9/4K2R1 b L 1",
            "4k4/9/9/9/9/9/7l1/9/4K2R1 b P 1",
        ];
        let games = starts
            .map(|start| shogi_core::parse_position_line(&format!("{start} moves 2i2g")).unwrap());
        assert_eq!(games[0].position(), games[1].position());
        let mut sent = PositionText::default();
        for game in [&games[0], &games[1], &games[0]] {
            assert_eq!(text(&mut sent, game), expected(game));
        }
    }

    #[test]
    fn after_a_pass_the_text_starts_anew() {
        let mut sent = PositionText::default();
        let mut game = Game::new(Position::startpos());
        for step in 0..6 {
            if step % 3 == 2 {
                game.play_null();
            } else {
                let moves = game.position().moves::<shogi_core::movegen::Legal>();
                game.play_unchecked(moves[0]);
            }
            assert_eq!(text(&mut sent, &game), expected(&game), "{step}");
        }
    }
}
