//! Thinking in the other side's time.

use othello_core::{Board, State};
use othello_search::{Control, Goal, Selectivity};

use crate::background::Background;
use crate::session::Session;

/// Replies whose positions are searched, the likeliest first.
const REPLIES: usize = 4;

/// A search beside the other side's thinking. What it finds stays in the table of the session's search. Dropping it ends it
/// within milliseconds.
#[derive(Debug)]
pub struct Ponder {
    task: Background,
}

impl Ponder {
    /// Begins to think about the position of a session, in which the other side is to move: its best replies first, then the
    /// positions behind them, deeper and deeper. `None` if the session does not ponder, if the game is over, or if there is no
    /// thread.
    pub fn start(session: &Session) -> Option<Self> {
        let board = session.position().board();
        if !session.ponders || board.is_over() {
            return None;
        }
        let session = session.clone();
        let task = Background::start("ponder", move |control| think(&session, board, control));
        task.ok().map(|task| Self { task })
    }

    /// Waits until there is nothing more to find out.
    pub fn wait(&mut self) {
        self.task.wait();
    }
}

pub(crate) fn think(session: &Session, board: Board, control: &Control) {
    let goal = |depth, lines| Goal::new(depth, Selectivity::P74, lines);
    for depth in (6..=60).step_by(2) {
        let replies = session.search_to(board, goal(depth, REPLIES), control);
        for line in &replies.lines {
            let Some(next) = board.after(line.best) else {
                continue;
            };
            let next = if next.state() == State::Pass {
                next.passed()
            } else {
                next
            };
            session.search_to(next, goal(depth + 1, 1), control);
            if control.is_stopped() {
                return;
            }
        }
        if depth > board.empty().len() {
            return;
        }
    }
}
