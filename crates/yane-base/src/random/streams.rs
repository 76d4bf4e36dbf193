//! The generators of the crate `rand` that files of earlier versions were made with.

use rand::SeedableRng as _;
use rand::rngs::{ChaCha8Rng, Xoshiro256PlusPlus};

pub use rand::seq::{IndexedRandom, IteratorRandom, SliceRandom};
pub use rand::{Rng, RngExt};

/// The numbers of self-play, matches, tunings and choices among moves (xoshiro256++).
pub type Stream = Xoshiro256PlusPlus;

/// The numbers that shuffle and split files (`ChaCha8`): no order of units can be told from chance.
pub type ShuffleStream = ChaCha8Rng;

/// The stream of a seed. Neighbouring seeds give unrelated streams.
pub fn stream(seed: u64) -> Stream {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// The stream of a seed for shuffling.
pub fn shuffle_stream(seed: [u8; 32]) -> ShuffleStream {
    ChaCha8Rng::from_seed(seed)
}
