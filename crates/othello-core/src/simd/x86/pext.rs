//! Flips by tables: the four lines through a square as bytes, which `pext` takes out of the board.

use std::arch::x86_64::{_pdep_u64, _pext_u64};

use super::super::portable::RAYS;
use crate::Square;

/// By place on a line and the opponent's discs on its inner squares: where a disc of the mover would outflank them.
static ENDS: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut place = 0;
    while place < 8 {
        let mut inner = 0;
        while inner < 64 {
            table[place][inner] = ends(place, (inner as u8) << 1);
            inner += 1;
        }
        place += 1;
    }
    table
};

/// By place on a line and the mover's discs of [`ENDS`]: the squares between.
static BETWEEN: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut closing = 0;
        while closing < 256 {
            table[place][closing] = between(place, closing as u8);
            closing += 1;
        }
        place += 1;
    }
    table
};

/// The lines through a square, and its place on each.
struct Lines {
    squares: [u64; 4],
    places: [u8; 4],
}

static LINES: [Lines; 64] = {
    let mut all = [const {
        Lines {
            squares: [0; 4],
            places: [0; 4],
        }
    }; 64];
    let mut square = 0;
    while square < 64 {
        let mut n = 0;
        while n < 4 {
            let below = RAYS[square].down[n];
            all[square].squares[n] = RAYS[square].up[n] | below | 1 << square;
            all[square].places[n] = below.count_ones() as u8;
            n += 1;
        }
        square += 1;
    }
    all
};

const fn ends(place: usize, opponent: u8) -> u8 {
    let mut ends = 0;
    let mut up = place + 1;
    while up < 8 && opponent >> up & 1 != 0 {
        up += 1;
    }
    if up > place + 1 && up < 8 {
        ends |= 1 << up;
    }
    let mut steps = 1;
    while steps <= place && opponent >> (place - steps) & 1 != 0 {
        steps += 1;
    }
    if steps > 1 && steps <= place {
        ends |= 1 << (place - steps);
    }
    ends
}

/// The squares between a place and the nearest bit on either side.
const fn between(place: usize, closing: u8) -> u8 {
    let mut between = 0;
    let above = (closing as u32) >> (place + 1) << (place + 1);
    if above != 0 {
        let nearest = above & above.wrapping_neg();
        between |= (nearest - 1) >> (place + 1) << (place + 1);
    }
    let below = closing as u32 & ((1 << place) - 1);
    if below != 0 {
        let nearest = below.ilog2();
        between |= ((1 << place) - 1) >> (nearest + 1) << (nearest + 1);
    }
    between as u8
}

/// [`super::flips_pext`].
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn flips(mover: u64, opponent: u64, square: Square) -> u64 {
    let lines = &LINES[square.index()];
    let mut flips = 0;
    for n in 0..4 {
        let (line, place) = (lines.squares[n], usize::from(lines.places[n] & 7));
        let inner = _pext_u64(opponent, line) >> 1 & 63;
        let ends = ENDS[place][inner as usize];
        let closing = ends & _pext_u64(mover, line) as u8;
        flips |= _pdep_u64(u64::from(BETWEEN[place][usize::from(closing)]), line);
    }
    flips
}
