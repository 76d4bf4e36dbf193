//! The command loop: runs commands from arguments, files and standard input while a search may be running.
//!
//! Commands from arguments and files wait for a running search that ends by itself, so that a script reads like a
//! program. Commands from standard input are run at once, as GUIs expect.

mod actions;
mod ending;
mod go;
pub(crate) mod ready;
mod record;
mod state;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::mpsc;

use shogi_core::{Correction, Game, LenientPosition, Position, Shown};
use shogi_engine::{SearchState, Session};
use shogi_usi::{Command, CommandError, Response};

use crate::error::{LineError, shortened};
use crate::picture::BestLine;
use crate::streams::{Event, LONGEST_LINE, OutputHandle, read_stdin, watch_signals};
use crate::{commands, picture};

use crate::usi_loop::state::Patience;

pub(crate) use crate::usi_loop::state::Work;
pub(crate) use state::UsiLoop;
use state::{END, Flow, GO_ON, Source, Subject};

impl UsiLoop {
    /// Starts reading standard input; `commands` are run first.
    pub(crate) fn new(commands: Vec<String>, output: OutputHandle) -> Self {
        let (sender, events) = mpsc::channel();
        read_stdin(sender.clone());
        watch_signals(sender.clone());
        let mut queue = VecDeque::from(commands);
        if let Some((_, lines)) = ready::beside_program("startup.txt") {
            queue.extend(lines.into_iter().filter(|line| !line.is_empty()));
        }
        let mut session = Session::with_profile(ready::book_profile());
        session.set_folders(yane_cli::evaluation_folders().to_vec());
        session.choose_edition(ready::evaluation_folder().as_deref());
        Self {
            session,
            output,
            events,
            sender,
            queue,
            held: VecDeque::new(),
            waiting: false,
            job: None,
            unanswered: 0,
            patience: Patience::for_search(Source::Input),
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
        self.end_job();
        self.stop();
        self.session.wait();
    }

    fn step(&mut self) -> Flow {
        if !self.waiting && self.job.is_none() {
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
            Ok(Event::JobDone) => {
                self.end_job();
                GO_ON
            }
            Ok(event) if self.job.is_some() => self.event_during_job(event),
            Ok(event) if self.waiting => {
                self.hold(event);
                GO_ON
            }
            Ok(event) => self.event(event),
        }
    }

    /// Runs a command of the queue, or puts it back until the running search is done.
    fn queued(&mut self, line: String) -> Flow {
        let is_for_search = matches!(
            Command::split(&line),
            Some(("stop" | "ponderhit" | "gameover", _))
        );
        if !is_for_search && self.is_search_ending() {
            self.queue.push_front(line);
            self.waiting = true;
            return GO_ON;
        }
        self.line(&line, Source::Queue)
    }

    fn event(&mut self, event: Event) -> Flow {
        let event = match self.end_of_program(event) {
            Ok(flow) => return flow,
            Err(event) => event,
        };
        match event {
            Event::Line(line) => self.line(&line, Source::Input),
            Event::TooLong(beginning) => self.too_long(&beginning),
            Event::End | Event::Terminated => END,
            Event::SearchDone | Event::JobDone => GO_ON,
        }
    }

    /// Returns whether a search has not answered yet and will do so by itself.
    fn is_search_ending(&self) -> bool {
        self.unanswered > 0 && self.session.state() != SearchState::Endless
    }

    /// Returns whether an answer is due that comes only after another command.
    fn is_endless(&self) -> bool {
        self.held_answer.is_some() || self.session.state() == SearchState::Endless
    }

    fn line(&mut self, line: &str, source: Source) -> Flow {
        if line.is_empty() {
            return GO_ON;
        }
        self.output.log_input(line);
        let done = match commands::parse(line) {
            Some(call) => call.run(self).map(|()| GO_ON),
            None => self.protocol(line, source),
        };
        done.unwrap_or_else(|error| {
            self.output.error(&error.to_line());
            GO_ON
        })
    }

    /// Runs a line of which only the first words were kept, so that a GUI that waits for an answer gets one.
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

    /// Runs a line of the protocol, or sets an option by its name.
    fn protocol(&mut self, line: &str, source: Source) -> Result<Flow, LineError> {
        if let Some(("position", text)) = Command::split(line) {
            return self.set_position(text).map(|()| GO_ON);
        }
        match Command::parse_leniently(line) {
            Ok((command, errors)) => {
                if !errors.is_empty() {
                    let texts: Vec<_> = errors.iter().map(ToString::to_string).collect();
                    let error = LineError::LeftOut(texts.join("; "));
                    self.output.error(&error.to_line());
                }
                self.command(command, source)
            }
            Err(CommandError::Unknown(word)) => self
                .set_by_name(line)
                .unwrap_or_else(|| {
                    let options = self.session.options().iter();
                    let names = options.map(|(spec, _)| spec.name.as_str());
                    Err(commands::unknown(word, line, names))
                })
                .map(|()| GO_ON),
            Err(error) => Err(error.into()),
        }
    }

    fn command(&mut self, command: Command, source: Source) -> Result<Flow, LineError> {
        match command {
            Command::Usi => self.introduce(),
            Command::IsReady => {
                self.apply_option_files();
                let logged = if self.session.is_busy() {
                    Ok(())
                } else {
                    self.log_parameters()
                };
                self.prepare();
                if let Err(error) = logged {
                    self.output.error(&error.to_line());
                }
                self.output.respond(&Response::ReadyOk);
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::UsiNewGame => self.session.new_game(),
            Command::Position(position) => self.set_game(position.to_game()),
            Command::Go(go) => self.go(*go, source),
            Command::Stop => self.stop(),
            Command::GameOver(result) => {
                self.stop();
                self.log_result(&Command::GameOver(result))?;
            }
            Command::PonderHit(clock) => self.ponder_hit(clock),
            Command::Quit => return Ok(END),
        }
        Ok(GO_ON)
    }
}

impl UsiLoop {
    /// `position`, with the text after the word. Lenient: corrections are reported.
    fn set_position(&mut self, text: &str) -> Result<(), LineError> {
        self.best_line = BestLine::default();
        if let Some(argument) = record::argument(text) {
            return self.set_recorded_position(argument);
        }
        let line = LenientPosition::parse(text).map_err(|error| {
            self.subject = Subject::Unreadable(error.to_string());
            CommandError::Position(error)
        })?;
        self.report_corrections(&line.corrections);
        match line.shown {
            Shown::Game(game) => self.set_game(game),
            Shown::Diagram(diagram) => {
                let side = crate::queries::side(diagram.pieces());
                self.output.say(&format!(
                    "position: {side} is to move and could take the king: nobody can play from here, but \
                     go mate looks for a mate"
                ));
                self.subject = Subject::Diagram(Box::new(diagram));
            }
        }
        Ok(())
    }

    fn report_corrections(&self, corrections: &[Correction]) {
        if !corrections.is_empty() {
            let texts: Vec<_> = corrections.iter().map(ToString::to_string).collect();
            let text = format!("position: {}", texts.join("; "));
            self.output.say(&shortened(&text));
        }
    }

    pub(crate) fn set_game(&mut self, game: Game) {
        self.best_line = BestLine::default();
        self.subject = Subject::Game;
        self.session.set_game(game);
    }

    /// The position of the session's game.
    fn position(&self) -> &Position {
        self.session.game().position()
    }

    /// `d svg FILE`: writes the board as a picture.
    fn draw(&self, file: &Path, overwrite: bool) -> Result<(), LineError> {
        let svg = match &self.subject {
            Subject::Diagram(diagram) => picture::of_diagram(diagram),
            _ => picture::of_game(self.session.game(), &self.best_line),
        };
        picture::save(&svg, file, overwrite)?;
        self.output.line(format!("wrote {}", file.display()));
        Ok(())
    }

    /// The reason why the position is not one of a game, if it is not.
    fn unplayable(&self) -> Option<LineError> {
        match &self.subject {
            Subject::Game => None,
            Subject::Diagram(_) => Some(LineError::Diagram),
            Subject::Unreadable(reason) => Some(LineError::NoPosition(reason.clone())),
        }
    }

    /// The position of a game that a command asks about.
    pub(crate) fn playable_position(&self) -> Result<&Position, LineError> {
        match self.unplayable() {
            Some(error) => Err(error),
            None => Ok(self.position()),
        }
    }

    /// The placement that a command asks about, which need not be a position of a game.
    pub(crate) fn shown_pieces(&self) -> Result<&Position, LineError> {
        match &self.subject {
            Subject::Game => Ok(self.position()),
            Subject::Diagram(diagram) => Ok(diagram.pieces()),
            Subject::Unreadable(reason) => Err(LineError::NoPosition(reason.clone())),
        }
    }
}
