//! Solves a mate problem: `cargo run --release -p yane-shogi-mate --example solve_mate ["SFEN"]`.

use std::error::Error;
use std::sync::atomic::AtomicBool;

use shogi_core::Position;
use shogi_mate::{Answer, MateLimits, SilentMateObserver, Solver, SolverOptions};

/// Mate in three: a gold sacrifice.
const PROBLEM: &str = "7nl/5B1k1/6Ppp/5+R3/9/9/9/9/9 b GNrb3g4s2n3l15p 1";

fn main() -> Result<(), Box<dyn Error>> {
    let sfen = std::env::args().nth(1);
    let position = Position::from_sfen(sfen.as_deref().unwrap_or(PROBLEM))?;
    println!("{position:#}");
    let mut solver = Solver::new(SolverOptions {
        hash_bytes: 64 << 20,
        ..SolverOptions::default()
    });
    let limits = MateLimits::default();
    let stop = AtomicBool::new(false);
    let solution = solver.solve(&position, &limits, &stop, &mut SilentMateObserver);
    match solution.answer {
        Answer::Mate(line) => {
            let moves: Vec<_> = line.moves.iter().map(ToString::to_string).collect();
            println!("mate in {}: {}", moves.len(), moves.join(" "));
        }
        Answer::NoMate => println!("no mate"),
        Answer::Unknown(reason) => println!("not decided: {reason:?}"),
    }
    Ok(())
}
