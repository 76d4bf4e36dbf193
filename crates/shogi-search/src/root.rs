//! The root of the search.

use shogi_core::movegen::{Legal, LegalAll};
use shogi_core::{Delta, Game};
use shogi_eval::Evaluator;

use crate::{Bound, Control, Limits, Observer, SearchInfo, SearchOptions, SearchResult, Value};

/// What a search leaves for the next one: the transposition table and the histories.
#[derive(Debug)]
pub struct SharedState {
    hash_mib: usize,
}

impl SharedState {
    /// An empty state whose transposition table takes `hash_mib` mebibytes (at least 1).
    pub fn new(hash_mib: usize) -> Self {
        Self {
            hash_mib: hash_mib.max(1),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {}

    /// Changes the size of the transposition table and forgets everything.
    pub fn resize(&mut self, hash_mib: usize) {
        *self = Self::new(hash_mib);
    }

    /// A new game begins: nothing learnt from the last one is kept.
    pub fn new_game(&mut self) {
        self.clear();
    }

    /// Size of the transposition table in mebibytes.
    pub fn hash_mib(&self) -> usize {
        self.hash_mib
    }
}

/// Searches the current position of `game`. `None` when it has no legal move.
pub fn search<E: Evaluator + ?Sized>(
    game: &Game,
    limits: &Limits,
    options: &SearchOptions,
    evaluator: &mut E,
    _shared: &mut SharedState,
    control: &Control,
    observer: &mut dyn Observer,
) -> Option<SearchResult> {
    let mut position = game.position().clone();
    let mut moves = if options.generate_all_legal_moves {
        position.moves::<LegalAll>()
    } else {
        position.moves::<Legal>()
    };
    if !limits.search_moves.is_empty() {
        moves.retain(|m| limits.search_moves.contains(m));
    }
    evaluator.reset(&position);
    let mut best = None;
    for &m in &moves {
        let undo = position.do_move(m);
        evaluator.push(Some(&Delta::new(&position, m, &undo)));
        let score = if position.is_mated() {
            Value::mate_in(1)
        } else {
            Value(-evaluator.evaluate(&position))
        };
        evaluator.pop();
        position.undo_move(m, &undo);
        if best.is_none_or(|(_, value)| score > value) {
            best = Some((m, score));
        }
    }
    let (best, score) = best?;
    let nodes = moves.len() as u64;
    observer.info(&SearchInfo {
        depth: 1,
        sel_depth: 1,
        multi_pv: 1,
        score,
        bound: Bound::Exact,
        nodes,
        hash_full: 0,
        elapsed: control.elapsed(),
        pv: vec![best],
    });
    Some(SearchResult {
        best,
        ponder: None,
        score,
        depth: 1,
        nodes,
    })
}
