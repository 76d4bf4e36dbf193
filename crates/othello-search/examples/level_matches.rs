//! `level_matches cost [POSITIONS]`: the processor time of searches of the midgame by depth, and of the end by empty squares.
//!
//! `level_matches match A B [PAIRS] [SEED]`: games between two levels from balanced openings, each opening with both colours: results, Elo with
//! its standard error, discs, and the processor time of a game for each side. A level is `own12`, `egaroucid12`, `edax12`, or
//! `DEPTH@PERCENT/EXACT/WLD[/DEEPER]`: a depth and selectivity, the empty squares from which on the end is solved, and searched for win, loss
//! or draw before, and those from which on the search is a ply deeper (such as `12@74/20/22` or `3@100/10/12/34`).

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use othello_core::{Board, Game, Move, State};
use othello_eval::Weights;
use othello_search::{
    BalancedOpenings, Control, Goal, Limits, PlayLevel, SearchSettings, Searcher, Selectivity,
};

/// How a player searches by the number of empty squares.
#[derive(Clone, Copy)]
enum Plan {
    Level(PlayLevel),
    Custom {
        depth: u32,
        selectivity: Selectivity,
        exact: u32,
        wld: u32,
        deeper: u32,
    },
}

impl Plan {
    fn parse(text: &str) -> anyhow::Result<Self> {
        let of = |prefix: &str| text.strip_prefix(prefix)?.parse().ok();
        if let Some(number) = of("own") {
            return Ok(Self::Level(PlayLevel::Own(number)));
        }
        if let Some(number) = of("egaroucid") {
            return Ok(Self::Level(PlayLevel::Egaroucid(number)));
        }
        if let Some(number) = of("edax") {
            return Ok(Self::Level(PlayLevel::Edax(number)));
        }
        let numbers: Vec<u32> = text
            .split(['@', '/'])
            .map(str::parse)
            .collect::<Result<_, _>>()
            .with_context(|| format!("{text}: a level was expected"))?;
        let (depth, percent, exact, wld, deeper) = match numbers[..] {
            [depth, percent, exact, wld] => (depth, percent, exact, wld, 0),
            [depth, percent, exact, wld, deeper] => (depth, percent, exact, wld, deeper),
            _ => bail!("{text}: DEPTH@PERCENT/EXACT/WLD[/DEEPER] was expected"),
        };
        let selectivity = Selectivity::at_least(percent).context("at most 100 per cent")?;
        Ok(Self::Custom {
            depth,
            selectivity,
            exact,
            wld,
            deeper,
        })
    }

    fn goal(self, empties: u32) -> Goal {
        match self {
            Self::Level(level) => level.goal_to_play(empties),
            Self::Custom { exact, .. } if empties <= exact => Goal::exact(1),
            Self::Custom {
                depth,
                selectivity,
                wld,
                deeper,
                ..
            } => {
                let depth = depth + u32::from(empties <= deeper);
                Goal {
                    wld: (empties <= wld).then_some(Selectivity::Exact),
                    ..Goal::new(depth.min(empties), selectivity, 1)
                }
            }
        }
    }
}

/// Processor time of this thread.
fn cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn searcher(hash_bytes: usize) -> Searcher {
    let settings = SearchSettings {
        hash_bytes,
        threads: 1,
    };
    Searcher::new(settings, Arc::new(Weights::built_in()))
}

/// A player, and what he has used.
struct Player {
    plan: Plan,
    searcher: Searcher,
    time: Duration,
    nodes: u64,
}

impl Player {
    fn new(plan: Plan) -> Self {
        let is_deep = plan.goal(60).depth > 12;
        Self {
            plan,
            searcher: searcher(if is_deep { 64 << 20 } else { 2 << 20 }),
            time: Duration::ZERO,
            nodes: 0,
        }
    }

    fn choose(&mut self, board: Board) -> anyhow::Result<Move> {
        let begin = cpu();
        let goal = self.plan.goal(board.empty().len());
        let (limits, control) = (Limits::default(), Control::default());
        let found = self.searcher.search(board, goal, limits, &control, &mut ());
        self.time += cpu().saturating_sub(begin);
        self.nodes += found.nodes;
        found.best().context("a move")
    }
}

/// The discs by which the player who moves first at the end of an opening wins.
fn play(opening: &Game, players: &mut [&mut Player; 2]) -> anyhow::Result<i32> {
    let mut board = opening.position().board();
    let mut turn = 0;
    for player in players.iter_mut() {
        player.searcher.clear();
    }
    loop {
        match board.state() {
            State::Over if turn == 0 => return Ok(board.score()),
            State::Over => return Ok(-board.score()),
            State::Pass => board = board.passed(),
            State::Moves => {
                let mv = players[turn].choose(board)?;
                board = board.after(mv).context("a legal move")?;
            }
        }
        turn = 1 - turn;
    }
}

