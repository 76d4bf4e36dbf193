//! A GUI that ignores the protocol: carries out a script of USI lines with a session, and checks its
//! output.
//!
//! Searches are small and files are left alone; otherwise the lines are carried out as the engine's own
//! loop would.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use shogi_core::{Game, LenientPosition, Move, Position, Shown};
use shogi_engine::{Listener, SearchOutcome, SearchState, Session};
use shogi_search::SearchInfo;
use shogi_usi::{Command, GoCommand};

/// Lines of a script that are carried out.
const LINES: usize = 40;

/// Nodes of a search at most.
const NODES: u64 = 1500;

/// Options with names of files: scripts are not to read the machine's.
const FILES: [&str; 12] = [
    "BookFile",
    "BookDir",
    "BookOnTheFly",
    "USI_OwnBook",
    "Evaluation",
    "EvalDir",
    "EvalFile",
    "EvalSaveDir",
    "EvalArchitecture",
    "EvalShare",
    "SkipLoadingEval",
    "WriteDebugLog",
];

/// Checks the output of one search.
struct Judge {
    /// The start of the search.
    position: Position,
    /// The position before it, which pondering may search.
    before: Option<Position>,
    decisions: AtomicU32,
}

impl Judge {
    fn is_playable(&self, line: &[Move]) -> bool {
        [Some(&self.position), self.before.as_ref()]
            .into_iter()
            .flatten()
            .any(|start| {
                let mut position = start.clone();
                line.iter().all(|&m| position.try_do_move(m).is_ok())
            })
    }
}

impl Listener for Judge {
    fn line(&self, info: &SearchInfo) {
        assert!(
            self.is_playable(&info.pv),
            "{:?} in {}",
            info.pv,
            self.position.to_sfen()
        );
    }

    fn finished(&self, outcome: &SearchOutcome) {
        self.decisions.fetch_add(1, Ordering::Relaxed);
        let sfen = self.position.to_sfen();
        match *outcome {
            SearchOutcome::Move { best, ponder } => {
                let line: Vec<Move> = std::iter::once(best).chain(ponder).collect();
                assert!(self.is_playable(&line), "{line:?} in {sfen}");
            }
            SearchOutcome::Try(m) => assert!(self.is_playable(&[m]), "{m} in {sfen}"),
            SearchOutcome::Failed { .. } => panic!("the search failed in {sfen}"),
            _ => {}
        }
    }
}

/// Carries out a script.
///
/// # Panics
/// When the session does something wrong.
pub fn run_script(text: &str) {
    let mut session = Session::new();
    session
        .set_option("USI_Hash", Some("1"))
        .expect("the option exists");
    let mut judges: Vec<Arc<Judge>> = Vec::new();
    for line in text.lines().take(LINES) {
        if let Some(("position", text)) = Command::split(line) {
            if let Ok(Shown::Game(game)) = LenientPosition::parse(text).map(|line| line.shown) {
                session.set_game(game);
            }
            continue;
        }
        let Ok((command, _)) = Command::parse_leniently(line) else {
            continue;
        };
        if !carry_out(&mut session, command, &mut judges) {
            break;
        }
    }
    session.stop();
    session.wait();
    for judge in judges {
        assert_eq!(judge.decisions.load(Ordering::Relaxed), 1, "{text}");
    }
}

/// The decision whether to read on.
fn carry_out(session: &mut Session, command: Command, judges: &mut Vec<Arc<Judge>>) -> bool {
    match command {
        Command::Quit => return false,
        Command::IsReady => {
            session.prepare();
        }
        Command::SetOption { name, value } => set_option(session, &name, value.as_deref()),
        Command::UsiNewGame => session.new_game(),
        Command::Position(position) => session.set_game(position.to_game()),
        Command::Go(go) => search(session, *go, judges),
        Command::Stop | Command::GameOver(_) => session.stop(),
        Command::PonderHit(clock) => {
            session.ponder_hit(clock).expect("the system gives threads");
        }
        Command::Usi => assert!(session.options().iter().count() > 10),
    }
    true
}

fn set_option(session: &mut Session, name: &str, value: Option<&str>) {
    let is = |other: &&str| other.eq_ignore_ascii_case(name);
    if FILES.iter().any(|other| is(other)) {
        return;
    }
    let number = value.and_then(|value| value.parse::<u64>().ok());
    let large = [("Threads", 2), ("USI_Hash", 4)]
        .iter()
        .any(|(other, most)| is(other) && number.is_none_or(|number| number > *most));
    if !large {
        // A wrong name or value is an error and changes nothing.
        session.set_option(name, value).ok();
    }
}

fn search(session: &mut Session, mut go: GoCommand, judges: &mut Vec<Arc<Judge>>) {
    if go.mate.is_some() || go.perft.is_some() {
        return;
    }
    go.nodes = Some(go.nodes.unwrap_or(NODES).min(NODES));
    let game: &Game = session.game();
    let mut before = game.clone();
    let judge = Arc::new(Judge {
        position: game.position().clone(),
        before: before.undo().map(|_| before.position().clone()),
        decisions: AtomicU32::new(0),
    });
    if session.go(&go, judge.clone()).is_err() {
        // Moves to search that are illegal: nothing was started.
        return;
    }
    judges.push(judge);
    // Half of the searches are left running, as GUIs do that send commands meanwhile.
    if session.state() != SearchState::Endless && judges.len() % 2 == 0 {
        session.wait();
    }
}
