//! Commands outside the protocol that do more than print a line. Long ones (`perft`, `bench`, `speedtest`,
//! `qsearch_psv`, `learn`) run on a background thread, so that `stop` and `quit` are read meanwhile.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Builder;
use std::time::Duration;

use shogi_core::Position;
use shogi_engine::{Searcher, StartError};
use shogi_farm::QsearchError;
use shogi_usi::{GoCommand, MateLimit, OptionSpec};
use yane_io::{Job, Progress, Unit, path_of_text};

use super::{Patience, Subject, UsiLoop, ready};
use crate::bench::Bench;
use crate::commands::Call;
use crate::error::LineError;
use crate::learn::{self, EngineValues};
use crate::queries::DEEPEST_PERFT;
use crate::streams::{Event, OutputHandle};
use crate::usi_loop::state::BackgroundJob;
use crate::usi_loop::state::Work;
use crate::{eval_files, queries};

/// The file of the command `log`.
const LOG_FILE: &str = "io_log.txt";
/// Transposition table of each thread of `qsearch_psv` in mebibytes: it is emptied for every record.
const QSEARCH_HASH_MIB: usize = 1;

/// Remarks of a job as lines of the output.
struct Notes(OutputHandle);

impl Progress for Notes {
    fn stage(&self, _: &str, _: Option<u64>, _: Unit) {}

    fn advance(&self, _: u64) {}

    fn note(&self, text: &str) {
        self.0.say(text);
    }
}

impl UsiLoop {
    /// Answers a command with `text`.
    #[expect(clippy::unnecessary_wraps, reason = "the result of every command")]
    pub(crate) fn answer(&self, text: impl Into<String>) -> Result<(), LineError> {
        self.output.line(text);
        Ok(())
    }

    /// `help`: what the program can do.
    pub(crate) fn help(&self) -> Result<(), LineError> {
        self.answer(crate::args::help().trim_end())
    }

    /// `d`: the board, or a picture of it.
    pub(crate) fn board(&mut self, call: &Call<'_>) -> Result<(), LineError> {
        let (overwrite, words) = match &call.words[..] {
            [] => return self.answer(format!("{:#}", self.shown_pieces()?)),
            ["svg", words @ .., "--force"] | ["svg", "--force", words @ ..] => (true, words),
            ["svg", words @ ..] => (false, words),
            _ => return Err(call.wrong()),
        };
        if words.is_empty() {
            return Err(call.wrong());
        }
        self.shown_pieces()?;
        self.draw(&path_of_text(&words.join(" ")), overwrite)
    }

    /// `perft N`.
    pub(crate) fn perft(&mut self, call: &Call<'_>) -> Result<(), LineError> {
        let depth = call.one_word()?.parse().ok();
        let depth = depth.filter(|&depth: &u32| depth <= DEEPEST_PERFT);
        let depth = depth.ok_or_else(|| call.wrong())?;
        self.playable_position()?;
        self.start_perft(depth)
    }

    /// `mate [MS|infinite]`: as `go mate`, for people.
    pub(crate) fn mate(&mut self, call: &Call<'_>) -> Result<(), LineError> {
        let limit = match call.words[..] {
            [] | ["infinite"] => MateLimit::Infinite,
            [ms] => {
                let ms = ms.parse().map_err(|_| call.wrong())?;
                MateLimit::Time(Duration::from_millis(ms))
            }
            _ => return Err(call.wrong()),
        };
        let go = GoCommand {
            mate: Some(limit),
            ..GoCommand::default()
        };
        self.answer_held();
        self.go_mate(&go, Patience::PERSON);
        Ok(())
    }

    /// `e`: static evaluation.
    pub(crate) fn static_evaluation(&mut self) -> Result<(), LineError> {
        self.update_evaluation();
        self.shown_pieces()?;
        self.session.check_evaluation()?;
        let value = match &self.subject {
            Subject::Diagram(diagram) => self.session.evaluate_diagram(diagram),
            _ => self.session.evaluate(),
        };
        self.answer(format!("eval = {value}"))
    }

