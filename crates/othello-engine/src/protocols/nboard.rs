//! The protocol of `NBoard`, version 2: one line each way; lines that are not known are ignored.
//!
//! A search runs on a thread of its own. Each line that changes the game or asks something else stops it first, as `ping`
//! does, whose `pong` says that nothing of the search comes any more.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use othello_core::{Game, Move, Position, Side};
use othello_record::parse;
use othello_search::{Control, Observer, PlayLevel, SearchLine, Selectivity};
use yane_clock::Instant;

use crate::background::{Background, Heard, LineOutput};
use crate::hints::{Hint, HintSource};
use crate::session::Session;

/// Lines of an iteration are told from this time on, so that the first ones do not flood a window.
const QUIET: Duration = Duration::from_millis(200);

/// An engine that speaks the protocol of `NBoard`.
pub struct NBoard {
    session: Session,
    output: LineOutput,
    running: Option<Background>,
}

impl NBoard {
    /// An engine that writes to `output`.
    pub fn new(session: Session, output: LineOutput) -> Self {
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
        self.running = None;
    }

    /// Waits until the search is over by itself.
    pub fn wait(&mut self) {
        if let Some(running) = &mut self.running {
            running.wait();
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
                    self.session.level = self.session.level.with_number(level);
                    (self.output)(&format!("set myname yaneura{level}"));
                }
                _ => self.error("set depth: a level from 0 to 60 was expected"),
            },
            "game" => {
                self.stop();
                let set = match parse(value) {
                    Ok(record) => self
                        .session
                        .set_game(record.game)
                        .map_err(|error| error.to_string()),
                    Err(error) => Err(error.to_string()),
                };
                if let Err(error) = set {
                    self.error(&format!("set game: {error}"));
                }
            }
            // A contempt has no effect: values are final scores here, in which a draw is a draw.
            "contempt" if value.trim().parse::<i32>().is_err() => {
                self.error("set contempt: a number was expected");
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
        if mv.is_none_or(|mv| self.session.try_play(mv).is_err()) {
            self.error(&format!("'{text}' is not a legal move"));
        }
    }

    /// Runs a task on a thread after the one before has stopped.
    fn run(&mut self, task: impl FnOnce(&Session, &Control, &LineOutput) + Send + 'static) {
        self.stop();
        let (session, output) = (self.session.clone(), Arc::clone(&self.output));
        let started = Background::start("nboard", move |control| {
            output("status Thinking");
            task(&session, control, &output);
            output("status");
        });
        match started {
            Ok(running) => self.running = Some(running),
            Err(error) => self.error(&format!("no thread: {error}")),
        }
    }

    fn hint(&mut self, lines: usize) {
        self.run(move |session, control, output| {
            let empties = session.position().board().empty().len();
            let mut observer = Lines { output, empties };
            let hints = session.hints(lines, control, &mut observer);
            for hint in &hints.moves {
                output(&hint_line(hint, empties));
            }
            output(&node_stats(hints.nodes, hints.elapsed));
        });
    }

    fn go(&mut self) {
        self.run(|session, control, output| {
            let start = Instant::now();
            let Some(chosen) = session.choose(control, &mut ()) else {
                output("status Error: the game is over");
                return;
            };
            let mut text = format!("=== {}", name(chosen.mv));
            if let Some(hint) = chosen.hint {
                output(&node_stats(chosen.nodes, chosen.elapsed));
                let seconds = start.elapsed().as_secs_f64();
                let _ = write!(text, "/{:.2}/{seconds:.2}", f64::from(hint.score));
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
                    game.play_unchecked(mv);
                }
                let position = game.position();
                let mut session = session.clone();
                session.go_on_with(game);
                let hints = session.hints(1, control, &mut ());
                if control.is_stopped() {
                    return;
                }
                let value = for_black(position, hints.score);
                output(&format!("analysis {made} {:.2}", f64::from(value)));
            }
        });
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
    output: &'a LineOutput,
    empties: u32,
}

impl Observer for Lines<'_> {
    fn line(&mut self, _: usize, line: &SearchLine, _: u64, elapsed: Duration) {
        if elapsed >= QUIET {
            let depth = (line.depth, line.selectivity);
            let text = search_line(&line.pv, line.score, depth.0, depth.1, self.empties);
            (self.output)(&text);
        }
    }
}

/// `search PV EVAL 0 DEPTH`: the play without blanks, the value for the side to move, the depth in plies or, to the end of the
/// game, the probability.
fn search_line(
    pv: &[Move],
    score: i32,
    depth: u32,
    selectivity: Selectivity,
    empties: u32,
) -> String {
    let pv: String = pv.iter().map(|&mv| name(mv)).collect();
    let depth = if depth >= empties {
        selectivity.to_string()
    } else {
        depth.to_string()
    };
    format!("search {pv} {:.2} 0 {depth}", f64::from(score))
}

/// The line of a hint; of the book `book PV EVAL GAMES LEVEL`, where no games are counted.
fn hint_line(hint: &Hint, empties: u32) -> String {
    match hint.source {
        HintSource::Search {
            depth, selectivity, ..
        } => search_line(&hint.pv, hint.score, depth, selectivity, empties),
        HintSource::Book { level, .. } => {
            let pv: String = hint.pv.iter().map(|&mv| name(mv)).collect();
            let level = level.unwrap_or(0);
            format!("book {pv} {:.2} 0 {level}", f64::from(hint.score))
        }
    }
}

fn node_stats(nodes: u64, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    format!("nodestats {nodes} {seconds:.2}")
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
