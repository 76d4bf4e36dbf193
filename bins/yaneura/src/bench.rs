//! `bench` and `speedtest`: benchmarks of the search.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use shogi_core::{Game, Position};
use shogi_engine::{Decision, Session, ThinkLimits, Thinker, Thought};
use shogi_eval::Evaluator;
use shogi_eval::loader::AnyEvaluator;
use shogi_search::bench::{BENCH_DEPTH, BENCH_POSITIONS};
use shogi_usi::{Info, PvItem, Response};

use crate::error::LineError;
use crate::queries::stoppable_perft;
use crate::streams::OutputHandle;
use crate::usi_loop::{Work, ready};

/// Largest depth: deeper searches would not end.
const DEEPEST: u32 = 30;
/// For the deep engine a depth stands for 2 to its power of playouts, divided by this.
const DEPTHS_PLAYOUTS: u64 = 16;

/// A workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bench {
    /// `bench [DEPTH]`: the same number of positions on every machine.
    Fixed(u32),
    /// `bench HASH THREADS [LIMIT [POSITIONS [KIND]]]`.
    Free(FreeBench),
    /// `speedtest [THREADS] [HASH] [SECONDS]`.
    Speed(SpeedTest),
}

/// A workload of the user's choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FreeBench {
    hash_mib: usize,
    threads: usize,
    limit: u64,
    positions: Positions,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Positions {
    Default,
    Current,
    File(String),
}

/// The kind of a workload, which is the unit of its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Milliseconds for each position.
    MoveTime,
    Depth,
    Nodes,
    /// No search: move sequences of this many plies.
    Perft,
    /// No search: the static values.
    Eval,
}

/// A test of the speed in positions of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SpeedTest {
    threads: usize,
    hash_mib: usize,
    seconds: u64,
}

impl Bench {
    /// Parses the text after the word `bench`. A single small number is a depth, a larger one a size,
    /// as YaneuraOu has it.
    pub(crate) fn parse(words: &[&str]) -> Option<Self> {
        match words {
            [] => return Some(Self::Fixed(BENCH_DEPTH)),
            [depth] => {
                if let Some(depth) = depth
                    .parse()
                    .ok()
                    .filter(|depth| (1..=DEEPEST).contains(depth))
                {
                    return Some(Self::Fixed(depth));
                }
            }
            _ => {}
        }
        let number = |index: usize, default: u64| {
            words
                .get(index)
                .map_or(Some(default), |word| word.parse().ok())
        };
        let kind = match words.get(4).copied() {
            None | Some("movetime") => Kind::MoveTime,
            Some("depth") => Kind::Depth,
            Some("nodes") => Kind::Nodes,
            Some("perft") => Kind::Perft,
            Some("eval") => Kind::Eval,
            Some(_) => return None,
        };
        let limit = number(2, 15_000)?;
        let too_deep = matches!(kind, Kind::Perft) && limit > u64::from(DEEPEST);
        if words.len() > 5 || too_deep {
            return None;
        }
        Some(Self::Free(FreeBench {
            hash_mib: number(0, 1024)? as usize,
            threads: number(1, 1)? as usize,
            limit,
            positions: match words.get(3).copied() {
                None | Some("default") => Positions::Default,
                Some("current") => Positions::Current,
                Some(name) => Positions::File(name.to_owned()),
            },
            kind,
        }))
    }

    /// Returns whether it uses the current position.
    pub(crate) fn is_about_current(&self) -> bool {
        matches!(self, Self::Free(bench) if bench.positions == Positions::Current)
    }

    /// Parses the text after the word `speedtest`.
    pub(crate) fn parse_speed_test(words: &[&str]) -> Option<Self> {
        let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let number = |index: usize, default: usize| {
            words
                .get(index)
                .map_or(Some(default), |word| word.parse().ok())
        };
        let threads = number(0, cpus)?;
        let test = SpeedTest {
            threads,
            hash_mib: number(1, threads.saturating_mul(128))?,
            seconds: number(2, 150)? as u64,
        };
        (words.len() <= 3 && test.seconds > 0).then_some(Self::Speed(test))
    }

