//! `perft POSITION DEPTH [bulk|leaf]`: counts positions and prints millions of nodes a second.

use std::time::Instant;

use benches::cpu_seconds;
use shogi_core::{Leaves, parse_position_line, perft};

const MATSURI: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let position = args.next().unwrap_or_else(|| "startpos".to_owned());
    let position = if position == "matsuri" {
        MATSURI.to_owned()
    } else {
        position
    };
    let depth = args.next().unwrap_or_else(|| "5".to_owned()).parse()?;
    let leaves = match args.next().as_deref() {
        Some("leaf") => Leaves::Played,
        _ => Leaves::Bulk,
    };
    let mut position = parse_position_line(&position)?.position().clone();
    let start = Instant::now();
    let before = cpu_seconds(start);
    let nodes = perft(&mut position, depth, leaves);
    let seconds = cpu_seconds(start) - before;
    println!(
        "nodes {nodes} seconds {seconds:.3} Mnps {:.1}",
        nodes as f64 / seconds / 1e6
    );
    Ok(())
}
