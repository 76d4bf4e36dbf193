//! The last part of the stream: what is in the hands and in the box.

use shogi_core::hand::{MASK, SHIFT, SPARE};
use shogi_core::{ByColor, Hand, HandKind};

use crate::codes::HAND_ORDER;
use crate::form::{Form, HAND_BITS, LOOKUP_BITS, OffBoard, STOP_BITS};
use crate::wide::{place, window};

/// Number of look-ups that [`read`] does without checking for the end.
const UNGUESSED: usize = 5;

/// Both hands, each [`HAND_BITS`], or [`Self::NONE`].
#[derive(Clone, Copy)]
pub(crate) struct Hands(u64);

impl Hands {
    /// The value for bits that are no hands.
    pub(crate) const NONE: Self = Self(u64::MAX);

    /// The hands with these bits.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The hands, if there are any.
    #[inline(always)]
    pub(crate) fn get(self) -> Option<ByColor<Hand>> {
        let hand = |bits: u64| Hand::from_bits_unchecked(bits as u32 & ((1 << HAND_BITS) - 1));
        (self.0 != Self::NONE.0).then(|| ByColor([hand(self.0), hand(self.0 >> HAND_BITS)]))
    }
}

/// Reads hands and box, the last `rest` bits of the stream. None when these bits are not just codes; counts in
/// the result may be larger than a set.
#[inline(always)]
pub(crate) fn read(words: &[u64; 4], rest: u32, form: &Form) -> Hands {
    if rest > 64 - STOP_BITS {
        return read_long(words, rest, form);
    }
    // The bits after the last stop the reading.
    let mut bits = words[3].unbounded_shr(64 - rest) | form.stop << rest;
    // The hands found so far; the upper byte counts the bits read.
    let (mut all, mut seen) = (0u64, 0);
    let mut more = 0;
    // Most hands take no more than this: no branches for the processor to guess wrong.
    for _ in 0..UNGUESSED {
        more = form.off_board_lookup[bits as usize % (1 << LOOKUP_BITS)];
        all += more;
        seen |= all;
        bits = bits.wrapping_shr((more >> (2 * HAND_BITS)) as u32);
    }
    // Beyond the stop there may be codes again, after a code that reaches into it.
    while more != 0 && all >> (2 * HAND_BITS) < u64::from(rest) {
        more = form.off_board_lookup[bits as usize % (1 << LOOKUP_BITS)];
        all += more;
        seen |= all;
        bits = bits.wrapping_shr((more >> (2 * HAND_BITS)) as u32);
    }
    hands(all, seen, rest)
}

/// [`read`] of more than fits in a word.
#[cold]
#[inline(never)]
fn read_long(words: &[u64; 4], rest: u32, form: &Form) -> Hands {
    let stream = [words[0], words[1], words[2], words[3], form.stop, 0];
    let (mut all, mut seen) = (0u64, 0);
    loop {
        let at = 256 - rest + (all >> (2 * HAND_BITS)) as u32;
        if at >= 256 {
            return hands(all, seen, rest);
        }
        let more = form.off_board_lookup[window(&stream, at) as usize % (1 << LOOKUP_BITS)];
        if more == 0 {
            return Hands::NONE;
        }
        all += more;
        seen |= all;
    }
}

/// The spare bits of both hands. A count that outgrows its bits passes through the one above them.
pub(crate) const SPARES: u64 = (SPARE as u64) << HAND_BITS | SPARE as u64;

/// The hands of what has been found, if that was so many bits and no count is too large for its bits.
#[inline(always)]
fn hands(all: u64, seen: u64, bits: u32) -> Hands {
    if all >> (2 * HAND_BITS) == u64::from(bits) && seen & SPARES == 0 {
        Hands(all & ((1 << (2 * HAND_BITS)) - 1))
    } else {
        Hands::NONE
    }
}

/// The bits of [`Hand::bits`], spare ones included, as they are spread to a byte for each kind.
const BYTES: u64 = {
    // In this order, field follows field.
    let mut bytes = 0;
    let mut i = 0;
    while i < HandKind::ALL.len() {
        let kind = HandKind::ALL[i] as usize;
        let next = if kind == 7 {
            HAND_BITS
        } else {
            SHIFT[kind + 1]
        };
        bytes |= ((1 << (next - SHIFT[kind])) - 1) << (8 * i);
        i += 1;
    }
    bytes
};

