//! The console of Edax: its commands and options, and answers in the shape of its tables.

use std::path::Path;
use std::time::Duration;

use othello_core::{Counting, Game, Move, Position, Side, State, Symmetry, perft};
use othello_record::{LineMode, parse, read_file};
use othello_search::Control;
use yane_clock::Instant;

use super::edax_tables as tables;
use super::error::{EdaxError, GameProblem};
use super::saving::save;
use super::suggest::did_you_mean;
use super::{ConsoleGame, ConsoleMode};
use crate::background::Heard;
use crate::book::BookChoice;
use crate::clock::Clock;
use crate::openings::OpeningNamer;
use crate::session::Session;

/// Options: name, what they are.
const OPTIONS: [(&str, &str); 9] = [
    ("l|level <n>", "level, 0 to 60"),
    (
        "t|game-time <time>",
        "time for a game: seconds, or minutes:seconds",
    ),
    ("move-time <time>", "time for a move"),
    (
        "hash-table-size <n>",
        "size of the transposition table: 2^n positions",
    ),
    ("n-tasks <n>", "threads of a search"),
    ("ponder <on|off>", "think in the other side's time"),
    ("book-usage <on|off>", "play from the book"),
    (
        "book-randomness <n>",
        "play moves of the book that lose at most n discs",
    ),
    (
        "mode <n>",
        "who plays (0: the engine has white, 1: black, 2: both, 3: neither)",
    ),
];

/// Commands: name, what they do.
const COMMANDS: [(&str, &str); 30] = [
    ("i|init", "begin a game from the start position"),
    ("n|new", "begin a game from the position of setboard"),
    ("setboard <board>", "begin a game from a position"),
    ("o|open|load <file>", "load a game of any format"),
    (
        "s|save <file>",
        "save the game: .txt, .ggf, .sgf, .pgn, .wtb, .edx, by the file's name",
    ),
    ("q|quit|exit", "leave the program"),
    ("u|undo [n]", "take back the last move"),
    ("r|redo [n]", "play it again"),
    ("play <moves>", "play moves"),
    ("force <moves>", "let the engine follow an opening"),
    ("opening", "show the name of the opening"),
    ("go", "let the engine play a move"),
    ("stop", "end a search (Ctrl-C while it runs)"),
    ("hint [n]", "show the best moves"),
    ("m|mode [n]", "set who plays"),
    (
        "a|analyze|analyse [n]",
        "analyse the game, or its last n moves",
    ),
    (
        "symetry <n>",
        "turn the game by one of the symmetries 0 to 15",
    ),
    ("rotate <angle>", "turn the game by 90, 180 or 270 degrees"),
    (
        "hmirror, vmirror",
        "mirror the game left to right, top to bottom",
    ),
    ("perft <d>, count games <d>", "count the games of d plies"),
    ("solve, obftest <file>", "search the positions of a file"),
    ("book on|off", "use the book, or not"),
    ("book show", "show the moves of the book"),
    ("book randomness <n>", "as the option book-randomness"),
    ("book a|analyze [n]", "analyse the game with the book"),
    ("moves <squares>, f5", "a move is played as it is typed"),
    (
        "verbose, noise, width <n>",
        "accepted: tables are always whole",
    ),
    ("options", "show the options"),
    ("v|version", "show the version"),
    ("?|help", "show this list"),
];

type Out<'a> = &'a mut dyn FnMut(&str);

/// A console as Edax's.
#[derive(Debug)]
pub struct EdaxConsole {
    game: ConsoleGame,
    name: String,
    version: String,
    /// The opening that the engine is to follow.
    forced: Option<Game>,
    /// Times that black and white have used.
    times: [Duration; 2],
    since: Instant,
    /// The day that files of games say they were made on: year, month, day.
    pub today: [u16; 3],
}

impl EdaxConsole {
    /// A console of a name and a version; `control` stops its searches.
    pub fn new(session: Session, name: &str, version: &str, control: Control) -> Self {
        Self {
            game: ConsoleGame::new(session, control),
            name: name.to_owned(),
            version: version.to_owned(),
            forced: None,
            times: [Duration::ZERO; 2],
            since: Instant::now(),
            today: [1970, 1, 1],
        }
    }

