//! How two engines search the same positions: depth, branching, time to the move that both choose in the end.
//!
//! ```console
//! YANEURA_PEER_ENGINE=/path/to/engine cargo run --release -p benches --bin search_profile [ENGINE [MS [FILE [NAME=VALUE …]]]]
//! ```
//!
//! `ENGINE` is `target/release/yaneura` unless said otherwise, `MS` 1,000, `FILE` `fixtures/search/positions.sfen` with an SFEN
//! a line. Both engines get the options, `Threads` 1 and `USI_Hash` 128, and search a position at the same time, so that
//! the machine should have two cores free. Without a peer it says so and does nothing.
//!
//! A position whose best move both engines agree about at the end counts as tactical when that move takes, promotes or gives check,
//! otherwise as quiet. The time to the solution is the time from which on an engine's main line begins with it.

use std::time::Duration;

use anyhow::{Context, Result};
use shogi_core::{Game, MoveText, Position};
use shogi_usi::client::EngineProcess;
use shogi_usi::{BestMove, GoCommand, Info, PvItem};

const PATIENCE: Duration = Duration::from_secs(60);

/// The options of both engines, as far as they have them.
const OPTIONS: [(&str, &str); 7] = [
    ("Threads", "1"),
    ("USI_Hash", "128"),
    ("BookFile", "no_book"),
    ("PvInterval", "0"),
    ("MinimumThinkingTime", "1"),
    ("NetworkDelay", "0"),
    ("NetworkDelay2", "0"),
];

/// Depth from which on branching is measured: before it single moves decide.
const BRANCHING_FROM: u32 = 6;

fn main() -> Result<()> {
    let Some(peer) = benches::peer_engine() else {
        return Ok(());
    };
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (options, plain): (Vec<_>, Vec<_>) = args.iter().partition(|arg| arg.contains('='));
    let text = |at: usize, usual: &'static str| plain.get(at).map_or(usual, |arg| arg.as_str());
    let engine = text(0, "target/release/yaneura");
    let time = Duration::from_millis(text(1, "1000").parse().context("MS is a number")?);
    let file = text(2, "fixtures/search/positions.sfen");
    let sfens = std::fs::read_to_string(file).with_context(|| file.to_owned())?;
    let [ours, theirs] = [engine.as_ref(), peer.as_os_str()]
        .map(|engine| benches::start_engine(engine, &OPTIONS, &options, PATIENCE));
    let mut engines = [ours?, theirs?];
    let (mut all, mut tactical, mut quiet) = (Vec::new(), Vec::new(), Vec::new());
    for (number, sfen) in sfens.lines().enumerate() {
        let position =
            Position::from_sfen(sfen).with_context(|| format!("{file}: line {}", number + 1))?;
        let searches = search_both(&mut engines, &position, time)?;
        let [ours, theirs] = &searches;
        if let Some(solution) = ours.best.filter(|_| ours.best == theirs.best) {
            let times = [ours, theirs].map(|search| search.solved(solution, time));
            if is_tactical(&position, solution)? {
                tactical.push(times);
            } else {
                quiet.push(times);
            }
        }
        all.push(searches);
    }
    print(&all, &tactical, &quiet, time);
    for engine in engines {
        engine.quit(PATIENCE)?;
    }
    Ok(())
}

/// What an engine told about a search.
#[derive(Default)]
struct Profile {
    /// Completed lines: depth, positions, time, first move.
    lines: Vec<(u32, u64, Duration, MoveText)>,
    best: Option<MoveText>,
}

impl Profile {
    fn add(&mut self, info: &Info) {
        let is_first = info.multi_pv.is_none_or(|number| number == 1) && info.bound.is_none();
        if let (true, Some(depth), Some(nodes), Some(time), Some(&PvItem::Move(first))) =
            (is_first, info.depth, info.nodes, info.time, info.pv.first())
        {
            self.lines.push((depth, nodes, time, first));
        }
    }