    /// `eval`: the contribution of every piece.
    pub(crate) fn trace_evaluation(&mut self) -> Result<(), LineError> {
        self.update_evaluation();
        self.playable_position()?;
        self.session.check_evaluation()?;
        let name = self.session.evaluation_name();
        let position = self.position().clone();
        let session = &mut self.session;
        let mut value = |position: &Position| session.evaluate_diagram(&position.clone().into());
        let mut text = queries::trace(&position, &mut value, &name);
        if let Some((win_rate, moves)) = session.network_view() {
            text.push('\n');
            text.push_str(&queries::network_view(win_rate, &moves));
        }
        text.lines().for_each(|line| self.output.line(line));
        Ok(())
    }

    /// `bench`.
    pub(crate) fn bench(&mut self, call: &Call<'_>) -> Result<(), LineError> {
        let bench = Bench::parse(&call.words).ok_or_else(|| call.wrong())?;
        self.start_bench(bench)
    }

    /// `speedtest`.
    pub(crate) fn speed_test(&mut self, call: &Call<'_>) -> Result<(), LineError> {
        let bench = Bench::parse_speed_test(&call.words).ok_or_else(|| call.wrong())?;
        self.start_bench(bench)
    }

    fn start_bench(&mut self, bench: Bench) -> Result<(), LineError> {
        self.update_evaluation();
        if bench.is_about_current() {
            self.playable_position()?;
        }
        let work = bench.prepare(&mut self.session)?;
        self.start_job(work)
    }

    /// `wait`.
    pub(crate) fn wait_for_search(&mut self) -> Result<(), LineError> {
        if self.is_endless() {
            return Err(LineError::EndlessSearch);
        }
        self.waiting = self.unanswered > 0;
        Ok(())
    }

    /// `file NAME`: puts the lines of a file before all other commands.
    pub(crate) fn run_file(&mut self, name: &str) -> Result<(), LineError> {
        for line in ready::commands(name)?.into_iter().rev() {
            self.queue.push_front(line);
        }
        Ok(())
    }

    /// `f NAME`: the same, with a message.
    pub(crate) fn run_file_with_message(&mut self, name: &str) -> Result<(), LineError> {
        self.run_file(name)?;
        self.answer(format!("USI Commands from File = {name}"))
    }

    /// `log`.
    pub(crate) fn log(&mut self) -> Result<(), LineError> {
        self.output.log_to(Some(ready::open_log(LOG_FILE)?));
        Ok(())
    }

    /// One option or all, as `Options[NAME] = VALUE`.
    pub(crate) fn option_values(&self, name: Option<&str>) -> Result<String, LineError> {
        let options = self.session.options();
        let line = |(spec, value): (&OptionSpec, _)| format!("Options[{}] = {value}", spec.name);
        Ok(match name {
            None => options.iter().map(line).collect::<Vec<_>>().join("\n"),
            Some(name) => options
                .get(name)
                .map(line)
                .ok_or_else(|| options.unknown(name))?,
        })
    }

