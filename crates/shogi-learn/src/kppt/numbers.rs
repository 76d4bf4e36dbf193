//! The numbers of a three-piece evaluation in training: one for each class of values that symmetry makes the same.

use std::sync::OnceLock;

use rayon::prelude::*;
use shogi_core::{Color, HandKind, Piece, PieceKind, Square};
use shogi_eval::kppt::{KpptLayout, KpptTable, KpptValue, Tables};
use shogi_eval::{BonaPiece, PieceList};

use crate::Result;
use crate::checkpoint::{Parsed, Reader, Writer};

const KINGS: usize = Square::COUNT;
const PIECES: usize = BonaPiece::PIECE_END;
/// Pairs of pieces, each once.
const PAIRS: usize = PIECES * (PIECES + 1) / 2;
/// KKP values of one black king.
const KKP_PART: usize = KINGS * PIECES;

/// The number that `AdaGrad` adds to a sum of squares.
const EPSILON: f32 = 1e-6;

/// The turn's values take this part of the rate.
const TURN_RATE: f32 = 1.0 / 8.0;

/// Numbers that a checkpoint has one mask for.
const BLOCK: usize = 64;

/// The mark of the end of a table in a checkpoint.
const END: u32 = u32::MAX;

/// The board's and the turn's value, and the sums of the squares of their gradients.
///
/// An array and no struct, as zeros of these come from the system as they are, and take no memory before they are touched.
type Number = [[f32; 2]; 2];

/// A class, and how an entry of a table belongs to it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Class {
    index: usize,
    /// Factors of the entry's gradient: that of the board, negative if players are exchanged, and that of the turn.
    counts: [f32; 2],
}

/// Pieces seen in a mirror, and by the other player.
struct Images {
    mirror: [u16; PIECES],
    inverse: [u16; PIECES],
}

fn images() -> &'static Images {
    static IMAGES: OnceLock<Images> = OnceLock::new();
    IMAGES.get_or_init(|| {
        let mut inverse = [0; PIECES];
        let mut put = |black: BonaPiece, white: BonaPiece| {
            inverse[black.index()] = white.index() as u16;
        };
        for piece in Piece::ALL {
            for square in Square::ALL {
                if piece.kind() != PieceKind::King {
                    let [black, white] = Color::ALL.map(|c| BonaPiece::on_board(piece, square, c));
                    put(black, white);
                }
            }
        }
        for kind in HandKind::ALL {
            for owner in Color::ALL {
                for nth in 1..=kind.piece_kind().set_count() {
                    let [black, white] =
                        Color::ALL.map(|c| BonaPiece::in_hand(kind, owner, nth, c));
                    put(black, white);
                }
            }
        }
        let mirrored =
            |index| BonaPiece::from_index(index).map_or(0, |piece| piece.mirror().index());
        Images {
            mirror: std::array::from_fn(|index| mirrored(index) as u16),
            inverse,
        }
    })
}

/// The class of an entry by its images, each with the sign of the board's value. The first is the entry itself.
fn class<const N: usize>(images: [(usize, f32); N]) -> Class {
    let index = images.iter().map(|image| image.0).min().unwrap_or(0);
    let mut counts = [0.0; 2];
    for (_, sign) in images.iter().filter(|image| image.0 == index) {
        counts[0] += sign;
        counts[1] += 1.0;
    }
    Class { index, counts }
}

const fn kk_index(black: Square, white: Square) -> usize {
    black.index() * KINGS + white.index()
}

fn kk_class(black: Square, white: Square) -> Class {
    let (b, w) = (white.rotate(), black.rotate());
    class([
        (kk_index(black, white), 1.0),
        (kk_index(black.mirror(), white.mirror()), 1.0),
        (kk_index(b, w), -1.0),
        (kk_index(b.mirror(), w.mirror()), -1.0),
    ])
}

fn kkp_class(images: &Images, black: Square, white: Square, piece: usize) -> Class {
    let (b, w) = (white.rotate(), black.rotate());
    let inverse = usize::from(images.inverse[piece]);
    let index = |black, white, piece| kk_index(black, white) * PIECES + piece;
    let mirror = |piece: usize| usize::from(images.mirror[piece]);
    class([
        (index(black, white, piece), 1.0),
        (index(black.mirror(), white.mirror(), mirror(piece)), 1.0),
        (index(b, w, inverse), -1.0),
        (index(b.mirror(), w.mirror(), mirror(inverse)), -1.0),
    ])
}

