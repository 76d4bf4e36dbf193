//! Positions that the moves of a book reach.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;

use shogi_core::Position;

use super::overlay::{EntryMatching, OverlaidBook};
use super::search::{EntryFilter, FoundPosition};
use crate::records::legal_move;
use crate::{Job, Result, Unit};

/// Positions between two looks at the clock.
const STEP: u64 = 64;

/// Looks at the positions that the moves of a book reach from `root`, this one included, the nearest first. `found` gets what is
/// found piece by piece, and may end the search. A position is looked at once, whichever way it is reached; memory grows by about 100 bytes for each.
///
/// # Errors
/// When the book cannot be read, or the job is cancelled.
pub fn search_behind(
    book: &OverlaidBook,
    root: &Position,
    finding: EntryMatching,
    filter: &EntryFilter,
    job: &Job,
    mut found: impl FnMut(Vec<FoundPosition>) -> ControlFlow<()>,
) -> Result<()> {
    job.progress.stage("search", None, Unit::Positions);
    let mut seen = HashSet::from([root.key128()]);
    let mut waiting = VecDeque::from([root.clone()]);
    let mut done = 0;
    while let Some(position) = waiting.pop_front() {
        done += 1;
        if done % STEP == 0 {
            job.check()?;
            job.progress.advance(STEP);
        }
        let Some(entry) = book.find(&position, finding)? else {
            continue;
        };
        if let Some(mut hit) = filter.take(&entry.entry) {
            // As it is reached, not as it stands in the book.
            hit.sfen = position.to_sfen();
            let moves = entry.clone().into_moves();
            let best = entry.entry.best().and_then(|best| {
                let at = entry
                    .entry
                    .moves()
                    .iter()
                    .position(|known| std::ptr::eq(known, best))?;
                moves.get(at)?.mv
            });
            hit.mv = best;
            if found(vec![hit]).is_break() {
                return Ok(());
            }
        }
        for known in entry.into_moves() {
            let Some(m) = known.mv.and_then(|mv| legal_move(&position, mv)) else {
                continue;
            };
            let mut child = position.clone();
            let _ = child.do_move_unchecked(m);
            if seen.insert(child.key128()) {
                waiting.push_back(child);
            }
        }
    }
    Ok(())
}
