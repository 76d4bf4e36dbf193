//! The lines of an engine in this process, and thoughts without a search.

use std::time::Duration;

use shogi_core::{EnteringKingRule, Game, Move};
use shogi_search::{Observer, SearchInfo, Value};

use super::{Decision, Thought, ThoughtLine};
use crate::listener::{PvEnd, SearchOutcome, pv_end, score_bound, usi_score};

/// The thought about a position that needs no search.
pub(crate) fn without_search(outcome: &SearchOutcome, elapsed: Duration) -> Thought {
    let (decision, score, pv, end) = match *outcome {
        SearchOutcome::Try(m) => {
            let play = Decision::Play {
                best: m,
                ponder: None,
            };
            (play, Value::mate_in(1), vec![m], None)
        }
        SearchOutcome::DeclareWin => (
            Decision::DeclareWin,
            Value::mate_in(1),
            Vec::new(),
            Some(PvEnd::Win),
        ),
        _ => (
            Decision::Resign,
            Value::mated_in(1),
            Vec::new(),
            Some(PvEnd::Resign),
        ),
    };
    Thought {
        decision,
        lines: vec![line(score, pv, end)],
        visits: Vec::new(),
        nodes: 0,
        elapsed,
    }
}

/// A line that no iteration reported.
fn line(score: Value, pv: Vec<Move>, end: Option<PvEnd>) -> ThoughtLine {
    ThoughtLine {
        depth: 0,
        sel_depth: 0,
        score: usi_score(score),
        bound: None,
        pv,
        end,
    }
}

/// The latest line of each number.
#[derive(Default)]
pub(crate) struct Lines(Vec<SearchInfo>);

impl Observer for Lines {
    fn info(&mut self, info: &SearchInfo) {
        let index = info.multi_pv.saturating_sub(1);
        if index < self.0.len() {
            self.0[index].clone_from(info);
        } else if index == self.0.len() {
            self.0.push(info.clone());
        }
    }
}

impl Lines {
    /// The lines from the current position of `game`; with their ends under a rule about entering kings if
    /// there is one.
    pub(crate) fn reported(self, game: &Game, ends: Option<EnteringKingRule>) -> Vec<ThoughtLine> {
        let reported = |info: SearchInfo| {
            let whole = (info.pv.len(), None);
            let (plies, end) = ends.map_or(whole, |rule| pv_end(game, &info.pv, rule));
            let mut pv = info.pv;
            pv.truncate(plies);
            ThoughtLine {
                depth: info.depth,
                sel_depth: info.sel_depth,
                score: usi_score(info.score),
                bound: score_bound(info.bound),
                pv,
                end,
            }
        };
        self.0.into_iter().map(reported).collect()
    }
}
