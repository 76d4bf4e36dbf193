//! Where the codes of the squares begin.
//!
//! The lengths of the codes on the board are those of a small automaton that reads one bit after
//! another. Read a byte at a time, all that it needs is two tables: one processor cycle a byte, as
//! the next state comes out of a shift by the last.

use super::wide;

/// The states, as 8 times their number.
pub(super) const ROOT: u8 = 0;
const ONE: u8 = 8;
const ONES_2: u8 = 16;
const ONES_3: u8 = 24;
const ONES_4: u8 = 32;
const REST_1: u8 = 40;
const REST_2: u8 = 48;
const REST_3: u8 = 56;

/// The state after another bit.
pub(super) const fn step(state: u8, bit: bool) -> u8 {
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

struct Tables {
    /// By byte: the next state for each of the eight states, one byte each.
    next: [u64; 256],
    /// By byte: the bits at which a code begins for each of the eight states, one byte each.
    starts: [u64; 256],
}

static TABLES: Tables = {
    let mut tables = Tables {
        next: [0; 256],
        starts: [0; 256],
    };
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
            tables.next[byte] |= (state as u64) << from;
            tables.starts[byte] |= starts << from;
            from += 8;
        }
        byte += 1;
    }
    tables
};

/// Where codes begin in a stream: the bits at which a square's code begins, if squares' codes were to go
/// on to the end, and in the fifth word whether the last of them ends with the last bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Starts(pub(super) [u64; 5]);

impl Starts {
    /// The bits of the stream.
    #[inline(always)]
    pub(super) fn bits(&self) -> &[u64; 4] {
        self.0.first_chunk().expect("4 of 5")
    }
}

/// Finds where the codes of squares begin.
#[inline(always)]
pub(super) fn find(bytes: &[u8; 32]) -> Starts {
    let mut starts = [0u8; 32];
    starts[1] = 0x80;
    let mut state = u64::from(bytes[1] >> 7) * u64::from(ONE);
    for i in 2..32 {
        let byte = usize::from(bytes[i]);
        starts[i] = (TABLES.starts[byte] >> (state & 63)) as u8;
        state = TABLES.next[byte] >> (state & 63);
    }
    let [a, b, c, d] = wide::from_bytes(&starts);
    Starts([a, b, c, d, u64::from(state as u8 & 63 == ROOT)])
}
