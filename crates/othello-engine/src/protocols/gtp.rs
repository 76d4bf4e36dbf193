//! The Go Text Protocol for othello, with the commands of Edax and Egaroucid.
//!
//! A line is `[id] command arguments`; the reply `=[id] text` or `?[id] error`, and an empty line. Moves are `F5` or
//! `PASS`. A side that must pass need not be told so: when the other side is to move, the pass is played first.

use std::path::Path;
use std::time::Duration;

use othello_core::{Game, ImpossibleBoard, Move, Side, State};
use othello_record::{LineMode, diagram, read_file};
use othello_search::{Control, PlayLevel};
use yane_clock::Instant;

use crate::clock::{Clock, ClockPeriod};
use crate::ponder::Ponder;
use crate::session::Session;

const COMMANDS: [&str; 27] = [
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "komi",
    "play",
    "genmove",
    "reg_genmove",
    "undo",
    "showboard",
    "final_score",
    "time_settings",
    "time_left",
    "set_level",
    "set_game",
    "list_games",
    "loadsgf",
    "gogui-rules_game_id",
    "gogui-rules_board",
    "gogui-rules_board_size",
    "gogui-rules_legal_moves",
    "gogui-rules_side_to_move",
    "gogui-rules_final_result",
];

/// An engine that speaks GTP.
#[derive(Debug)]
pub struct Gtp {
    session: Session,
    version: String,
    control: Control,
    /// Moves of the game that each command played: one, or two with a pass that was not told.
    steps: Vec<usize>,
    ponder: Option<Ponder>,
}

/// The reply to a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GtpReply {
    /// The text, without the empty line behind it; empty for a line that is none (a comment).
    pub text: String,
    /// True if the session is over.
    pub is_last: bool,
}

/// Why a command is not carried out.
#[derive(Debug, thiserror::Error)]
enum GtpError {
    /// The arguments that were expected.
    #[error("syntax error: {0}")]
    Arguments(&'static str),
    #[error("syntax error (wrong or missing color)")]
    Color,
    #[error("syntax error (wrong or missing move)")]
    Move,
    #[error("wrong move number")]
    MoveNumber,
    #[error("unknown command")]
    UnknownCommand,
    #[error("unknown game")]
    UnknownGame,
    #[error("unacceptable size")]
    BoardSize,
    #[error("wrong color")]
    OtherSide,
    #[error("illegal move")]
    IllegalMove,
    #[error("the game is over")]
    Over,
    #[error("cannot undo")]
    Undo,
    #[error("cannot load file: {0}")]
    File(yane_io::Error),
    #[error("cannot load file: it is empty")]
    EmptyFile,
    #[error("cannot load file: {0}")]
    Record(othello_record::Error),
    #[error("cannot load file: {0}")]
    Board(ImpossibleBoard),
}

/// What becomes of a move that the engine finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Generated {
    /// It is played.
    Played,
    /// It is only told.
    Told,
}

type Answer = Result<String, GtpError>;

impl Gtp {
    /// An engine of a version; `control` stops its searches.
    pub fn new(session: Session, version: &str, control: Control) -> Self {
        Self {
            session,
            version: version.to_owned(),
            control,
            steps: Vec::new(),
            ponder: None,
        }
    }

    /// Carries out a line.
    pub fn line(&mut self, line: &str) -> GtpReply {
        // Control characters are no text, what is behind # is a comment.
        let line = line.split('#').next().unwrap_or_default();
        let text: String = line
            .chars()
            .map(|c| if c == '\t' { ' ' } else { c })
            .filter(|c| !c.is_control())
            .collect();
        let mut words = text.split_whitespace().peekable();
        let is_id = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
        let id = words.next_if(is_id).unwrap_or_default();
        let Some(command) = words.next() else {
            return GtpReply {
                text: String::new(),
                is_last: false,
            };
        };
        let arguments: Vec<&str> = words.collect();
        self.ponder = None;
        let (sign, answer) = match self.command(command, &arguments) {
            Ok(answer) => ('=', answer),
            Err(error) => ('?', error.to_string()),
        };
        let gap = if answer.is_empty() || answer.starts_with('\n') {
            ""
        } else {
            " "
        };
        GtpReply {
            text: format!("{sign}{id}{gap}{answer}"),
            is_last: command == "quit",
        }
    }

