//! `cargo xtask TASK`: the chores of the workspace. Each task is a module of its own, with its
//! arguments and a `run`.
//!
//! Exit codes: 0 done, 1 done but something was found (a wrong count, a protocol violation in a game), 2 the
//! task could not be done.

mod ci;
mod dist;
mod golden;
mod hash;
mod losses;
mod matches;
mod names;
mod net;
mod openings;
mod perft;
mod soundness;
mod spsa;
mod synth_book;
mod synth_othello;
mod synth_teacher;
mod tour;
mod tuned;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores of the workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    Ci(ci::Args),
    Perft(perft::Args),
    Bench(perft::BenchArgs),
    Fuzz(soundness::FuzzArgs),
    Golden(golden::Args),
    Losses(losses::Args),
    Match(Box<matches::Args>),
    Dist(dist::Args),
    Names(names::Args),
    Net(net::Args),
    Openings(openings::Args),
    Soundness(soundness::Args),
    Spsa(spsa::Args),
    Tsan(soundness::TsanArgs),
    Tuned(tuned::Args),
    SynthBook(synth_book::Args),
    SynthOthello(synth_othello::Args),
    SynthTeacher(synth_teacher::Args),
    Tour(tour::Args),
}

/// The outcome of a task that could be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// No problems found.
    Clean,
    /// The task ran to its end and found something wrong, which it has printed.
    Findings,
}

impl Outcome {
    /// [`Outcome::Findings`] if `found`.
    fn from_found(found: bool) -> Self {
        if found { Self::Findings } else { Self::Clean }
    }
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().task {
        Task::Ci(args) => ci::run(&args),
        Task::Perft(args) => perft::run(&args),
        Task::Bench(args) => perft::run_bench(&args),
        Task::Fuzz(args) => soundness::run_fuzz(&args),
        Task::Golden(args) => golden::run(&args),
        Task::Losses(args) => losses::run(&args),
        Task::Match(args) => matches::run(&args),
        Task::Dist(args) => dist::run(&args),
        Task::Names(args) => names::run(&args),
        Task::Net(args) => net::run(&args),
        Task::Openings(args) => openings::run(&args),
        Task::Soundness(args) => soundness::run(&args),
        Task::Spsa(args) => spsa::run(&args),
        Task::Tsan(args) => soundness::run_tsan(&args),
        Task::Tuned(args) => tuned::run(&args),
        Task::SynthBook(args) => synth_book::run(&args),
        Task::SynthOthello(args) => synth_othello::run(&args),
        Task::SynthTeacher(args) => synth_teacher::run(&args),
        Task::Tour(args) => tour::run(&args),
    };
    match outcome {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
