//! The transposition table: what earlier searches found out about a board.
//!
//! An entry is 16 bytes: a word of data, and 64 bits of the board's key combined with the data by XOR; 19 more bits of the
//! key are in the data. Four entries share a cluster of one cache line, on large pages where the system has them. All
//! accesses are relaxed atomic loads and stores of whole words, so any number of threads may use the table at once without
//! locks: an entry torn between two writers no longer matches its key and is as good as absent.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use othello_core::{Board, Square};
use yane_base::memory::AtomicWords;

use crate::Selectivity;

const ENTRIES: usize = 4;
/// Words of a cluster: for each entry the check (key XOR data), then the data.
const CLUSTER_WORDS: usize = 2 * ENTRIES;
const CLUSTER_BYTES: usize = CLUSTER_WORDS * size_of::<AtomicU64>();

/// Searches from 1 to 31; 0 is in no entry, so that no entry is all zeros.
const GENERATIONS: u8 = 31;

/// What is known of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The score is at least this.
    pub(crate) lower: i32,
    /// The score is at most this.
    pub(crate) upper: i32,
    /// Depth of the search in plies, 0 to 63.
    pub(crate) depth: u32,
    /// Selectivity of the search.
    pub(crate) selectivity: Selectivity,
    /// The best move and the one that was best before.
    pub(crate) moves: [Option<Square>; 2],
}

impl Entry {
    /// Returns whether the bounds hold for a search so deep and so sure.
    #[inline(always)]
    pub(crate) fn is_enough(&self, depth: u32, selectivity: Selectivity) -> bool {
        self.depth >= depth && self.selectivity >= selectivity
    }

    /// Bits 0–7 lower bound, 8–15 upper bound, 16–21 depth, 22–25 selectivity, 26–32 and 33–39 moves (64 for none),
    /// 40–44 generation, 45–63 of the key.
    #[inline(always)]
    fn pack(&self, generation: u8, extra: u64) -> u64 {
        let mv = |mv: Option<Square>| mv.map_or(64, |square| u64::from(square.number()));
        u64::from(self.lower as i8 as u8)
            | u64::from(self.upper as i8 as u8) << 8
            | u64::from(self.depth & 63) << 16
            | (self.selectivity as u64) << 22
            | mv(self.moves[0]) << 26
            | mv(self.moves[1]) << 33
            | u64::from(generation) << 40
            | extra << 45
    }

    #[inline(always)]
    fn unpack(data: u64) -> Self {
        let mv = |shift: u32| Square::new((data >> shift) as u8 & 127);
        Self {
            lower: i32::from(data as i8),
            upper: i32::from((data >> 8) as i8),
            depth: (data >> 16) as u32 & 63,
            selectivity: Selectivity::of_number((data >> 22) as usize & 15),
            moves: [mv(26), mv(33)],
        }
    }
}

/// The generation of packed data.
const fn generation(data: u64) -> u8 {
    (data >> 40) as u8 & 31
}

const fn depth(data: u64) -> u32 {
    (data >> 16) as u32 & 63
}

/// The key of a board: 64 bits that choose the cluster and are checked, and 19 that are checked only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    check: u64,
    extra: u64,
}

impl Key {
    /// The key of a board.
    #[inline(always)]
    pub(crate) fn of(board: Board) -> Self {
        // Odd numbers without a pattern: the golden ratio and two that SplitMix64 mixes with.
        let mover = u128::from(board.mover() ^ 0x9e37_79b9_7f4a_7c15);
        let product = mover.wrapping_mul(u128::from(board.opponent() ^ 0xbf58_476d_1ce4_e5b9));
        let (low, high) = (product as u64, (product >> 64) as u64);
        let mixed = (low ^ high.rotate_left(32)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self {
            check: mixed ^ mixed >> 32,
            extra: high.wrapping_add(low >> 23) >> 7 & 0x7_ffff,
        }
    }
}

/// The transposition table.
#[derive(Debug)]
pub(crate) struct TranspositionTable {
    words: AtomicWords,
    generation: AtomicU8,
}

impl TranspositionTable {
    /// An empty table of at most so many bytes (at least 64; half as many each time the system has no such space).
    pub(crate) fn new(bytes: usize) -> Self {
        let mut clusters = (bytes / CLUSTER_BYTES).max(1);
        let words = loop {
            match AtomicWords::zeros(clusters * CLUSTER_WORDS) {
                Ok(words) => break words,
                Err(_) if clusters > 1 => clusters /= 2,
                Err(error) => panic!("no 64 bytes of memory: {error}"),
            }
        };
        Self {
            words,
            generation: AtomicU8::new(1),
        }
    }

