//! The cost of a mate search before it searches: a mate in one by the solver and by `go mate`.
//!
//! `cargo bench -p benches --bench mate`.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use divan::{Bencher, black_box};
use shogi_core::{Game, Position};
use shogi_engine::{MateListener, Session};
use shogi_mate::{
    Answer, MateLimits, MateProgress, Role, SilentMateObserver, Solution, Solver, SolverOptions,
};
use shogi_usi::{GoCommand, MateLimit};

fn main() {
    divan::main();
}

/// Size of the table, in MiB.
const SIZES: [usize; 2] = [16, 1024];

fn problem() -> Position {
    Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1").expect("a position")
}

fn solver(mib: usize) -> Solver {
    Solver::new(SolverOptions {
        hash_bytes: mib << 20,
        ..SolverOptions::default()
    })
}

fn solve(solver: &mut Solver, position: &Position) -> Solution {
    let stop = AtomicBool::new(false);
    solver.solve(
        position,
        &MateLimits::default(),
        &stop,
        &mut SilentMateObserver,
    )
}

/// A solver that solved something before.
#[divan::bench(args = SIZES)]
fn solver_kept(bencher: Bencher<'_, '_>, mib: usize) {
    let (mut solver, position) = (solver(mib), problem());
    bencher.bench_local(|| solve(&mut solver, black_box(&position)));
}

/// A solver made for the problem, and given up after it.
#[divan::bench(args = SIZES)]
fn solver_made(bencher: Bencher<'_, '_>, mib: usize) {
    let position = problem();
    bencher.bench_local(|| solve(&mut solver(mib), black_box(&position)));
}

/// Sends the answer of a search to a channel.
struct Hear(Mutex<Sender<bool>>);

impl MateListener for Hear {
    fn progress(&self, _: Role, _: &MateProgress<'_>) {}

    fn finished(&self, solution: &Solution) {
        let mates = matches!(solution.answer, Answer::Mate(_));
        let sender = self.0.lock().expect("nobody panics with it");
        sender.send(mates).ok();
    }
}

/// Returns a session with the problem, the listener of its answers, and the channel on which they
/// arrive.
fn session(mib: usize) -> (Session, Arc<Hear>, Receiver<bool>) {
    let mut session = Session::new();
    let size = mib.to_string();
    session
        .set_option("USI_Hash", Some(&size))
        .expect("an option");
    session.set_game(Game::new(problem()));
    let (sender, receiver) = channel();
    (session, Arc::new(Hear(Mutex::new(sender))), receiver)
}

fn go_mate((session, listener, receiver): &mut (Session, Arc<Hear>, Receiver<bool>)) {
    let listener = Arc::clone(listener) as Arc<dyn MateListener>;
    let go = GoCommand {
        mate: Some(MateLimit::Infinite),
        ..GoCommand::default()
    };
    session.go_mate(&go, listener).expect("a thread");
    assert!(receiver.recv().expect("an answer"));
}

/// `go mate` to its answer, after others.
#[divan::bench(args = SIZES)]
fn go_mate_again(bencher: Bencher<'_, '_>, mib: usize) {
    let mut session = session(mib);
    go_mate(&mut session);
    bencher.bench_local(|| go_mate(&mut session));
}

/// The first `go mate` of a session.
#[divan::bench(args = SIZES)]
fn go_mate_first(bencher: Bencher<'_, '_>, mib: usize) {
    bencher
        .with_inputs(|| session(mib))
        .bench_local_refs(go_mate);
}