#[inline(always)]
fn kpp_class(images: &Images, king: Square, first: usize, second: usize) -> Class {
    let index = |king: Square, first: usize, second: usize| {
        let (low, high) = if first < second {
            (first, second)
        } else {
            (second, first)
        };
        king.index() * PAIRS + high * (high + 1) / 2 + low
    };
    let mirror = |piece: usize| usize::from(images.mirror[piece]);
    class([
        (index(king, first, second), 1.0),
        (index(king.mirror(), mirror(first), mirror(second)), 1.0),
    ])
}

/// The gradient of a number, by its place in its part of a table.
#[derive(Clone, Copy, Debug)]
struct Gradient {
    at: u32,
    values: [f32; 2],
}

/// Gradients of some samples, by table and part.
pub(super) struct Gradients {
    kk: Vec<Gradient>,
    kkp: Vec<Vec<Gradient>>,
    kpp: Vec<Vec<Gradient>>,
}

impl Gradients {
    pub(super) fn new() -> Self {
        Self {
            kk: Vec::new(),
            kkp: vec![Vec::new(); KINGS],
            kpp: vec![Vec::new(); KINGS],
        }
    }

    /// Adds the gradients of all numbers that a position uses; `gradient` is that of its logit, for `side`, whose move it is.
    pub(super) fn add(&mut self, list: &PieceList, side: Color, gradient: f32) {
        let images = images();
        let turn = gradient / 32.0;
        let board = match side {
            Color::Black => turn,
            Color::White => -turn,
        };
        let of = |class: Class, part: usize, sign: f32| Gradient {
            at: (class.index % part) as u32,
            values: [sign * board * class.counts[0], turn * class.counts[1]],
        };
        let (black, white) = (list.king(Color::Black), list.king(Color::White));
        self.kk.push(of(kk_class(black, white), KINGS * KINGS, 1.0));
        for piece in pieces(list, Color::Black) {
            let class = kkp_class(images, black, white, piece);
            self.kkp[class.index / KKP_PART].push(of(class, KKP_PART, 1.0));
        }
        for (perspective, sign) in [(Color::Black, 1.0), (Color::White, -1.0)] {
            let king = list.own_king(perspective);
            for_each_pair(list, perspective, |first, second| {
                let class = kpp_class(images, king, first, second);
                self.kpp[class.index / PAIRS].push(of(class, PAIRS, sign));
            });
        }
    }
}

/// All numbers.
pub(super) struct Numbers {
    layout: KpptLayout,
    kk: Vec<Number>,
    kkp: Vec<Number>,
    kpp: Vec<Number>,
}

/// The pieces of a view that have values: those that are in the game.
fn pieces(list: &PieceList, perspective: Color) -> impl Iterator<Item = usize> + Clone + '_ {
    let pieces = list.view(perspective).iter();
    pieces.map(|piece| piece.index()).filter(|&piece| piece > 0)
}

impl Numbers {
    /// Zeros. Memory is taken as numbers are touched.
    pub(super) fn zeros(layout: KpptLayout) -> Self {
        let zeros = |len: usize| -> Vec<Number> { vec![[[0.0; 2]; 2]; len] };
        Self {
            layout,
            kk: zeros(KINGS * KINGS),
            kkp: zeros(KINGS * KKP_PART),
            kpp: zeros(KINGS * PAIRS),
        }
    }

    /// Takes the values of `tables`. Where they are not symmetric, those of the first entry of each class.
    pub(super) fn fill(&mut self, tables: &impl Tables) {
        let images = images();
        let piece = |index: usize| BonaPiece::from_index(index).unwrap_or(BonaPiece::NONE);
        let set = |number: &mut Number, value: KpptValue| {
            number[0] = [value.board as f32, value.turn as f32];
        };
        for black in Square::ALL {
            for white in Square::ALL {
                let index = kk_index(black, white);
                if kk_class(black, white).index == index {
                    set(&mut self.kk[index], tables.kk(black, white));
                }
                for p in 1..PIECES {
                    let index = index * PIECES + p;
                    if kkp_class(images, black, white, p).index == index {
                        set(&mut self.kkp[index], tables.kkp(black, white, piece(p)));
                    }
                }
            }
            for first in 2..PIECES {
                for second in 1..first {
                    let class = kpp_class(images, black, first, second);
                    if class.index / PAIRS == black.index() {
                        let value = tables.kpp(black, piece(first), piece(second));
                        set(&mut self.kpp[class.index], value);
                    }
                }
            }
        }
    }

