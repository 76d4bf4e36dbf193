//! `cargo run --release -p benches --bin othello_perft [depth]`: perft of the start, and how fast it was.

use std::time::Instant;

use othello_core::{Board, Counting, Method, perft};

fn main() {
    let depth = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let depth = depth.unwrap_or(11);
    let start = Instant::now();
    let count = perft(Board::START, depth, Counting::Moves);
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{:?}: perft {depth} {count} in {seconds:.3} s: {:.0} M/s",
        Method::available().last(),
        count as f64 / seconds / 1e6
    );
}
