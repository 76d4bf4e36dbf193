//! The console of Egaroucid: its commands, and answers in the shape of its tables.

use std::time::Duration;

use othello_core::{Game, Move, Position, Side};
use othello_record::parse;
use othello_search::Control;
use yane_clock::Instant;

use super::SearchLog;
use super::egaroucid_tables as tables;
use super::error::EgaroucidError;
use super::suggest::did_you_mean;
use super::{ConsoleGame, ConsoleMode};
use crate::background::Heard;
use crate::clock::Clock;
use crate::hints::Hints;
use crate::openings::OpeningNamer;
use crate::protocols::console::egaroucid_tables::MoveOutput;
use crate::random::RandomRule;
use crate::session::Session;

/// Commands of the console: names, arguments, what they do.
const COMMANDS: [(&str, &str); 21] = [
    ("help|?", "Show this list"),
    ("exit|quit", "Leave the program"),
    ("version|ver", "Show the version"),
    ("init|reset", "Begin a game from the start position"),
    ("new", "Begin a game from the position of `setboard`"),
    ("play", "Play moves such as f5D6"),
    ("undo <moves>", "Take back so many moves [1]"),
    ("redo <moves>", "Play so many moves again [1]"),
    ("go", "Let the engine play a move"),
    (
        "setboard <board>",
        "Set the position: 64 squares and the side to move, or any other form",
    ),
    ("level <level>", "Set the level, 1 to 60"),
    (
        "levelinfo|linfo",
        "Show how deep and how sure the levels are",
    ),
    (
        "mode <mode>",
        "Set who plays (0: the engine has white, 1: black, 2: both, 3: neither)",
    ),
    ("hint <moves>", "Show so many of the best moves [1]"),
    ("analyze|analyse", "Analyse the game"),
    ("clearcache", "Forget what searches found out"),
    (
        "genproblem <n_empties> <n_problems>",
        "Make so many problems with so many empty squares",
    ),
    ("transcript", "Show the moves of the game"),
    ("opening", "Show the name of the opening"),
    (
        "settime <color> <time>",
        "Set the time (seconds) that a player (X / B / O / W) has left",
    ),
    ("advise|advice", "Show the value of every move"),
];

/// The last command of the list; its name runs into its text.
const RANDOM: (&str, &str) = (
    "randboard|genrandboard <black_score_min> <black_score_max> <n_moves>",
    "Set a random position after so many moves, with a value for black in a range",
);

/// Receives text as it comes: lines with their ends, and a prompt without.
pub(super) type Out<'a> = &'a mut dyn FnMut(&str);

/// A console as Egaroucid's.
#[derive(Debug)]
pub struct EgaroucidConsole {
    pub(super) game: ConsoleGame,
    version: String,
    /// Receives the lines of all searches.
    log: SearchLog,
    /// How a move of the engine is told.
    pub move_output: MoveOutput,
    /// True if the board is shown before each prompt.
    pub shows_board: bool,
    /// True if a forced pass is played by itself.
    pub passes: bool,
}

impl EgaroucidConsole {
    /// A console of a version; `control` stops its searches.
    pub fn new(session: Session, version: &str, control: Control) -> Self {
        Self {
            game: ConsoleGame::new(session, control),
            version: version.to_owned(),
            log: SearchLog::default(),
            move_output: MoveOutput::default(),
            shows_board: true,
            passes: true,
        }
    }

    /// The table of levels, as the option `-linfo` shows it.
    pub fn levels(&self) -> String {
        tables::levels(self.game.session.level)
    }

    /// Sets the names of openings that are shown beside the board; `None` shows none.
    pub fn set_openings(&mut self, openings: Option<OpeningNamer>) {
        self.game.openings = openings;
    }

    /// Sets who receives a line of text for each line of a search.
    pub fn set_log(&mut self, log: impl FnMut(&str) + Send + 'static) {
        self.log = SearchLog(Some(Box::new(log)));
    }

    /// Has a new game keep what searches found out, which it forgets otherwise.
    pub fn keep_cache(&mut self) {
        self.game.keeps_cache = true;
    }

    /// Sets who plays.
    pub fn set_mode(&mut self, mode: ConsoleMode) {
        self.game.mode = mode;
    }

    /// Writes the board and the first prompt, after the engine's moves if it is its turn.
    pub fn start(&mut self, out: Out<'_>) {
        self.prompt(out);
    }

