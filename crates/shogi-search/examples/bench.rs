//! Runs the fixed workload: `bench [DEPTH]`.

use shogi_search::bench::{BENCH_DEPTH, bench};

#[allow(clippy::cast_precision_loss)]
fn main() {
    let depth = std::env::args()
        .nth(1)
        .map_or(BENCH_DEPTH, |arg| arg.parse().expect("a depth"));
    let (nodes, time) = bench(depth);
    println!(
        "{nodes} nodes in {} ms, {:.0} a second",
        time.as_millis(),
        nodes as f64 / time.as_secs_f64()
    );
}
