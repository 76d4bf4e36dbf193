//! Programs that answer lines, on this machine or over ssh, as workers.

use std::marker::PhantomData;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use yane_io::child::{Deadline, MAX_LINE, NoLine, Pipes, ProcessGroup, set_own_group};

use crate::worker::{Finished, Stop, WorkError, Worker, Workers};

/// The interval at which a wait for an answer looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(50);
/// Characters of an answer, or of the standard error, that messages show.
const SHOWN: usize = 200;

/// Programs, each a command, that read an item as a line and write its answer as a line.
///
/// A command is a program and its arguments, separated by blanks: `othello book worker`, `ssh host othello book worker`. Each runs in a process group of
/// its own, which is ended as one: when the program fails, when an answer takes longer than the time limit of the run, and at the end of the run. An
/// answer is a line of at most 1 MiB; what is behind that is not kept.
pub struct LineWorkers<I, O, E, P> {
    commands: Vec<String>,
    exchange: Exchange<E, P>,
    kinds: PhantomData<fn(&I) -> O>,
}

/// What every program is asked before its first item, and the only right answer: it tells programs apart whose outputs would differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// The line of the question, not one of an item.
    pub question: String,
    /// The line of the answer.
    pub answer: String,
}

/// What is asked, and what is understood.
struct Exchange<E, P> {
    greeting: Option<Arc<Greeting>>,
    encode: Arc<E>,
    parse: Arc<P>,
}

impl<E, P> Clone for Exchange<E, P> {
    fn clone(&self) -> Self {
        Self {
            greeting: self.greeting.clone(),
            encode: Arc::clone(&self.encode),
            parse: Arc::clone(&self.parse),
        }
    }
}

impl<I, O, E, P> LineWorkers<I, O, E, P>
where
    E: Fn(&I) -> String + Send + Sync,
    P: Fn(&I, &str) -> Option<O> + Send + Sync,
    O: Send,
{
    /// A worker for each of `commands`. `encode` makes the line of an item, `parse` the output of an answer, or nothing if it is none for
    /// the item: then the program has failed.
    pub fn new(commands: Vec<String>, encode: E, parse: P) -> Self {
        Self {
            commands,
            exchange: Exchange {
                greeting: None,
                encode: Arc::new(encode),
                parse: Arc::new(parse),
            },
            kinds: PhantomData,
        }
    }

    /// Asks every program something before its first item. One that answers something else has failed, and gets no item.
    #[must_use]
    pub fn greeted(mut self, greeting: Greeting) -> Self {
        self.exchange.greeting = Some(Arc::new(greeting));
        self
    }
}

impl<I, O, E, P> Workers for LineWorkers<I, O, E, P>
where
    E: Fn(&I) -> String + Send + Sync,
    P: Fn(&I, &str) -> Option<O> + Send + Sync,
    O: Send,
{
    type Worker = LineWorker<I, O, E, P>;

    fn count(&self) -> usize {
        self.commands.len()
    }

    fn name(&self, number: usize) -> &str {
        &self.commands[number]
    }

    fn start(&self, number: usize) -> Result<Self::Worker, WorkError> {
        Ok(LineWorker {
            program: LineProgram::start(&self.commands[number])?,
            exchange: self.exchange.clone(),
            kinds: PhantomData,
        })
    }
}

/// A program of [`LineWorkers`].
pub struct LineWorker<I, O, E, P> {
    program: LineProgram,
    exchange: Exchange<E, P>,
    kinds: PhantomData<fn(&I) -> O>,
}

impl<I, O, E, P> Worker for LineWorker<I, O, E, P>
where
    E: Fn(&I) -> String,
    P: Fn(&I, &str) -> Option<O>,
    O: Send,
{
    type Item = I;
    type Output = O;

    fn work(&mut self, item: &I, stop: &Stop) -> Result<Finished<O>, WorkError> {
        let line = (self.exchange.encode)(item);
        if line.chars().any(char::is_control) {
            let text = shown(&line);
            return Err(WorkError::Refused(format!(
                "a line with control characters is not sent to a program: {text}"
            )));
        }
        let answer = stop.timed(|| {
            self.greet(stop)?;
            self.program.ask(&line, stop)
        })?;
        match (self.exchange.parse)(item, answer.trim_end()) {
            Some(output) => Ok(output.into()),
            None => Err(WorkError::Failed(format!("answered {}", shown(&answer)))),
        }
    }
}