    /// Sets the names of openings that are shown below the board; `None` shows none.
    pub fn set_openings(&mut self, openings: Option<OpeningNamer>) {
        self.game.openings = openings;
    }

    /// Sets who plays.
    pub fn set_mode(&mut self, mode: ConsoleMode) {
        self.game.mode = mode;
    }

    /// Writes the board and the first prompt, after the engine's moves if it is its turn.
    pub fn start(&mut self, out: Out<'_>) {
        out("\n");
        self.prompt(out);
    }

    /// Carries out a line, and writes the next prompt.
    pub fn line(&mut self, line: &str, out: Out<'_>) -> Heard {
        self.game.ponder = None;
        let text = line.trim();
        let text = text.strip_prefix("set ").unwrap_or(text).trim();
        // `level 20`, `level=20` or `level = 20`.
        let end = text.find(|sign: char| sign == '=' || sign.is_whitespace());
        let (command, rest) = text.split_at(end.unwrap_or(text.len()));
        let rest = rest.trim_start();
        let rest = rest.strip_prefix('=').unwrap_or(rest).trim();
        if ["q", "quit", "exit"].contains(&command) {
            return Heard::Quit;
        }
        if let Err(error) = self.command(command, rest, out) {
            out(&format!("\nWARNING: {error}\n"));
        }
        out("\n\n");
        self.prompt(out);
        Heard::Open
    }

    fn prompt(&mut self, out: Out<'_>) {
        while self.game.is_engines_turn() && !self.game.control.is_stopped() {
            if self.go(out).is_err() {
                break;
            }
        }
        out(&tables::board(self.game.session.game(), self.times));
        if let Some(opening) = self.game.opening() {
            out(&format!("  {opening}\n"));
        }
        out("\n>");
        self.since = Instant::now();
        self.game.think_ahead();
    }

    /// Adds the time since the prompt to the side that was to move then.
    fn spend(&mut self) {
        let elapsed = self.since.elapsed();
        let side = self.game.position().side();
        self.times[usize::from(side == Side::White)] += elapsed;
        self.game.session.spend(side, elapsed);
        self.since = Instant::now();
    }

    fn begin(&mut self, start: Position) -> Result<(), EdaxError> {
        self.game
            .begin(start)
            .map_err(EdaxError::game("setboard"))?;
        self.times = [Duration::ZERO; 2];
        Ok(())
    }

