//! `solve_set FILE... [--hash MB,...] [--threads N] [--exact] [--time SECONDS,...] [--nodes N] [--only ID] [--progress]
//! [--slow SECONDS]`: solves the problems of files with one JSON object a line, checks every answer and line, and
//! prints processor time (of the main thread, where there are several). With several sizes of the table or times each
//! is tried with each, from the smallest of everything on. The exit code is 1 when an answer is wrong.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::Deserialize;
use shogi_core::Diagram;
use shogi_mate::verify::replay;
use shogi_mate::{
    Answer, CheckedRoot, Exactness, MateLimits, MateLine, MateObserver, MateProgress, Role,
    Solution, Solver, SolverOptions,
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
    files: Vec<String>,
    options: SolverOptions,
    /// Sizes of the table in bytes.
    hashes: Vec<usize>,
    times: Vec<Option<Duration>>,
    nodes: Option<u64>,
    only: Option<String>,
    slow: f64,
}

/// Prints reports of the search if asked to.
struct Printer(bool);

impl MateObserver for Printer {
    fn progress(&mut self, progress: &MateProgress<'_>) {
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
        files: Vec::new(),
        options: SolverOptions {
            checked_root: CheckedRoot::Attacks,
            report_interval: None,
            ..SolverOptions::default()
        },
        hashes: vec![256 << 20],
        times: vec![None],
        nodes: None,
        only: None,
        slow: 0.0,
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} wants a value"));
        match arg.as_str() {
            "--hash" => {
                settings.hashes = numbers(&value()?, |mb| (mb * 1_048_576.0) as usize)?;
            }
            "--progress" => settings.options.report_interval = Some(Duration::from_secs(1)),
            "--threads" => settings.options.threads = value()?.parse()?,
            "--exact" => settings.options.exact = Exactness::Shortest,
            "--time" => settings.times = numbers(&value()?, |s| Some(Duration::from_secs_f64(s)))?,
            "--nodes" => settings.nodes = Some(value()?.parse()?),
            "--only" => settings.only = Some(value()?),
            "--slow" => settings.slow = value()?.parse()?,
            _ => settings.files.push(arg),
        }
    }
    Ok(settings)
}

/// Parses numbers between commas and converts each with `make`.
fn numbers<T>(text: &str, make: impl Fn(f64) -> T) -> Result<Vec<T>, std::num::ParseFloatError> {
    text.split(',').map(|n| Ok(make(n.parse()?))).collect()
}

/// Processor time of this process in seconds where the system tells it (Linux), else time since `start`.
fn cpu_seconds(start: Instant) -> f64 {
    std::fs::read_to_string("/proc/self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok())
        .map_or_else(|| start.elapsed().as_secs_f64(), |ns| ns / 1e9)
}

/// Returns the problem of a line, if there is one.
fn fault(start: &Diagram, role: Role, line: &MateLine) -> Option<String> {
    let texts: Vec<_> = line.moves.iter().map(|&m| m.into()).collect();
    let replayed = replay(start, role, &texts);
    replayed.err().map(|fault| fault.to_string())
}

/// Returns the problem of an answer, if there is one.
fn error(problem: &Problem, start: &Diagram, solution: &Solution) -> Option<String> {
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
            fault(start, solution.role, line)
        }
        Answer::NoMate => (problem.mate == Some(true)).then(|| "there is a mate".to_owned()),
        Answer::Unknown(_) => None,
    }
}

/// The results of some problems.
#[derive(Default)]
struct Counts {
    solved: u32,
    within_1: u32,
    within_10: u32,
    unknown: u32,
    wrong: u32,
    exact: u32,
    cpu: f64,
    nodes: u64,
}

impl Counts {
    fn add(&mut self, solution: &Solution, cpu: f64, is_wrong: bool) {
        self.cpu += cpu;
        self.nodes += solution.nodes;
        self.wrong += u32::from(is_wrong);
        if let Answer::Mate(line) = &solution.answer {
            self.exact += u32::from(line.length.is_exact());
        }
        if matches!(solution.answer, Answer::Unknown(_)) {
            self.unknown += 1;
        } else {
            self.solved += 1;
            self.within_1 += u32::from(cpu <= 1.0);
            self.within_10 += u32::from(cpu <= 10.0);
        }
    }

    fn print(&self) {
        println!(
            "solved {} (within 1 s {}, 10 s {}), unknown {}, wrong {}, exact {}; {:.3} CPU s, {} nodes, \
             {:.3} M nodes/s",
            self.solved,
            self.within_1,
            self.within_10,
            self.unknown,
            self.wrong,
            self.exact,
            self.cpu,
            self.nodes,
            self.nodes as f64 / self.cpu / 1e6
        );
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let settings = settings()?;
    let mut problems = Vec::new();
    for file in &settings.files {
        for row in std::fs::read_to_string(file)?.lines() {
            let problem: Problem = serde_json::from_str(row)?;
            if settings
                .only
                .as_ref()
                .is_none_or(|only| *only == problem.id)
            {
                problems.push(problem);
            }
        }
    }
    let several = settings.hashes.len() * settings.times.len() > 1;
    let mut wrong = 0;
    for &hash_bytes in &settings.hashes {
        let mut solver = Solver::new(SolverOptions {
            hash_bytes,
            ..settings.options
        });
        for &time in &settings.times {
            let limits = MateLimits {
                time,
                nodes: settings.nodes,
            };
            let counts = solve_all(&mut solver, &problems, &limits, &settings)?;
            if several {
                print!(
                    "{:5} MB, {:6} s: ",
                    hash_bytes >> 20,
                    time.unwrap_or_default().as_secs_f64()
                );
            }
            counts.print();
            wrong += counts.wrong;
        }
    }
    if wrong > 0 {
        std::process::exit(1);
    }
    Ok(())
}

fn solve_all(
    solver: &mut Solver,
    problems: &[Problem],
    limits: &MateLimits,
    settings: &Settings,
) -> Result<Counts, shogi_core::SfenError> {
    let begin = Instant::now();
    let stop = AtomicBool::new(false);
    let mut counts = Counts::default();
    for problem in problems {
        let start = Diagram::from_sfen(&problem.sfen)?;
        let before = cpu_seconds(begin);
        let mut printer = Printer(settings.options.report_interval.is_some());
        let solution = solver.solve_diagram(&start, limits, &stop, &mut printer);
        let cpu = cpu_seconds(begin) - before;
        let answer = match &solution.answer {
            Answer::Mate(line) => format!("mate {:?} line {}", line.length, line.moves.len()),
            other => format!("{other:?}"),
        };
        let error = error(problem, &start, &solution);
        counts.add(&solution, cpu, error.is_some());
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
    Ok(counts)
}
