//! Evaluations and their files through the public interface.

mod incremental;
mod kppt;
mod loader;
mod mapped;
mod nnue_fast;
mod nnue_files;
mod nnue_goldens;
mod shared_networks;
