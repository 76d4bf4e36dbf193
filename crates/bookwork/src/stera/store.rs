//! The book in memory: positions in which every legal move has its value.

use shogi_core::movegen::LegalAll;
use shogi_core::{Move16, PackError, PackedSfen, Position};
use thiserror::Error;
use yane_book::{BookMove, sort_moves};

use super::net::{Facts, Net};

/// Values are kept within this.
const MAX_EVAL: i32 = 32_000;

/// A growing book.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) net: Net,
    /// By node: the position, and its ply.
    packed: Vec<(PackedSfen, u16)>,
    /// By edge: what the book says about the move.
    told: Vec<Told>,
}

/// A move of the book in twelve bytes.
#[derive(Clone, Copy, Debug)]
struct Told {
    mv: u16,
    ponder: u16,
    eval: i16,
    depth: u16,
    count: u32,
}

/// Why a position does not become part of the book.
#[derive(Debug, Error)]
pub(super) enum Refused {
    /// It is there already.
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
    /// An empty book; see [`Net::new`].
    pub(super) fn new(virtual_loss: i32) -> Self {
        Self {
            net: Net::new(virtual_loss),
            ..Self::default()
        }
    }

    /// Adds a position. Moves that are not legal are left out. With `many` it is one of many, which
    /// [`Net::settle_all`] ends.
    pub(super) fn add(
        &mut self,
        position: &Position,
        moves: &[BookMove],
        many: bool,
    ) -> Result<(), Refused> {
        let key = position.key128();
        if self.net.find(key).is_some() {
            return Err(Refused::Known);
        }
        let packed = PackedSfen::encode(position)?;
        let mut known = Vec::with_capacity(moves.len());
        let mut missing = None;
        position.generate_with_keys::<LegalAll>(|m, key, _| {
            let code = Move16::from(m);
            match moves.iter().find(|known| known.mv == Some(code)) {
                Some(said) => known.push((key, Told::new(code, said))),
                None => missing = missing.or(Some(m)),
            }
        });
        if let Some(m) = missing {
            return Err(Refused::Incomplete(m));
        }
        // An order that depends on nothing but the position.
        known.sort_by_key(|(_, told)| (std::cmp::Reverse(told.eval), told.mv));
        let facts = Facts {
            key,
            turn: position.side_to_move(),
            in_check: position.in_check(),
        };
        let edges = known.iter().map(|&(key, told)| (key, told.eval));
        if many {
            self.net.add_unsettled(facts, edges);
        } else {
            self.net.add(facts, edges);
            self.net.settle();
        }
        let ply = u16::try_from(position.ply()).unwrap_or(u16::MAX);
        self.packed.push((packed, ply));
        self.told.extend(known.iter().map(|&(_, told)| told));
        Ok(())
    }

    /// The position of a node.
    pub(super) fn position(&self, node: u32) -> Position {
        let (packed, ply) = &self.packed[node as usize];
        let position = packed.decode().expect("it was packed from a position");
        position.with_ply(u32::from(*ply))
    }

    /// The position that an edge leads to.
    pub(super) fn behind(&self, edge: u32) -> Position {
        let mut position = self.position(self.net.origin(edge));
        let code = Move16(self.told[edge as usize].mv);
        let m = position
            .move_from_16(code)
            .expect("only legal moves are kept");
        let _ = position.do_move(m);
        position
    }

    /// The moves of a node, as they are written.
    pub(super) fn moves(&self, node: u32) -> Vec<BookMove> {
        let edges = self.net.edges(node);
        let told = &self.told[edges.start as usize..edges.end as usize];
        let mut moves: Vec<BookMove> = told.iter().map(Told::full).collect();
        sort_moves(&mut moves);
        moves
    }
}

impl Told {
    fn new(mv: Move16, said: &BookMove) -> Self {
        Self {
            mv: mv.0,
            ponder: said.ponder.map_or(0, |ponder| ponder.0),
            eval: said.eval.clamp(-MAX_EVAL, MAX_EVAL) as i16,
            depth: said.depth.clamp(0, i32::from(u16::MAX)) as u16,
            count: said.count.min(u64::from(u32::MAX)) as u32,
        }
    }

    fn full(&self) -> BookMove {
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
    fn positions_come_back() {
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
        assert_eq!(store.net.value(0), 0);
        let leaf = store.net.nearest_leaf(0).unwrap();
        let mut expected = start.clone();
        let _ = expected.do_move(start.moves::<LegalAll>()[0]);
        assert_eq!(store.behind(leaf).to_sfen(), expected.to_sfen());
        assert_eq!(store.net.target(leaf), expected.key128());
    }

    #[test]
    fn unfinished_positions_are_refused() {
        let start = Position::startpos();
        let mut moves = all_moves(&start);
        let last = moves.pop().unwrap();
        let mut store = Store::new(0);
        let refused = store.add(&start, &moves, false).unwrap_err().to_string();
        let name = last.mv.and_then(Move16::decode).unwrap().to_string();
        assert!(refused.contains(&name), "{refused}");
        assert_eq!(store.net.len(), 0);
        // What is not legal does no harm.
        moves.extend([last, BookMove::new(None)]);
        store.add(&start, &moves, false).unwrap();
        assert_eq!(store.moves(0).len(), 30);
    }
}