    fn command(&mut self, command: &str, rest: &str, out: Out<'_>) -> Result<(), EdaxError> {
        let count = |default: usize| match rest {
            "" => Ok(default),
            text => text
                .parse()
                .ok()
                .filter(|&count: &usize| count > 0)
                .ok_or_else(|| EdaxError::Count(command.to_owned())),
        };
        match command {
            "" | "stop" | "verbose" | "noise" | "width" | "witdh" | "echo" => {}
            "i" | "init" => self.begin(Position::START)?,
            "n" | "new" => self.begin(self.game.start)?,
            "setboard" => {
                let record = parse(rest).map_err(EdaxError::game(command))?;
                self.begin(record.position())?;
            }
            "o" | "open" | "load" => self.load(rest)?,
            "s" | "save" => self.save(rest, out)?,
            "u" | "undo" => {
                self.game.undo(count(1)?);
            }
            "r" | "redo" => {
                self.game.redo(count(1)?);
            }
            "play" => self.play(rest)?,
            "opening" | "ouverture" => {
                let openings = self.game.openings.clone().unwrap_or_default();
                let name = openings.name(self.game.session.game());
                out(&format!("{}\n", name.unwrap_or("no opening with a name")));
            }
            "force" => {
                let record = parse(rest).map_err(EdaxError::game(command))?;
                let board = record.game.start().board();
                board.check().map_err(EdaxError::game(command))?;
                self.forced = Some(record.game);
            }
            "go" => self.go(out)?,
            "hint" => self.hint(count(1)?, out)?,
            "a" | "analyze" | "analyse" => self.analyse(count(usize::MAX)?, out),
            "symetry" | "symmetry" | "rotate" | "hmirror" | "vmirror" => {
                self.turn(symmetry(command, rest)?);
            }
            "perft" | "count" => {
                let depth = rest.strip_prefix("games").unwrap_or(rest).trim();
                let depth = depth.parse().ok().filter(|depth| (1..=14).contains(depth));
                let depth = depth.ok_or(EdaxError::Depth)?;
                let start = Instant::now();
                let moves = perft(self.game.position().board(), depth, Counting::Moves);
                let seconds = start.elapsed().as_secs_f64();
                out(&format!("perft {depth}: {moves} moves in {seconds:.3} s\n"));
            }
            "solve" | "obftest" => self.solve(rest, out)?,
            "b" | "book" => self.book(rest, out)?,
            "options" => self.options(out),
            "v" | "version" => out(&format!(
                "{} version {}\nMIT OR Apache-2.0\n\n",
                self.name, self.version
            )),
            "?" | "help" => {
                for (title, list) in [("Options", &OPTIONS[..]), ("Commands", &COMMANDS[..])] {
                    out(&format!("\n{title}:\n"));
                    for (name, text) in list {
                        out(&format!("  {name:<28}{text}\n"));
                    }
                }
            }
            option if self.option(option, rest)? => {}
            moves if self.game.play(&format!("{moves}{rest}")).is_ok() => {
                // The time was the other side's: a move belongs to who was to move.
                self.since = Instant::now();
                self.game.pass();
            }
            _ => {
                let names = OPTIONS.iter().chain(&COMMANDS).map(|(name, _)| *name);
                let question = did_you_mean(command, &names.collect::<Vec<_>>());
                return Err(EdaxError::Unknown {
                    line: format!("{command} {rest}"),
                    question,
                });
            }
        }
        Ok(())
    }

