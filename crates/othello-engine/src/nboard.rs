//! The protocol of `NBoard`, version 2: one line each way; lines that are not known are ignored.
//!
//! A search runs on a thread of its own. Each line that changes the game or asks something else stops it first, as `ping`
//! does, whose `pong` says that nothing of the search comes any more.

use std::fmt::Write as _;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use othello_core::{Game, Move, Position, Side};
use othello_record::parse;
use othello_search::{Control, Observer, PlayLevel, SearchLine, SearchResult};

use crate::session::Session;

/// Receives lines of the engine, from any of its threads.
pub type NBoardOutput = Arc<dyn Fn(&str) + Send + Sync>;

/// What a line means for whoever reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// More lines may follow.
    Open,
    /// The session is over.
    Quit,
}

/// Lines of an iteration are told from this time on, so that the first ones do not flood a window.
const QUIET: Duration = Duration::from_millis(200);

/// An engine that speaks the protocol of `NBoard`.
pub struct NBoard {
    session: Session,
    output: NBoardOutput,
    running: Option<(Control, JoinHandle<()>)>,
}

impl NBoard {
    /// An engine that writes to `output`.
    pub fn new(session: Session, output: NBoardOutput) -> Self {
        Self {
            session,
            output,
            running: None,
        }
    }

    /// Carries out a line.
    pub fn line(&mut self, line: &str) -> Heard {
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match command {
            "quit" => {
                self.stop();
                return Heard::Quit;
            }
            "nboard" => (self.output)("set myname yaneura"),
            "set" => self.set(rest),
            "move" => {
                self.stop();
                self.play(rest);
            }
            "ping" => {
                self.stop();
                (self.output)(&format!("pong {rest}"));
            }
            "hint" => match rest.parse() {
                Ok(lines) if lines > 0 => self.hint(lines),
                _ => self.error("hint: a number of moves from 1 on was expected"),
            },
            "go" => self.go(),
            "analyze" => self.analyze(),
            // Everything is learned as it is searched.
            "learn" => {
                self.stop();
                (self.output)("learned");
            }
            _ => {}
        }
        Heard::Open
    }

    /// Stops the search, and waits until it is over.
    pub fn stop(&mut self) {
        if let Some((control, thread)) = self.running.take() {
            control.stop();
            thread.join().ok();
        }
    }

    /// Waits until the search is over by itself.
    pub fn wait(&mut self) {
        if let Some((_, thread)) = self.running.take() {
            thread.join().ok();
        }
    }

    fn error(&self, text: &str) {
        (self.output)(&format!("status Error: {text}"));
    }

    fn set(&mut self, rest: &str) {
        let (what, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        match what {
            "depth" => match value.trim().parse() {
                Ok(level) if level <= PlayLevel::MOST => {
                    self.stop();
                    self.session.level = PlayLevel::Egaroucid(level);
                    (self.output)(&format!("set myname yaneura{level}"));
                }
                _ => self.error("set depth: a level from 0 to 60 was expected"),
            },
            "game" => {
                self.stop();
                match parse(value) {
                    Ok(record) => self.session.set_game(record.game),
                    Err(error) => self.error(&format!("set game: {error}")),
                }
            }
            _ => {}
        }
    }

    fn play(&mut self, rest: &str) {
        let text = rest.split(['/', ' ']).next().unwrap_or_default();
        let is_pass = ["pa", "pass"].contains(&text.to_ascii_lowercase().as_str());
        let mv = if is_pass {
            Some(Move::Pass)
        } else {
            text.parse().ok().map(Move::Place)
        };
        if !mv.is_some_and(|mv| self.session.play(mv)) {
            self.error(&format!("'{text}' is not a legal move"));
        }
    }

    /// Runs a task on a thread after the one before has stopped.
    fn run(&mut self, task: impl FnOnce(&Session, &Control, &NBoardOutput) + Send + 'static) {
        self.stop();
        let control = Control::default();
        let (session, output) = (self.session.clone(), Arc::clone(&self.output));
        let own = control.clone();
        let thread = std::thread::Builder::new().name("nboard".to_owned());
        let started = thread.stack_size(8 << 20).spawn(move || {
            output("status Thinking");
            task(&session, &own, &output);
            output("status");
        });
        match started {
            Ok(thread) => self.running = Some((control, thread)),
            Err(error) => self.error(&format!("no thread: {error}")),
        }
    }

    fn hint(&mut self, lines: usize) {
        self.run(move |session, control, output| {
            let empties = session.position().board().empty().len();
            let mut observer = Lines { output, empties };
            let result = session.search(lines, control, &mut observer);
            for line in &result.lines {
                output(&search_line(line, empties));
            }
            output(&node_stats(&result));
        });
    }

    fn go(&mut self) {
        self.run(|session, control, output| {
            let start = Instant::now();
            let Some((mv, result)) = session.choose(control, &mut ()) else {
                output("status Error: the game is over");
                return;
            };
            let mut text = format!("=== {}", name(mv));
            if let Some(result) = result {
                output(&node_stats(&result));
                let seconds = start.elapsed().as_secs_f64();
                let _ = write!(text, "/{:.2}/{seconds:.2}", f64::from(result.score));
            }
            output(&text);
        });
    }

    /// The value of each position of the game, from the end backwards, for black.
    fn analyze(&mut self) {
        self.run(|session, control, output| {
            let moves = session.game().moves();
            for made in (0..=moves.len()).rev() {
                let mut game = Game::new(session.game().start());
                for &mv in &moves[..made] {
                    game.play(mv);
                }
                let position = game.position();
                let mut session = session.clone();
                session.set_game(game);
                let result = session.search(1, control, &mut ());
                if control.is_stopped() {
                    return;
                }
                let value = for_black(position, result.score);
                output(&format!("analysis {made} {:.2}", f64::from(value)));
            }
        });
    }
}

impl Drop for NBoard {
    fn drop(&mut self) {
        self.stop();
    }
}

impl std::fmt::Debug for NBoard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NBoard")
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

/// Tells the lines of a long search as they come.
struct Lines<'a> {
    output: &'a NBoardOutput,
    empties: u32,
}

impl Observer for Lines<'_> {
    fn line(&mut self, _: usize, line: &SearchLine, _: u64, elapsed: Duration) {
        if elapsed >= QUIET {
            (self.output)(&search_line(line, self.empties));
        }
    }
}

/// `search PV EVAL 0 DEPTH`: the play without blanks, the value for the side to move, the depth in plies or, to the end of the
/// game, the probability.
fn search_line(line: &SearchLine, empties: u32) -> String {
    let pv: String = line.pv.iter().map(|&mv| name(mv)).collect();
    let depth = if line.depth >= empties {
        format!("{}", line.selectivity)
    } else {
        line.depth.to_string()
    };
    format!("search {pv} {:.2} 0 {depth}", f64::from(line.score))
}

fn node_stats(result: &SearchResult) -> String {
    let seconds = result.elapsed.as_secs_f64();
    format!("nodestats {} {seconds:.2}", result.nodes)
}

fn name(mv: Move) -> String {
    mv.to_string().to_ascii_uppercase()
}

const fn for_black(position: Position, score: i32) -> i32 {
    match position.side() {
        Side::Black => score,
        Side::White => -score,
    }
}
