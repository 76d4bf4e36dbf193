//! The command loop: takes lines from arguments, files and standard input in turn and carries them
//! out while a search may be running.
//!
//! Commands from arguments and files wait for a running search that ends by itself, so that a script
//! reads like a program. Commands from standard input are carried out at once, as GUIs expect.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver, Sender};

use shogi_core::{Game, Position};
use shogi_engine::{SearchState, Session};
use shogi_usi::{Command, CommandError, Response, nearest};

use crate::error::LineError;
use crate::input::{Event, LONGEST_LINE, read_stdin};
use crate::output::OutputHandle;
use crate::picture::BestLine;
use crate::script::Query;
use crate::{args, eval_files, eval_trace, files, leaves, queries, signals};

mod go;
mod position;
mod ready;

use go::HeldAnswer;
use position::Subject;

/// Whether to read on.
type Flow = ControlFlow<()>;
const GO_ON: Flow = ControlFlow::Continue(());
const END: Flow = ControlFlow::Break(());

/// What the command `log` writes.
const LOG_FILE: &str = "io_log.txt";

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
    /// What commands about the position are about.
    subject: Subject,
    /// The answer to a `go` that is given without a search, as long as it is too early for it.
    held_answer: Option<HeldAnswer>,
    /// The best line that a search of the current position has found.
    best_line: BestLine,
    /// What `DebugLogFile` was when the log was opened.
    log_name: String,
}

