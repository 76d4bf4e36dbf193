//! What a book is made of.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;

use shogi_core::Position;
use shogi_packed::PackedSfen;
use yane_base::random::SplitMix64;

use crate::hash;

use anyhow::Result;

/// Write a synthetic opening book in the .db text format.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The book to write; replaced if it exists.
    pub(super) out: PathBuf,
    /// Number of positions.
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    pub(super) positions: u32,
    /// Seed of the book: same seed and same options, same bytes.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(super) seed: u64,
    /// Largest move number of a position; the initial position has move number 1.
    #[arg(long, value_name = "PLY", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..=500))]
    pub(super) max_ply: u16,
    /// Average number of registered moves, from 1 to 100.
    #[arg(long, value_name = "X", default_value_t = 2.8, value_parser = parse_average)]
    pub(super) moves_per_position: f64,
    /// Write the positions in random order instead of sorted by their lines.
    #[arg(long)]
    pub(super) shuffle: bool,
    /// Register every legal move, pointless non-promotions too.
    #[arg(long)]
    pub(super) all_moves: bool,
    /// Share of games, in percent, that are played once more with pieces walking back and forth and
    /// with perpetual checks, so that the book has circles of 4 and 6 plies.
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(super) cyclic: u8,
    /// End lines with CR LF instead of LF.
    #[arg(long)]
    pub(super) crlf: bool,
}

// The positions met so far, each once, with the smallest move number.

/// A set of positions, in the order in which they were first met.
///
/// About 160 bytes a position: the texts lie in one buffer.
#[derive(Debug, Default)]
pub(super) struct Collection {
    pub(super) numbers: HashMap<PackedSfen, u32>,
    /// The first three fields of every SFEN, one after the other.
    pub(super) texts: Vec<u8>,
    /// The end of each text.
    pub(super) ends: Vec<u64>,
    pub(super) plies: Vec<u16>,
}

impl Collection {
    /// Number of positions.
    pub(super) fn len(&self) -> usize {
        self.plies.len()
    }

    /// Adds `position`, whose packed form is `packed`, or lowers its move number.
    pub(super) fn add(&mut self, position: &Position, packed: PackedSfen) {
        let ply = position.ply() as u16;
        match self.numbers.entry(packed) {
            Entry::Occupied(known) => {
                let known = &mut self.plies[*known.get() as usize];
                *known = ply.min(*known);
            }
            Entry::Vacant(free) => {
                free.insert(self.plies.len() as u32);
                self.texts
                    .extend_from_slice(position.to_sfen_without_ply().as_bytes());
                self.ends.push(self.texts.len() as u64);
                self.plies.push(ply);
            }
        }
    }

    /// Lets go of what only [`Collection::add`] needs.
    pub(super) fn freeze(&mut self) {
        self.numbers = HashMap::new();
    }

    /// The SFEN of position `number` without its move number.
    pub(super) fn text(&self, number: u32) -> &str {
        std::str::from_utf8(self.bytes(number)).expect("an SFEN is ASCII")
    }

    pub(super) fn bytes(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.texts[start as usize..self.ends[number] as usize]
    }

    /// The smallest move number at which position `number` was met.
    pub(super) fn ply(&self, number: u32) -> u16 {
        self.plies[number as usize]
    }

    /// The numbers of all positions in the bytewise order of their lines.
    pub(super) fn sorted(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..self.len() as u32).collect();
        // No text is in the book twice, and no character of one sorts before the space that ends
        // it: the move numbers cannot change the order.
        numbers.sort_unstable_by(|&a, &b| self.bytes(a).cmp(self.bytes(b)));
        numbers
    }

    /// The numbers of all positions in random order, the same for a `seed`.
    pub(super) fn shuffled(&self, seed: u64) -> Vec<u32> {
        let mut numbers = self.sorted();
        let mut random = SplitMix64::new(hash::combine(seed, u64::MAX));
        for last in (1..numbers.len()).rev() {
            numbers.swap(last, random.index(last + 1));
        }
        numbers
    }
}

pub(super) const EXAMPLES: &str = "\
Examples:
  cargo xtask synth-book --positions 2000000 --seed 1 b2m.db      270 MB, sorted
  cargo xtask synth-book --seed 2 --shuffle unsorted.db           something for a sort to do
  cargo xtask synth-book --seed 3 --cyclic 5 circles.db           repetitions, perpetual checks
  cargo xtask synth-book --positions 20000 --all-moves full.db    every legal move registered

Two books with different seeds share positions, though rarely with the same evaluations: merge them.";

pub(super) fn parse_average(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(average) if (1.0..=100.0).contains(&average) => Ok(average),
        _ => Err("a number from 1 to 100 is expected".to_owned()),
    }
}