    /// Carries out a line, and writes the next prompt.
    pub fn line(&mut self, line: &str, out: Out<'_>) -> Heard {
        self.game.ponder = None;
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if command == "exit" || command == "quit" {
            return Heard::Quit;
        }
        if let Err(error) = self.command(command, rest.trim(), out) {
            out(&format!("[ERROR] {error}\n"));
        }
        self.prompt(out);
        Heard::Open
    }

    fn prompt(&mut self, out: Out<'_>) {
        while self.game.is_engines_turn() && !self.game.control.is_stopped() {
            if self.go(out).is_err() {
                break;
            }
        }
        if self.shows_board && self.move_output == MoveOutput::Table {
            let clock = |side| self.game.session.clock(side).map(|clock| clock.time);
            let clocks = [clock(Side::Black), clock(Side::White)];
            let opening = self.game.opening();
            out(&tables::board(self.game.position(), clocks, opening));
            out("\n");
        }
        out("> ");
        self.game.think_ahead();
    }

    fn command(&mut self, command: &str, rest: &str, out: Out<'_>) -> Result<(), EgaroucidError> {
        match command {
            "" => {}
            "help" | "?" => {
                out("Commands:\n");
                for (name, text) in COMMANDS {
                    out(&format!("  {name:<40}{text}\n"));
                }
                out(&format!("  {}{}\n\n", RANDOM.0, RANDOM.1));
            }
            "version" | "ver" => out(&format!(
                "yaneura othello {}\n  @license  MIT OR Apache-2.0\n\n",
                self.version
            )),
            "init" | "reset" => self.begin(Position::START)?,
            "new" => self.begin(self.game.start)?,
            "play" => {
                if rest.is_empty() {
                    return Err(EgaroucidError::Argument);
                }
                self.game.play(rest)?;
                self.pass();
            }
            "undo" | "redo" => {
                let count = number(rest, 1)?;
                let is_undo = command == "undo";
                let done = if is_undo {
                    self.game.undo(count)
                } else {
                    self.game.redo(count)
                };
                if done < count {
                    return Err(EgaroucidError::Cannot(command.to_owned()));
                }
            }
            "go" => self.go(out)?,
            "setboard" => self.begin(position(rest)?)?,
            "level" => {
                if !self.game.set_level(rest.parse().ok(), 1) {
                    return Err(EgaroucidError::Level);
                }
            }
            "levelinfo" | "linfo" => out(&self.levels()),
            "mode" => {
                let mode = rest.parse().ok().and_then(ConsoleMode::of_number);
                self.game.mode = mode.ok_or(EgaroucidError::Argument)?;
            }
            "hint" => {
                let hints = self.hints(number(rest, 1)?)?;
                out(&tables::hints(self.game.level(), &hints));
            }
            "advise" | "advice" => {
                let hints = self.hints(usize::MAX)?;
                out(&tables::hints(self.game.level(), &hints));
            }
            "analyze" | "analyse" => self.analyse(out),
            "clearcache" => self.game.session.clear(),
            "genproblem" => self.problems(rest, out)?,
            "transcript" => {
                let played = self.game.session.game().moves().iter();
                let all = played.chain(self.game.undone.iter().rev());
                let moves = all.filter(|&&mv| mv != Move::Pass);
                let text: String = moves.map(ToString::to_string).collect();
                out(&format!("{text}\n"));
            }
            "settime" => self.set_time(rest)?,
            "randboard" | "genrandboard" => self.random_board(rest, out)?,
            "opening" => {
                let all = self.game.session.game();
                let name = self.game.openings.clone().unwrap_or_default();
                let name = name.name(all).ok_or(EgaroucidError::NoName)?;
                out(&format!("{name}\n"));
            }
            unknown => {
                let names = COMMANDS.iter().map(|(name, _)| *name).chain([RANDOM.0]);
                let question = did_you_mean(unknown, &names.collect::<Vec<_>>());
                return Err(EgaroucidError::Unknown {
                    command: unknown.to_owned(),
                    question,
                });
            }
        }
        Ok(())
    }

    fn hints(&mut self, lines: usize) -> Result<Hints, EgaroucidError> {
        if self.game.position().board().is_over() {
            return Err(EgaroucidError::Over);
        }
        let control = &self.game.control;
        let session = &self.game.session;
        Ok(session.hints(lines.max(1), control, &mut self.log))
    }

    fn begin(&mut self, start: Position) -> Result<(), EgaroucidError> {
        self.game.begin(start).map_err(EgaroucidError::Board)
    }

