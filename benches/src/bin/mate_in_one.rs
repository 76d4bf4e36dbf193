//! `mate1 YES.sfen NO.sfen [ROUNDS]`: recall and nanoseconds a call of mate in one.
//!
//! `sweep` asks about one position after the other, round and round, as a search would; `hot` asks
//! about each many times in a row.

use std::hint::black_box;
use std::time::Instant;

use benches::cpu_seconds;
use shogi_core::Position;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let mut args = std::env::args().skip(1);
    let (Some(yes), Some(no)) = (args.next(), args.next()) else {
        return Err("usage: mate1 YES.sfen NO.sfen [ROUNDS]".into());
    };
    let rounds: u32 = args.next().map_or(Ok(300), |text| text.parse())?;
    for (name, path) in [("yes", yes), ("no", no)] {
        let text = std::fs::read_to_string(path)?;
        let positions = text
            .lines()
            .map(Position::from_sfen)
            .collect::<Result<Vec<_>, _>>()?;
        let found = positions
            .iter()
            .filter(|p| p.mate_in_one().is_some())
            .count();
        let calls = f64::from(rounds) * positions.len() as f64;
        let before = cpu_seconds(start);
        for _ in 0..rounds {
            for position in &positions {
                black_box(black_box(position).mate_in_one());
            }
        }
        let sweep = (cpu_seconds(start) - before) * 1e9 / calls;
        let before = cpu_seconds(start);
        for position in &positions {
            for _ in 0..rounds {
                black_box(black_box(position).mate_in_one());
            }
        }
        let hot = (cpu_seconds(start) - before) * 1e9 / calls;
        println!(
            "{name}: found {found}/{} sweep {sweep:.1} ns hot {hot:.1} ns",
            positions.len()
        );
    }
    Ok(())
}
