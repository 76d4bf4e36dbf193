//! The search of one position of a book: its best moves, and values for the moves that the book has.

use std::num::NonZeroI32;

use farm::WorkError;
use shogi_core::movegen::Legal;
use shogi_core::{Game, Move};
use shogi_engine::ThoughtLine;
use shogi_farm::WorkerContext;
use shogi_usi::Score;

use super::{BookAnalysis, OtherMoves};
use crate::search::{PositionItem, Searched};
use crate::think::DepthSource;
use crate::think::search::{FoundLines, ask, find_best, no_line};

/// Searches a position.
pub(super) fn search(
    item: &PositionItem,
    options: &BookAnalysis,
    context: &mut WorkerContext<'_>,
) -> Result<Searched, WorkError> {
    let think = &options.think;
    if !think.keeps_hash {
        context.new_game()?;
    }
    let game = Game::new(item.position().clone());
    let mut found = FoundLines::default();
    if options.others == OtherMoves::Add {
        let legal = item.position().moves::<Legal>();
        let wanted = think.lines.clamp(1, legal.len().max(1));
        find_best(&game, &legal, wanted, think, &mut found, context)?;
    }
    find_known(&game, item, options, &mut found, context)?;
    for m in missing(item, &found) {
        let line = after(&game, m, options, &mut found, context)?;
        found.push(line);
    }
    let fixed_depth = match think.depth_source {
        DepthSource::Asked => Some(think.depth),
        DepthSource::Reached => None,
    };
    let depth = found.depth();
    let moves = found.moves(0, fixed_depth);
    if moves.is_empty() {
        return Err(no_line(item.position(), context));
    }
    Ok(Searched {
        moves,
        depth,
        nodes: found.nodes(),
    })
}

/// The moves of the book that have no line yet.
fn missing(item: &PositionItem, found: &FoundLines) -> Vec<Move> {
    let moves = item.moves().iter().copied();
    moves.filter(|&m| !found.knows(m)).collect()
}

/// Searches the moves of the book among themselves until nothing new is found.
fn find_known(
    game: &Game,
    item: &PositionItem,
    options: &BookAnalysis,
    found: &mut FoundLines,
    context: &mut WorkerContext<'_>,
) -> Result<(), WorkError> {
    loop {
        let wanted = missing(item, found);
        if wanted.is_empty() {
            return Ok(());
        }
        let mut thought = ask(game, &options.think, wanted.len(), wanted.clone(), context)?;
        // An engine that does not know searchmoves tells of others.
        thought
            .lines
            .retain(|line| line.pv.first().is_some_and(|m| wanted.contains(m)));
        if !found.take(thought, usize::MAX) {
            return Ok(());
        }
    }
}

/// The line of a move by a search of the position after it.
fn after(
    game: &Game,
    m: Move,
    options: &BookAnalysis,
    found: &mut FoundLines,
    context: &mut WorkerContext<'_>,
) -> Result<ThoughtLine, WorkError> {
    let mut next = Game::new(game.position().clone());
    next.play_unchecked(m);
    if next.position().is_mated() {
        return Ok(ThoughtLine {
            depth: 1,
            sel_depth: 1,
            score: NonZeroI32::new(1).map_or(Score::MateUnknown, Score::Mate),
            bound: None,
            pv: vec![m],
            end: None,
        });
    }
    let thought = ask(&next, &options.think, 1, Vec::new(), context)?;
    found.add_nodes(thought.nodes);
    let best = thought.lines.into_iter().next();
    let mut line = best.ok_or_else(|| no_line(next.position(), context))?;
    line.score = before(line.score);
    line.depth += 1;
    line.pv.insert(0, m);
    Ok(line)
}

/// The score of a move whose position afterwards has this one for the other side.
fn before(score: Score) -> Score {
    match score {
        Score::Cp(cp) => Score::Cp(cp.saturating_neg()),
        Score::Mate(plies) => {
            let plies = plies.get();
            let longer = -(plies.saturating_add(plies.signum()));
            NonZeroI32::new(longer).map_or(Score::MateUnknown, Score::Mate)
        }
        Score::MateUnknown => Score::MatedUnknown,
        Score::MatedUnknown => Score::MateUnknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_change_sides() {
        let mate = |plies| Score::Mate(NonZeroI32::new(plies).unwrap());
        for (after, expected) in [
            (Score::Cp(30), Score::Cp(-30)),
            (mate(3), mate(-4)),
            (mate(-2), mate(3)),
            (Score::MateUnknown, Score::MatedUnknown),
            (Score::MatedUnknown, Score::MateUnknown),
        ] {
            assert_eq!(before(after), expected);
        }
    }
}