    /// `qsearch_psv IN OUT [THREADS]`.
    pub(crate) fn qsearch_psv(&mut self, call: &Call<'_>) -> Result<(), LineError> {
        let (input, output, threads) = match call.words[..] {
            [input, output] => (input, output, None),
            [input, output, threads] => {
                let threads = threads.parse::<usize>().map_err(|_| call.wrong())?;
                (input, output, Some(threads))
            }
            _ => return Err(call.wrong()),
        };
        self.update_evaluation();
        if self.session.is_deep() {
            return Err(LineError::Deep("qsearch_psv"));
        }
        let threads = threads
            .filter(|&threads| threads > 0)
            .unwrap_or_else(|| self.session.settings().threads());
        let searcher = self.session.searcher(QSEARCH_HASH_MIB);
        let (input, output) = (path_of_text(input), path_of_text(output));
        self.start_job(Box::new(move |lines, stop| {
            let job = Job {
                threads,
                progress: Arc::new(Notes(lines.clone())),
                cancelled: Arc::clone(stop),
                ..Job::default()
            };
            match shogi_farm::qsearch_psv(&input, &output, searcher, &job) {
                Ok(done) => lines.say(&format!(
                    "qsearch_psv : {} records, {} replaced, leaf at most {} plies away",
                    done.records, done.replaced, done.deepest
                )),
                Err(QsearchError::File(yane_io::Error::Cancelled)) => {
                    lines.say("qsearch_psv: stopped, nothing was written");
                }
                Err(error) => return Err(error.into()),
            }
            Ok(())
        }))
    }

    /// `learn …`, with the words of the classic command.
    pub(crate) fn learn(&mut self, call: &Call<'_>) -> Result<(), LineError> {
        self.apply_option_files();
        let engine = EngineValues::of(&self.session);
        let words: Vec<_> = call.words.iter().map(|&word| word.to_owned()).collect();
        self.start_job(Box::new(move |output, stop| {
            learn::run_in_loop(&words, engine, output, stop)
        }))
    }

    /// `evalsave [FOLDER]`.
    pub(crate) fn save_evaluation(&mut self, call: &Call<'_>) -> Result<(), LineError> {
        self.update_evaluation();
        let folder = call.rest().ok().map(|name| path_of_text(&name));
        let saved = self.session.save_evaluation(folder.as_deref())?;
        self.answer(eval_files::saved(&saved))
    }

    /// `export_net [FILE]`.
    pub(crate) fn export_network(&mut self, call: &Call<'_>) -> Result<(), LineError> {
        self.update_evaluation();
        let file = call.rest().ok().map(|name| path_of_text(&name));
        let saved = self.session.export_network(file.as_deref())?;
        self.answer(eval_files::saved(&saved))
    }

    /// `nn`, `evalconvert`, `evalzero`, perhaps after `test`.
    pub(crate) fn evaluation_files(&mut self, call: &Call<'_>) -> Result<(), LineError> {
        let words = std::iter::once(call.name).chain(call.words.iter().copied());
        let words: Vec<_> = words.map(str::to_owned).collect();
        eval_files::run_in_loop(&words, &self.output)
    }
}

impl UsiLoop {
    /// Starts `work`; other commands wait until it is done.
    pub(super) fn start_job(&mut self, work: Work) -> Result<(), LineError> {
        let stop = Arc::new(AtomicBool::new(false));
        let (output, events, raised) = (self.output.clone(), self.sender.clone(), stop.clone());
        let thread = Builder::new()
            .name("job".to_owned())
            .stack_size(Searcher::STACK_BYTES)
            .spawn(move || {
                // A panic is reported by the hook.
                if let Ok(Err(error)) = catch_unwind(AssertUnwindSafe(|| work(&output, &raised))) {
                    output.error(&error.to_line());
                }
                // Fails only when the loop has ended.
                events.send(Event::JobDone).ok();
            })
            .map_err(StartError::Thread)?;
        self.job = Some(BackgroundJob { stop, thread });
        Ok(())
    }

    /// `perft N`, of the current position.
    pub(super) fn start_perft(&mut self, depth: u32) -> Result<(), LineError> {
        let mut position = self.position().clone();
        self.start_job(Box::new(move |output, stop| {
            queries::print_perft(&mut position, depth, output, stop);
            Ok(())
        }))
    }

    pub(super) fn stop_job(&self) {
        if let Some(job) = &self.job {
            job.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Ends the job, if there is one, and waits for its last lines.
    pub(super) fn end_job(&mut self) {
        self.stop_job();
        if let Some(job) = self.job.take() {
            job.thread.join().ok();
        }
    }
}