    /// The deepest iteration that was complete after `time`.
    fn depth(&self, time: Duration) -> u32 {
        let lines = self.lines.iter().filter(|line| line.2 <= time);
        lines.map(|line| line.0).max().unwrap_or(0)
    }

    fn nodes(&self) -> u64 {
        self.lines.last().map_or(0, |line| line.1)
    }

    /// The factor by which positions grow from iteration to iteration.
    fn branching(&self) -> Option<f64> {
        let early = self.lines.iter().find(|line| line.0 >= BRANCHING_FROM)?;
        let last = self.lines.last()?;
        let plies = last.0.checked_sub(early.0).filter(|&plies| plies >= 4)?;
        Some((last.1 as f64 / early.1 as f64).powf(1.0 / f64::from(plies)))
    }

    /// The time from which on the main line begins with `solution`.
    fn solved(&self, solution: MoveText, limit: Duration) -> Duration {
        let other = self.lines.iter().rposition(|line| line.3 != solution);
        let first = self.lines.get(other.map_or(0, |at| at + 1));
        first.map_or(limit, |line| line.2)
    }
}

fn search_both(
    engines: &mut [EngineProcess; 2],
    position: &Position,
    time: Duration,
) -> Result<[Profile; 2]> {
    let go = GoCommand {
        movetime: Some(time),
        ..GoCommand::default()
    };
    let game = Game::new(position.clone());
    std::thread::scope(|scope| {
        let searches = engines.each_mut().map(|engine| {
            let (game, go) = (&game, &go);
            scope.spawn(move || -> Result<Profile> {
                engine.get_ready(PATIENCE)?;
                engine.new_game()?;
                engine.start_from(game, go)?;
                let mut profile = Profile::default();
                let best = engine.wait(PATIENCE, |info| profile.add(info))?.best;
                if let BestMove::Move { best, .. } = best {
                    profile.best = Some(best);
                }
                Ok(profile)
            })
        });
        let [ours, theirs] = searches.map(|search| search.join().expect("no panic"));
        Ok([ours?, theirs?])
    })
}

fn is_tactical(position: &Position, solution: MoveText) -> Result<bool> {
    let m = position
        .move_from_text(solution)
        .context("an illegal move")?;
    let mut after = position.clone();
    let _undo = after.do_move_unchecked(m);
    Ok(m.is_promotion() || position.piece_on(m.to()).is_some() || after.in_check())
}

fn print(
    all: &[[Profile; 2]],
    tactical: &[[Duration; 2]],
    quiet: &[[Duration; 2]],
    time: Duration,
) {
    let mean = |value: &dyn Fn(&Profile) -> Option<f64>| {
        [0, 1].map(|engine| {
            let values: Vec<f64> = all.iter().filter_map(|it| value(&it[engine])).collect();
            values.iter().sum::<f64>() / values.len() as f64
        })
    };
    println!(
        "| {} positions | this | the peer |\n| --- | --- | --- |",
        all.len()
    );
    for part in [time / 10, time] {
        let [ours, theirs] = mean(&|it| Some(f64::from(it.depth(part))));
        println!(
            "| depth after {} ms | {ours:.1} | {theirs:.1} |",
            part.as_millis()
        );
    }
    let [ours, theirs] = mean(&|it| Some(it.nodes() as f64 / 1000.0));
    println!("| thousand positions | {ours:.0} | {theirs:.0} |");
    let [ours, theirs] = mean(&Profile::branching);
    println!("| branching | {ours:.2} | {theirs:.2} |");
    for (name, times) in [("tactical", tactical), ("quiet", quiet)] {
        let [ours, theirs] = [0, 1].map(|engine: usize| {
            let logs = times
                .iter()
                .map(|it| it[engine].as_secs_f64().max(0.001).ln());
            let mean = (logs.sum::<f64>() / times.len() as f64).exp() * 1000.0;
            let late = times.iter().filter(|it| it[engine] > time / 10).count();
            format!("{mean:.1} ms; {late} after {} ms", (time / 10).as_millis())
        });
        println!(
            "| {} {name} solutions, geometric mean | {ours} | {theirs} |",
            times.len()
        );
    }
}
