//! `solve_set FILE [--hash MB] [--threads N] [--exact] [--time SECONDS] [--nodes N] [--only ID] [--progress] [--slow SECONDS]`:
//! solves the problems of a file with one JSON object a line, checks every answer and line, and prints
//! processor time.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::Deserialize;
use shogi_core::{Color, Position};
use shogi_mate::{
    Answer, Exactness, Limits, MateLine, Observer, Progress, Role, Solution, Solver, SolverOptions,
};

#[derive(Deserialize)]
struct Problem {
    id: String,
    sfen: String,
    mate: Option<bool>,
    len: Option<u32>,
    #[serde(default)]
    len_exact: bool,
}

struct Settings {
    file: String,
    options: SolverOptions,
    limits: Limits,
    only: Option<String>,
    slow: f64,
}

/// Prints reports of the search if asked to.
struct Printer(bool);

impl Observer for Printer {
    fn progress(&mut self, progress: &Progress<'_>) {
        if self.0 {
            println!(
                "    {:.1} s {} nodes {} full depth {} {:?}",
                progress.elapsed.as_secs_f64(),
                progress.nodes,
                progress.hashfull,
                progress.depth,
                progress.score
            );
        }
    }
}

fn settings() -> Result<Settings, Box<dyn std::error::Error>> {
    let mut settings = Settings {
        file: String::new(),
        options: SolverOptions {
            root_is_and_node_if_checked: false,
            report_interval: None,
            ..SolverOptions::default()
        },
        limits: Limits::default(),
        only: None,
        slow: 0.0,
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} wants a value"));
        match arg.as_str() {
            "--hash" => {
                settings.options.hash_bytes = (value()?.parse::<f64>()? * 1_048_576.0) as usize;
            }
            "--progress" => settings.options.report_interval = Some(Duration::from_secs(1)),
            "--threads" => settings.options.threads = value()?.parse()?,
            "--exact" => settings.options.exact = Exactness::Shortest,
            "--time" => settings.limits.time = Some(Duration::from_secs_f64(value()?.parse()?)),
            "--nodes" => settings.limits.nodes = Some(value()?.parse()?),
            "--only" => settings.only = Some(value()?),
            "--slow" => settings.slow = value()?.parse()?,
            _ => settings.file = arg,
        }
    }
    Ok(settings)
}

/// Processor time of this process in seconds where the system tells it (Linux), else time since `start`.
fn cpu_seconds(start: Instant) -> f64 {
    std::fs::read_to_string("/proc/self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok())
        .map_or_else(|| start.elapsed().as_secs_f64(), |ns| ns / 1e9)
}

/// What is wrong with a line, if anything.
fn fault(position: &Position, role: Role, line: &MateLine) -> Option<String> {
    let attacker: Color = role.attacker(position.side_to_move());
    let mut position = position.clone();
    for m in &line.moves {
        if !position.is_legal(*m) {
            return Some(format!("{m} is not legal"));
        }
        let attacks = position.side_to_move() == attacker;
        let _ = position.do_move(*m);
        if attacks && !position.in_check() {
            return Some(format!("{m} is no check"));
        }
    }
    (!position.is_mated()).then(|| "does not end in mate".to_owned())
}

/// What is wrong with an answer, if anything.
fn error(problem: &Problem, position: &Position, solution: &Solution) -> Option<String> {
    match &solution.answer {
        Answer::Mate(line) => {
            if problem.mate == Some(false) {
                return Some("there is no mate".to_owned());
            }
            let plies = line.length.plies();
            let wrong = match (problem.len, line.length.is_exact()) {
                (Some(len), true) => problem.len_exact && plies != len,
                (Some(len), false) => problem.len_exact && plies < len,
                (None, _) => false,
            };
            if wrong {
                return Some(format!("{:?}, should be {:?}", line.length, problem.len));
            }
            fault(position, solution.role, line)
        }
        Answer::NoMate => (problem.mate == Some(true)).then(|| "there is a mate".to_owned()),
        Answer::Unknown(_) => None,
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let settings = settings()?;
    let text = std::fs::read_to_string(&settings.file)?;
    let mut solver = Solver::new(settings.options);
    let stop = AtomicBool::new(false);
    let (mut solved, mut wrong, mut unknown, mut exact) = (0, 0, 0, 0);
    let (mut total, mut nodes, mut within_1, mut within_10) = (0.0, 0, 0, 0);
    for row in text.lines() {
        let problem: Problem = serde_json::from_str(row)?;
        if settings
            .only
            .as_ref()
            .is_some_and(|only| *only != problem.id)
        {
            continue;
        }
        let position = Position::from_sfen(&problem.sfen)?;
        let before = cpu_seconds(start);
        let solution = solver.solve(
            &position,
            &settings.limits,
            &stop,
            &mut Printer(settings.options.report_interval.is_some()),
        );
        let cpu = cpu_seconds(start) - before;
        total += cpu;
        nodes += solution.nodes;
        let answer = match &solution.answer {
            Answer::Mate(line) => {
                exact += usize::from(line.length.is_exact());
                format!("mate {:?} line {}", line.length, line.moves.len())
            }
            other => format!("{other:?}"),
        };
        if matches!(solution.answer, Answer::Unknown(_)) {
            unknown += 1;
        } else {
            solved += 1;
            within_1 += usize::from(cpu <= 1.0);
            within_10 += usize::from(cpu <= 10.0);
        }
        let error = error(&problem, &position, &solution);
        wrong += usize::from(error.is_some());
        if cpu >= settings.slow || error.is_some() {
            println!(
                "{:12} {cpu:8.4} s {:10} nodes {:4} full  {answer} {}",
                problem.id,
                solution.nodes,
                solution.hashfull,
                error.map_or_else(String::new, |error| format!("WRONG: {error}")),
            );
        }
    }
    println!(
        "solved {solved} (within 1 s {within_1}, 10 s {within_10}), unknown {unknown}, wrong {wrong}, exact {exact}; \
         {total:.3} CPU s, {nodes} nodes, {:.3} M nodes/s",
        nodes as f64 / total / 1e6
    );
    Ok(())
}
