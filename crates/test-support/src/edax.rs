//! A real Edax at the other end of a pipe.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// An Edax that is told what to do through a pipe.
#[derive(Debug)]
pub struct Edax {
    process: Child,
    input: ChildStdin,
    output: Receiver<String>,
}

impl Edax {
    /// Starts the Edax that the environment variable `EDAX_BIN` names, in a folder; `None`, said loudly, if there is none.
    /// Its evaluation is `data/eval.dat` in the folder of the binary or the one above, or what `EDAX_EVAL` names.
    pub fn start(folder: &Path) -> Option<Self> {
        let Some(binary) = std::env::var_os("EDAX_BIN").map(PathBuf::from) else {
            // Past what the test harness hides of tests that pass.
            let told = b"SKIPPED: tests with a real Edax, as EDAX_BIN names no binary\n";
            std::io::stderr().write_all(told).unwrap();
            return None;
        };
        let beside = binary.parent().unwrap();
        let eval = std::env::var_os("EDAX_EVAL").map(PathBuf::from);
        let evals = eval.into_iter().chain([
            beside.join("data/eval.dat"),
            beside.join("../data/eval.dat"),
        ]);
        let eval = evals.into_iter().find(|eval| eval.exists());
        let eval = eval.expect("an evaluation: EDAX_EVAL, or data/eval.dat by the binary");
        let mut process = Command::new(&binary)
            .args(["-l", "1", "-n", "1", "-book-file", "none.dat", "-eval-file"])
            .arg(eval.canonicalize().unwrap())
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, output) = channel();
        listen(process.stdout.take().unwrap(), to.clone());
        listen(process.stderr.take().unwrap(), to);
        let input = process.stdin.take().unwrap();
        Some(Self {
            process,
            input,
            output,
        })
    }

    /// Does what the lines say, one after the other, and waits for the last. A warning, an error or five minutes of silence
    /// fail.
    pub fn tell(&mut self, lines: &[&str]) {
        for line in lines.iter().chain([&"version"]) {
            writeln!(self.input, "{line}").unwrap();
        }
        self.input.flush().unwrap();
        loop {
            let line = self.output.recv_timeout(Duration::from_secs(300));
            let line = line.expect("an answer from Edax");
            let lower = line.to_lowercase();
            let is_bad = ["warning", "error", "is wrong", "not unique", "doublon"];
            assert!(
                !is_bad.iter().any(|bad| lower.contains(bad)),
                "{lines:?}: {line}"
            );
            if lower.contains("edax version") {
                return;
            }
        }
    }
}

impl Drop for Edax {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn listen(from: impl Read + Send + 'static, to: Sender<String>) {
    thread::spawn(move || {
        for line in BufReader::new(from).lines() {
            let Ok(line) = line else { return };
            if to.send(line).is_err() {
                return;
            }
        }
    });
}