impl<I, O, E, P> LineWorker<I, O, E, P> {
    /// Asks the program what it is, once.
    fn greet(&mut self, stop: &Stop) -> Result<(), WorkError> {
        let Some(greeting) = self.exchange.greeting.take() else {
            return Ok(());
        };
        let answer = self.program.ask(&greeting.question, stop)?;
        if answer.trim_end() == greeting.answer {
            return Ok(());
        }
        let (answer, expected) = (shown(&answer), shown(&greeting.answer));
        Err(WorkError::Failed(format!(
            "says that it is {answer}; {expected} was expected"
        )))
    }
}

/// A program with its pipes.
struct LineProgram {
    // Ended before the pipes are closed.
    group: ProcessGroup,
    pipes: Pipes,
}

impl LineProgram {
    fn start(command: &str) -> Result<Self, WorkError> {
        let mut words = command.split_ascii_whitespace();
        let mut program = Command::new(words.next().unwrap_or(command));
        program
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        set_own_group(&mut program);
        let failed = |error: std::io::Error| WorkError::Failed(error.to_string());
        let mut child = program.spawn().map_err(failed)?;
        let pipes = Pipes::new(&mut child);
        // From here on it is ended whatever happens.
        let group = ProcessGroup::new(child);
        let pipes = pipes.map_err(failed)?;
        Ok(Self { group, pipes })
    }

    /// Writes a line and waits for the answer, as long as it is wanted.
    fn ask(&mut self, line: &str, stop: &Stop) -> Result<String, WorkError> {
        // A line too many would be taken for the answer to this one.
        match self.pipes.line(&mut Deadline::new(Duration::ZERO)) {
            Ok(line) => {
                let line = shown(&line);
                return Err(WorkError::Failed(format!(
                    "said {line} without being asked"
                )));
            }
            Err(NoLine::Closed) => return Err(self.ended()),
            Err(NoLine::Timeout) => {}
        }
        if self.pipes.write(format!("{line}\n").as_bytes()).is_err() {
            return Err(self.ended());
        }
        loop {
            match self.pipes.line(&mut Deadline::new(LOOK)) {
                Ok(answer) if answer.len() >= MAX_LINE => {
                    let reason = "answered a line of more than 1 MiB";
                    return Err(WorkError::Failed(reason.to_owned()));
                }
                Ok(answer) => return Ok(answer.into_owned()),
                Err(NoLine::Closed) => return Err(self.ended()),
                Err(NoLine::Timeout) => stop.check()?,
            }
        }
    }

    /// The failure of a program whose pipes are closed.
    fn ended(&mut self) -> WorkError {
        let stderr = self.pipes.stderr();
        let last = stderr.lines().rev().find(|line| !line.trim().is_empty());
        self.group.end().ok();
        WorkError::Failed(match last {
            Some(last) => format!("it has ended: {}", shown(last)),
            None => "it has ended".to_owned(),
        })
    }
}

/// The beginning of foreign text, quoted and without control characters.
fn shown(text: &str) -> String {
    let text = text.trim_end();
    let mut begin: String = text.chars().take(SHOWN).collect();
    if begin.len() < text.len() {
        begin.push('…');
    }
    format!("{begin:?}")
}

