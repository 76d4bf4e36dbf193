//! `cargo xtask TASK`: the chores of the workspace. Each task is a module of its own, with its
//! arguments and a `run`.
//!
//! Exit codes: 0 done, 1 done but something was found (a wrong count, a protocol violation in a game), 2 the
//! task could not be done.

#![forbid(unsafe_code)]

mod advisories;
mod api;
mod browser;
mod ci;
mod circles;
mod dist;
mod golden;
mod hash;
#[cfg(test)]
mod japanese;
mod map;
mod names;
mod net;
mod outcome;
mod package;
mod packages;
mod perft;
mod signatures;
mod site;
mod soundness;
mod synth_book;
mod synth_othello;
mod synth_teacher;
mod tour;
mod tuned;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use outcome::Outcome;

/// Chores of the workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    Advisories(advisories::Args),
    Api(api::Args),
    Browser(browser::Args),
    Ci(ci::Args),
    Circles(circles::Args),
    Perft(perft::Args),
    Bench(perft::BenchArgs),
    Fuzz(soundness::FuzzArgs),
    Golden(golden::Args),
    Losses(Box<arena::LossArgs>),
    Match(Box<arena::MatchArgs>),
    Dist(dist::Args),
    Map(map::Args),
    Names(names::Args),
    Net(net::Args),
    Package(package::Args),
    Site(site::Args),
    Soundness(soundness::Args),
    Spsa(Box<arena::TuneArgs>),
    Tsan(soundness::TsanArgs),
    Tuned(tuned::Args),
    SynthBook(synth_book::Args),
    SynthOthello(synth_othello::Args),
    SynthTeacher(synth_teacher::Args),
    Tour(tour::Args),
}

/// The exit code of a command of `arena`.
fn exit_code(done: Result<ExitCode>) -> ExitCode {
    done.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().task {
        Task::Advisories(args) => advisories::run(&args),
        Task::Api(args) => api::run(&args),
        Task::Browser(args) => browser::run(&args),
        Task::Ci(args) => ci::run(&args),
        Task::Circles(args) => circles::run(&args),
        Task::Perft(args) => perft::run(&args),
        Task::Bench(args) => perft::run_bench(&args),
        Task::Fuzz(args) => soundness::run_fuzz(&args),
        Task::Golden(args) => golden::run(&args),
        // What `arena` does, under the names that developers type; its exit codes, too.
        Task::Losses(args) => return exit_code(arena::run_losses(&args)),
        Task::Match(args) => return exit_code(arena::run_match(&args)),
        Task::Spsa(args) => return exit_code(arena::run_tune(&args)),
        Task::Dist(args) => dist::run(&args),
        Task::Map(args) => map::run(&args),
        Task::Names(args) => names::run(&args),
        Task::Net(args) => net::run(&args),
        Task::Package(args) => package::run(&args),
        Task::Site(args) => site::run(&args),
        Task::Soundness(args) => soundness::run(&args),
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