    /// The workload as a background job, with the evaluation and options of `session`.
    pub(crate) fn prepare(self, session: &mut Session) -> Result<Work, LineError> {
        Ok(match self {
            Self::Fixed(depth) if session.is_deep() => {
                let bench = FreeBench {
                    hash_mib: 0,
                    threads: 1,
                    limit: (1_u64 << depth).div_ceil(DEPTHS_PLAYOUTS),
                    positions: Positions::Default,
                    kind: Kind::Nodes,
                };
                let games = bench.games(session)?;
                let thinker = session.thinker(0, 1);
                Box::new(move |output, stop| {
                    let (nodes, time) = bench.search(&games, thinker, None, stop)?;
                    print_fixed(nodes, time, output, stop);
                    Ok(())
                })
            }
            Self::Fixed(depth) => {
                let mut evaluator = session.evaluator();
                Box::new(move |output, stop| {
                    fixed(depth, &mut evaluator, output, stop);
                    Ok(())
                })
            }
            Self::Free(bench) => {
                let games = bench.games(session)?;
                if bench.kind == Kind::Eval && session.is_deep() {
                    return Err(LineError::Deep("bench eval"));
                }
                if matches!(bench.kind, Kind::Perft | Kind::Eval) {
                    let evaluator = session.evaluator();
                    Box::new(move |output, stop| {
                        bench.without_search(&games, evaluator, output, stop);
                        Ok(())
                    })
                } else {
                    let thinker = session.thinker(bench.hash_mib, bench.threads);
                    Box::new(move |output, stop| {
                        let done = bench.search(&games, thinker, Some(output), stop);
                        done.map(|(nodes, elapsed)| summary(nodes, elapsed, output))
                    })
                }
            }
            Self::Speed(test) => {
                let thinker = session.thinker(test.hash_mib, test.threads);
                Box::new(move |output, stop| test.run(thinker, output, stop))
            }
        })
    }
}

/// The workload of [`shogi_search::bench_with`].
fn fixed(depth: u32, evaluator: &mut AnyEvaluator, output: &OutputHandle, stop: &Arc<AtomicBool>) {
    let (nodes, time) = shogi_search::bench_with(depth, evaluator, stop);
    print_fixed(nodes, time, output, stop);
}

/// The result of a fixed workload.
fn print_fixed(nodes: u64, time: Duration, output: &OutputHandle, stop: &AtomicBool) {
    if stop.load(Ordering::Relaxed) {
        output.say("bench: stopped");
    }
    let ms = (time.as_millis() as u64).max(1);
    output.line(format!(
        "Nodes searched: {nodes}, time: {ms} ms, nps: {}",
        nodes * 1000 / ms
    ));
}

/// The last lines of a workload.
fn summary(nodes: u64, elapsed: Duration, output: &OutputHandle) {
    let ms = (elapsed.as_millis() as u64).max(1);
    output.line("===========================");
    output.line(format!("Total time (ms) : {ms}"));
    output.line(format!("Nodes searched  : {nodes}"));
    output.line(format!(
        "Nodes/second    : {}",
        nodes.saturating_mul(1000) / ms
    ));
}

impl FreeBench {
    /// Thinks about the positions, and prints thoughts to `output`. Returns the number of positions visited, or of playouts, and the time.
    fn search(
        &self,
        games: &[Game],
        mut thinker: Box<dyn Thinker>,
        output: Option<&OutputHandle>,
        stop: &Arc<AtomicBool>,
    ) -> Result<(u64, Duration), LineError> {
        let mut limits = ThinkLimits {
            stop: Some(Arc::clone(stop)),
            ..ThinkLimits::default()
        };
        match self.kind {
            Kind::MoveTime => limits.time = Some(Duration::from_millis(self.limit)),
            Kind::Nodes => limits.nodes = Some(self.limit),
            _ => limits.depth = Some(self.limit.min(u64::from(u32::MAX)) as u32),
        }
        let begin = Instant::now();
        let mut nodes = 0;
        for (index, game) in games.iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            if let Some(output) = output {
                print_position(index, games.len(), game, output);
            }
            thinker.new_game()?;
            let thought = thinker.think(game, &limits)?;
            nodes += thought.nodes;
            if let Some(output) = output {
                print_thought(&thought, output);
            }
        }
        Ok((nodes, begin.elapsed()))
    }

    fn games(&self, session: &Session) -> Result<Vec<Game>, LineError> {
        let lines = match &self.positions {
            Positions::Current => return Ok(vec![session.game().clone()]),
            Positions::Default => BENCH_POSITIONS.map(str::to_owned).to_vec(),
            Positions::File(name) => ready::commands(name)?,
        };
        let read = |line: &String| {
            let line = line.strip_prefix("position ").unwrap_or(line);
            shogi_core::parse_position_line(line).map_err(|error| LineError::Command(error.into()))
        };
        lines.iter().map(read).collect()
    }

    fn without_search(
        &self,
        games: &[Game],
        mut evaluator: AnyEvaluator,
        output: &OutputHandle,
        stop: &AtomicBool,
    ) {
        let begin = Instant::now();
        let mut nodes = 0;
        for (index, game) in games.iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            print_position(index, games.len(), game, output);
            let mut position: Position = game.position().clone();
            if self.kind == Kind::Perft {
                let Some(found) = stoppable_perft(&mut position, self.limit as u32, stop) else {
                    break;
                };
                output.line(format!("Nodes searched: {found}"));
                nodes += found;
            } else {
                evaluator.reset(&position);
                output.line(format!("eval = {}", evaluator.evaluate(&position)));
                nodes += 1;
            }
        }
        summary(nodes, begin.elapsed(), output);
    }
}

