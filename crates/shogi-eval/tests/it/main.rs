//! Evaluations and their files through the public interface.

mod choice;
mod incremental;
mod kppt;
mod laid_out;
mod nnue_fast;
mod nnue_files;
mod nnue_goldens;
mod shared_networks;
