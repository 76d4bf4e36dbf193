//! Ways to compute sliding attacks, side by side: `cargo bench -p benches --bench sliders`.
//!
//! `crate` is what the crate does (both halves of a line by subtraction and leading zeros, a small
//! table for files). `table` is the classic alternative, one table look-up with a perfect index for
//! each square: here the bits of the relevant squares, extracted by `pext` (or a loop where the
//! processor has none). Its tables take 320 KiB for the bishop and 8 MiB for the rook, so it is
//! measured twice: alone in the cache, and with `COLD` other bytes touched between the calls, as a
//! search with its hash and history tables does.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use shogi_core::attacks::{bishop_attacks, rook_attacks};
use shogi_core::{Bitboard, Square};

fn main() {
    divan::main();
}

/// Bytes read between batches in the cold case.
const COLD: usize = 1 << 20;

/// Calls between two reads of the cold bytes.
const BATCH: usize = 256;

type Slider = fn(Square, Bitboard) -> Bitboard;

/// Seeded positions of occupied squares, about 40 each, and squares.
fn cases() -> Vec<(Square, Bitboard)> {
    let mut state = 1u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 20
    };
    let case = |_| {
        let square = Square::from_index(next() as usize % 81).unwrap_or(Square::S5E);
        let low = next() << 31 ^ next();
        (square, Bitboard::from_words([low, next()]))
    };
    (0..BATCH * 16).map(case).collect()
}

struct Tables {
    masks: Vec<Bitboard>,
    starts: Vec<usize>,
    attacks: Vec<Bitboard>,
}

impl Tables {
    fn new(slider: Slider) -> Self {
        let mut tables = Self {
            masks: Vec::new(),
            starts: Vec::new(),
            attacks: Vec::new(),
        };
        for square in Square::ALL {
            let all = slider(square, Bitboard::EMPTY);
            // A blocker on the last square of a line changes nothing.
            let mask = all
                .into_iter()
                .filter(|&s| slider(square, s.into()) != all)
                .collect::<Bitboard>();
            let squares: Vec<Square> = mask.into_iter().collect();
            tables.masks.push(mask);
            tables.starts.push(tables.attacks.len());
            for index in 0..1usize << squares.len() {
                let blockers = squares
                    .iter()
                    .enumerate()
                    .filter(|(bit, _)| index >> bit & 1 != 0);
                let occupied = blockers.map(|(_, &s)| s).collect::<Bitboard>();
                tables.attacks.push(slider(square, occupied));
            }
        }
        tables
    }

    #[inline(always)]
    fn get(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let mask = self.masks[square.index()];
        let [mask_low, mask_high] = mask.words();
        let [low, high] = occupied.words();
        let index = extract(low, mask_low) | extract(high, mask_high) << mask_low.count_ones();
        self.attacks[self.starts[square.index()] + index as usize]
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
#[allow(unsafe_code)]
#[inline(always)]
fn extract(word: u64, mask: u64) -> u64 {
    // SAFETY: compiled only where the target has BMI2.
    unsafe { std::arch::x86_64::_pext_u64(word, mask) }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
fn extract(word: u64, mut mask: u64) -> u64 {
    let (mut found, mut bit) = (0, 0);
    while mask != 0 {
        found |= (word >> mask.trailing_zeros() & 1) << bit;
        mask &= mask - 1;
        bit += 1;
    }
    found
}

fn run(bencher: Bencher<'_, '_>, cold: bool, f: impl Fn(Square, Bitboard) -> Bitboard) {
    let cases = cases();
    let bytes = vec![1u8; COLD];
    bencher
        .counter(ItemsCount::new(cases.len()))
        .bench_local(|| {
            for batch in cases.chunks(BATCH) {
                if cold {
                    black_box(bytes.iter().step_by(64).map(|&b| u64::from(b)).sum::<u64>());
                }
                for &(square, occupied) in batch {
                    black_box(f(square, occupied));
                }
            }
        });
}

/// The cost of touching the cold bytes alone, to be taken off the cold figures.
#[divan::bench]
fn cold_overhead(bencher: Bencher<'_, '_>) {
    run(bencher, true, |_, occupied| occupied);
}

#[divan::bench(args = [false, true])]
fn bishop_crate(bencher: Bencher<'_, '_>, cold: bool) {
    run(bencher, cold, bishop_attacks);
}

#[divan::bench(args = [false, true])]
fn bishop_table(bencher: Bencher<'_, '_>, cold: bool) {
    let tables = Tables::new(bishop_attacks);
    run(bencher, cold, |square, occupied| {
        tables.get(square, occupied)
    });
}

#[divan::bench(args = [false, true])]
fn rook_crate(bencher: Bencher<'_, '_>, cold: bool) {
    run(bencher, cold, rook_attacks);
}

#[divan::bench(args = [false, true])]
fn rook_table(bencher: Bencher<'_, '_>, cold: bool) {
    let tables = Tables::new(rook_attacks);
    run(bencher, cold, |square, occupied| {
        tables.get(square, occupied)
    });
}