impl UsiLoop {
    /// Starts reading standard input; `commands` are run first.
    pub(crate) fn new(commands: Vec<String>, output: OutputHandle) -> Self {
        let (sender, events) = mpsc::channel();
        read_stdin(sender.clone());
        signals::watch(sender.clone());
        let mut queue = VecDeque::from(commands);
        if let Some((_, lines)) = files::beside_program("startup.txt") {
            queue.extend(lines.into_iter().filter(|line| !line.is_empty()));
        }
        let mut session = Session::with_profile(files::book_profile());
        session.set_folders(yane_cli::evaluation_folders().to_vec());
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
            subject: Subject::Game,
            held_answer: None,
            best_line: BestLine::default(),
            log_name: String::new(),
        }
    }

    /// Runs until `quit` or the end of the input. A search that has not answered yet is stopped and
    /// answers before this returns.
    pub(crate) fn run(&mut self) {
        while self.step().is_continue() {}
        self.stop();
        self.session.wait();
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
            Ok(Event::Terminated) | Err(_) => END,
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
        }
    }

    /// Carries out a command of the queue, or puts it back until the running search is done.
    fn queued(&mut self, line: String) -> Flow {
        let steers = matches!(
            Command::split(&line),
            Some(("stop" | "ponderhit" | "gameover", _))
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
            Event::TooLong(beginning) => self.too_long(&beginning),
            Event::End if self.search_source == Source::Queue && self.is_search_ending() => {
                self.held.push_front(Event::End);
                self.waiting = true;
                GO_ON
            }
            Event::End | Event::Terminated => END,
            Event::SearchDone => GO_ON,
        }
    }

    /// Whether a search has not answered yet and will do so by itself.
    fn is_search_ending(&self) -> bool {
        self.unanswered > 0 && self.session.state() != SearchState::Endless
    }

    /// Whether an answer is due that comes only after another command.
    fn is_endless(&self) -> bool {
        self.held_answer.is_some() || self.session.state() == SearchState::Endless
    }

    fn line(&mut self, line: &str, source: Source) -> Flow {
        if line.is_empty() {
            return GO_ON;
        }
        self.output.heard(line);
        let done = match Query::parse(line) {
            Some(query) => query.and_then(|query| self.query(query)).map(|()| GO_ON),
            None => self.protocol(line, source),
        };
        done.unwrap_or_else(|error| {
            self.output.error(&error.to_line());
            GO_ON
        })
    }

    /// A line of which only the first words were kept. Whoever waits for an answer to it gets one.
    fn too_long(&mut self, beginning: &str) -> Flow {
        let error = LineError::TooLong(LONGEST_LINE);
        self.output.error(&error.to_line());
        match Command::split(beginning) {
            Some(("position", _)) => self.subject = Subject::Unreadable(error.to_string()),
            None | Some(("setoption", _)) => {}
            Some(_) => return self.line(beginning, Source::Input),
        }
        GO_ON
    }

    /// A line of the protocol, or an option with its value.
    fn protocol(&mut self, line: &str, source: Source) -> Result<Flow, LineError> {
        if let Some(("position", text)) = Command::split(line) {
            return self.set_position(text).map(|()| GO_ON);
        }
        match Command::parse_leniently(line) {
            Ok((command, errors)) => {
                if !errors.is_empty() {
                    let told: Vec<_> = errors.iter().map(ToString::to_string).collect();
                    let error = LineError::LeftOut(told.join("; "));
                    self.output.error(&error.to_line());
                }
                self.command(command, source)
            }
            Err(CommandError::Unknown(word)) => self
                .set_by_name(line)
                .unwrap_or_else(|| Err(self.unknown(word)))
                .map(|()| GO_ON),
            Err(error) => Err(error.into()),
        }
    }

    /// The error for a word that is no command, with the one that was probably meant.
    fn unknown(&self, word: String) -> LineError {
        let options = self.session.options().iter();
        let options = options.map(|(spec, _)| spec.name.as_str());
        let names = Command::NAMES
            .into_iter()
            .chain(Query::NAMES)
            .chain(options);
        let meant = match word.to_ascii_lowercase().as_str() {
            "exit" | "bye" | "q" => Some("quit"),
            _ => nearest(&word, names),
        };
        let meant = meant.map(str::to_owned);
        LineError::Unknown { word, meant }
    }

    fn command(&mut self, command: Command, source: Source) -> Result<Flow, LineError> {
        match command {
            Command::Usi => self.introduce(),
            Command::IsReady => {
                self.apply_option_files();
                self.prepare();
                self.output.respond(&Response::ReadyOk);
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::UsiNewGame => self.session.new_game(),
            Command::Position(position) => self.set_game(position.to_game()),
            Command::Go(go) => self.go(*go, source),
            Command::Stop | Command::GameOver(_) => self.stop(),
            Command::PonderHit(clock) => self.ponder_hit(clock),
            Command::Quit => return Ok(END),
        }
        Ok(GO_ON)
    }

    fn query(&mut self, query: Query) -> Result<(), LineError> {
        if matches!(
            query,
            Query::Evaluate
                | Query::Trace
                | Query::Bench(_)
                | Query::Leaves { .. }
                | Query::EvalSave(_)
                | Query::ExportNet(_)
        ) {
            self.update_evaluation();
        }
        self.can_answer(&query)?;
        let position = self.position();
        let answer = match query {
            Query::Board => format!("{:#}", self.pieces()),
            Query::Side => queries::side(self.pieces()).to_owned(),
            Query::Moves => queries::moves(position),
            Query::MateInOne => queries::mate_in_one(position),
            Query::Repetition => queries::repetition(self.session.game()).to_owned(),
            Query::Declare => queries::declaration(&self.session),
            Query::PackedSfen => queries::packed_sfen(position)?,
            Query::Hcp => queries::hcp(position)?,
            Query::See(text) => queries::see(position, &text)?,
            Query::Evaluate => {
                let value = match &self.subject {
                    Subject::Diagram(diagram) => self.session.evaluate_diagram(diagram),
                    _ => self.session.evaluate(),
                };
                format!("eval = {value}")
            }
            Query::Build => queries::build(),
            Query::Version => queries::version().to_owned(),
            Query::Help => args::help().trim_end().to_owned(),
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
            Query::Picture { file, overwrite } => self.draw(&file, overwrite)?,
            Query::Perft(depth) => queries::print_perft(self.position(), depth, &self.output),
            Query::Flip => self.set_game(Game::new(self.position().flip())),
            Query::Matsuri => {
                let position = Position::from_sfen(queries::MATSURI).expect("a valid SFEN");
                self.set_game(Game::new(position));
            }
            Query::Wait if self.is_endless() => return Err(LineError::WaitsForEver),
            Query::Wait => self.waiting = self.unanswered > 0,
            Query::File(name) => {
                for line in files::commands(&name)?.into_iter().rev() {
                    self.queue.push_front(line);
                }
            }
            Query::FileOfCommands(name) => self.file_of_commands(&name)?,
            Query::Log => self.output.log_to(Some(files::open_log(LOG_FILE)?)),
            Query::Bench(bench) => bench.run(&mut self.session, &self.output)?,
            Query::Trace => {
                let name = self.session.evaluation_name();
                let mut evaluator = self.session.evaluator();
                let text = eval_trace::trace(self.position(), &mut evaluator, &name);
                text.lines().for_each(|line| self.output.line(line));
            }
            Query::Leaves {
                input,
                output,
                threads,
            } => {
                let threads =
                    threads.unwrap_or_else(|| self.session.options().spin("Threads") as usize);
                let done = leaves::rewrite(&input, &output, threads, &mut self.session)?;
                self.output.say(&format!(
                    "qsearch_psv : {} records, {} replaced, leaf at most {} plies away",
                    done.records, done.replaced, done.deepest
                ));
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

    /// `f NAME`: the lines of NAME.txt as commands.
    fn file_of_commands(&mut self, name: &str) -> Result<(), LineError> {
        let name = format!("{name}.txt");
        let lines = files::commands(&name)?;
        self.output.line(format!("USI Commands from File = {name}"));
        lines
            .into_iter()
            .rev()
            .for_each(|line| self.queue.push_front(line));
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
                .ok_or_else(|| options.unknown(name))?,
        })
    }
}