    fn command(&mut self, command: &str, arguments: &[&str]) -> Answer {
        let position = self.session.position();
        match command {
            "protocol_version" => Ok("2".to_owned()),
            "name" => Ok("yaneura othello".to_owned()),
            "version" => Ok(self.version.clone()),
            "known_command" => {
                let [name] = arguments else {
                    return Err(GtpError::Arguments("known_command COMMAND"));
                };
                Ok(COMMANDS.contains(name).to_string())
            }
            "list_commands" => Ok(COMMANDS.join("\n")),
            "quit" => Ok(String::new()),
            "boardsize" => match arguments {
                ["8"] => Ok(String::new()),
                _ => Err(GtpError::BoardSize),
            },
            "clear_board" => {
                self.session.new_game();
                self.steps.clear();
                Ok(String::new())
            }
            "komi" => match arguments {
                [komi] if komi.parse::<f64>().is_ok() => Ok(String::new()),
                _ => Err(GtpError::Arguments("komi NUMBER")),
            },
            "play" => self.play(arguments),
            "genmove" => self.generate(arguments, Generated::Played),
            "reg_genmove" => self.generate(arguments, Generated::Told),
            "undo" => self.undo(),
            "showboard" => Ok(format!("\n{}", diagram(position))),
            "final_score" => Ok(result(&self.session)),
            "time_settings" => self.time_settings(arguments),
            "time_left" => self.time_left(arguments),
            "set_level" => {
                let level = arguments.first().and_then(|word| word.parse().ok());
                let level = level.filter(|level| (0..=PlayLevel::MOST).contains(level));
                let level = level.ok_or(GtpError::Arguments("set_level 0-60"))?;
                self.session.level = self.session.level.with_number(level);
                Ok(String::new())
            }
            "set_game" => match arguments {
                [name] if name.eq_ignore_ascii_case("othello") => Ok(String::new()),
                _ => Err(GtpError::UnknownGame),
            },
            "list_games" | "gogui-rules_game_id" => Ok("Othello".to_owned()),
            "loadsgf" => self.load(arguments),
            "gogui-rules_board" => Ok(gogui_board(&self.session)),
            "gogui-rules_board_size" => Ok("8".to_owned()),
            "gogui-rules_legal_moves" => Ok(match position.board().state() {
                State::Over => String::new(),
                State::Pass => "PASS".to_owned(),
                State::Moves => {
                    let moves = position.board().legal_moves().iter();
                    let names: Vec<_> = moves.map(|square| name(Move::Place(square))).collect();
                    names.join(" ")
                }
            }),
            "gogui-rules_side_to_move" => Ok(match position.side() {
                Side::Black => "black".to_owned(),
                Side::White => "white".to_owned(),
            }),
            "gogui-rules_final_result" => Ok(if position.board().is_over() {
                result(&self.session)
            } else {
                "Game is not over yet.".to_owned()
            }),
            _ => Err(GtpError::UnknownCommand),
        }
    }

    /// Makes a side the one to move: by a pass that is forced, if need be. Returns the number of passes.
    fn turn_to(&mut self, side: Side) -> Result<usize, GtpError> {
        if self.session.position().side() == side {
            Ok(0)
        } else if self.session.try_play(Move::Pass).is_ok() {
            Ok(1)
        } else {
            Err(GtpError::OtherSide)
        }
    }

    fn play(&mut self, arguments: &[&str]) -> Answer {
        let [color, text] = arguments else {
            return Err(GtpError::Arguments("play COLOR MOVE"));
        };
        let side = side(color)?;
        let mv = if ["pass", "pa"].contains(&text.to_ascii_lowercase().as_str()) {
            Move::Pass
        } else {
            let square = text.parse().map_err(|_| GtpError::Move)?;
            Move::Place(square)
        };
        let passes = self.turn_to(side)?;
        if self.session.try_play(mv).is_ok() {
            self.steps.push(passes + 1);
            return Ok(String::new());
        }
        if passes > 0 {
            self.session.undo();
        }
        Err(GtpError::IllegalMove)
    }

    fn generate(&mut self, arguments: &[&str], becomes: Generated) -> Answer {
        let [color] = arguments else {
            return Err(GtpError::Arguments("genmove COLOR"));
        };
        let side = side(color)?;
        if self.session.position().board().is_over() {
            return Ok(name(Move::Pass));
        }
        let passes = self.turn_to(side)?;
        let start = Instant::now();
        let chosen = self.session.choose(&self.control, &mut ());
        let mv = chosen.ok_or(GtpError::Over)?.mv;
        if becomes == Generated::Played {
            self.session.spend(side, start.elapsed());
            self.session.play_unchecked(mv);
            self.steps.push(passes + 1);
            self.ponder = Ponder::start(&self.session);
        } else if passes > 0 {
            self.session.undo();
        }
        Ok(name(mv))
    }

