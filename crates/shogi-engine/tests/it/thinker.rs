//! Thinkers: limits, decisions, several side by side.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use shogi_core::{Game, Position, parse_position_line};
use shogi_engine::{Decision, PvEnd, Searcher, Session, ThinkError, ThinkLimits, Thinker, Thought};
use shogi_usi::Score;
use test_networks::RandomNetwork;
use test_support::fixture;

fn game(line: &str) -> Game {
    parse_position_line(line).expect("a position")
}

fn depth(depth: u32) -> ThinkLimits {
    ThinkLimits {
        depth: Some(depth),
        ..ThinkLimits::default()
    }
}

/// Calls `work` with each of `searchers` on a thread of its own, all at once: the results in the order of the searchers.
fn side_by_side<R: Send>(
    searchers: Vec<Searcher>,
    work: impl Fn(usize, Searcher) -> R + Sync,
) -> Vec<R> {
    std::thread::scope(|scope| {
        let work = &work;
        let start = |(number, searcher)| {
            let thread = std::thread::Builder::new().stack_size(Searcher::STACK_BYTES);
            let run = move || work(number, searcher);
            thread.spawn_scoped(scope, run).expect("a thread")
        };
        let threads: Vec<_> = searchers.into_iter().enumerate().map(start).collect();
        let results = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        results.map(|result| result.expect("a result")).collect()
    })
}

/// Thinks on a thread with enough stack.
fn think(searcher: Searcher, game: &Game, limits: &ThinkLimits) -> Result<Thought, ThinkError> {
    let think = |_, mut searcher: Searcher| searcher.think(game, limits);
    side_by_side(vec![searcher], think).remove(0)
}

fn thought(line: &str, limits: &ThinkLimits) -> Thought {
    think(Session::new().searcher(1), &game(line), limits).expect("a thought")
}

#[test]
fn lines_come_best_first() {
    let limits = ThinkLimits {
        lines: 3,
        ..depth(5)
    };
    let thought = thought("startpos", &limits);
    assert_eq!(thought.lines.len(), 3);
    let Decision::Play { best, ponder } = thought.decision else {
        panic!("{thought:?}");
    };
    assert_eq!(thought.lines[0].pv[0], best);
    assert!(ponder.is_some());
    let first: HashSet<_> = thought.lines.iter().map(|line| line.pv[0]).collect();
    assert_eq!(first.len(), 3);
    let scores: Vec<_> = thought
        .lines
        .iter()
        .map(|line| match line.score {
            Score::Cp(cp) => cp,
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    assert!(
        thought
            .lines
            .iter()
            .all(|line| line.depth == 5 && line.bound.is_none())
    );
}

#[test]
fn named_moves_only() {
    let start = game("startpos");
    let moves: Vec<_> = ["9g9f", "1i1h"]
        .iter()
        .map(|text| start.position().move_from_usi(text).unwrap())
        .collect();
    let limits = ThinkLimits {
        search_moves: moves.clone(),
        lines: 5,
        ..depth(3)
    };
    let thought = thought("startpos", &limits);
    assert_eq!(thought.lines.len(), 2);
    assert!(thought.lines.iter().all(|line| moves.contains(&line.pv[0])));
    let elsewhere = think(
        Session::new().searcher(1),
        &game("startpos moves 7g7f"),
        &limits,
    );
    assert!(matches!(elsewhere, Err(ThinkError::IllegalMove(m)) if m == moves[0]));
}

#[test]
fn a_thought_needs_a_limit() {
    let error = think(
        Session::new().searcher(1),
        &game("startpos"),
        &ThinkLimits::default(),
    );
    assert!(matches!(error, Err(ThinkError::NoLimit)));
    let stop = Arc::new(AtomicBool::new(false));
    let limits = ThinkLimits {
        stop: Some(stop.clone()),
        ..ThinkLimits::default()
    };
    let begin = Instant::now();
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        stop.store(true, Ordering::Relaxed);
    });
    let thought = thought("startpos", &limits);
    other.join().unwrap();
    assert!(begin.elapsed() >= Duration::from_millis(100));
    assert!(matches!(thought.decision, Decision::Play { .. }));
}

#[test]
fn ends_of_games() {
    let mated = thought("sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", &depth(3));
    assert_eq!((mated.decision, mated.nodes), (Decision::Resign, 0));
    assert_eq!(mated.lines[0].end, Some(PvEnd::Resign));
    assert_eq!(mated.lines[0].score.to_string(), "mate -1");
    let entered = "sfen LNSGKGSNL/1R5B1/PPPPPPPPP/9/9/9/ppppppppp/1b5r1/lnsgkgsnl w - 1";
    let win = thought(entered, &depth(3));
    assert_eq!(win.decision, Decision::DeclareWin);
    assert_eq!(win.lines[0].end, Some(PvEnd::Win));
    let lost = "sfen 4k4/9/9/9/9/9/9/9/R3K3R w 2B 1";
    assert!(matches!(
        thought(lost, &depth(3)).decision,
        Decision::Play { .. }
    ));
    let mut session = Session::new();
    session.set_option("ResignValue", Some("1000")).unwrap();
    let given_up = think(session.searcher(1), &game(lost), &depth(3)).unwrap();
    assert_eq!(given_up.decision, Decision::Resign);
    let mut session = Session::new();
    session
        .set_option("EnteringKingRule", Some("TryRule"))
        .unwrap();
    let near = think(
        session.searcher(1),
        &game("sfen 9/4K4/9/9/9/9/9/9/4k4 b - 1"),
        &depth(1),
    );
    let Decision::Play { best, .. } = near.unwrap().decision else {
        panic!("no move");
    };
    assert_eq!(best.to_string(), "5b5a");
}