    /// Writes all numbers that are not zero, with their sums of squares, to a checkpoint: for each block of 64 numbers that has
    /// some its number, their mask and they themselves; then [`END`].
    pub(super) fn write(&self, writer: &mut Writer) -> Result<()> {
        let mut bytes = Vec::new();
        for numbers in [&self.kk, &self.kkp, &self.kpp] {
            for (block, numbers) in numbers.chunks(BLOCK).enumerate() {
                let is_used =
                    |number: &Number| number.as_flattened().iter().any(|n| n.to_bits() != 0);
                if !numbers.iter().any(is_used) {
                    continue;
                }
                bytes.clear();
                bytes.extend((block as u32).to_le_bytes());
                let mask = numbers
                    .iter()
                    .enumerate()
                    .map(|(at, n)| u64::from(is_used(n)) << at);
                bytes.extend(mask.sum::<u64>().to_le_bytes());
                for number in numbers.iter().filter(|number| is_used(number)) {
                    let values = number.as_flattened().iter();
                    bytes.extend(values.flat_map(|value| value.to_le_bytes()));
                }
                writer.bytes(&bytes)?;
            }
            writer.bytes(&END.to_le_bytes())?;
        }
        Ok(())
    }

    /// Reads what [`Self::write`] wrote. The numbers must be zeros before.
    pub(super) fn read(&mut self, reader: &mut Reader<'_>) -> Parsed<()> {
        const WRONG: &str = "the checkpoint is damaged: it has numbers that are not in the tables";
        for numbers in [&mut self.kk, &mut self.kkp, &mut self.kpp] {
            loop {
                let block = reader.u32()?;
                if block == END {
                    break;
                }
                let mut mask = reader.u64()?;
                while mask != 0 {
                    let at = block as usize * BLOCK + mask.trailing_zeros() as usize;
                    let number = numbers.get_mut(at).ok_or(WRONG)?;
                    reader.numbers(number.as_flattened_mut())?;
                    mask &= mask - 1;
                }
            }
        }
        if reader.is_at_end() {
            Ok(())
        } else {
            Err(WRONG)
        }
    }

    fn value_of(numbers: &[Number], class: Class) -> [f64; 2] {
        let [board, turn] = numbers[class.index][0];
        let sign = match class.counts[0] {
            n if n > 0.0 => 1.0,
            n if n < 0.0 => -1.0,
            // Its own image with players exchanged.
            _ => 0.0,
        };
        [f64::from(board) * sign, f64::from(turn)]
    }

    /// The sums of a position's values: of the board for black, and of the turn.
    pub(super) fn sums(&self, list: &PieceList) -> [f64; 2] {
        let images = images();
        let mut sums = [0.0; 2];
        let mut add = |[board, turn]: [f64; 2], sign: f64| {
            sums[0] += sign * board;
            sums[1] += turn;
        };
        let (black, white) = (list.king(Color::Black), list.king(Color::White));
        add(Self::value_of(&self.kk, kk_class(black, white)), 1.0);
        for piece in pieces(list, Color::Black) {
            let class = kkp_class(images, black, white, piece);
            add(Self::value_of(&self.kkp, class), 1.0);
        }
        for (perspective, sign) in [(Color::Black, 1.0), (Color::White, -1.0)] {
            let king = list.own_king(perspective);
            for_each_pair(list, perspective, |first, second| {
                let class = kpp_class(images, king, first, second);
                add(Self::value_of(&self.kpp, class), sign);
            });
        }
        sums
    }