#[cfg(all(test, unix))]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::{Backoff, FarmError, RetryPolicy, RunControl, map_in_order};

    /// The answers of programs that are shell scripts to the numbers up to 20, or the error; and the notes.
    fn answers(scripts: &[&str]) -> (Result<Vec<u64>, FarmError>, String) {
        let folder = tempfile::tempdir().unwrap();
        let script = |(n, script): (usize, &&str)| {
            let path = folder.path().join(format!("{n}.sh"));
            std::fs::write(&path, script).unwrap();
            format!("sh {}", path.display())
        };
        let commands = scripts.iter().enumerate().map(script).collect();
        let encode = |item: &u64| item.to_string();
        let parse = |&item: &u64, line: &str| {
            let (number, square) = line.split_once(' ')?;
            (number.parse() == Ok(item)).then_some(square.parse().ok()?)
        };
        let workers = LineWorkers::new(commands, encode, parse).greeted(Greeting {
            question: "who".to_owned(),
            answer: "squares 1".to_owned(),
        });
        let policy = RetryPolicy {
            time_limit: Duration::from_millis(300),
            backoff: Backoff::NONE,
            ..RetryPolicy::default()
        };
        let notes = RefCell::new(String::new());
        let note = |text: &str| *notes.borrow_mut() += text;
        let mut found = Vec::new();
        let jobs = (0..20).map(Ok);
        let mapped = map_in_order(
            &workers,
            jobs,
            &RunControl::default(),
            policy,
            &note,
            |square| {
                found.push(square);
                Ok::<_, FarmError>(())
            },
        );
        (mapped.map(|_| found), notes.into_inner())
    }

    /// Answers right.
    const SQUARES: &str = "read -r n; echo squares 1; while read -r n; do echo $n $((n * n)); done";

    #[test]
    fn programs_answer_lines() {
        let (found, notes) = answers(&[SQUARES, SQUARES]);
        assert_eq!(found.unwrap(), (0..20).map(|n| n * n).collect::<Vec<u64>>());
        assert_eq!(notes, "");
    }

    #[test]
    fn hostile_programs_cost_time_and_nothing_else() {
        for (name, script, words) in [
            (
                "ends",
                "read -r n; echo squares 1; read -r n; echo oh no >&2",
                "it has ended: \"oh no\"",
            ),
            ("hangs", "sleep 1000 & read -r n; wait", "no answer in time"),
            (
                "nonsense",
                "read -r n; echo squares 1; while read -r n; do printf '%s\\033[2J\\n' $n; done",
                "\\u{1b}[2J\"",
            ),
            (
                "other",
                "read -r n; echo squares 1; while read -r n; do echo 77 $n; done",
                "answered \"77 ",
            ),
            (
                "no end of line",
                "read -r n; cat /dev/zero",
                "more than 1 MiB",
            ),
            (
                "long line",
                "read -r n; echo squares 1; while read -r n; do head -c 3000000 /dev/zero | tr '\\0' x; echo; done",
                "more than 1 MiB",
            ),
            (
                "another",
                "read -r n; echo squares 2; while read -r n; do echo $n 7; done",
                "says that it is \"squares 2\"; \"squares 1\" was expected",
            ),
            ("flood", "while :; do echo 3 x; done", "\"3 x\""),
            (
                "two lines",
                "read -r n; echo squares 1; while read -r n; do echo $n $((n * n)); echo $n 7; done",
                "7\"",
            ),
        ] {
            let (found, notes) = answers(&[script, SQUARES]);
            let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(found.len(), 20, "{name}");
            assert!(
                found
                    .iter()
                    .enumerate()
                    .all(|(n, &square)| (n * n) as u64 == square),
                "{name}"
            );
            // The other may be done before the hostile one has got an item.
            assert!(notes.is_empty() || notes.contains(words), "{name}: {notes}");
        }
    }

    #[test]
    fn programs_that_are_not_there_end_the_run() {
        let workers = LineWorkers::new(
            vec!["no-such-program --flag".to_owned()],
            |item: &u64| item.to_string(),
            |_: &u64, line: &str| line.parse::<u64>().ok(),
        );
        let policy = RetryPolicy {
            backoff: Backoff::NONE,
            ..RetryPolicy::default()
        };
        let jobs = std::iter::once(Ok(1));
        let control = RunControl::default();
        let mapped = map_in_order(&workers, jobs, &control, policy, &|_| (), |_| Ok(()));
        let error: FarmError = mapped.unwrap_err();
        assert!(matches!(error, FarmError::NoWorkers(_)), "{error}");
    }

    #[test]
    fn control_characters_are_not_sent() {
        let workers = LineWorkers::new(
            vec!["cat".to_owned()],
            |item: &&str| (*item).to_owned(),
            |_: &&str, line: &str| Some(line.to_owned()),
        );
        let jobs = ["one", "two\nquit"].into_iter().map(Ok);
        let (control, policy) = (RunControl::default(), RetryPolicy::default());
        let mut seen = Vec::new();
        let mapped = map_in_order(&workers, jobs, &control, policy, &|_| (), |line| {
            seen.push(line);
            Ok(())
        });
        let error: FarmError = mapped.unwrap_err();
        assert!(error.to_string().contains("control characters"), "{error}");
        assert_eq!(seen, ["one"]);
    }
}
