//! The last part of the stream: what is in the hands and in the box.

use super::codes::{Codes, HAND_ORDER, InHand};
use super::form::{Form, code, entry};
use super::wide::{place, window};
use crate::hand::{MASK, SHIFT, SPARE};
use crate::{ByColor, Color, Hand, HandKind};

/// The codes of a hand or of the box, by count.
pub(super) struct OffBoard {
    /// The codes of all pieces of each kind, and the length of one; by kind.
    repeated: [(u64, u32); 8],
    /// [`entry`] of lances, knights and silvers, by the bits [`LANCES_KNIGHTS_SILVERS`] of a
    /// hand.
    lances_knights_silvers: [u64; 512],
    /// [`entry`] of golds, bishops and rooks, by the bits [`BISHOPS_ROOKS_GOLDS`] of a hand.
    golds_bishops_rooks: [u64; 128],
}

/// How many bits [`lookup`] looks at.
pub(super) const LOOKUP_BITS: u32 = 10;
/// How many times [`read`] looks up without asking whether it is at the end.
const UNGUESSED: usize = 3;
/// Bits of a hand in [`lookup`].
const HAND_BITS: u32 = 28;

/// What codes off the board 10 bits begin with: the pieces that they add to black's hand (bits as in
/// [`Hand::bits`]), to white's (28 bits further up), and from bit 56 on how many bits they take.
/// Zero when there is not one whole code.
pub(super) const fn lookup(codes: &Codes) -> [u64; 1 << LOOKUP_BITS] {
    let mut table = [0; 1 << LOOKUP_BITS];
    let mut bits = 0;
    while bits < table.len() {
        let mut at = 0;
        while let Some((place, len)) = codes.read_in_hand((bits >> at) as u8) {
            if at + len > LOOKUP_BITS as usize {
                break;
            }
            if let InHand::Hand(color, kind) = place {
                table[bits] += 1 << (SHIFT[kind as usize] + HAND_BITS * color as u32);
            }
            at += len;
        }
        table[bits] |= (at as u64) << (2 * HAND_BITS);
        bits += 1;
    }
    table
}

/// Seven bits that begin with no code.
pub(super) const fn stop(codes: &Codes) -> u64 {
    let mut bits = 127;
    while codes.read_in_hand(bits).is_some() {
        bits -= 1;
    }
    bits as u64
}

impl OffBoard {
    /// The codes of `color`'s hand, or of the box for `None`.
    pub(super) const fn new(codes: &Codes, color: Option<Color>) -> Self {
        use HandKind::{Bishop, Gold, Knight, Lance, Rook, Silver};
        let mut table = Self {
            repeated: [(0, 0); 8],
            lances_knights_silvers: [0; 512],
            golds_bishops_rooks: [0; 128],
        };
        let mut i = 0;
        while i < HandKind::ALL.len() {
            let kind = HandKind::ALL[i];
            let set = kind.piece_kind().set_count() as usize;
            let (bits, len) = repeat(code(codes, color, kind), set, (0, 0));
            table.repeated[kind as usize] = (bits, (len / set) as u32);
            i += 1;
        }
        let mut i = 0;
        while i < 512 {
            let (lances, knights, silvers) = (i & 7, i >> 3 & 7, i >> 6);
            // All twelve, sixty bits, do not fit: their length will be missed.
            if lances <= 4 && knights <= 4 && silvers <= 4 && lances + knights + silvers < 12 {
                let bits = repeat(code(codes, color, Lance), lances, (0, 0));
                let bits = repeat(code(codes, color, Knight), knights, bits);
                let bits = repeat(code(codes, color, Silver), silvers, bits);
                table.lances_knights_silvers[i] = entry(bits);
            }
            i += 1;
        }
        let mut i = 0;
        while i < 128 {
            let (bishops, rooks, golds) = (i & 3, i >> 2 & 3, i >> 4);
            if bishops <= 2 && rooks <= 2 && golds <= 4 {
                let bits = repeat(code(codes, color, Gold), golds, (0, 0));
                let bits = repeat(code(codes, color, Bishop), bishops, bits);
                let bits = repeat(code(codes, color, Rook), rooks, bits);
                table.golds_bishops_rooks[i] = entry(bits);
            }
            i += 1;
        }
        table
    }
}

