//! The evaluator: sums over KK, KKP and KPP of a line of moves, updated when a value is asked for.

use std::sync::Arc;

use shogi_core::{ByColor, Color, Delta, Position};

use super::tables::{KpptValue, Tables};
use crate::material::material_change;
use crate::{BonaChange, BonaPiece, Changes, Evaluator, MAX_VALUE, PieceList};

/// The value of `position` for the side to move, from scratch: in the internal unit, within ±31,753.
pub fn evaluate(tables: &impl Tables, position: &Position) -> i32 {
    value(&Sums::new(tables, position), position)
}

fn value(sums: &Sums, position: &Position) -> i32 {
    let value = sums.value(position.side_to_move());
    value.clamp(-MAX_VALUE, MAX_VALUE)
}

/// Evaluates with three-piece tables, KPPT or `KPP_KKPT`.
///
/// Moves are only remembered when they are made. A value asks for the sums, which are computed from
/// those of the last position of the line that has them: a move costs the table rows of the pieces it
/// changes, a king's move all rows of that king.
///
/// A king that is missing (tsume problems) is taken to stand where it starts the game.
#[derive(Debug)]
pub struct KpptEvaluator<T> {
    tables: Arc<T>,
    /// The changes of the moves from the root on; `None` for a pass.
    moves: Vec<Option<Delta>>,
    /// The sums of the root and of the positions after the first of the moves: as far as they have
    /// been needed. Empty before the first position.
    sums: Vec<Sums>,
}

impl<T> Clone for KpptEvaluator<T> {
    fn clone(&self) -> Self {
        Self {
            tables: Arc::clone(&self.tables),
            moves: self.moves.clone(),
            sums: self.sums.clone(),
        }
    }
}

impl<T: Tables> KpptEvaluator<T> {
    /// An evaluator that waits for [`Evaluator::reset`].
    pub fn new(tables: Arc<T>) -> Self {
        Self {
            tables,
            moves: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// The tables.
    pub fn tables(&self) -> &Arc<T> {
        &self.tables
    }
}

impl<T: Tables> Evaluator for KpptEvaluator<T> {
    fn reset(&mut self, position: &Position) {
        self.moves.clear();
        self.sums.clear();
        self.sums.push(Sums::new(&*self.tables, position));
    }

    fn push(&mut self, delta: Option<&Delta>) {
        self.moves.push(delta.copied());
    }

    fn pop(&mut self) {
        self.moves.pop();
        self.sums.truncate(self.moves.len() + 1);
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        loop {
            let Some(last) = self.sums.last() else {
                self.reset(position);
                continue;
            };
            let next = match self.moves.get(self.sums.len() - 1) {
                Some(Some(delta)) => last.after(&*self.tables, delta),
                Some(None) => last.clone(),
                None => return value(last, position),
            };
            self.sums.push(next);
        }
    }
}

/// Table values and material are added in 1/32 of the internal unit (YaneuraOu: `FV_SCALE`).
const SCALE: i32 = 32;

/// Everything that the value of a position is made of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sums {
    list: PieceList,
    /// KK, and KKP of all pieces.
    kings: KpptValue,
    /// KPP of all pairs of pieces, for each king.
    pairs: ByColor<KpptValue>,
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

fn both_kings(tables: &impl Tables, list: &PieceList) -> KpptValue {
    let [black, white] = Color::ALL.map(|color| list.king(color));
    let pieces = list.view(Color::Black);
    let kkp = tables.kkp_sum(black, white, pieces);
    tables.kk(black, white).plus(kkp)
}

fn all_pairs(tables: &impl Tables, list: &PieceList, color: Color) -> KpptValue {
    let (king, pieces) = (list.own_king(color), list.view(color));
    let rows = (1..pieces.len()).map(|i| tables.kpp_sum(king, pieces[i], &pieces[..i]));
    rows.fold(KpptValue::default(), KpptValue::plus)
}

/// The change of the sum of pairs that `color` sees by a move that leaves its king in place.
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
) -> KpptValue {
    let king = old.own_king(color);
    // Change of the sum by one change among `pieces`, of which `itself` is the piece that changes.
    let change = |change: &BonaChange, pieces: &[BonaPiece; PieceList::LEN], itself: BonaPiece| {
        let (before, after) = (change.before[color], change.after[color]);
        let all = tables.kpp_change(king, before, after, pieces);
        let pair = |piece| tables.kpp(king, piece, itself);
        all.minus(pair(after)).plus(pair(before))
    };
    let mut pieces = changes.pieces();
    let mut sum = KpptValue::default();
    if let Some(first) = pieces.next() {
        sum = change(first, old.view(color), first.before[color]);
    }
    if let Some(second) = pieces.next() {
        sum = sum.plus(change(second, new.view(color), second.after[color]));
    }
    sum
}