/// The same positions give the same thoughts, whichever searcher of a session thinks about them.
#[test]
fn searchers_and_their_siblings_think_alike() {
    let lines = [
        "startpos",
        "startpos moves 7g7f",
        "startpos moves 2g2f 8c8d",
        "startpos moves 5g5f",
    ];
    let games: Vec<_> = lines.iter().map(|line| game(line)).collect();
    let mut session = Session::new();
    session.set_option("MaxMovesToDraw", Some("320")).unwrap();
    session.set_option("ResignValue", Some("500")).unwrap();
    let first = session.searcher(1);
    let siblings = [first.sibling(), first.sibling()];
    let searchers: Vec<_> = siblings.into_iter().chain([first]).collect();
    let thoughts = side_by_side(searchers, |number, mut searcher| {
        // Each has them in another order.
        let mut thoughts = vec![None; games.len()];
        for turn in 0..games.len() {
            let index = (turn + number) % games.len();
            searcher.new_game().unwrap();
            let thought = searcher.think(&games[index], &depth(5)).unwrap();
            thoughts[index] = Some((thought.decision, thought.nodes, thought.lines));
        }
        thoughts
    });
    assert!(thoughts[0].iter().all(Option::is_some));
    assert!(thoughts[1] == thoughts[0] && thoughts[2] == thoughts[0]);
}

#[test]
fn forty_searchers_share_one_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nn.bin");
    let mut bytes = Vec::new();
    RandomNetwork::new("kp_256x2-32-32".parse().unwrap(), 3)
        .write(&mut bytes)
        .unwrap();
    std::fs::write(&path, &bytes).unwrap();
    let mut session = Session::new();
    session.set_option("EvalDir", path.to_str()).unwrap();
    let searchers: Vec<_> = (0..40).map(|_| session.searcher(1)).collect();
    assert!(session.eval_problem().is_none());
    let first = searchers[0].evaluation().clone();
    assert_eq!(first.name(), "kp_256x2-32-32");
    assert!(
        searchers
            .iter()
            .all(|searcher| searcher.evaluation().is_same(&first))
    );
    // All at work at once.
    let game = Game::new(Position::startpos());
    let nodes = side_by_side(searchers, |_, mut searcher| {
        searcher.think(&game, &depth(3)).unwrap().nodes
    });
    assert_eq!(nodes.len(), 40);
    assert!(nodes.iter().all(|&own| own == nodes[0]), "{nodes:?}");
}

#[test]
fn searchers_take_the_parameters_of_a_tuner() {
    let nodes = |session: &mut Session| {
        let thought = think(session.searcher(1), &game("startpos"), &depth(8));
        thought.expect("a thought").nodes
    };
    let mut session = Session::new();
    let before = nodes(&mut session);
    // Far from any sensible value, so that the search cannot be the same.
    let set = session.set_option("lmr_base", Some("0"));
    assert_eq!(set.is_ok(), cfg!(feature = "tune"));
    assert_eq!(nodes(&mut session) != before, cfg!(feature = "tune"));
}

/// The deep engine with a small network of random weights.
fn deep() -> Box<dyn Thinker> {
    let mut session = Session::new();
    let network = fixture("deep/mtiny.onnx");
    session
        .set_option("EvalDir", network.to_str())
        .expect("an option");
    let thinker = session.thinker(1, 1);
    assert!(session.is_deep() && thinker.name().contains("deep"));
    thinker
}

#[test]
fn the_deep_engine_tells_visits() {
    let limits = ThinkLimits {
        nodes: Some(20),
        lines: 600,
        // Reached long before.
        ..depth(1)
    };
    let thought = deep().think(&game("startpos"), &limits).expect("a thought");
    assert_eq!(thought.nodes, 20);
    let sum: u32 = thought.visits.iter().map(|known| known.visits).sum();
    assert_eq!(sum, 20);
    assert!(thought.visits.iter().all(|known| known.visits > 0));
    let first: Vec<_> = thought.lines.iter().map(|line| line.pv[0]).collect();
    let visited: Vec<_> = thought.visits.iter().map(|known| known.mv).collect();
    // Fewer than there are legal moves: a move that was not tried has no score.
    assert!(first == visited && first.len() < 30, "{thought:?}");
    let cp = |line: &shogi_engine::ThoughtLine| match line.score {
        Score::Cp(cp) => cp,
        _ => panic!("{line:?}"),
    };
    let most = cp(&thought.lines[0]);
    assert!(thought.lines.iter().all(|line| cp(line) <= most));
}

#[test]
fn the_deep_engine_tells_what_is_proved() {
    let limits = ThinkLimits {
        nodes: Some(100),
        lines: 600,
        ..ThinkLimits::default()
    };
    let mut thinker = deep();
    let mate = game("sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    let thought = thinker.think(&mate, &limits).expect("a thought");
    let best = thought.lines[0].pv[0];
    assert_eq!(best.to_string(), "G*5b");
    assert_eq!(thought.lines[0].score, Score::MateUnknown);
    assert!(thought.visits[0].mv == best && thought.visits[0].win_rate >= 1.0);
    // The king has one move, and is mated by a gold then.
    let mated = game("sfen 4k4/9/9/9/9/9/7g1/9/8K b g 1");
    let thought = thinker.think(&mated, &limits).expect("a thought");
    assert_eq!(thought.lines[0].score, Score::MatedUnknown);
    assert!(thought.visits[0].win_rate <= 0.0);
}
