//! Reading and checking packed positions.

use std::arch::x86_64::*;

use super::super::board::{Board, Header, Squares};
use super::super::form::Form;
use super::super::placement::MANY;
use super::super::placement::{self, Placement, Way};
use super::super::starts::Starts;
use super::super::{attack, off_board, wide};
use super::counts::Counts;
use super::look::is_attacked;
use super::run::Run;
use super::{planes, sets, vector};

/// Reads and checks a packed position.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn read(
    bytes: &[u8; 32],
    starts: &Starts,
    form: &'static Form,
    placement: &mut Placement,
) -> bool {
    let way = Way {
        read_board: |words: &[u64; 4], header: Header| {
            let counts = Counts::new(starts.bits());
            let end = end(starts, &counts, header.squares())?;
            Some(Board {
                squares: planes::squares(words, starts.bits(), &counts, header, form),
                starts: *starts.bits(),
                end,
            })
        },
        deposit: |bits, mask| _pdep_u64(bits, mask),
        counts: |squares: &Squares| {
            let part = [
                vector::part::<0>(squares),
                vector::part::<32>(squares),
                vector::part::<64>(squares),
            ];
            sets::counts(part)
        },
        attackers: attack::attackers_on_rays,
    };
    placement.read_with(bytes, form, way)
}

/// As [`read`], with AVX-512.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "avx512bitalg,gfni")]
pub(super) fn read_512(
    bytes: &[u8; 32],
    starts: &Starts,
    form: &'static Form,
    placement: &mut Placement,
) -> bool {
    let mut outline = Outline::EMPTY;
    let table = vector::halves(&form.after_first);
    outline.read(bytes, starts, table);
    std::hint::black_box(&mut outline);
    read_rest(bytes, starts, &outline, form, placement)
}

/// How many boards [`read_many_512`] has at a time between its steps.
const OUTLINES: usize = 16;

/// As [`read_512`], for many positions.
///
/// Each step is done for several of them before the next. What a step has written in small parts cannot
/// be read as a whole before it has reached the cache; here it has long been there.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "avx512bitalg,gfni")]
pub(super) fn read_many_512(
    bytes: &[[u8; 32]; MANY],
    form: &'static Form,
    placements: &mut [Placement; MANY],
    good: &mut [bool; MANY],
) {
    let mut starts = [Starts::default(); MANY];
    super::starts::find(bytes, &mut starts);
    let mut outlines = [Outline::EMPTY; OUTLINES];
    let table = vector::halves(&form.after_first);
    for first in (0..MANY).step_by(OUTLINES) {
        for (i, outline) in (first..).zip(&mut outlines) {
            outline.read(&bytes[i], &starts[i], table);
        }
        std::hint::black_box(&mut outlines);
        for (i, outline) in (first..).zip(&outlines) {
            good[i] = read_rest(&bytes[i], &starts[i], outline, form, &mut placements[i]);
        }
    }
}

/// What the first step finds out.
#[derive(Clone, Copy)]
struct Outline {
    /// The numbers of the pieces on the squares with codes.
    run: Run,
    /// `None` when the kings' squares make no sense.
    header: Option<Header>,
    /// The bit after the board; `None` when there are not enough squares.
    end: Option<u32>,
}

impl Outline {
    const EMPTY: Self = Self {
        run: Run::EMPTY,
        header: None,
        end: None,
    };

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")]
    #[inline]
    fn read(&mut self, bytes: &[u8; 32], starts: &Starts, table: [__m512i; 2]) {
        let words = wide::from_bytes(bytes);
        let counts = Counts::new(starts.bits());
        self.header = Header::read(&words);
        let squares = self.header.map_or(0, Header::squares);
        self.end = end(starts, &counts, squares);
        self.run.read(&words, starts, &counts, table);
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "avx512bitalg,gfni")]
#[inline]
fn read_rest(
    bytes: &[u8; 32],
    starts: &Starts,
    outline: &Outline,
    form: &'static Form,
    placement: &mut Placement,
) -> bool {
    let (Some(header), Some(end)) = (outline.header, outline.end) else {
        return false;
    };
    let words = wide::from_bytes(bytes);
    let Some(hands) = off_board::read(&words, end, form) else {
        return false;
    };
    let squares = outline.run.squares(header);
    let in_hands = off_board::counts(hands, |bits, mask| _pdep_u64(bits, mask));
    let Some(missing) = placement::missing(sets::counts_512(squares) + in_hands) else {
        return false;
    };
    if let Some(king) = header.kings[header.side.flip()]
        && is_attacked(squares, header.side, king)
    {
        return false;
    }
    placement.header = header;
    placement.hands = hands;
    placement.missing = missing;
    placement.words = words;
    placement.form = form;
    placement.board.squares = vector::squares_512(squares);
    placement.board.starts = *starts.bits();
    placement.board.end = end;
    true
}

/// Where the code after the first `squares` codes begins; `None` when there are not so many.
#[target_feature(enable = "bmi1,bmi2")]
#[inline]
fn end(starts: &Starts, counts: &Counts, squares: u32) -> Option<u32> {
    let before = |word: usize| usize::from(squares >= counts.0[word]);
    let word = before(1) + before(2) + before(3) + before(4);
    let bit = _pdep_u64(
        1_u64.unbounded_shl(squares - counts.0[word]),
        starts.0[word],
    );
    (bit != 0).then_some(64 * word as u32 + bit.trailing_zeros())
}
