//! The search of a position: a value for each of its legal moves.
//!
//! One search with as many lines as there are legal moves, pointless non-promotions included, so that all
//! values come from one table and one depth or two. Moves about which the engine reports nothing (the
//! search ended before its first iteration, or the engine does not consider them) are searched by `searchmoves`:
//! at first with their share of the nodes, then to depth 1. A move without a value even then counts as little as
//! the worst move; so do those that no playout of the deep engine went through, which are not searched again. Moves that mate, and those after which the other side mates or declares a win at
//! once, have their true value whatever the engine reports.

use farm::WorkError;
use shogi_core::movegen::LegalAll;
use shogi_core::{Declaration, EnteringKingRule, Game, Move, Move16, Position};
use shogi_engine::{ThinkLimits, Thought};
use shogi_farm::WorkerContext;
use yane_book::BookMove;

use super::SteraOptions;
use super::choice::MATES;
use crate::search::{Searched, book_eval};

/// A move after which the other side mates, or declares a win.
const IS_MATED: i16 = -31_998;

/// Settings for the search of positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct SteraSearch {
    /// Nodes for one position of the book.
    nodes: u64,
    /// Rule by which a win can be declared.
    rule: EnteringKingRule,
    /// True if engines clear their tables before each position, so that results can be repeated.
    forget: bool,
}

impl SteraSearch {
    pub(super) const fn new(options: &SteraOptions) -> Self {
        Self {
            nodes: options.nodes_limit,
            rule: options.entering_king,
            forget: options.forget,
        }
    }

    /// Searches `position`.
    pub(super) fn search(
        &self,
        position: &Position,
        context: &mut WorkerContext<'_>,
    ) -> Result<Searched, WorkError> {
        let legal: Vec<Move> = position.moves::<LegalAll>().to_vec();
        if legal.is_empty() {
            return Ok(Searched {
                moves: Vec::new(),
                depth: 0,
                nodes: 0,
            });
        }
        if self.forget {
            context.new_game()?;
        }
        let mut found = FoundMoves::new(position, &legal);
        let game = Game::new(position.clone());
        let mut missing = Vec::new();
        for attempt in 0..3 {
            let lines = if attempt == 0 {
                legal.len()
            } else {
                missing.len()
            };
            let share = self.nodes * lines as u64 / legal.len() as u64;
            let limits = ThinkLimits {
                nodes: (attempt < 2).then_some(share.max(1)),
                depth: (attempt == 2).then_some(1),
                lines,
                search_moves: missing,
                stop: Some(context.stop.flag().clone()),
                line_moves: Some(2),
                ..ThinkLimits::default()
            };
            let thought = context.think(&game, &limits)?;
            found.add(&thought);
            missing = found.missing();
            // The deep engine leaves out the moves that its policy thinks nothing of: playouts for them would be wasted.
            if missing.is_empty() || !thought.visits.is_empty() {
                break;
            }
        }
        if missing.len() == legal.len() {
            let name = context.engine.name();
            return Err(WorkError::Failed(format!(
                "{name} reported no line for {}; does it play from a book?",
                position.to_sfen()
            )));
        }
        let nodes = found.nodes;
        let moves = found.moves(self.rule);
        Ok(Searched {
            depth: moves.first().map_or(0, |best| best.depth as u32),
            moves,
            nodes,
        })
    }
}

/// Results for the moves of a position.
struct FoundMoves<'a> {
    position: &'a Position,
    /// Each legal move, with what the engine reported about it.
    moves: Vec<(Move, Option<BookMove>)>,
    /// Nodes searched.
    nodes: u64,
}

impl<'a> FoundMoves<'a> {
    fn new(position: &'a Position, legal: &[Move]) -> Self {
        Self {
            position,
            moves: legal.iter().map(|&m| (m, None)).collect(),
            nodes: 0,
        }
    }

    /// Adds the lines of a search: of several about a move the deepest.
    fn add(&mut self, thought: &Thought) {
        self.nodes += thought.nodes;
        for line in &thought.lines {
            let known = self
                .moves
                .iter_mut()
                .find(|(m, _)| line.pv.first() == Some(m));
            let Some((m, known)) = known else {
                continue;
            };
            let depth = line.depth as i32;
            if known.is_none_or(|known| known.depth < depth) {
                *known = Some(BookMove {
                    ponder: line.pv.get(1).copied().map(Move16::from),
                    eval: book_eval(line.score),
                    depth,
                    ..BookMove::new(Some((*m).into()))
                });
            }
        }
    }

    /// The moves without a report.
    fn missing(&self) -> Vec<Move> {
        let missing = self.moves.iter().filter(|(_, known)| known.is_none());
        missing.map(|&(m, _)| m).collect()
    }

    /// All moves with their values, the best first.
    fn moves(self, rule: EnteringKingRule) -> Vec<BookMove> {
        let known = self.moves.iter().filter_map(|(_, known)| *known);
        let worst = known.map(|known| known.eval).min().unwrap_or(0);
        let position = self.position;
        let full = |(m, known): (Move, Option<BookMove>)| {
            let known = known.unwrap_or(BookMove {
                eval: worst,
                ..BookMove::new(Some(m.into()))
            });
            let eval = end_after(position, m, rule).map_or(known.eval, i32::from);
            BookMove { eval, ..known }
        };
        let mut moves: Vec<BookMove> = self.moves.into_iter().map(full).collect();
        moves.sort_by_key(|known| (std::cmp::Reverse(known.eval), known.mv.map(|mv| mv.0)));
        moves
    }
}

/// The value of a move that ends the game at once, or lets the other side end it.
fn end_after(position: &Position, m: Move, rule: EnteringKingRule) -> Option<i16> {
    let mut after = position.clone();
    let _ = after.do_move_unchecked(m);
    if after.has_no_legal_move() {
        return Some(MATES);
    }
    let declares = matches!(after.declaration(rule), Some(Declaration::Win));
    (declares || after.mate_in_one().is_some()).then_some(IS_MATED)
}