    /// Takes a step, but not in tables that are `frozen`. Gradients are summed up in the order of `gradients`, part by part.
    pub(super) fn update(&mut self, gradients: &[Gradients], eta: f32, frozen: &[KpptTable]) {
        let kpp_has_turn = self.layout == KpptLayout::Kppt;
        let wide = (eta, i32::MAX as f32, true);
        if !frozen.contains(&KpptTable::Kk) {
            let gradients = gradients.iter().flat_map(|gradients| &gradients.kk);
            update_part(&mut self.kk, gradients, wide, &mut Scratch::default());
        }
        if !frozen.contains(&KpptTable::Kkp) {
            let kkp = self.kkp.par_chunks_mut(KKP_PART).enumerate();
            kkp.for_each_init(Scratch::default, |scratch, (part, numbers)| {
                let gradients = gradients.iter().flat_map(|gradients| &gradients.kkp[part]);
                update_part(numbers, gradients, wide, scratch);
            });
        }
        if !frozen.contains(&KpptTable::Kpp) {
            let rule = (eta, f32::from(i16::MAX), kpp_has_turn);
            let kpp = self.kpp.par_chunks_mut(PAIRS).enumerate();
            kpp.for_each_init(Scratch::default, |scratch, (part, numbers)| {
                let gradients = gradients.iter().flat_map(|gradients| &gradients.kpp[part]);
                update_part(numbers, gradients, rule, scratch);
            });
        }
    }

    fn rounded(values: [f64; 2]) -> KpptValue {
        let [board, turn] = values.map(|value| value.round() as i32);
        KpptValue { board, turn }
    }

    /// Parts in which the bytes of a table are made.
    pub(super) const fn parts(table: KpptTable) -> usize {
        match table {
            KpptTable::Kk => 1,
            KpptTable::Kkp => KINGS,
            KpptTable::Kpp => KINGS * PIECES,
        }
    }

    /// The bytes of a part of a table's file.
    pub(super) fn bytes(&self, table: KpptTable, part: usize) -> Vec<u8> {
        let square = |index: usize| Square::ALL[index % KINGS];
        let piece = |index: usize| BonaPiece::from_index(index).unwrap_or(BonaPiece::NONE);
        let mut bytes = Vec::new();
        let wide = |bytes: &mut Vec<u8>, value: KpptValue| {
            bytes.extend(value.board.to_le_bytes());
            bytes.extend(value.turn.to_le_bytes());
        };
        match table {
            KpptTable::Kk => {
                for index in 0..KINGS * KINGS {
                    wide(&mut bytes, self.kk(square(index / KINGS), square(index)));
                }
            }
            KpptTable::Kkp => {
                for index in 0..KKP_PART {
                    let white = square(index / PIECES);
                    wide(
                        &mut bytes,
                        self.kkp(square(part), white, piece(index % PIECES)),
                    );
                }
            }
            KpptTable::Kpp => {
                let (king, first) = (square(part / PIECES), piece(part % PIECES));
                for second in 0..PIECES {
                    let value = self.kpp(king, first, piece(second));
                    bytes.extend((value.board as i16).to_le_bytes());
                    if self.layout == KpptLayout::Kppt {
                        bytes.extend((value.turn as i16).to_le_bytes());
                    }
                }
            }
        }
        bytes
    }
}

/// Calls `f` with each pair of pieces of a view.
#[inline(always)]
fn for_each_pair(list: &PieceList, perspective: Color, mut f: impl FnMut(usize, usize)) {
    let view = list.view(perspective);
    for (index, first) in view.iter().enumerate() {
        for second in &view[..index] {
            let (first, second) = (first.index(), second.index());
            if first > 0 && second > 0 && first != second {
                f(first, second);
            }
        }
    }
}

/// Memory for sums of gradients, zeros between two uses.
#[derive(Default)]
struct Scratch {
    sums: Vec<[f32; 2]>,
    touched: Vec<u32>,
}

