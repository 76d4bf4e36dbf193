//! The memory of the process over a thousand games: alone in its process, as other tests take memory too.

use shogi_core::{Game, Position};
use shogi_deep::{
    PolicyValue, PolicyValueEvaluator, PuctParams, PuctRun, PuctSearch, PvMateSolver,
};

/// A network that says the same of every position.
struct Flat(PolicyValue);

impl PolicyValueEvaluator for Flat {
    fn max_batch(&self) -> usize {
        1
    }

    fn put(&mut self, _place: usize, _position: &Position) {}

    fn evaluate(&mut self, _count: usize) {}

    fn output(&self, _place: usize) -> &PolicyValue {
        &self.0
    }
}

/// KiB of memory that the process has.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// A short game on two threads, with mates searched for beside it.
fn play(
    search: &mut PuctSearch,
    evaluators: &mut [Flat],
    solvers: &mut [PvMateSolver],
    number: usize,
) {
    let mut game = Game::new(Position::startpos());
    for ply in 0..4 {
        search.set_game(game.clone(), &[], &mut evaluators[0]);
        let never = std::sync::atomic::AtomicBool::new(false);
        let run = PuctRun::new(40, &never);
        search.run_watched(evaluators, solvers, &run, || {});
        let moves = search.root_moves();
        game.play_unchecked(moves[(number + ply) % 5].m);
    }
    // Every other game begins with a tree of its own.
    if number.is_multiple_of(2) {
        search.forget(&mut evaluators[0]);
    }
}

#[test]
fn a_thousand_games_take_the_memory_of_some() {
    let mut evaluators = [0, 1].map(|_| Flat(PolicyValue::default()));
    let mut solvers = [PvMateSolver::new(100)];
    let params = PuctParams::default();
    let start = Game::new(Position::startpos());
    let mut search = PuctSearch::new(start, params, &mut evaluators[0]);
    let (mut tree, mut process) = (0, None);
    for number in 0..1000 {
        play(&mut search, &mut evaluators, &mut solvers, number);
        if number == 100 {
            (tree, process) = (search.bytes(), resident());
        }
    }
    assert_eq!(search.bytes(), tree);
    let Some((before, after)) = process.zip(resident()) else {
        eprintln!("skipped: the system does not tell the memory of a process");
        return;
    };
    // Two KiB a game would be twice as much.
    assert!(after <= before + 1024, "{before} KiB, then {after}");
}
