//! Books through the public interface.

mod comments;
mod edits;
mod formats;
mod from_sfen;
mod lists;
mod merging;
mod parts;
mod peta_next;
mod peta_shock;
mod probe;
mod probe_goldens;
mod questions;
mod round_trips;
mod trees;
mod util;
