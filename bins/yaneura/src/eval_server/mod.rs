//! The program `yaneura eval-server`: evaluates positions for engines on other machines.

mod cli;

use std::ffi::OsString;
use std::net::TcpListener;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::CommandFactory as _;
use serde_json::json;
use shogi_deep::{DeepModel, EvalServer, ServerCounts, ServerEvent, ServerSettings};
use yane_cli::{HumanCount, print};

use cli::EvalServerCli;

/// The first word of the command.
const NAME: &str = "eval-server";
/// Time between two looks at whether the server is to end.
const LOOK: Duration = Duration::from_millis(50);

/// The command, as [`clap`] sees it.
pub(crate) fn command() -> clap::Command {
    EvalServerCli::command().name(NAME)
}

/// Runs the command that the program's arguments are, if it is this one and nothing else; `None` otherwise.
/// Wrong arguments end the program.
pub(crate) fn run_as_program(words: &[OsString]) -> Option<ExitCode> {
    let cli: EvalServerCli = crate::parse_alone(words, NAME)?;
    let served = serve(&cli).map(|()| ExitCode::SUCCESS);
    Some(served.unwrap_or_else(|error| yane_cli::fail("yaneura eval-server", &error)))
}

fn serve(cli: &EvalServerCli) -> anyhow::Result<()> {
    let stop = Arc::new(AtomicBool::new(false));
    yane_cli::stop_on_request(&stop)?;
    let path = &cli.model;
    let model = DeepModel::open(path, &cli.runtime());
    let model = model.with_context(|| path.display().to_string())?;
    let queue = model.start_queue(cli.threads, cli.batch())?;
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let hello = model.hello(&file);
    let listener = TcpListener::bind(&cli.listen).with_context(|| cli.listen.clone())?;
    let (name, fingerprint) = (hello.name.clone(), hello.fingerprint);
    let quiet = cli.quiet;
    let trust = cli.trust.trust()?;
    let is_open = !trust.has_secret();
    let settings = ServerSettings {
        connections: cli.connections,
        memory: cli.memory << 20,
        trust,
        ..ServerSettings::default()
    };
    let server = EvalServer::start(listener, Arc::new(queue), hello, settings, move |event| {
        if !quiet {
            note(&event_line(event));
        }
    })?;
    let address = server.address();
    if cli.json {
        print::json(&json!({
            "listening": address.to_string(),
            "model": path,
            "name": name,
            "architecture": model.format().name(),
            "fingerprint": fingerprint.to_string(),
        }))?;
    } else {
        print::lines([format!("listening on {address}: {name}")])?;
    }
    if !quiet && is_open && !address.ip().is_loopback() {
        note("whoever reaches this address can use the server: there is no secret");
    }
    let begin = Instant::now();
    watch(&server, &stop, cli);
    let counts = server.counts();
    drop(server);
    let seconds = begin.elapsed().as_secs_f64();
    if cli.json {
        let mut summary = counts_json(&counts);
        summary["seconds"] = seconds.into();
        print::json(&json!({ "summary": summary }))?;
    } else {
        print::lines([format!(
            "{} positions in {} batches ({:.1} each) for {} clients, {} connections refused",
            HumanCount(counts.queue.positions),
            HumanCount(counts.queue.batches),
            counts.queue.mean_batch(),
            counts.clients,
            counts.refused
        )])?;
    }
    Ok(())
}

/// Waits for the end, with a line now and then.
fn watch(server: &EvalServer, stop: &AtomicBool, cli: &EvalServerCli) {
    let interval = Duration::from_secs(cli.status);
    let (mut last, mut before) = (Instant::now(), server.counts());
    while !stop.load(Relaxed) {
        thread::sleep(LOOK);
        let elapsed = last.elapsed();
        if cli.quiet || interval.is_zero() || elapsed < interval {
            continue;
        }
        let now = server.counts();
        if now.queue.positions > before.queue.positions {
            note(&status_line(&before, &now, elapsed));
        }
        (last, before) = (Instant::now(), now);
    }
}

/// The work between two looks.
fn status_line(before: &ServerCounts, now: &ServerCounts, elapsed: Duration) -> String {
    let positions = now.queue.positions - before.queue.positions;
    let batches = (now.queue.batches - before.queue.batches).max(1);
    format!(
        "{:.0} positions/s, {:.1} a batch, {} connections",
        positions as f64 / elapsed.as_secs_f64(),
        positions as f64 / batches as f64,
        now.connections
    )
}

fn counts_json(counts: &ServerCounts) -> serde_json::Value {
    json!({
        "positions": counts.queue.positions,
        "batches": counts.queue.batches,
        "mean_batch": counts.queue.mean_batch(),
        "clients": counts.clients,
        "refused": counts.refused,
    })
}

fn event_line(event: &ServerEvent) -> String {
    match event {
        ServerEvent::Connected(peer) => format!("{peer}: connected"),
        ServerEvent::Left(peer) => format!("{peer}: left"),
        ServerEvent::Refused { peer, reason } => format!("{peer}: refused: {reason}"),
        _ => String::new(),
    }
}

/// A line on standard error, with the time.
fn note(text: &str) {
    eprintln!("{} {text}", jiff::Zoned::now().strftime("%H:%M:%S"));
}

#[cfg(test)]
mod tests {
    use shogi_deep::QueueCounts;

    use super::*;

    #[test]
    fn the_status_is_of_the_time_since_the_last_one() {
        let counts = |positions, batches| ServerCounts {
            connections: 3,
            queue: QueueCounts { positions, batches },
            ..ServerCounts::default()
        };
        let line = status_line(&counts(100, 50), &counts(1100, 150), Duration::from_secs(4));
        assert_eq!(line, "250 positions/s, 10.0 a batch, 3 connections");
    }
}
