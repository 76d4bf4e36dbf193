//! The cost of a question to an engine for the one who asks, in processor time of this process.
//!
//! ```console
//! cargo run --release -p benches --bin round_trip [ENGINE [NODES]]
//! ```
//!
//! Without an engine this program is its own: one that answers at once. First two processes throw a line to and fro
//! with nothing but system calls, the least that a question can cost.

#[cfg(unix)]
fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("--echo") => unix::echo(),
        Some("--engine") => unix::engine(),
        engine => unix::measure(engine),
    }
}

#[cfg(not(unix))]
fn main() {
    eprintln!("measures on Unix alone");
}

#[cfg(unix)]
mod unix {
    use std::io::{BufRead as _, Read as _, Write as _};
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::time::{ClockId, clock_gettime};
    use shogi_core::movegen::Legal;
    use shogi_core::{Game, Position};
    use shogi_usi::GoCommand;
    use shogi_usi::client::EngineProcess;

    const LINE: &[u8] = b"bestmove 7g7f ponder 3c3d\n";
    const PLIES: usize = 200;
    const PATIENCE: Duration = Duration::from_secs(20);
    /// Duration of each measurement.
    const TIME: Duration = Duration::from_secs(3);

    /// Answers everything with a line.
    pub(crate) fn echo() {
        let (mut input, mut output) = (std::io::stdin(), std::io::stdout());
        let mut bytes = [0; 1 << 13];
        while let Ok(1..) = input.read(&mut bytes) {
            output.write_all(LINE).expect("somebody listens");
            output.flush().expect("somebody listens");
        }
    }

    /// Answers as an engine that need not think, in two writes as most do.
    pub(crate) fn engine() {
        for line in std::io::stdin().lock().lines() {
            let line = line.expect("a line");
            let answer = match line.split(' ').next() {
                Some("usi") => "usiok\n",
                Some("isready") => "readyok\n",
                Some("go") => {
                    print_now(
                        "info depth 1 seldepth 1 score cp 31 nodes 1 nps 1000 time 1 pv 7g7f\n",
                    );
                    "bestmove 7g7f\n"
                }
                _ => continue,
            };
            print_now(answer);
        }
    }

    fn print_now(text: &str) {
        let mut output = std::io::stdout().lock();
        output.write_all(text.as_bytes()).expect("somebody listens");
        output.flush().expect("somebody listens");
    }

    /// Calls `ask` for some time, and prints the cost of one call.
    fn cost(what: &str, mut ask: impl FnMut()) {
        let cpu = || {
            let time = clock_gettime(ClockId::ProcessCPUTime);
            time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 * 1e-3
        };
        for _ in 0..100 {
            ask();
        }
        let (begin, before) = (Instant::now(), cpu());
        let mut count = 0;
        while begin.elapsed() < TIME {
            for _ in 0..PLIES {
                ask();
            }
            count += PLIES;
        }
        let each = |micros: f64| micros / count as f64;
        println!(
            "{what:40} {:6.2} us of processor time, {:7.2} us in all",
            each(cpu() - before),
            each(begin.elapsed().as_secs_f64() * 1e6)
        );
    }

    fn least(write: usize) {
        let program = std::env::current_exe().expect("this program");
        let mut child = Command::new(program)
            .arg("--echo")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program");
        let mut input = child.stdin.take().expect("a pipe");
        let mut output = child.stdout.take().expect("a pipe");
        let line = vec![b'x'; write];
        let mut bytes = [0; 1 << 13];
        let limit = Timespec::try_from(PATIENCE).expect("a short time");
        cost(&format!("pipes alone, {write} bytes"), || {
            input.write_all(&line).expect("it listens");
            let mut fds = [PollFd::new(&output, PollFlags::IN)];
            poll(&mut fds, Some(&limit)).expect("an answer");
            output
                .read_exact(&mut bytes[..LINE.len()])
                .expect("an answer");
        });
        drop(input);
        child.wait().expect("it ends");
    }

    pub(crate) fn measure(engine: Option<&str>) {
        least(60);
        least(60 + 5 * PLIES);
        let own = std::env::current_exe().expect("this program");
        let mut process = match engine {
            Some(engine) => EngineProcess::spawn(engine, &[]),
            None => EngineProcess::spawn(own, &["--engine"]),
        }
        .expect("an engine");
        process.handshake(PATIENCE).expect("usiok");
        process.get_ready(PATIENCE).expect("readyok");
        let nodes = std::env::args().nth(2).and_then(|text| text.parse().ok());
        let go = GoCommand {
            nodes: Some(nodes.unwrap_or(1)),
            ..GoCommand::default()
        };
        cost("the initial position", || {
            process
                .start_from(&Game::new(Position::startpos()), &go)
                .expect("it listens");
            process.wait_text(PATIENCE, |_| {}).expect("an answer");
        });
        let mut game = Game::new(Position::startpos());
        cost(&format!("games of {PLIES} plies"), || {
            if game.len() == PLIES {
                game = Game::new(Position::startpos());
            }
            process.start_from(&game, &go).expect("it listens");
            process.wait_text(PATIENCE, |_| {}).expect("an answer");
            let moves = game.position().moves::<Legal>();
            match moves.len() {
                0 => game = Game::new(Position::startpos()),
                count => game.play_unchecked(moves[game.len() % count]),
            }
        });
        process.quit(PATIENCE).expect("an end");
    }
}