    /// Sets an option; returns whether there is one of that name.
    fn option(&mut self, name: &str, value: &str) -> Result<bool, EdaxError> {
        let wrong = || EdaxError::Value {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        let number = || value.parse::<u32>().map_err(|_| wrong());
        let is_on = || match value {
            "on" | "true" => Ok(true),
            "off" | "false" => Ok(false),
            _ => Err(wrong()),
        };
        let session = &mut self.game.session;
        match name {
            "l" | "level" => {
                if !self.game.set_level(value.parse().ok(), 0) {
                    return Err(wrong());
                }
                self.game.session.move_time = None;
            }
            "t" | "game-time" => {
                let clock = Clock::for_game(seconds(value).ok_or_else(wrong)?);
                for side in [Side::Black, Side::White] {
                    session.set_clock(side, Some(clock));
                }
            }
            "move-time" => session.move_time = Some(seconds(value).ok_or_else(wrong)?),
            "hash-table-size" => {
                let bits = number()?;
                if !(10..=32).contains(&bits) {
                    return Err(wrong());
                }
                let mut settings = session.search_settings();
                settings.hash_bytes = 24 << bits;
                session.set_search(settings);
            }
            "n-tasks" => {
                let mut settings = session.search_settings();
                settings.threads = number()? as usize;
                if !(1..=1024).contains(&settings.threads) {
                    return Err(wrong());
                }
                session.set_search(settings);
            }
            "ponder" => session.ponders = is_on()?,
            "book-usage" => session.uses_book = is_on()?,
            "book-randomness" => session.book_choice = BookChoice::Randomness(number()?),
            "m" | "mode" => {
                let mode = ConsoleMode::of_number(number()?);
                self.game.mode = mode.ok_or_else(wrong)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn play(&mut self, moves: &str) -> Result<(), EdaxError> {
        self.spend();
        let played = self.game.play(moves);
        played.map_err(|_| EdaxError::Unknown {
            line: format!("play {moves}"),
            question: String::new(),
        })?;
        self.game.pass();
        Ok(())
    }

    fn go(&mut self, out: Out<'_>) -> Result<(), EdaxError> {
        let position = self.game.position();
        if position.board().is_over() {
            return Err(EdaxError::Over);
        }
        self.since = Instant::now();
        let mv = if let Some(mv) = self.forced_move() {
            mv
        } else {
            let session = &self.game.session;
            let chosen = session.choose(&self.game.control, &mut ());
            let mut chosen = chosen.ok_or(EdaxError::Over)?;
            if let Some(hint) = &mut chosen.hint {
                (hint.nodes, hint.elapsed) = (chosen.nodes, chosen.elapsed);
                out(&tables::hints_header());
                out(&tables::hint(position, hint));
                out(tables::HINTS_END);
            }
            chosen.mv
        };
        self.spend();
        self.game.session.play_unchecked(mv);
        self.game.undone.clear();
        let name = mv.to_string().to_ascii_uppercase();
        out(&format!("\n{} plays {name}\n\n", self.name));
        self.game.pass();
        Ok(())
    }

    /// The next move of the forced opening, if the game has followed it so far.
    fn forced_move(&self) -> Option<Move> {
        let (forced, game) = (self.forced.as_ref()?, self.game.session.game());
        let is_followed =
            forced.start() == game.start() && forced.moves().starts_with(game.moves());
        is_followed.then(|| forced.moves().get(game.moves().len()).copied())?
    }

    fn hint(&mut self, lines: usize, out: Out<'_>) -> Result<(), EdaxError> {
        let position = self.game.position();
        if position.board().state() == State::Over {
            return Err(EdaxError::Over);
        }
        let control = &self.game.control;
        let hints = self.game.session.hints(lines, control, &mut ());
        out(&tables::hints_header());
        for hint in &hints.moves {
            out(&tables::hint(position, hint));
        }
        out(tables::HINTS_END);
        Ok(())
    }

    fn analyse(&mut self, count: usize, out: Out<'_>) {
        out(tables::ANALYSIS);
        let (level, name) = (self.game.level(), self.name.clone());
        let control = &self.game.control;
        let mut tell = |mv: &_| out(&tables::analysed(level, mv, &name));
        let moves = self.game.session.analyse(count, control, &mut tell);
        out(&tables::sums(&moves));
    }

    /// Turns the whole game.
    fn turn(&mut self, symmetry: Symmetry) {
        let turned = |game: &Game| {
            let start = game.start();
            let start = Position::new(symmetry.board(start.board()), start.side());
            let mut turned = Game::new(start);
            for &mv in game.moves() {
                turned.play_unchecked(symmetry.apply(mv));
            }
            turned
        };
        let game = turned(self.game.session.game());
        self.game.start = game.start();
        self.game.session.go_on_with(game);
        self.game.undone.clear();
    }

    fn load(&mut self, name: &str) -> Result<(), EdaxError> {
        self.game_of_file(name).map_err(EdaxError::game("load"))
    }

    /// Goes on with the game of a file.
    fn game_of_file(&mut self, name: &str) -> Result<(), GameProblem> {
        let items = read_file(Path::new(name), LineMode::Whole)?;
        let item = items.into_iter().next();
        let item = item.ok_or_else(|| GameProblem::EmptyFile(name.to_owned()))?;
        Ok(self.game.set_game(item.record?.game)?)
    }

    fn save(&mut self, name: &str, out: Out<'_>) -> Result<(), EdaxError> {
        if name.is_empty() {
            return Err(EdaxError::game("save")(GameProblem::NoName));
        }
        let player = |side| {
            if self.game.mode.plays(side) {
                self.name.as_str()
            } else {
                ""
            }
        };
        let players = [Side::Black, Side::White].map(player);
        let game = self.game.session.game();
        let note = save(game, players, Path::new(name), self.today);
        if let Some(note) = note.map_err(EdaxError::game("save"))? {
            out(&format!("{name}: {note}\n"));
        }
        Ok(())
    }

    fn solve(&mut self, name: &str, out: Out<'_>) -> Result<(), EdaxError> {
        let items = read_file(Path::new(name), LineMode::PerLine);
        let items = items.map_err(EdaxError::game("solve"))?;
        out(&tables::hints_header());
        for item in items {
            let record = item.record;
            let record = record.map_err(EdaxError::line("solve", item.line))?;
            let mut session = self.game.session.clone();
            let set = session.set_game(Game::new(record.position()));
            set.map_err(EdaxError::line("solve", item.line))?;
            let hints = session.hints(1, &self.game.control, &mut ());
            if let Some(best) = hints.moves.first() {
                out(&tables::hint(record.position(), best));
            }
            if self.game.control.is_stopped() {
                break;
            }
        }
        out(tables::HINTS_END);
        Ok(())
    }

    fn book(&mut self, rest: &str, out: Out<'_>) -> Result<(), EdaxError> {
        let (command, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        match command {
            "on" | "off" => self.game.session.uses_book = command == "on",
            "show" => {
                for found in self.game.session.book_moves() {
                    let level = found
                        .level
                        .map_or(String::new(), |level| format!(" level {level}"));
                    let kind = if found.is_leaf { " (leaf)" } else { "" };
                    out(&format!("  {} {:+}{level}{kind}\n", found.mv, found.score));
                }
            }
            "randomness" => {
                self.option("book-randomness", value.trim())?;
            }
            "a" | "analyze" | "analyse" => {
                let count = value.trim().parse().unwrap_or(usize::MAX);
                self.analyse(count, out);
            }
            other => {
                return Err(EdaxError::Book(other.to_owned()));
            }
        }
        Ok(())
    }

    fn options(&self, out: Out<'_>) {
        let session = &self.game.session;
        let settings = session.search_settings();
        let on = |is_on: bool| if is_on { "on" } else { "off" };
        let mode = self.game.mode as u32;
        let move_time = session.move_time.map(|time| time.as_secs_f64());
        let game_time = session.clock(self.game.position().side());
        let game_time = game_time.map(|clock| clock.time.as_secs_f64());
        let choice = match session.book_choice {
            BookChoice::Randomness(discs) => discs,
            BookChoice::Variation(level) => 2 * level,
        };
        out(&format!("\n\tlevel: {}\n", self.game.level()));
        out(&format!("\tgame-time: {}\n", of_seconds(game_time)));
        out(&format!("\tmove-time: {}\n", of_seconds(move_time)));
        out(&format!("\thash table: {} bytes\n", settings.hash_bytes));
        out(&format!("\tn-tasks: {}\n", settings.threads));
        out(&format!("\tponder: {}\n", on(session.ponders)));
        out(&format!("\tbook-usage: {}\n", on(session.book().is_some())));
        out(&format!("\tbook-randomness: {choice}\n"));
        out(&format!("\tmode: {mode}\n"));
    }
}

fn of_seconds(seconds: Option<f64>) -> String {
    seconds.map_or("none".to_owned(), |seconds| format!("{seconds} s"))
}

/// The symmetry of a command: `symetry N` by Edax's numbers, `rotate 90`, `hmirror`, `vmirror`.
fn symmetry(command: &str, rest: &str) -> Result<Symmetry, EdaxError> {
    let number: Option<usize> = rest.parse().ok();
    let number = match command {
        "hmirror" => Some(1),
        "vmirror" => Some(2),
        // A quarter turn to the right: mirrored left to right, then files and ranks exchanged.
        "rotate" => match number {
            Some(0 | 360) => Some(0),
            Some(90) => Some(5),
            Some(180) => Some(3),
            Some(270) => Some(6),
            _ => None,
        },
        // Numbers from 8 on exchange the colours in Edax, which no game does.
        _ => number.filter(|&number| number < 8),
    };
    let symmetry = number.and_then(|number| Symmetry::ALL.get(number).copied());
    symmetry.ok_or_else(|| EdaxError::Argument {
        command: command.to_owned(),
        value: rest.to_owned(),
    })
}

/// A time as seconds, or as minutes and seconds.
fn seconds(text: &str) -> Option<Duration> {
    let (minutes, seconds) = text.split_once(':').unwrap_or(("0", text));
    let minutes: u32 = minutes.parse().ok()?;
    let seconds: f64 = seconds.trim_end_matches('s').parse().ok()?;
    let seconds = Duration::try_from_secs_f64(seconds).ok()?;
    let time = Duration::from_secs(u64::from(minutes) * 60).checked_add(seconds)?;
    (time.as_secs() < 1 << 32).then_some(time)
}
