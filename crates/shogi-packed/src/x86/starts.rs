//! Where the codes of the squares begin.
//!
//! The lengths of the codes on the board are those of a small automaton that reads one bit after
//! another. Read a byte at a time, all that it needs is two tables: one processor cycle a byte, as
//! the next state comes out of a shift by the last.

use crate::wide;

/// The states, as 8 times their number.
pub(crate) const ROOT: u8 = 0;
const ONE: u8 = 8;
const ONES_2: u8 = 16;
const ONES_3: u8 = 24;
const ONES_4: u8 = 32;
const REST_1: u8 = 40;
const REST_2: u8 = 48;
const REST_3: u8 = 56;

/// The state after another bit on the board.
pub(crate) const fn step(state: u8, bit: bool) -> u8 {
    match (state, bit) {
        (ROOT, true) => ONE,
        (ONE, true) => ONES_2,
        (ONES_2, true) => ONES_3,
        (ONES_3, true) => ONES_4,
        // A pawn: two more bits. Two ones, or three and a zero, are lance, knight and silver.
        (ONE | ONES_3, false) | (REST_3, _) => REST_2,
        (ONES_2, false) | (ONES_4, true) => REST_3,
        // Gold.
        (ONES_4, false) | (REST_2, _) => REST_1,
        _ => ROOT,
    }
}

/// By byte: the next state for each of the eight states, one byte each.
static NEXT: [u64; 256] = tables().0;
/// By byte: the bits at which a code begins for each of the eight states, one byte each.
static STARTS: [u64; 256] = tables().1;

const fn tables() -> ([u64; 256], [u64; 256]) {
    let mut tables = ([0; 256], [0; 256]);
    let mut byte = 0;
    while byte < 256 {
        let mut from = 0;
        while from < 64 {
            let mut state = from as u8;
            let mut starts = 0;
            let mut bit = 0;
            while bit < 8 {
                if state == ROOT {
                    starts |= 1u64 << bit;
                }
                state = step(state, byte >> bit & 1 != 0);
                bit += 1;
            }
            tables.0[byte] |= (state as u64) << from;
            tables.1[byte] |= starts << from;
            from += 8;
        }
        byte += 1;
    }
    tables
}

/// The bits of the stream at which a square's code begins, if squares' codes were to go on to the end, and
/// whether the last of these codes ends with the last bit.
#[target_feature(enable = "bmi2")]
#[inline]
pub(crate) fn find(bytes: &[u8; 32]) -> ([u64; 4], bool) {
    let mut starts = [0u8; 32];
    starts[1] = 0x80;
    let mut state = u64::from(bytes[1] >> 7) * u64::from(ONE);
    for i in 2..32 {
        let byte = usize::from(bytes[i]);
        starts[i] = (STARTS[byte] >> (state & 63)) as u8;
        state = NEXT[byte] >> (state & 63);
    }
    (wide::from_bytes(&starts), state as u8 & 63 == ROOT)
}