/// Returns the number of pieces of each kind in both hands together, a byte a kind, pawns lowest.
/// `deposit` is [`crate::wide::deposit`] or equal to it.
#[inline(always)]
pub(crate) fn counts(hands: ByColor<Hand>, deposit: impl Fn(u64, u64) -> u64) -> u64 {
    // With the spare bits, no sum outgrows its field.
    deposit(u64::from(hands.0[0].bits() + hands.0[1].bits()), BYTES)
}

/// Pieces counted in bytes, as in [`counts`], as if they were a hand. `extract` is [`crate::wide::extract`] or
/// equal to it.
#[inline(always)]
pub(crate) fn boxed(counts: u64, extract: impl Fn(u64, u64) -> u64) -> Hand {
    Hand::from_bits_unchecked(extract(counts, BYTES) as u32)
}

/// Codes one after another. They are right only if they take 64 bits at most.
#[derive(Clone, Copy, Default)]
pub(crate) struct Codes64 {
    pub(crate) bits: u64,
    pub(crate) len: u32,
}

impl Codes64 {
    /// The codes of an [`entry`].
    #[inline(always)]
    pub(crate) const fn new(entry: u64) -> Self {
        Self {
            bits: entry >> 6,
            len: entry as u32 % 64,
        }
    }

    /// The codes of a hand, see [`Self::push_hand`].
    #[inline(always)]
    pub(crate) fn hand(table: &OffBoard, hand: Hand, extract: impl Fn(u64, u64) -> u64) -> Self {
        let mut codes = Self::default();
        codes.push_hand(table, hand, extract);
        codes
    }

    #[inline(always)]
    const fn push(&mut self, bits: u64, len: u32) {
        self.bits |= bits.wrapping_shl(self.len);
        self.len += len;
    }

    /// Appends what `hand` holds; too little for all lances, knights and silvers. `extract` is
    /// [`crate::wide::extract`] or equal to it.
    #[inline(always)]
    pub(crate) fn push_hand(
        &mut self,
        table: &OffBoard,
        hand: Hand,
        extract: impl Fn(u64, u64) -> u64,
    ) {
        let bits = hand.bits();
        let pawns = 3 * (bits & MASK[1]);
        self.push(table.repeated[1].0 & ((1 << pawns) - 1), pawns);
        let index = extract(bits.into(), LANCES_KNIGHTS_SILVERS) as usize;
        let entry = table.lances_knights_silvers[index % 512];
        self.push(entry >> 6, entry as u32 % 64);
        let index = extract(bits.into(), BISHOPS_ROOKS_GOLDS) as usize;
        let entry = table.golds_bishops_rooks[index % 128];
        self.push(entry >> 6, entry as u32 % 64);
    }
}

const fn bits_of(kind: HandKind) -> u64 {
    (MASK[kind as usize] << SHIFT[kind as usize]) as u64
}

/// The bits of a hand's lances, knights and silvers, from the lowest up.
const LANCES_KNIGHTS_SILVERS: u64 =
    bits_of(HandKind::Lance) | bits_of(HandKind::Knight) | bits_of(HandKind::Silver);
/// The bits of a hand's bishops, rooks and golds, from the lowest up.
const BISHOPS_ROOKS_GOLDS: u64 =
    bits_of(HandKind::Bishop) | bits_of(HandKind::Rook) | bits_of(HandKind::Gold);

/// Writes hands and box from bit `at` on, one kind after another. Returns how many bits the stream has then; those beyond 256 are lost.
#[cold]
#[inline(never)]
pub(crate) fn write(
    words: &mut [u64; 4],
    mut at: u32,
    hands: ByColor<Hand>,
    boxed: Hand,
    form: &Form,
) -> u32 {
    let mut put = |table: &OffBoard, kind: HandKind, count: u8| {
        let (bits, len) = table.repeated[kind as usize];
        let len = len * u32::from(count);
        place(words, at, bits & ((1 << len) - 1));
        at += len;
    };
    for (table, hand) in form.off_board.iter().zip(hands.0) {
        for kind in HAND_ORDER {
            put(table, kind, hand.count(kind));
        }
    }
    for kind in HAND_ORDER {
        put(&form.off_board[2], kind, boxed.count(kind));
    }
    at
}
