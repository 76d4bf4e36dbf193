//! `cargo xtask bench`: the speed of the move generator, by the `perft` example of `shogi-core`.

use anyhow::{Context, Result};
use xshell::cmd;

use crate::{Outcome, workspace};

/// What is measured: name, position, depth, how the last ply is counted.
const ROWS: [(&str, &str, &str, &str); 3] = [
    ("start position, bulk", "startpos", "6", "bulk"),
    ("matsuri, bulk", "matsuri", "4", "bulk"),
    ("start position, every leaf played", "startpos", "5", "leaf"),
];

/// Measure the move generator on one core.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run each row this many times; the fastest counts.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let sh = workspace::shell()?;
    cmd!(
        sh,
        "cargo build --release --quiet --package benches --bin perft"
    )
    .run()?;
    let program = workspace::target_dir().join("release/perft");
    println!("| row | depth | nodes | million nodes a second |");
    println!("| --- | --- | --- | --- |");
    for (name, position, depth, leaves) in ROWS {
        let mut best = (0_u64, 0.0_f64);
        for _ in 0..args.runs {
            let output = cmd!(sh, "{program} {position} {depth} {leaves}")
                .quiet()
                .read()?;
            let (nodes, speed) = parse_output(&output)
                .with_context(|| format!("unexpected output of perft: {output}"))?;
            best = (nodes, best.1.max(speed));
        }
        println!("| {name} | {depth} | {} | {:.1} |", best.0, best.1);
    }
    Ok(Outcome::Clean)
}

/// Nodes and million nodes a second from `nodes N seconds S Mnps M`.
fn parse_output(output: &str) -> Option<(u64, f64)> {
    let after = |name: &str| {
        output
            .split_whitespace()
            .skip_while(|word| *word != name)
            .nth(1)
    };
    Some((after("nodes")?.parse().ok()?, after("Mnps")?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_of_the_example_is_read() {
        assert_eq!(
            parse_output("nodes 30 seconds 0.001 Mnps 12.5"),
            Some((30, 12.5))
        );
        assert_eq!(parse_output("nodes 30"), None);
    }
}
