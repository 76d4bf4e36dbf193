//! The protocol by which the program Cassio asks engines, as Edax speaks it: lines that begin with `ENGINE-PROTOCOL`, and
//! answers that end with `ready.`.

use std::sync::Arc;

use othello_core::{ImpossibleBoard, Move, Position, PositionError, Side};
use othello_search::{Goal, SearchResult, Selectivity};

use crate::background::{Background, Heard, LineOutput};
use crate::session::Session;

/// An engine that speaks the protocol of Cassio.
pub struct Cassio {
    session: Session,
    version: String,
    output: LineOutput,
    running: Option<Background>,
}

impl std::fmt::Debug for Cassio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cassio")
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

impl Cassio {
    /// An engine with the name that it tells, which writes to `output`.
    pub fn new(session: Session, version: &str, output: LineOutput) -> Self {
        Self {
            session,
            version: version.to_owned(),
            output,
            running: None,
        }
    }

    /// Carries out a line. A search goes on beside the lines that follow; all but a question for its state stop it.
    pub fn line(&mut self, line: &str) -> Heard {
        let mut words = line.split_whitespace();
        if words.next() != Some("ENGINE-PROTOCOL") {
            if !line.trim().is_empty() {
                self.tell("ERROR: a line that begins with ENGINE-PROTOCOL was expected");
            }
            return Heard::Open;
        }
        let command = words.next().unwrap_or_default();
        let arguments: Vec<_> = words.collect();
        if command != "get-search-infos" {
            self.stop();
        }
        match command {
            "quit" => {
                self.tell("bye bye.");
                return Heard::Quit;
            }
            "midgame-search" | "endgame-search" => {
                match request(&arguments, SearchKind::of(command)) {
                    // It says that it is ready when it is.
                    Ok((position, goal)) => return self.search(position, goal),
                    Err(error) => self.tell(&format!("ERROR: {command}: {error}")),
                }
            }
            "get-version" => self.tell(&format!("version: {}", self.version)),
            "empty-hash" => self.session.clear(),
            // What a table learns of other positions is its own affair here.
            "init" | "new-position" | "stop" | "get-search-infos" | "feed-hash" => {}
            unknown => self.tell(&format!("ERROR: unknown command {unknown}")),
        }
        self.tell("ready.");
        Heard::Open
    }

    /// Waits until the search that is going on is over by itself.
    pub fn wait(&mut self) {
        if let Some(running) = &mut self.running {
            running.wait();
        }
    }

    fn stop(&mut self) {
        self.running = None;
    }

    fn tell(&self, text: &str) {
        (self.output)(text);
    }

    fn search(&mut self, position: Position, goal: Goal) -> Heard {
        let (session, output) = (self.session.clone(), Arc::clone(&self.output));
        let started = Background::start("cassio", move |control| {
            let result = session.search_to(position.board(), goal, control);
            output(&answer(position, &result));
            output("ready.");
        });
        match started {
            Ok(running) => self.running = Some(running),
            Err(error) => self.tell(&format!("ERROR: no thread: {error}")),
        }
        Heard::Open
    }
}

/// How far a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchKind {
    /// To the depth that was asked for.
    Midgame,
    /// To the end of the game.
    Endgame,
}

impl SearchKind {
    /// The search of a command.
    fn of(command: &str) -> Self {
        if command == "endgame-search" {
            Self::Endgame
        } else {
            Self::Midgame
        }
    }
}

/// What is wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum RequestError {
    #[error("BOARD ALPHA BETA DEPTH PRECISION was expected")]
    Arguments,
    #[error(transparent)]
    Position(#[from] PositionError),
    #[error(transparent)]
    Board(#[from] ImpossibleBoard),
    #[error("{alpha} {beta} is no window")]
    Window { alpha: String, beta: String },
    #[error("a depth from 1 to 60 was expected")]
    Depth,
    #[error("a precision up to 100 was expected")]
    Precision,
}

/// The position and the goal of `BOARD ALPHA BETA DEPTH PRECISION`. The window only says what is wanted at least.
fn request(arguments: &[&str], kind: SearchKind) -> Result<(Position, Goal), RequestError> {
    let &[board, alpha, beta, depth, precision] = arguments else {
        return Err(RequestError::Arguments);
    };
    let position: Position = board.parse()?;
    position.board().check()?;
    let number = |text: &str| text.parse::<i32>().ok();
    let window = number(alpha).zip(number(beta));
    if window.is_none_or(|(alpha, beta)| alpha >= beta) {
        return Err(RequestError::Window {
            alpha: alpha.to_owned(),
            beta: beta.to_owned(),
        });
    }
    let depth = number(depth).filter(|depth| (1..=60).contains(depth));
    let depth = depth.ok_or(RequestError::Depth)?.unsigned_abs();
    let percent = number(precision).and_then(|percent| u32::try_from(percent).ok());
    let selectivity = percent.and_then(Selectivity::at_least);
    let selectivity = selectivity.ok_or(RequestError::Precision)?;
    let empties = position.board().empty().len();
    let depth = match kind {
        SearchKind::Midgame => depth,
        SearchKind::Endgame => empties.max(1),
    };
    let goal = Goal::new(depth, selectivity, 1);
    Ok((position, goal))
}

/// `BOARD, move D3, depth 6, @73%, B+3.00 <= v <= B+3.00, D3c5E6d2, node 1732, time 0.000`: black's moves in capitals.
fn answer(position: Position, result: &SearchResult) -> String {
    let squares: String = position
        .to_string()
        .chars()
        .filter(|sign| !sign.is_whitespace())
        .collect();
    let value = match position.side() {
        Side::Black => result.score,
        Side::White => -result.score,
    };
    let value = if value >= 0 {
        format!("B+{value}.00")
    } else {
        format!("W+{}.00", -value)
    };
    let line = result.lines.first();
    let best = line.map_or("--".to_owned(), |line| match line.best {
        Move::Place(square) => square.to_string().to_ascii_uppercase(),
        Move::Pass => "PA".to_owned(),
    });
    let mut side = position.side();
    let mut play = String::new();
    for mv in line.map_or(&[][..], |line| &line.pv) {
        let name = mv.to_string();
        if side == Side::Black && *mv != Move::Pass {
            play.push_str(&name.to_ascii_uppercase());
        } else {
            play.push_str(&name);
        }
        side = side.other();
    }
    let (depth, selectivity) = line.map_or((0, Selectivity::Exact), |line| {
        (line.depth, line.selectivity)
    });
    format!(
        "{squares}, move {best}, depth {depth}, @{selectivity}, {value} <= v <= {value}, {play}, node {}, time {:.3}",
        result.nodes,
        result.elapsed.as_secs_f64()
    )
}
