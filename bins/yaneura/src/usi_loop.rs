//! The command loop: takes lines from arguments, files and standard input in turn and carries them
//! out while a search may be running.
//!
//! Commands from arguments and files wait for a running search that ends by itself, so that a script
//! reads like a program. Commands from standard input are carried out at once, as GUIs expect.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};

use shogi_core::{Diagram, Game, Position};
use shogi_engine::{Preparation, SearchState, Session, parse_option_line};
use shogi_usi::{BestMove, CheckMate, Command, CommandError, GoCommand, OptionError, Response};

use crate::error::LineError;
use crate::input::{Event, LONGEST_LINE, read_stdin};
use crate::news::{tell_book, tell_evaluation};
use crate::output::OutputHandle;
use crate::report::Reporter;
use crate::script::Query;
use crate::{eval_files, files, queries};

/// Whether to read on.
type Flow = ControlFlow<()>;
const GO_ON: Flow = ControlFlow::Continue(());
const END: Flow = ControlFlow::Break(());

/// Where a command comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// Arguments or a file.
    Queue,
    /// Standard input.
    Input,
}

/// The engine with its input and output.
pub(crate) struct UsiLoop {
    session: Session,
    output: OutputHandle,
    events: Receiver<Event>,
    sender: Sender<Event>,
    /// Commands from arguments and files, which come before standard input.
    queue: VecDeque<String>,
    /// Events from standard input that have to wait.
    held: VecDeque<Event>,
    /// Nothing is carried out before the running search has answered.
    waiting: bool,
    /// Searches that have not answered yet: one, or two when a `go` follows a `go`.
    unanswered: u32,
    /// Where the last search was asked for.
    search_source: Source,
    /// Options that the `eval_options.txt` of the evaluation folder has fixed.
    fixed_by_evaluation: Vec<String>,
    /// What the last `position` showed, when that cannot be played from.
    diagram: Option<Diagram>,
}

impl UsiLoop {
    /// Starts reading standard input; `commands` are run first.
    pub(crate) fn new(commands: Vec<String>, output: OutputHandle) -> Self {
        let (sender, events) = mpsc::channel();
        read_stdin(sender.clone());
        let mut queue = VecDeque::from(commands);
        if let Some((_, lines)) = files::beside_program("startup.txt") {
            queue.extend(lines.into_iter().filter(|line| !line.is_empty()));
        }
        let mut session = Session::with_profile(files::book_profile());
        session.set_folders(vec![files::program_folder(), PathBuf::new()]);
        Self {
            session,
            output,
            events,
            sender,
            queue,
            held: VecDeque::new(),
            waiting: false,
            unanswered: 0,
            search_source: Source::Input,
            fixed_by_evaluation: Vec::new(),
            diagram: None,
        }
    }

    /// Runs until `quit` or the end of the input.
    pub(crate) fn run(&mut self) {
        while self.step().is_continue() {}
        self.session.abandon();
    }

    fn step(&mut self) -> Flow {
        if !self.waiting {
            if let Some(line) = self.queue.pop_front() {
                return self.queued(line);
            }
            if let Some(event) = self.held.pop_front() {
                return self.event(event);
            }
        }
        match self.events.recv() {
            Ok(Event::SearchDone) => {
                self.unanswered -= 1;
                self.waiting &= self.unanswered > 0;
                GO_ON
            }
            Ok(event) if self.waiting => {
                self.held.push_back(event);
                GO_ON
            }
            Ok(event) => self.event(event),
            Err(_) => END,
        }
    }

    /// Carries out a command of the queue, or puts it back until the running search is done.
    fn queued(&mut self, line: String) -> Flow {
        let steers = matches!(
            line.split_ascii_whitespace().next(),
            Some("stop" | "ponderhit")
        );
        if !steers && self.is_search_ending() {
            self.queue.push_front(line);
            self.waiting = true;
            return GO_ON;
        }
        self.line(&line, Source::Queue)
    }

    fn event(&mut self, event: Event) -> Flow {
        match event {
            Event::Line(line) => self.line(&line, Source::Input),
            Event::TooLong => {
                self.output
                    .error(&LineError::TooLong(LONGEST_LINE).to_line());
                GO_ON
            }
            Event::End if self.search_source == Source::Queue && self.is_search_ending() => {
                self.held.push_front(Event::End);
                self.waiting = true;
                GO_ON
            }
            Event::End => END,
            Event::SearchDone => GO_ON,
        }
    }

    /// Whether a search has not answered yet and will do so by itself.
    fn is_search_ending(&self) -> bool {
        self.unanswered > 0 && self.session.state() != SearchState::Endless
    }