    /// Size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.words.len() * size_of::<AtomicU64>()
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self, threads: usize) {
        self.words.clear(threads);
        *self.generation.get_mut() = 1;
    }

    /// A new search begins: entries of earlier ones are replaced first.
    pub(crate) fn new_search(&self) {
        let next = self.generation.load(Relaxed) % GENERATIONS + 1;
        self.generation.store(next, Relaxed);
    }

    #[inline(always)]
    fn cluster(&self, key: Key) -> &[AtomicU64; CLUSTER_WORDS] {
        let clusters = self.words.as_chunks::<CLUSTER_WORDS>().0;
        let index = (u128::from(key.check) * clusters.len() as u128) >> 64;
        &clusters[index as usize]
    }

    /// Hints that the board will be looked up soon.
    #[inline(always)]
    pub(crate) fn prefetch(&self, key: Key) {
        yane_base::memory::prefetch(self.cluster(key));
    }

    /// The entry of a board.
    #[inline(always)]
    pub(crate) fn probe(&self, key: Key) -> Option<Entry> {
        let slots = self.cluster(key).as_chunks::<2>().0;
        slots.iter().find_map(|[check, data]| {
            let data = data.load(Relaxed);
            let is_it = check.load(Relaxed) ^ data == key.check && data >> 45 == key.extra;
            (is_it && data != 0).then(|| Entry::unpack(data))
        })
    }

    /// Keeps what a search in the window from `alpha` to `beta` found: a score and the best move.
    #[inline]
    pub(crate) fn store(&self, key: Key, found: Found) {
        let generation_now = self.generation.load(Relaxed);
        let slots = self.cluster(key).as_chunks::<2>().0;
        let mut victim = 0;
        let mut least = u32::MAX;
        for (n, [check, data]) in slots.iter().enumerate() {
            let data = data.load(Relaxed);
            if check.load(Relaxed) ^ data == key.check && data >> 45 == key.extra && data != 0 {
                let entry = found.upgrade(&Entry::unpack(data));
                return write(&slots[n], key, entry.pack(generation_now, key.extra));
            }
            let is_old = data == 0 || generation(data) != generation_now;
            let worth = if is_old { 0 } else { 64 } + depth(data);
            if worth < least {
                (victim, least) = (n, worth);
            }
        }
        let entry = found.entry([found.best, None]);
        write(&slots[victim], key, entry.pack(generation_now, key.extra));
    }

    /// Used entries of this search, per mille, estimated from the first thousand clusters.
    pub(crate) fn full_per_mille(&self) -> u32 {
        let now = self.generation.load(Relaxed);
        let sample = self.words.len().min(1000 * CLUSTER_WORDS);
        let data = self.words[..sample].iter().skip(1).step_by(2);
        let used = data
            .map(|data| data.load(Relaxed))
            .filter(|&data| data != 0 && generation(data) == now)
            .count();
        (used * 1000 / (sample / 2).max(1)) as u32
    }
}

#[inline(always)]
fn write([check, word]: &[AtomicU64; 2], key: Key, data: u64) {
    word.store(data, Relaxed);
    check.store(key.check ^ data, Relaxed);
}

/// The result of a search of one board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) depth: u32,
    pub(crate) selectivity: Selectivity,
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
    pub(crate) score: i32,
    pub(crate) best: Option<Square>,
}

impl Found {
    const fn lower(&self) -> i32 {
        if self.score > self.alpha {
            self.score
        } else {
            -64
        }
    }

    const fn upper(&self) -> i32 {
        if self.score < self.beta {
            self.score
        } else {
            64
        }
    }

    const fn entry(&self, moves: [Option<Square>; 2]) -> Entry {
        Entry {
            lower: self.lower(),
            upper: self.upper(),
            depth: self.depth,
            selectivity: self.selectivity,
            moves,
        }
    }