fn openings(count: usize, seed: u64) -> anyhow::Result<Vec<Game>> {
    let wanted = BalancedOpenings {
        count,
        plies: 8,
        most: 2,
        depth: 8,
        seed,
    };
    let found = wanted.find(&mut searcher(16 << 20), &Control::default(), || {});
    found.context("not stopped")
}

fn run_match([a, b]: [&str; 2], pairs: usize, seed: u64) -> anyhow::Result<()> {
    let mut a_side = Player::new(Plan::parse(a)?);
    let mut b_side = Player::new(Plan::parse(b)?);
    let mut results = [0; 3];
    let (mut discs, mut shares) = (0, Vec::new());
    for opening in openings(pairs, seed)? {
        let first = play(&opening, &mut [&mut a_side, &mut b_side])?;
        let second = -play(&opening, &mut [&mut b_side, &mut a_side])?;
        for score in [first, second] {
            results[(1 - score.signum()) as usize] += 1;
            discs += score;
        }
        let share = f64::from(first.signum() + second.signum() + 2) / 4.0;
        shares.push(share);
    }
    let count = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / count;
    let variance = shares.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / count;
    let elo = |share: f64| 400.0 * (share / (1.0 - share)).log10();
    let error = (variance / count).sqrt();
    let games = 2.0 * count;
    let [wins, draws, losses] = results;
    let time = |player: &Player| player.time.as_secs_f64() / games;
    println!(
        "{a} {b}: {wins} = {draws} - {losses}, {:+.0} Elo [{:+.0}, {:+.0}], {:+.2} discs, {:.4} s : {:.4} s ({:.2}), {:.0} : {:.0} nodes a game",
        elo(mean),
        elo((mean - 1.96 * error).max(0.001)),
        elo((mean + 1.96 * error).min(0.999)),
        f64::from(discs) / games,
        time(&a_side),
        time(&b_side),
        time(&a_side) / time(&b_side),
        a_side.nodes as f64 / games,
        b_side.nodes as f64 / games,
    );
    Ok(())
}

/// Positions of well-played games with so many empty squares.
fn positions(games: &[Game], empties: u32) -> anyhow::Result<Vec<Board>> {
    let mut player = Player::new(Plan::parse("6@74/12/12")?);
    let mut boards = Vec::new();
    for game in games {
        let mut board = game.position().board();
        while board.empty().len() > empties && board.state() != State::Over {
            board = match board.state() {
                State::Pass => board.passed(),
                _ => board.after(player.choose(board)?).context("a legal move")?,
            };
        }
        if board.empty().len() == empties && board.state() == State::Moves {
            boards.push(board);
        }
    }
    Ok(boards)
}

fn costs(count: usize) -> anyhow::Result<()> {
    let games = openings(count, 1)?;
    let mut searcher = searcher(64 << 20);
    let mut cost = |boards: &[Board], goal: Goal| {
        let (mut time, mut nodes) = (Duration::ZERO, 0);
        for &board in boards {
            searcher.clear();
            let begin = cpu();
            let control = Control::default();
            let found = searcher.search(board, goal, Limits::default(), &control, &mut ());
            time += cpu().saturating_sub(begin);
            nodes += found.nodes;
        }
        let count = boards.len() as f64;
        (time.as_secs_f64() * 1000.0 / count, nodes as f64 / count)
    };
    let middle = positions(&games, 36)?;
    for depth in 1..=21 {
        let mut line = format!("depth {depth}:");
        for selectivity in [Selectivity::P74, Selectivity::Exact] {
            if selectivity == Selectivity::P74 || depth <= 9 {
                let (time, nodes) = cost(&middle, Goal::new(depth, selectivity, 1));
                write!(line, "  {selectivity} {time:.3} ms {nodes:.0} nodes")?;
            }
        }
        println!("{line}");
    }
    for empties in 8..=26 {
        let boards = positions(&games, empties)?;
        let (exact, exact_nodes) = cost(&boards, Goal::exact(1));
        let midgame = Goal::new(6, Selectivity::P74, 1);
        let goal = Goal {
            wld: Some(Selectivity::Exact),
            ..midgame
        };
        let (wld, wld_nodes) = cost(&boards, goal);
        println!(
            "{empties} empty: exact {exact:.3} ms {exact_nodes:.0} nodes, WLD {wld:.3} ms {wld_nodes:.0} nodes"
        );
    }
    Ok(())
}

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let number = |n: usize, otherwise: u64| -> anyhow::Result<u64> {
        Ok(args.get(n).map_or(Ok(otherwise), |text| text.parse())?)
    };
    match args[..] {
        ["cost", ..] => costs(number(1, 40)? as usize),
        ["match", a, b, ..] => run_match([a, b], number(3, 100)? as usize, number(4, 1)?),
        _ => bail!("level_matches cost [POSITIONS] | match A B [PAIRS] [SEED]"),
    }
}