fn print_position(index: usize, count: usize, game: &Game, output: &OutputHandle) {
    let sfen = game.position().to_sfen();
    output.line(format!("\nPosition: {}/{count} ({sfen})", index + 1));
}

/// The best line of a thought, as searches show it.
fn print_thought(thought: &Thought, output: &OutputHandle) {
    let ms = (thought.elapsed.as_millis() as u64).max(1);
    for line in thought.lines.iter().take(1) {
        output.respond(&Response::Info(Box::new(Info {
            depth: Some(line.depth),
            sel_depth: Some(line.sel_depth).filter(|&depth| depth > 0),
            score: Some(line.score),
            bound: line.bound,
            nodes: Some(thought.nodes),
            nps: Some(thought.nodes.saturating_mul(1000) / ms),
            time: Some(Duration::from_millis(ms)),
            pv: line.pv.iter().map(|&m| PvItem::Move(m.into())).collect(),
            ..Info::default()
        })));
    }
}

/// Number of moves among which a speed test divides its time. It plays more moves if some need less time.
const SPEED_MOVES: u32 = 60;
/// Part of the time that goes into warming up.
const WARM_UP: u32 = 20;

impl SpeedTest {
    /// Plays against itself: positions of a game, with the transposition table of the move before.
    fn run(
        self,
        mut thinker: Box<dyn Thinker>,
        output: &OutputHandle,
        stop: &Arc<AtomicBool>,
    ) -> Result<(), LineError> {
        let time = Duration::from_secs(self.seconds);
        let each = |time: Duration| ThinkLimits {
            time: Some(time),
            stop: Some(Arc::clone(stop)),
            ..ThinkLimits::default()
        };
        let mut game = Game::new(Position::startpos());
        thinker.think(&game, &each(time / WARM_UP))?;
        thinker.new_game()?;
        let begin = Instant::now();
        let (mut nodes, mut number) = (0, 0);
        loop {
            let left = time.saturating_sub(begin.elapsed());
            if left.is_zero() || stop.load(Ordering::Relaxed) {
                break;
            }
            let thought = thinker.think(&game, &each(left.min(time / SPEED_MOVES)))?;
            nodes += thought.nodes;
            number += 1;
            match thought.decision {
                Decision::Play { best, .. } => game.play_unchecked(best),
                Decision::Resign | Decision::DeclareWin => {
                    game = Game::new(Position::startpos());
                }
            }
            if number % 10 == 0 {
                let seconds_left = time.saturating_sub(begin.elapsed()).as_secs();
                output.line(format!("move {number}, {seconds_left} s left"));
            }
        }
        summary(nodes, begin.elapsed(), output);
        output.line(format!("Threads         : {}", self.threads));
        output.line(format!("USI_Hash (MiB)  : {}", self.hash_mib));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(line: &str) -> FreeBench {
        let words: Vec<_> = line.split_ascii_whitespace().collect();
        match Bench::parse(&words) {
            Some(Bench::Free(bench)) => bench,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn arguments() {
        assert_eq!(Bench::parse(&[]), Some(Bench::Fixed(BENCH_DEPTH)));
        assert_eq!(Bench::parse(&["8"]), Some(Bench::Fixed(8)));
        let bench = free("1024");
        assert_eq!(
            (bench.hash_mib, bench.threads, bench.limit),
            (1024, 1, 15_000)
        );
        assert_eq!(
            (bench.positions, bench.kind),
            (Positions::Default, Kind::MoveTime)
        );
        let bench = free("16 2 5 current depth");
        assert_eq!((bench.hash_mib, bench.threads, bench.limit), (16, 2, 5));
        assert_eq!(
            (bench.positions, bench.kind),
            (Positions::Current, Kind::Depth)
        );
        let named = Positions::File("my.sfen".to_owned());
        assert_eq!(free("16 1 4 my.sfen perft").positions, named);
        for wrong in [
            "x",
            "16 x",
            "16 1 4 default sideways",
            "16 1 31 default perft",
            "1 1 1 default eval 1",
        ] {
            let words: Vec<_> = wrong.split_ascii_whitespace().collect();
            assert_eq!(Bench::parse(&words), None, "{wrong}");
        }
        let speed = Bench::parse_speed_test(&["2", "64", "10"]);
        let expected = SpeedTest {
            threads: 2,
            hash_mib: 64,
            seconds: 10,
        };
        assert_eq!(speed, Some(Bench::Speed(expected)));
        assert_eq!(Bench::parse_speed_test(&["2", "64", "0"]), None);
    }
}