    /// The entry after this result: bounds of an equal search become narrower, others are replaced.
    fn upgrade(&self, old: &Entry) -> Entry {
        let best = if self.score > self.alpha || old.moves[0].is_none() {
            self.best
        } else {
            old.moves[0]
        };
        let moves = match best {
            Some(best) if old.moves[0] != Some(best) => [Some(best), old.moves[0]],
            _ => old.moves,
        };
        let mut entry = self.entry(moves);
        let is_equal = (old.depth, old.selectivity) == (self.depth, self.selectivity);
        if is_equal {
            let (lower, upper) = (entry.lower.max(old.lower), entry.upper.min(old.upper));
            // Selective searches may contradict each other; then the newer one counts.
            if lower <= upper {
                (entry.lower, entry.upper) = (lower, upper);
            }
        }
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(alpha: i32, score: i32, best: &str) -> Found {
        Found {
            depth: 20,
            selectivity: Selectivity::Exact,
            alpha,
            beta: alpha + 1,
            score,
            best: best.parse().ok(),
        }
    }

    #[test]
    fn bounds_of_equal_searches_become_narrower() {
        let table = TranspositionTable::new(1 << 12);
        let key = Key::of(Board::START);
        assert_eq!(table.probe(key), None);
        table.store(key, found(3, 4, "d3"));
        table.store(key, found(9, 8, "c4"));
        let entry = table.probe(key).unwrap();
        assert_eq!((entry.lower, entry.upper), (4, 8));
        assert_eq!(entry.moves[0], "d3".parse().ok());
        assert!(entry.is_enough(20, Selectivity::P99) && !entry.is_enough(21, Selectivity::P99));
        table.store(key, found(5, 6, "f5"));
        let entry = table.probe(key).unwrap();
        assert_eq!((entry.lower, entry.upper), (6, 8));
        assert_eq!(entry.moves, ["f5".parse().ok(), "d3".parse().ok()]);
        // A search of another depth replaces them.
        table.store(
            key,
            Found {
                depth: 21,
                ..found(-3, -4, "f5")
            },
        );
        let entry = table.probe(key).unwrap();
        assert_eq!((entry.depth, entry.lower, entry.upper), (21, -64, -4));
    }

    #[test]
    fn entries_survive_packing() {
        for lower in [-64, 0, 64] {
            for selectivity in Selectivity::ALL {
                let entry = Entry {
                    lower,
                    upper: 64,
                    depth: 60,
                    selectivity,
                    moves: ["h8".parse().ok(), None],
                };
                assert_eq!(Entry::unpack(entry.pack(31, 0x7_ffff)), entry);
            }
        }
    }

    #[test]
    fn old_and_shallow_entries_go_first() {
        // One cluster: every board is in it.
        let table = TranspositionTable::new(CLUSTER_BYTES);
        let boards: Vec<_> = (0..6)
            .map(|n| Board::new(1 << n, 1 << 40).unwrap())
            .collect();
        let keep = |n: usize, depth| {
            table.store(
                Key::of(boards[n]),
                Found {
                    depth,
                    ..found(0, 1, "a1")
                },
            );
        };
        for (n, depth) in [(0, 5), (1, 9), (2, 3), (3, 7)] {
            keep(n, depth);
        }
        keep(4, 1);
        let is_there = |n: usize| table.probe(Key::of(boards[n])).is_some();
        assert!(is_there(0) && is_there(1) && !is_there(2) && is_there(3) && is_there(4));
        table.new_search();
        keep(1, 9);
        for n in [0, 2, 3, 4, 5] {
            keep(n, 2);
        }
        assert!(is_there(1), "the one of this search that is deep");
    }

    #[test]
    fn threads_share_it() {
        let table = TranspositionTable::new(1 << 10);
        let threads = if cfg!(miri) { 2 } else { 4 };
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let table = &table;
                scope.spawn(move || {
                    for n in 0..2000u64 {
                        let board = Board::new(n % 97 + 1, 1 << 63).unwrap();
                        let score = (n % 97) as i32 - 48;
                        let key = Key::of(board);
                        if let Some(entry) = table.probe(key) {
                            assert_eq!((entry.lower, entry.upper), (score, score));
                        }
                        let alpha = -64;
                        let wide = Found {
                            alpha,
                            beta: 64,
                            score,
                            ..found(0, 0, "a1")
                        };
                        table.store(
                            key,
                            Found {
                                depth: thread + 1,
                                ..wide
                            },
                        );
                    }
                });
            }
        });
    }
}
