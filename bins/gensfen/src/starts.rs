//! `gensfen starts`: a file of balanced start positions.

use std::path::Path;
use std::process::ExitCode;

use farm::{RunControl, worker_rows};
use selfplay::{
    MultiPvSampling, SelfplaySettings, StartEvent, StartFilter, StartPlan, StartReport,
    StartSummary, Starts,
};
use serde_json::json;
use yane_book::startsfens::{StartSfens, for_each_start};
use yane_book::{Format, Job};
use yane_cli::{
    HumanCount, INTERRUPTED, RunScreen, ScreenStyle, Stage, counted, evaluation_folders, print,
};
use yane_io::Unit;

use crate::args::StartArgs;

/// Reads start positions: a list, game records, or, by its name, a book (`.db`, `.ybb`), of which each move that can be played
/// leads to one.
///
/// # Errors
/// When the file cannot be read, or has no position.
pub(crate) fn read_starts(path: &Path, plies: Option<usize>) -> anyhow::Result<Starts> {
    if !matches!(Format::of_path(path), Ok(Format::Db | Format::Ybb)) {
        return Ok(Starts::read(path, plies)?);
    }
    let mut lines = Vec::new();
    let beside = std::env::temp_dir().join("gensfen-starts");
    let job = Job::default();
    let report = for_each_start(path, &beside, &StartSfens::default(), &job, |line| {
        lines.push(String::from_utf8_lossy(line).into_owned());
        Ok(())
    })?;
    for problem in &report.problems.first {
        eprintln!("left out: {problem}");
    }
    Ok(Starts::from_lines(path, lines)?)
}

/// Makes the start positions that a command line describes.
///
/// # Errors
/// When files cannot be read or written, no engine is left, or too few positions are balanced.
pub(crate) fn run_starts(args: &StartArgs) -> anyhow::Result<ExitCode> {
    let mut settings = SelfplaySettings {
        seed: args.seed,
        random_multi_pv: (args.lines > 1).then_some(MultiPvSampling {
            lines: args.lines as usize,
            spread: args.spread,
            nodes: args.move_nodes,
        }),
        start_filter: Some(StartFilter {
            max_score: args.max_score,
            nodes: args.nodes,
        }),
        ..SelfplaySettings::default()
    };
    args.engines.apply(&mut settings)?;
    let starts = match &args.starts {
        Some(path) => read_starts(path, args.start_plies)?,
        None => Starts::initial(),
    };
    let job = Job::default();
    args.events.begin(&job)?;
    let control = RunControl::of_job(&job);
    let mut pool = settings.engine_pool(&evaluation_folders())?;
    if args.engines.allow_engine_errors {
        pool = pool.allow_engine_errors();
    }
    let plan = StartPlan {
        count: args.count,
        plies: args.plies.0.clone(),
    };
    let screen = RunScreen::new(ScreenStyle {
        quiet: args.quiet,
        json: args.json,
    })
    .for_job(&job);
    let names = pool.engine_names();
    let observer = |event: &StartEvent<'_>| show(&screen, &names, args.count, event);
    let path = &args.output;
    let summary =
        selfplay::make_starts(&plan, &settings, &starts, &pool, path, &control, &observer)?;
    screen.clear();
    report(&screen, args, &summary)?;
    Ok(if summary.is_complete {
        ExitCode::SUCCESS
    } else {
        screen.note("Interrupted. Run the same command to continue.");
        ExitCode::from(INTERRUPTED)
    })
}

fn show(screen: &RunScreen, names: &[String], count: u64, event: &StartEvent<'_>) {
    match event {
        StartEvent::Report(StartReport::Started(found)) => screen.start(Some(Stage {
            name: "making starts".to_owned(),
            total: Some(count),
            unit: Unit::Positions,
            done: *found,
            details: false,
        })),
        StartEvent::Report(StartReport::Found) => screen.advance(1),
        StartEvent::Tick { workers } => {
            screen.tell_progress();
            let names = names.iter().map(String::as_str);
            screen.tell_workers(|| worker_rows(names, workers));
        }
        error => {
            error.message().iter().for_each(|text| screen.note(text));
            error.json().iter().for_each(|event| screen.event(event));
        }
    }
}

fn report(screen: &RunScreen, args: &StartArgs, summary: &StartSummary) -> anyhow::Result<()> {
    if summary.is_complete {
        let found = counted(summary.finished, "position", "positions");
        screen.monitor().finish(found);
    } else {
        screen.monitor().end_stopped();
    }
    let seconds = summary.elapsed.as_secs_f64();
    let duplicates = summary.totals.duplicates;
    if screen.has_events() {
        screen.event(&json!({
            "event": "end",
            "state": screen.monitor().status().state.name(),
            "complete": summary.is_complete,
            "positions": summary.finished,
            "duplicates": duplicates,
            "failures": summary.failures,
            "seconds": seconds,
            "output": args.output.to_string_lossy(),
        }));
    }
    if screen.json() {
        return Ok(());
    }
    let found = HumanCount(summary.finished);
    print::lines([
        format!(
            "positions   : {found} of {} in this run",
            HumanCount(args.count)
        ),
        format!("duplicates  : {duplicates}"),
        format!("time        : {seconds:.1} s"),
        format!("output      : {}", args.output.display()),
    ])?;
    Ok(())
}
