//! Evaluations and their files through the public interface.

mod kppt;
mod loader;
mod mapped;
mod nnue_fast;
mod nnue_files;
mod shared_networks;