    fn pass(&mut self) {
        if self.passes {
            self.game.pass();
        }
    }

    /// Plays a move of the engine.
    fn go(&mut self, out: Out<'_>) -> Result<(), EgaroucidError> {
        let game = &mut self.game;
        let side = game.position().side();
        let start = Instant::now();
        let chosen = game.session.choose(&game.control, &mut self.log);
        let chosen = chosen.ok_or(EgaroucidError::Over)?;
        if self.move_output != MoveOutput::Table {
            out(&tables::quiet(&chosen, self.move_output));
        } else if let Some(hint) = &chosen.hint {
            out(&tables::played(game.level(), hint, &chosen));
        }
        game.session.spend(side, start.elapsed());
        game.session.play_unchecked(chosen.mv);
        game.undone.clear();
        self.pass();
        Ok(())
    }

    fn analyse(&mut self, out: Out<'_>) {
        out(tables::ANALYSIS);
        let control = &self.game.control;
        let mut tell = |mv: &_| out(&tables::analysed(mv));
        let moves = self.game.session.analyse(usize::MAX, control, &mut tell);
        out(&tables::sums(&moves));
    }

    fn set_time(&mut self, rest: &str) -> Result<(), EgaroucidError> {
        let (color, time) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let side = match color.to_ascii_lowercase().as_str() {
            "x" | "b" | "black" => Side::Black,
            "o" | "w" | "white" => Side::White,
            _ => return Err(EgaroucidError::Color),
        };
        let seconds: Option<f64> = time.trim().parse().ok();
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let time = time.filter(|time| time.as_secs() < 1 << 32);
        let time = time.ok_or(EgaroucidError::Time)?;
        self.game
            .session
            .set_clock(side, Some(Clock::for_game(time)));
        Ok(())
    }

    fn random_board(&mut self, rest: &str, out: Out<'_>) -> Result<(), EgaroucidError> {
        let numbers: Vec<i32> = rest
            .split_whitespace()
            .map_while(|word| word.parse().ok())
            .collect();
        let &[least, most, moves] = numbers.as_slice() else {
            return Err(EgaroucidError::Argument);
        };
        if least > most || !(0..=59).contains(&moves) {
            return Err(EgaroucidError::Argument);
        }
        let start = Instant::now();
        let rule = RandomRule::InRange(least..=most);
        let session = {
            let mut session = self.game.session.clone();
            session.go_on_with(Game::default());
            session
        };
        let found = session.random_game(moves.unsigned_abs(), &rule, &self.game.control);
        let found = found.ok_or(EgaroucidError::NoSuchBoard)?;
        let milliseconds = start.elapsed().as_millis();
        out(&format!("random board generated in {milliseconds} ms\n"));
        self.begin(found.position())
    }

    /// Makes positions of random play with their best moves.
    fn problems(&mut self, rest: &str, out: Out<'_>) -> Result<(), EgaroucidError> {
        let numbers: Vec<u32> = rest
            .split_whitespace()
            .map_while(|word| word.parse().ok())
            .collect();
        let &[empties @ 1..=59, count] = numbers.as_slice() else {
            return Err(EgaroucidError::Argument);
        };
        let mut session = self.game.session.clone();
        for _ in 0..count {
            session.go_on_with(Game::default());
            let found = session.random_game(60 - empties, &RandomRule::Manual, &self.game.control);
            let Some(found) = found else { break };
            session.go_on_with(found);
            let position = session.position();
            let hints = session.hints(1, &self.game.control, &mut ());
            if let Some(best) = hints.moves.first() {
                let mv = best.mv.to_string().to_ascii_uppercase();
                out(&format!("{position}; {mv}:{:+};\n", best.score));
            }
        }
        out("\n");
        Ok(())
    }
}

fn number(text: &str, default: usize) -> Result<usize, EgaroucidError> {
    if text.is_empty() {
        return Ok(default);
    }
    let number = text.parse().ok().filter(|&number| number > 0);
    number.ok_or(EgaroucidError::Count)
}

/// A position in any spelling; the error is that of 64 squares and a side.
fn position(text: &str) -> Result<Position, EgaroucidError> {
    let length = text.chars().filter(|sign| !sign.is_whitespace()).count();
    match parse(text) {
        Ok(record) if length > 0 => Ok(record.position()),
        _ if length != 65 => Err(EgaroucidError::Length(length)),
        Ok(_) => Err(EgaroucidError::Argument),
        Err(error) => Err(EgaroucidError::Record(error)),
    }
}
