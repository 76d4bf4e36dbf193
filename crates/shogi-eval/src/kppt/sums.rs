//! The sums over all kings and pieces of a position: from scratch, and after a move.

use shogi_core::{ByColor, Color, Delta, Position};

use super::tables::{Parts, Tables};
use crate::material::material_change;
use crate::{BonaChange, BonaPiece, Changes, PieceList};

/// Table values and material are added in 1/32 of the internal unit (YaneuraOu: `FV_SCALE`).
const SCALE: i32 = 32;

/// Everything that the value of a position is made of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sums {
    list: PieceList,
    /// KK, and KKP of all pieces.
    kings: Parts,
    /// KPP of all pairs of pieces, for each king.
    pairs: ByColor<Parts>,
    /// Black's material minus white's.
    material: i32,
}

impl Sums {
    /// The sums of `position`, from scratch.
    pub(super) fn new(tables: &impl Tables, position: &Position) -> Self {
        let list = PieceList::new(position);
        Self {
            kings: both_kings(tables, &list),
            pairs: ByColor(Color::ALL.map(|color| all_pairs(tables, &list, color))),
            material: position.material(),
            list,
        }
    }

    /// The sums after a move that changed `delta`; the same, bit for bit, as from scratch.
    pub(super) fn after(&self, tables: &impl Tables, delta: &Delta) -> Self {
        let changes = Changes::new(delta);
        let mut list = self.list.clone();
        list.apply(&changes);
        let moved = changes.king_moved();
        let kings = if moved.is_some() {
            both_kings(tables, &list)
        } else {
            let [black, white] = Color::ALL.map(|color| list.king(color));
            changes.pieces().fold(self.kings, |sum, change| {
                let value = |piece| tables.kkp(black, white, piece);
                sum.plus(value(change.after[Color::Black]))
                    .minus(value(change.before[Color::Black]))
            })
        };
        let pairs = Color::ALL.map(|color| {
            if moved == Some(color) {
                all_pairs(tables, &list, color)
            } else {
                let change = pairs_change(tables, color, &self.list, &list, &changes);
                self.pairs[color].plus(change)
            }
        });
        Self {
            list,
            kings,
            pairs: ByColor(pairs),
            material: self.material + material_change(delta),
        }
    }

    /// The value for the side to move in the internal unit, whatever its size.
    pub(super) fn value(&self, side_to_move: Color) -> i32 {
        let [black, white] = self.pairs.0;
        let board = self.kings.board.wrapping_add(black.board);
        let board = board.wrapping_sub(white.board);
        let board = board.wrapping_add(SCALE * self.material);
        let turn = self.kings.plus(black).plus(white).turn;
        let board = match side_to_move {
            Color::Black => board,
            Color::White => board.wrapping_neg(),
        };
        board.wrapping_add(turn) / SCALE
    }
}

fn both_kings(tables: &impl Tables, list: &PieceList) -> Parts {
    let [black, white] = Color::ALL.map(|color| list.king(color));
    let pieces = list.view(Color::Black);
    let kkp = tables.kkp_sum(black, white, pieces);
    tables.kk(black, white).plus(kkp)
}

fn all_pairs(tables: &impl Tables, list: &PieceList, color: Color) -> Parts {
    let (king, pieces) = (list.own_king(color), list.view(color));
    let rows = (1..pieces.len()).map(|i| tables.kpp_sum(king, pieces[i], &pieces[..i]));
    rows.fold(Parts::default(), Parts::plus)
}

/// What a move that leaves `color`'s king in place changes in the sum of pairs that it sees.
///
/// A piece that becomes another changes its pairs with all others. Where two pieces change, the second
/// does so among the pieces that the first has left; so the first is summed with the old list, the
/// last with the new one.
fn pairs_change(
    tables: &impl Tables,
    color: Color,
    old: &PieceList,
    new: &PieceList,
    changes: &Changes,
) -> Parts {
    let king = old.own_king(color);
    // What one change does among `pieces`, of which one, `itself`, is the piece that changes.
    let change = |change: &BonaChange, pieces: &[BonaPiece; PieceList::LEN], itself: BonaPiece| {
        let (before, after) = (change.before[color], change.after[color]);
        let all = tables.kpp_change(king, before, after, pieces);
        let pair = |piece| tables.kpp(king, piece, itself);
        all.minus(pair(after)).plus(pair(before))
    };
    let mut pieces = changes.pieces();
    let mut sum = Parts::default();
    if let Some(first) = pieces.next() {
        sum = change(first, old.view(color), first.before[color]);
    }
    if let Some(second) = pieces.next() {
        sum = sum.plus(change(second, new.view(color), second.after[color]));
    }
    sum
}
