//! The book in memory: positions in which every legal move has its value.

use shogi_core::movegen::LegalAll;
use shogi_core::{Move16, Position};
use shogi_packed::{PackError, PackedSfen};
use thiserror::Error;
use yane_book::{BookMove, sort_moves};

use super::graph::{NewNode, SearchGraph};

/// Values are kept within this.
const MAX_EVAL: i32 = 32_000;

/// A growing book.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) graph: SearchGraph,
    /// By node: the position, and its ply.
    positions: Vec<(PackedSfen, u16)>,
    /// By edge: the move of the book.
    moves: Vec<PackedMove>,
}

/// A move of the book in twelve bytes.
#[derive(Clone, Copy, Debug)]
struct PackedMove {
    mv: u16,
    ponder: u16,
    eval: i16,
    depth: u16,
    count: u32,
}

/// Reason why a position does not become part of the book.
#[derive(Debug, Error)]
pub(super) enum Refused {
    /// The position is in the book already.
    #[error("there already")]
    Known,
    /// A legal move of it has no value.
    #[error("the legal move {0} has no value")]
    Incomplete(shogi_core::Move),
    /// There are more pieces than a set has, or a king is missing.
    #[error(transparent)]
    Unpackable(#[from] PackError),
}

impl Store {
    /// An empty book; see [`SearchGraph::new`].
    pub(super) fn new(virtual_loss: i32) -> Self {
        Self {
            graph: SearchGraph::new(virtual_loss),
            ..Self::default()
        }
    }

    /// Adds a position. Moves that are not legal are left out. With `many` it is one of many, which
    /// [`SearchGraph::settle_all`] ends.
    pub(super) fn add(
        &mut self,
        position: &Position,
        moves: &[BookMove],
        many: bool,
    ) -> Result<(), Refused> {
        let key = position.key128();
        if self.graph.find(key).is_some() {
            return Err(Refused::Known);
        }
        let packed = PackedSfen::encode(position)?;
        let mut known = Vec::with_capacity(moves.len());
        let mut missing = None;
        position.generate_with_keys::<LegalAll>(|m, key, _| {
            let code = Move16::from(m);
            match moves.iter().find(|known| known.mv == Some(code)) {
                Some(known_move) => known.push((key, PackedMove::new(code, known_move))),
                None => missing = missing.or(Some(m)),
            }
        });
        if let Some(m) = missing {
            return Err(Refused::Incomplete(m));
        }
        // An order that depends on nothing but the position.
        known.sort_by_key(|(_, known)| (std::cmp::Reverse(known.eval), known.mv));
        let node = NewNode {
            key,
            turn: position.side_to_move(),
            in_check: position.in_check(),
        };
        let edges = known.iter().map(|&(key, known)| (key, known.eval));
        if many {
            self.graph.add_unsettled(node, edges);
        } else {
            self.graph.add(node, edges);
            self.graph.settle();
        }
        let ply = u16::try_from(position.ply()).unwrap_or(u16::MAX);
        self.positions.push((packed, ply));
        self.moves.extend(known.iter().map(|&(_, known)| known));
        Ok(())
    }

    /// The position of a node.
    pub(super) fn position(&self, node: u32) -> Position {
        let (packed, ply) = &self.positions[node as usize];
        let position = packed.decode().expect("it was packed from a position");
        position.with_ply(u32::from(*ply))
    }

    /// The position that an edge leads to.
    pub(super) fn position_after(&self, edge: u32) -> Position {
        let mut position = self.position(self.graph.origin(edge));
        let code = Move16(self.moves[edge as usize].mv);
        let m = position
            .move_from_16(code)
            .expect("only legal moves are kept");
        let _ = position.do_move_unchecked(m);
        position
    }

    /// The moves of a node, as they are written.
    pub(super) fn moves(&self, node: u32) -> Vec<BookMove> {
        let edges = self.graph.edges(node);
        let packed = &self.moves[edges.start as usize..edges.end as usize];
        let mut moves: Vec<BookMove> = packed.iter().map(PackedMove::unpack).collect();
        sort_moves(&mut moves);
        moves
    }
}

impl PackedMove {
    fn new(mv: Move16, book_move: &BookMove) -> Self {
        Self {
            mv: mv.0,
            ponder: book_move.ponder.map_or(0, |ponder| ponder.0),
            eval: book_move.eval.clamp(-MAX_EVAL, MAX_EVAL) as i16,
            depth: book_move.depth.clamp(0, i32::from(u16::MAX)) as u16,
            count: book_move.count.min(u64::from(u32::MAX)) as u32,
        }
    }

    fn unpack(&self) -> BookMove {
        BookMove {
            mv: Some(Move16(self.mv)),
            ponder: (self.ponder != 0).then_some(Move16(self.ponder)),
            eval: self.eval.into(),
            depth: self.depth.into(),
            count: self.count.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_moves(position: &Position) -> Vec<BookMove> {
        let moves = position.moves::<LegalAll>();
        let book_move = |(index, &m): (usize, &shogi_core::Move)| BookMove {
            eval: -(index as i32),
            depth: 7,
            ..BookMove::new(Some(m.into()))
        };
        moves.iter().enumerate().map(book_move).collect()
    }

    #[test]
    fn positions_round_trip() {
        let mut store = Store::new(0);
        let start = Position::startpos();
        let moves = all_moves(&start);
        store.add(&start, &moves, false).unwrap();
        assert!(matches!(
            store.add(&start, &moves, false),
            Err(Refused::Known)
        ));
        assert_eq!(store.position(0).to_sfen(), start.to_sfen());
        assert_eq!(store.moves(0), moves);
        assert_eq!(store.graph.value(0), 0);
        let leaf = store.graph.nearest_leaf(0).unwrap();
        let mut expected = start.clone();
        let _ = expected.do_move_unchecked(start.moves::<LegalAll>()[0]);
        assert_eq!(store.position_after(leaf).to_sfen(), expected.to_sfen());
        assert_eq!(store.graph.target(leaf), expected.key128());
    }

    #[test]
    fn incomplete_positions_are_refused() {
        let start = Position::startpos();
        let mut moves = all_moves(&start);
        let last = moves.pop().unwrap();
        let mut store = Store::new(0);
        let refused = store.add(&start, &moves, false).unwrap_err().to_string();
        let name = last.mv.and_then(Move16::decode).unwrap().to_string();
        assert!(refused.contains(&name), "{refused}");
        assert_eq!(store.graph.len(), 0);
        // Illegal moves are ignored.
        moves.extend([last, BookMove::new(None)]);
        store.add(&start, &moves, false).unwrap();
        assert_eq!(store.moves(0).len(), 30);
    }
}