/// A step of `AdaGrad` for the numbers of a part: rate, largest value, and whether they have a value of the turn.
fn update_part<'a>(
    numbers: &mut [Number],
    gradients: impl Iterator<Item = &'a Gradient>,
    (eta, limit, has_turn): (f32, f32, bool),
    scratch: &mut Scratch,
) {
    scratch
        .sums
        .resize(numbers.len().max(scratch.sums.len()), [0.0; 2]);
    for gradient in gradients {
        let sums = &mut scratch.sums[gradient.at as usize];
        if sums.iter().all(|sum| sum.to_bits() == 0) {
            scratch.touched.push(gradient.at);
        }
        sums[0] += gradient.values[0];
        sums[1] += gradient.values[1];
    }
    for at in scratch.touched.drain(..) {
        let sums = std::mem::take(&mut scratch.sums[at as usize]);
        let [values, squares] = &mut numbers[at as usize];
        let rates = [eta, if has_turn { eta * TURN_RATE } else { 0.0 }];
        for (part, rate) in rates.into_iter().enumerate() {
            let square = &mut squares[part];
            *square += sums[part] * sums[part];
            let step = rate * sums[part] / (*square + EPSILON).sqrt();
            values[part] = (values[part] - step).clamp(-limit, limit);
        }
    }
}

impl Tables for Numbers {
    fn kk(&self, black: Square, white: Square) -> KpptValue {
        Self::rounded(Self::value_of(&self.kk, kk_class(black, white)))
    }

    fn kkp(&self, black: Square, white: Square, piece: BonaPiece) -> KpptValue {
        if piece == BonaPiece::NONE {
            return KpptValue::default();
        }
        let class = kkp_class(images(), black, white, piece.index());
        Self::rounded(Self::value_of(&self.kkp, class))
    }

    fn kpp(&self, king: Square, first: BonaPiece, second: BonaPiece) -> KpptValue {
        if first == second || first == BonaPiece::NONE || second == BonaPiece::NONE {
            return KpptValue::default();
        }
        let class = kpp_class(images(), king, first.index(), second.index());
        Self::rounded(Self::value_of(&self.kpp, class))
    }
}

#[cfg(test)]
mod tests {
    use shogi_core::Position;
    use shogi_eval::kppt::evaluate;
    use test_support::SplitMix64;

    use super::*;

    const SFENS: [&str; 3] = [
        Position::STARTPOS_SFEN,
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        "ln1gk2nl/1r1s2g2/p1pppp1pp/6p2/1p7/2P1P4/PP1P1PPPP/1S2GS1R1/LN1GK2NL b Bb 1",
    ];

    /// Numbers after a few steps with random gradients.
    fn trained(layout: KpptLayout) -> Numbers {
        let mut numbers = Numbers::zeros(layout);
        let mut random = SplitMix64::new(3);
        for _ in 0..4 {
            let mut gradients = Gradients::new();
            for sfen in SFENS {
                let position = Position::from_sfen(sfen).unwrap();
                let list = PieceList::new(&position);
                let gradient = random.below(1000) as f32 / 500.0 - 1.0;
                let side = position.side_to_move();
                gradients.add(&list, side, gradient);
            }
            numbers.update(&[gradients], 30.0, &[]);
        }
        numbers
    }

    #[test]
    fn values_are_those_of_the_evaluator() {
        for layout in [KpptLayout::Kppt, KpptLayout::KppKkpt] {
            let numbers = trained(layout);
            for sfen in SFENS {
                let position = Position::from_sfen(sfen).unwrap();
                let list = PieceList::new(&position);
                let exact = numbers.value(&position, &list);
                let value = f64::from(evaluate(&numbers, &position));
                // 1,445 numbers are rounded, each by half of a 32nd at most.
                assert!((exact - value).abs() < 23.0, "{exact} {value}");
            }
        }
    }