    fn undo(&mut self) -> Answer {
        // Moves of a loaded game count one by one.
        let count = self.steps.pop().unwrap_or(1);
        for _ in 0..count {
            self.session.undo().ok_or(GtpError::Undo)?;
        }
        Ok(String::new())
    }

    fn time_settings(&mut self, arguments: &[&str]) -> Answer {
        let numbers: Vec<u64> = arguments
            .iter()
            .filter_map(|word| word.parse().ok())
            .collect();
        let &[main, period, stones] = numbers.as_slice() else {
            return Err(GtpError::Arguments("time_settings MAIN BYOYOMI STONES"));
        };
        // A period without stones means no limit.
        let clock = match (main, period, stones) {
            (_, 1.., 0) => None,
            (0, _, _) => Some(clock(period, stones, Some((period, stones)))),
            _ => Some(clock(main, 0, Some((period, stones)))),
        };
        for side in [Side::Black, Side::White] {
            self.session.set_clock(side, clock);
        }
        Ok(String::new())
    }

    fn time_left(&mut self, arguments: &[&str]) -> Answer {
        let wrong = || GtpError::Arguments("time_left COLOR TIME STONES");
        let [color, time, stones] = arguments else {
            return Err(wrong());
        };
        let time = time.parse().map_err(|_| wrong())?;
        let stones = stones.parse().map_err(|_| wrong())?;
        let side = side(color)?;
        let settings = self.session.clock(side).unwrap_or_default();
        let left = Clock {
            period: settings.period,
            ..clock(time, stones, None)
        };
        self.session.set_clock(side, Some(left));
        Ok(String::new())
    }

    fn load(&mut self, arguments: &[&str]) -> Answer {
        let (path, number) = match arguments {
            [path] => (path, None),
            [path, number] => (
                path,
                Some(number.parse().map_err(|_| GtpError::MoveNumber)?),
            ),
            _ => return Err(GtpError::Arguments("loadsgf FILE [MOVE]")),
        };
        let items = read_file(Path::new(path), LineMode::Whole).map_err(GtpError::File)?;
        let item = items.into_iter().next().ok_or(GtpError::EmptyFile)?;
        let loaded = item.record.map_err(GtpError::Record)?.game;
        let mut game = Game::new(loaded.start());
        // As in GTP: the position before this move.
        let count = number.map_or(usize::MAX, |number: usize| number.saturating_sub(1));
        for &mv in loaded.moves().iter().take(count) {
            game.play_unchecked(mv);
        }
        self.session.set_game(game).map_err(GtpError::Board)?;
        self.steps.clear();
        Ok(String::new())
    }
}

fn side(color: &str) -> Result<Side, GtpError> {
    match color.to_ascii_lowercase().as_str() {
        "black" | "b" => Ok(Side::Black),
        "white" | "w" => Ok(Side::White),
        _ => Err(GtpError::Color),
    }
}

/// A clock of so many seconds and moves, with periods behind it if they have any moves.
fn clock(seconds: u64, stones: u64, period: Option<(u64, u64)>) -> Clock {
    // Ten days are as good as any longer time.
    let time = |seconds: u64| Duration::from_secs(seconds.min(864_000));
    let moves = |stones: u64| stones.min(60) as u32;
    let period = period.filter(|&(_, stones)| stones > 0);
    Clock {
        time: time(seconds),
        moves: (stones > 0).then(|| moves(stones)),
        period: period.map(|(seconds, stones)| ClockPeriod {
            time: time(seconds),
            moves: moves(stones),
        }),
        increment: Duration::ZERO,
    }
}

fn name(mv: Move) -> String {
    match mv {
        Move::Place(square) => square.to_string().to_ascii_uppercase(),
        Move::Pass => "PASS".to_owned(),
    }
}

/// `B+12`, `W+2` or `0`: the discs now, empty squares for the winner.
fn result(session: &Session) -> String {
    let position = session.position();
    let score = match position.side() {
        Side::Black => position.board().score(),
        Side::White => -position.board().score(),
    };
    match score {
        0 => "0".to_owned(),
        score if score > 0 => format!("B+{score}"),
        score => format!("W+{}", -score),
    }
}

/// The board as `GoGui` reads it: rank 8 first.
fn gogui_board(session: &Session) -> String {
    let position = session.position();
    let row = |rank: u32| {
        let sign = |file: u32| {
            let bit = 1u64 << (rank * 8 + file);
            if position.black() & bit != 0 {
                " X"
            } else if position.white() & bit != 0 {
                " O"
            } else {
                " ."
            }
        };
        let signs: String = (0..8).map(sign).collect();
        format!("\n{} {signs}", rank + 1)
    };
    let rows: String = (0..8).rev().map(row).collect();
    format!("\n   A B C D E F G H{rows}")
}
