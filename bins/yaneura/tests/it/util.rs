//! Starting the program and talking to it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use shogi_usi::client::EngineProcess;
use tempfile::TempDir;
use test_support::{fixture_text, run_program};

/// Longest time of any step, on a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_yaneura");

/// A running engine.
pub(crate) struct Engine {
    process: Option<EngineProcess>,
}

impl Engine {
    pub(crate) fn start() -> Self {
        Self::start_program(Path::new(PROGRAM))
    }

    /// [`Self::start`] for a copy of the program.
    pub(crate) fn start_program(program: &Path) -> Self {
        Self {
            process: Some(EngineProcess::spawn(program, &[]).expect("the program starts")),
        }
    }

    /// Started, with one thread, a small table and without an opening book.
    pub(crate) fn ready() -> Self {
        let mut engine = Self::start();
        engine.set(&[("Threads", "1"), ("USI_Hash", "1"), ("BookFile", "no_book")]);
        engine.send("isready");
        engine.until("readyok");
        engine
    }

    pub(crate) fn process(&mut self) -> &mut EngineProcess {
        self.process.as_mut().expect("not yet ended")
    }

    pub(crate) fn send(&mut self, line: &str) {
        for line in line.lines() {
            self.process().send_line(line).expect("the engine runs");
        }
    }

    pub(crate) fn line(&mut self) -> String {
        self.process().next_line(LONG).expect("a line in time")
    }

    /// All lines up to the first that begins with the word `word`, which comes last.
    pub(crate) fn until(&mut self, word: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.line();
            let found = line.split(' ').next() == Some(word);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// The last line of [`Self::until`].
    pub(crate) fn answer(&mut self, word: &str) -> String {
        self.until(word).pop().expect("until gives a line")
    }

    /// Sets options.
    pub(crate) fn set(&mut self, options: &[(&str, &str)]) {
        for (name, value) in options {
            self.send(&format!("setoption name {name} value {value}"));
        }
    }

    /// Sends `isready` and returns the lines before its answer, without the usual ones.
    pub(crate) fn get_ready(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines.retain(|line| !is_usual(line));
        lines
    }

    /// Sends `isready` and returns the line that ends its answer.
    pub(crate) fn answer_of_isready(&mut self) -> String {
        self.send("isready");
        self.answer("readyok")
    }

    /// Sends a command and returns the next line.
    pub(crate) fn ask(&mut self, command: &str) -> String {
        self.send(command);
        self.line()
    }

    /// Checks that nothing is printed for `time`, except `info` lines.
    pub(crate) fn silent_for(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            if let Ok(line) = self.process().next_line(left) {
                assert!(line.starts_with("info "), "{line}");
            }
        }
    }

    /// Sends `quit`; checks that no `bestmove` follows, and as [`Self::ends`].
    pub(crate) fn quit(mut self) {
        self.send("quit");
        let rest = self.ends();
        assert!(
            rest.iter().all(|line| !line.starts_with("bestmove")),
            "{rest:?}"
        );
    }

    /// Waits for the end of an engine; checks the exit code, the time and that the standard error is empty. Returns the
    /// lines until then.
    pub(crate) fn ends(mut self) -> Vec<String> {
        let begin = Instant::now();
        let mut process = self.process.take().expect("not yet ended");
        let rest: Vec<_> = std::iter::from_fn(|| process.next_line(LONG).ok()).collect();
        assert_eq!(process.stderr(), "");
        assert_eq!(
            process
                .quit(Duration::from_secs(5))
                .expect("it ends")
                .code(),
            Some(0)
        );
        assert!(
            begin.elapsed() < Duration::from_secs(5),
            "{:?}",
            begin.elapsed()
        );
        rest
    }

    /// Sends `go` and, unless it has answered by then, `stop` after `time`; all lines up to its answer. Checks
    /// that it is the only one.
    pub(crate) fn answered_once(&mut self, go: &str, time: Duration) -> Vec<String> {
        self.send(go);
        std::thread::sleep(time);
        self.send("stop");
        self.send("wait");
        self.send("getoption Threads");
        let mut lines = Vec::new();
        loop {
            let line = self.line();
            if line.starts_with("Options[Threads]") {
                break;
            }
            lines.push(line);
        }
        let is_answer =
            |line: &&String| line.starts_with("bestmove ") || line.starts_with("checkmate ");
        assert_eq!(lines.iter().filter(is_answer).count(), 1, "{go}: {lines:?}");
        assert!(
            lines.last().is_some_and(|line| is_answer(&line)),
            "{go}: {lines:?}"
        );
        lines
    }
}

/// The lines of a file of `fixtures/trials/shogi`.
pub(crate) fn trial(name: &str) -> Vec<String> {
    let text = fixture_text(format!("trials/shogi/{name}"));
    text.lines().map(str::to_owned).collect()
}

/// Runs the program with the words of `args` and `input` on standard input; checks that it exits with 0
/// and an empty standard error. Returns the lines it printed.
pub(crate) fn run(args: &str, input: &[u8]) -> Vec<String> {
    run_copy(Path::new(PROGRAM), args, input)
}

/// [`run`] for a copy of the program.
pub(crate) fn run_copy(program: &Path, args: &str, input: &[u8]) -> Vec<String> {
    let words = args.split_ascii_whitespace();
    let run = run_program(program, Path::new("."), words, input.to_vec(), LONG).silent();
    run.text().lines().map(str::to_owned).collect()
}

/// The program in a folder of its own with the given files, for which folders are made.
///
/// A link, not a copy: a program cannot be started while it is open for writing, and a process that
/// another test starts at that moment inherits the open file.
pub(crate) fn copy_with(files: &[(&str, &[u8])]) -> (TempDir, PathBuf) {
    // Beside the program, because a link cannot cross file systems.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let program = folder.path().join("yaneura");
    fs::hard_link(PROGRAM, &program).expect("a link");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    (folder, program)
}

/// Returns whether a line is one that every engine prints in tests at `isready`: about missing evaluation files,
/// threads and memory.
pub(crate) fn is_usual(line: &str) -> bool {
    let about_evaluation = [
        "no evaluation files in ",
        "evaluation : embedded",
        "evaluation : positional",
    ];
    is_about_memory(line) || is_message(line, &about_evaluation)
}

/// Returns whether a line is about threads and memory.
pub(crate) fn is_about_memory(line: &str) -> bool {
    is_message(line, &["Using ", "USI_Hash : "])
}

/// Returns whether a line is a message that begins with one of `starts`.
fn is_message(line: &str, starts: &[&str]) -> bool {
    let text = line.strip_prefix("info string ");
    text.is_some_and(|text| starts.iter().any(|start| text.starts_with(start)))
}

/// Runs commands separated by ` , ` and returns the only line they print, apart from the usual ones.
pub(crate) fn one_line(commands: &str) -> String {
    let mut lines = run(&format!("{commands} , quit"), b"");
    lines.retain(|line| !is_usual(line));
    let [line] = lines.as_slice() else {
        panic!("{commands}: {lines:?}")
    };
    line.clone()
}