    #[test]
    fn tables_are_symmetric() {
        let numbers = trained(KpptLayout::Kppt);
        let position = Position::from_sfen(SFENS[1]).unwrap();
        let list = PieceList::new(&position);
        let (black, white) = (list.king(Color::Black), list.king(Color::White));
        let images = images();
        let piece = |index: u16| BonaPiece::from_index(index.into()).unwrap();
        let mut values = 0;
        for &p in list.view(Color::Black) {
            let value = numbers.kkp(black, white, p);
            values += i32::from(value.board != 0);
            assert_eq!(
                numbers.kkp(black.mirror(), white.mirror(), p.mirror()),
                value
            );
            let inverse = piece(images.inverse[p.index()]);
            let inverse = numbers.kkp(white.rotate(), black.rotate(), inverse);
            assert_eq!((-inverse.board, inverse.turn), (value.board, value.turn));
            for &q in list.view(Color::Black) {
                let value = numbers.kpp(black, p, q);
                assert_eq!(numbers.kpp(black, q, p), value);
                assert_eq!(numbers.kpp(black.mirror(), p.mirror(), q.mirror()), value);
            }
            assert_eq!(numbers.kpp(black, p, BonaPiece::NONE), KpptValue::default());
            assert_eq!(numbers.kpp(black, p, p), KpptValue::default());
        }
        assert!(values > 30);
        let opposite = Square::S5I;
        assert_eq!(numbers.kk(opposite, opposite.rotate()).board, 0);
        let other = numbers.kk(white.rotate(), black.rotate());
        assert_eq!(other.board, -numbers.kk(black, white).board);
    }

    #[test]
    fn a_step_is_that_of_the_rule() {
        let mut numbers = Numbers::zeros(KpptLayout::Kppt);
        let position = Position::from_sfen(SFENS[1]).unwrap();
        let list = PieceList::new(&position);
        let mut gradients = Gradients::new();
        gradients.add(&list, Color::Black, 0.64);
        let view: Vec<usize> = pieces(&list, Color::Black).collect();
        let class = kpp_class(images(), list.own_king(Color::Black), view[0], view[5]);
        let (part, at) = (class.index / PAIRS, class.index % PAIRS);
        let mut sums = [0.0; 2];
        for gradient in gradients.kpp[part].iter().filter(|g| g.at as usize == at) {
            // The gradient of the logit over 32, once for each image.
            assert!((gradient.values[1] / 0.02 - class.counts[1]).abs() < 1e-5);
            sums[0] += gradient.values[0];
            sums[1] += gradient.values[1];
        }
        assert!(sums[1] > 0.0);
        numbers.update(&[gradients], 30.0, &[]);
        let [values, squares] = numbers.kpp[class.index];
        for (part, rate) in [(0, 30.0), (1, 30.0 / 8.0)] {
            let sum: f32 = sums[part];
            let expected = -rate * sum / (sum * sum + EPSILON).sqrt();
            assert!(
                (values[part] - expected).abs() < 1e-3,
                "{values:?} {expected}"
            );
            assert!((squares[part] - sum * sum).abs() < 1e-7);
        }
    }

    #[test]
    fn frozen_tables_stay_as_they_are() {
        let list = PieceList::new(&Position::from_sfen(SFENS[1]).unwrap());
        let (black, white) = (list.king(Color::Black), list.king(Color::White));
        let mut numbers = Numbers::zeros(KpptLayout::Kppt);
        let mut gradients = Gradients::new();
        gradients.add(&list, Color::White, 0.5);
        numbers.update(&[gradients], 30.0, &[KpptTable::Kk, KpptTable::Kpp]);
        let view = list.view(Color::Black);
        assert_eq!(numbers.kk(black, white), KpptValue::default());
        assert_eq!(numbers.kpp(black, view[0], view[5]), KpptValue::default());
        assert_ne!(numbers.kkp(black, white, view[0]), KpptValue::default());
    }

    #[test]
    fn a_part_of_a_file_has_the_bytes_of_its_values() {
        for (layout, width) in [(KpptLayout::Kppt, 4), (KpptLayout::KppKkpt, 2)] {
            let numbers = trained(layout);
            let list = PieceList::new(&Position::from_sfen(SFENS[1]).unwrap());
            let (king, view) = (list.own_king(Color::Black), list.view(Color::Black));
            let bytes = numbers.bytes(KpptTable::Kpp, king.index() * PIECES + view[0].index());
            assert_eq!(bytes.len(), PIECES * width);
            for &other in view {
                let at = other.index() * width;
                let value = i16::from_le_bytes([bytes[at], bytes[at + 1]]);
                assert_eq!(i32::from(value), numbers.kpp(king, view[0], other).board);
            }
            let lens = KpptTable::ALL.map(|table| {
                let part = numbers.bytes(table, 0).len() as u64;
                part * Numbers::parts(table) as u64
            });
            assert_eq!(lens, KpptTable::ALL.map(|table| layout.file_len(table)));
        }
    }
}