    fn line(&mut self, line: &str, source: Source) -> Flow {
        if line.is_empty() {
            return GO_ON;
        }
        let done = match Query::parse(line) {
            Some(query) => query.and_then(|query| self.query(query)).map(|()| GO_ON),
            None => line
                .parse()
                .map_err(|error| self.refused(line, error))
                .and_then(|command| self.command(command, source)),
        };
        done.unwrap_or_else(|error| {
            self.output.error(&error.to_line());
            GO_ON
        })
    }

    fn set_game(&mut self, game: Game) {
        self.diagram = None;
        self.session.set_game(game);
    }

    /// What is wrong with a line that is no command. Pieces that nobody can play from, because the side
    /// not to move is in check, can still be evaluated.
    fn refused(&mut self, line: &str, error: CommandError) -> LineError {
        let sfen = line.trim().strip_prefix("position sfen ");
        if let Some(diagram) = sfen.and_then(|sfen| Diagram::from_sfen(sfen).ok()) {
            self.diagram = Some(diagram);
        }
        error.into()
    }

    fn command(&mut self, command: Command, source: Source) -> Result<Flow, LineError> {
        match command {
            Command::Usi => self.introduce(),
            Command::IsReady => {
                self.apply_option_files();
                self.prepare();
                self.output.respond(&Response::ReadyOk);
            }
            Command::SetOption { name, value } => {
                match self.session.set_option(&name, value.as_deref()) {
                    // GUIs send every option; those in the file are meant to win.
                    Ok(()) | Err(OptionError::Fixed(_)) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Command::UsiNewGame => self.session.new_game(),
            Command::Position(position) => self.set_game(position.to_game()),
            Command::Go(go) => self.go(&go, source)?,
            Command::Stop | Command::GameOver(_) => self.session.stop(),
            Command::PonderHit(clock) => self.session.ponder_hit(clock)?,
            Command::Quit => return Ok(END),
        }
        Ok(GO_ON)
    }

    /// Answers `usi`.
    fn introduce(&self) {
        let lines = files::beside_program("engine_name.txt").map(|(_, lines)| lines);
        let line = |index: usize, default: &str| {
            let own = lines.as_ref().and_then(|lines| lines.get(index));
            own.filter(|line| !line.is_empty())
                .map_or(default, String::as_str)
                .to_owned()
        };
        let name = concat!("yaneura ", env!("CARGO_PKG_VERSION"));
        self.output.respond(&Response::IdName(line(0, name)));
        self.output
            .respond(&Response::IdAuthor(line(1, "the yaneura developers")));
        for (spec, _) in self.session.options().iter() {
            self.output.respond(&Response::Option(spec.clone()));
        }
        self.output.respond(&Response::UsiOk);
    }

    /// Gets ready for a game; says so when the table is smaller than asked for.
    fn prepare(&mut self) {
        let output = &self.output;
        if !self.session.is_busy() {
            self.session
                .load_evaluation(|news| tell_evaluation(output, &news));
        }
        if let Preparation::Fresh { hash_mib } = self.session.prepare() {
            let asked = self.session.options().spin("USI_Hash");
            if asked > hash_mib as i64 {
                self.output.error(&format!(
                    "no memory for USI_Hash {asked}; using {hash_mib} MiB"
                ));
            }
            let output = &self.output;
            self.session.load_book(|news| tell_book(output, &news));
        }
    }

    /// Loads the evaluation before anything needs it, as `isready` would have done.
    fn update_evaluation(&mut self) {
        if self.session.needs_evaluation() {
            self.apply_option_files();
            let output = &self.output;
            self.session
                .load_evaluation(|news| tell_evaluation(output, &news));
        }
    }

    /// Fixes the options named in `engine_options.txt`, then those in the `eval_options.txt` of the
    /// evaluation folder: the last one counts, and of that file only while it is the one.
    fn apply_option_files(&mut self) {
        for name in std::mem::take(&mut self.fixed_by_evaluation) {
            // It was fixed, so it exists.
            self.session.release_option(&name).ok();
        }
        if let Some((path, lines)) = files::beside_program("engine_options.txt") {
            self.fix_options(&path, &lines);
        }
        if let Some((path, lines)) = files::beside_evaluation(&self.session) {
            self.fixed_by_evaluation = self.fix_options(&path, &lines);
        }
    }

    /// Fixes the options in the lines of a file; returns their names.
    fn fix_options(&mut self, path: &Path, lines: &[String]) -> Vec<String> {
        let output = &self.output;
        output.say(&format!("read engine options, path = {}", path.display()));
        let mut names = Vec::new();
        for (name, value) in lines.iter().filter_map(|line| parse_option_line(line)) {
            match self.session.fix_option(name, value) {
                Ok(()) => {
                    output.say(&format!(
                        "engine option override. name = {name} , value = {value}"
                    ));
                    names.push(name.to_owned());
                }
                Err(error) => output.error(&LineError::from(error).to_line()),
            }
        }
        names
    }

    fn go(&mut self, go: &GoCommand, source: Source) -> Result<(), LineError> {
        if go.mate.is_some() {
            self.output
                .respond(&Response::CheckMate(CheckMate::NotImplemented));
            return Ok(());
        }
        if let Some(depth) = go.perft {
            queries::print_perft(self.position(), depth, &self.output);
            return Ok(());
        }
        if self.diagram.is_some() {
            // An answer, lest whoever asked waits for ever.
            self.output.respond(&Response::BestMove(BestMove::Resign));
            return Err(LineError::Diagram);
        }
        self.update_evaluation();
        if let Some(problem) = self.session.eval_problem() {
            // Beside the score, where people see it.
            self.output
                .error(&format!("playing with the embedded evaluation : {problem}"));
        }
        let reporter = Reporter {
            output: self.output.clone(),
            events: self.sender.clone(),
        };
        self.session.go(go, Arc::new(reporter))?;
        self.unanswered += 1;
        self.search_source = source;
        Ok(())
    }

    fn query(&mut self, query: Query) -> Result<(), LineError> {
        if matches!(
            query,
            Query::Evaluate | Query::Bench(_) | Query::EvalSave(_) | Query::ExportNet(_)
        ) {
            self.update_evaluation();
        }
        let position = self.position();
        let answer = match query {
            Query::Board => format!("{position:#}"),
            Query::Moves => queries::moves(position),
            Query::MateInOne => queries::mate_in_one(position),
            Query::Repetition => queries::repetition(self.session.game()).to_owned(),
            Query::Declare => queries::declaration(&self.session),
            Query::PackedSfen => queries::packed_sfen(position)?,
            Query::Hcp => queries::hcp(position)?,
            Query::See(text) => queries::see(position, &text)?,
            Query::Evaluate => {
                let value = match &self.diagram {
                    Some(diagram) => self.session.evaluate_diagram(diagram),
                    None => self.session.evaluate(),
                };
                format!("eval = {value}")
            }
            Query::Bench(depth) => queries::bench(depth, self.session.evaluator())?,
            Query::Params => queries::params(),
            Query::GetOption(name) => self.option_values(name.as_deref())?,
            other => return self.act(other),
        };
        self.output.line(answer);
        Ok(())
    }

    /// The commands that do something instead of answering with a line.
    fn act(&mut self, query: Query) -> Result<(), LineError> {
        match query {
            Query::Perft(depth) => queries::print_perft(self.position(), depth, &self.output),
            Query::Flip => self.set_game(Game::new(self.position().flip())),
            Query::Matsuri => {
                let position = Position::from_sfen(queries::MATSURI).expect("a valid SFEN");
                self.set_game(Game::new(position));
            }
            Query::Wait if self.session.state() == SearchState::Endless => {
                return Err(LineError::WaitsForEver);
            }
            Query::Wait => self.waiting = self.unanswered > 0,
            Query::File(name) => {
                for line in files::commands(&name)?.into_iter().rev() {
                    self.queue.push_front(line);
                }
            }
            Query::EvalSave(folder) => {
                let saved = self.session.save_evaluation(folder.as_deref())?;
                self.output.line(eval_files::saved(&saved));
            }
            Query::ExportNet(file) => {
                let saved = self.session.export_network(file.as_deref())?;
                self.output.line(eval_files::saved(&saved));
            }
            Query::EvalFiles(words) => eval_files::run_in_loop(&words, &self.output)?,
            _ => unreachable!("answered with a line"),
        }
        Ok(())
    }

    /// One option or all, as `Options[NAME] = VALUE`.
    fn option_values(&self, name: Option<&str>) -> Result<String, LineError> {
        let options = self.session.options();
        let line = |(spec, value): (&shogi_usi::OptionSpec, _)| {
            format!("Options[{}] = {value}", spec.name)
        };
        Ok(match name {
            None => options.iter().map(line).collect::<Vec<_>>().join("\n"),
            Some(name) => options
                .get(name)
                .map(line)
                .ok_or_else(|| OptionError::Unknown(name.to_owned()))?,
        })
    }

    fn position(&self) -> &Position {
        self.session.game().position()
    }
}