/// `bits` with `count` codes appended; lengths beside the bits.
const fn repeat(
    (code, len): (u64, usize),
    count: usize,
    (mut bits, mut at): (u64, usize),
) -> (u64, usize) {
    let mut i = 0;
    while i < count {
        bits |= code << at;
        at += len;
        i += 1;
    }
    (bits, at)
}

/// Reads hands and box from bit `end` of the board to the end of the stream. `None` when these bits are not just codes; counts in
/// the result may be larger than a set.
#[inline(always)]
pub(super) fn read(words: &[u64; 4], end: u32, form: &Form) -> Option<ByColor<Hand>> {
    // The bits after the last stop the reading.
    let stream = [words[0], words[1], words[2], words[3], form.stop, 0];
    // What has been found: in the upper byte how many bits that were.
    let (mut found, mut seen) = (0u64, 0);
    let mut step = |bits: u64| {
        let more = form.off_board_lookup[bits as usize % (1 << LOOKUP_BITS)];
        found += more;
        seen |= found;
        (found, bits.wrapping_shr((more >> (2 * HAND_BITS)) as u32))
    };
    let len = |found: u64| (found >> (2 * HAND_BITS)) as u32;
    let mut bits = window(&stream, end);
    let mut all = 0;
    // Most hands take no more than this: no branches for the processor to guess wrong.
    for _ in 0..UNGUESSED {
        (all, bits) = step(bits);
    }
    while end + len(all) < 256 {
        let before = all;
        (all, _) = step(window(&stream, end + len(before)));
        if all == before {
            return None;
        }
    }
    // A count that outgrows its bits passes through the spare bit above them.
    let spare = u64::from(SPARE) << HAND_BITS | u64::from(SPARE);
    (end + len(all) == 256 && seen & spare == 0).then(|| {
        let hand = |bits: u64| Hand::from_bits(bits as u32 & ((1 << HAND_BITS) - 1));
        ByColor([hand(all), hand(all >> HAND_BITS)])
    })
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

/// How many pieces of each kind both hands hold, a byte a kind, pawns lowest. `deposit` is
/// [`super::wide::deposit`] or equal to it.
#[inline(always)]
pub(super) fn counts(hands: ByColor<Hand>, deposit: impl Fn(u64, u64) -> u64) -> u64 {
    // With the spare bits, no sum outgrows its field.
    deposit(u64::from(hands.0[0].bits() + hands.0[1].bits()), BYTES)
}

/// Pieces counted in bytes, as in [`counts`], as if they were a hand. `extract` is [`super::wide::extract`] or
/// equal to it.
#[inline(always)]
pub(super) fn boxed(counts: u64, extract: impl Fn(u64, u64) -> u64) -> Hand {
    Hand::from_bits(extract(counts, BYTES) as u32)
}

/// Codes one after another. They are right only if they take 64 bits at most.
#[derive(Clone, Copy, Default)]
pub(super) struct Codes64 {
    pub(super) bits: u64,
    pub(super) len: u32,
}

impl Codes64 {
    /// The codes of an [`entry`].
    #[inline(always)]
    pub(super) const fn new(entry: u64) -> Self {
        Self {
            bits: entry >> 6,
            len: entry as u32 % 64,
        }
    }

    /// The codes of a hand, see [`Self::push_hand`].
    #[inline(always)]
    pub(super) fn hand(table: &OffBoard, hand: Hand, extract: impl Fn(u64, u64) -> u64) -> Self {
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
    /// [`super::wide::extract`] or equal to it.
    #[inline(always)]
    pub(super) fn push_hand(
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
pub(super) fn write(
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
