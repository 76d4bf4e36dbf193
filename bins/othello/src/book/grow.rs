//! Commands that make books grow: they put a task together, run it and report what it did.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use othello_book::files::{self, BookOutputMode};
use othello_book::store::{GrowingBook, PositionEdit, PositionLookup as _};
use othello_book::{BookFormat, ops};
use othello_bookwork::{
    Access, BookGrowth, BookSearcher, BookStage, BookTask, Deviate, Enhance, Fill, GrowthEnd,
    LeafRecalculation, Learn, Play, Recipe, SearchIdentity, SearchItem, Store, queue,
    search_retries, searchers, work_for_queue,
};
use othello_core::{Board, Move};
use othello_eval::Weights;
use othello_search::Control;
use serde_json::json;
use yane_cli::{EventLog, INTERRUPTED, Settings, UsageError};
use yane_io::{BoundedLines, Job, Overwrite, Unit};

use super::lookup::game;
use super::{open_book, writing};
use crate::args::{
    DeviateArgs, EnhanceArgs, ExportArgs, FillArgs, Growing, LearnArgs, LeavesArgs, PlayOutArgs,
    QueueName, RecipeArgs, SetArgs, StoreArgs, WeightsArgs, WorkerArgs, WorkerCommand,
};
use crate::print::print_counts;
use crate::protocol::threads;
use crate::report::{Report, ReportEnd};

pub(super) fn learn(args: &LearnArgs, settings: &Settings) -> anyhow::Result<Report> {
    let stage = BookStage::Learn(Learn {
        level: args.level,
        depth: args.depth,
        error: args.error,
        sum: args.sum,
        leaf_error: args.leaf_error,
        loops: args.loops,
        schedule: args.schedule.into(),
        starts: starts(&args.start, settings)?,
        games: args.games.clone(),
        random: args.random.map(|random| random.0),
    });
    grow(
        args.book.as_deref(),
        vec![stage],
        args.seed,
        &args.growing,
        settings,
    )
}

/// Starts as records that are read again: moves, or a board.
fn starts(texts: &[String], settings: &Settings) -> anyhow::Result<Vec<String>> {
    let texts = texts.iter().map(|text| {
        let game = game(text, settings)?;
        let squares = game.moves().iter().filter_map(|mv| match mv {
            Move::Place(square) => Some(square.to_string()),
            Move::Pass => None,
        });
        let is_start = game.start() == othello_core::Position::START;
        Ok(if is_start {
            squares.collect()
        } else {
            game.position().to_string()
        })
    });
    texts.collect()
}

fn one_start(text: &str, settings: &Settings) -> anyhow::Result<String> {
    let starts = starts(&[text.to_owned()], settings)?;
    Ok(starts.into_iter().next().unwrap_or_default())
}

pub(super) fn leaves(args: &LeavesArgs, settings: &Settings) -> anyhow::Result<Report> {
    let stage = BookStage::Leaves(LeafRecalculation {
        level: args.level,
        depth: args.depth,
        error: args.errors.error,
        sum: args.errors.sum,
        only_illegal: args.only_illegal,
        start: one_start(&args.start, settings)?,
    });
    grow(Some(&args.book), vec![stage], 1, &args.growing, settings)
}

pub(super) fn store(args: &StoreArgs, settings: &Settings) -> anyhow::Result<Report> {
    let stage = BookStage::Store(Store {
        level: args.level,
        starts: starts(&args.moves, settings)?,
        games: args.games.clone(),
        depth: args.depth,
        best_moves: !args.only_line,
    });
    grow(Some(&args.book), vec![stage], 1, &args.growing, settings)
}

pub(super) fn deviate(args: &DeviateArgs, settings: &Settings) -> anyhow::Result<Report> {
    let growth = &args.growth;
    let stage = BookStage::Deviate(Deviate {
        relative: args.relative,
        absolute: args.absolute,
        empties: growth.empties,
        level: growth.level,
        loops: growth.loops,
        start: one_start(&growth.start, settings)?,
    });
    grow(Some(&args.book), vec![stage], 1, &growth.growing, settings)
}

pub(super) fn enhance(args: &EnhanceArgs, settings: &Settings) -> anyhow::Result<Report> {
    let growth = &args.growth;
    let stage = BookStage::Enhance(Enhance {
        midgame_error: args.midgame,
        endcut_error: args.endgame,
        empties: growth.empties,
        level: growth.level,
        loops: growth.loops,
        start: one_start(&growth.start, settings)?,
    });
    grow(Some(&args.book), vec![stage], 1, &growth.growing, settings)
}

pub(super) fn fill(args: &FillArgs, settings: &Settings) -> anyhow::Result<Report> {
    let growth = &args.growth;
    let stage = BookStage::Fill(Fill {
        depth: args.depth,
        empties: growth.empties,
        level: growth.level,
    });
    grow(Some(&args.book), vec![stage], 1, &growth.growing, settings)
}

pub(super) fn play(args: &PlayOutArgs, settings: &Settings) -> anyhow::Result<Report> {
    let growth = &args.growth;
    let stage = BookStage::Play(Play {
        empties: growth.empties,
        level: growth.level,
        loops: growth.loops,
    });
    grow(Some(&args.book), vec![stage], 1, &growth.growing, settings)
}

pub(super) fn recipe(args: &RecipeArgs, settings: &Settings) -> anyhow::Result<Report> {
    let recipe = Recipe::read(&args.recipe)?;
    let seed = args.seed.unwrap_or(recipe.seed);
    grow(
        args.book.as_deref(),
        recipe.stages,
        seed,
        &args.growing,
        settings,
    )
}

pub(super) fn export(args: &ExportArgs, settings: &Settings) -> anyhow::Result<Report> {
    let growing = &args.growing;
    let named = growing.output.as_ref();
    let output = named.ok_or_else(|| UsageError("no output is named: add -o OUT".to_owned()))?;
    let writing = writing(output, &growing.reading)?;
    if !matches!(writing.format, BookFormat::Edax | BookFormat::EdaxText) {
        let name = output.display();
        return Err(UsageError(format!(
            "{name}: a name that ends in .dat or .txt was expected"
        ))
        .into());
    }
    if args.search {
        // A book for Edax is completed at the end of any run.
        let stage = BookStage::Leaves(LeafRecalculation {
            level: args.level,
            depth: othello_bookwork::GrowthLimit(Some(0)),
            only_illegal: true,
            ..LeafRecalculation::default()
        });
        return grow(Some(&args.book), vec![stage], 1, growing, settings);
    }
    let _claim = settings.overwrite().claim(output, &[&args.book])?;
    let job = settings.job()?;
    let input = growing.reading.open(&args.book)?;
    let inputs = std::slice::from_ref(&input);
    let report = files::convert(
        inputs,
        output,
        BookOutputMode::Write,
        growing.reading.options(),
        writing,
        &job,
    )?;
    job.progress.saved(output);
    drop(job);
    let skipped = ["new", "changed"];
    let counts = report
        .counts()
        .into_iter()
        .filter(|(name, _)| !skipped.contains(name));
    Ok(Report::of_counts(&counts.collect::<Vec<_>>()))
}

/// Runs stages, or goes on with them.
fn grow(
    book: Option<&Path>,
    stages: Vec<BookStage>,
    seed: u64,
    args: &Growing,
    settings: &Settings,
) -> anyhow::Result<Report> {
    let mut task = match (&args.output, book) {
        (Some(output), _) => BookTask::new(
            book.map(Path::to_owned),
            output.clone(),
            writing(output, &args.reading)?,
            stages,
        ),
        (None, Some(book)) => BookTask::in_place(book, writing(book, &args.reading)?, stages),
        (None, None) => {
            let text = "no book is named: add BOOK, which grows, or -o OUT for a new one";
            return Err(UsageError(text.to_owned()).into());
        }
    };
    task.reading = args.reading.options();
    task.alone = args.reading.no_side_car;
    task.seed = seed;
    task.save_interval = Duration::from_secs_f64(args.run.save_interval * 60.0);
    task.flush = args.run.journal_flush.0;
    task.budget = args.run.budget();
    let inputs: Vec<PathBuf> = task.input.iter().cloned().collect();
    let _claim = match &args.output {
        Some(output) if !task.is_begun() => settings.overwrite().claim(output, &inputs)?,
        // A run that is resumed may replace what it wrote at the last save.
        _ => Overwrite::Allow.claim(&task.output, &inputs)?,
    };
    let job = settings.job()?;
    task.weights = name_of(&args.workers.weights)?;
    let growth = search(&task, &args.workers, settings, &job)?;
    drop(job);
    Ok(report(&growth))
}

/// Runs a task with those who search.
fn search(
    task: &BookTask,
    args: &WorkerArgs,
    settings: &Settings,
    job: &Job,
) -> anyhow::Result<BookGrowth> {
    if let Some(url) = &args.queue {
        let queue = shared_queue(url, &args.shared, &task.weights)?;
        EventLog::current().share(|text| queue.publish(text))?;
        return Ok(task.run_on_queue(&queue, job)?);
    }
    let programs: Vec<_> = args
        .programs
        .iter()
        .flat_map(|command| std::iter::repeat_n(command.clone(), args.each.into()))
        .collect();
    // Threads beside programs only where they are asked for.
    let threads = if programs.is_empty() || settings.threads.is_some() {
        threads(settings)?
    } else {
        0
    };
    let weights = if threads > 0 {
        args.weights.load()?
    } else {
        Weights::built_in()
    };
    let identity = SearchIdentity::new(&task.weights);
    let searchers = searchers(threads, &Arc::new(weights), programs, &identity);
    let retries = search_retries(Duration::from_secs(args.think_timeout));
    Ok(task.run(&searchers, retries, job)?)
}

/// What tells weights from others: the hash of their file.
fn name_of(args: &WeightsArgs) -> yane_io::Result<String> {
    let file = match &args.file {
        Some(path) if path == Path::new(WeightsArgs::UNTRAINED) => {
            return Ok(WeightsArgs::UNTRAINED.to_owned());
        }
        Some(path) => &std::fs::read(path).map_err(yane_io::Error::io(path))?,
        None => Weights::built_in_file(),
    };
    Ok(format!("{:016x}", othello_bookwork::fingerprint(file)))
}

fn shared_queue(
    url: &str,
    shared: &QueueName,
    weights: &str,
) -> Result<othello_bookwork::Queue, UsageError> {
    let access = Access {
        lease: Duration::from_secs(shared.lease),
        trust: shared.trust.trust()?,
        login: shared.trust.login()?,
    };
    Ok(queue(url, &shared.name, weights, access))
}

fn report(growth: &BookGrowth) -> Report {
    let mut report = Report::of_counts(&[
        ("positions", growth.positions),
        ("added", growth.added),
        ("searches", growth.searches),
        ("rounds", growth.rounds),
        ("left_out", growth.left_out),
    ]);
    report.json["complete"] = json!(growth.reason == GrowthEnd::Complete);
    report.json["bad"] = json!(growth.bad_lines);
    let note = match growth.reason {
        GrowthEnd::Complete => None,
        GrowthEnd::Positions => Some("Reached --positions. Run the same command to continue."),
        GrowthEnd::Time => Some("Reached --hours. Run the same command to continue."),
        GrowthEnd::Cancelled => Some("Interrupted. Run the same command to continue."),
    };
    report.notes.extend(note.map(str::to_owned));
    if growth.bad_lines > 0 {
        let lines = if growth.bad_lines == 1 {
            "line is"
        } else {
            "lines are"
        };
        let note = format!(
            "{} {lines} no game; the others were learnt.",
            growth.bad_lines
        );
        report.notes.push(note);
    }
    report.end = match growth.reason {
        GrowthEnd::Cancelled => ReportEnd::Interrupted,
        _ if growth.bad_lines > 0 => ReportEnd::Findings,
        GrowthEnd::Complete => ReportEnd::Done,
        GrowthEnd::Positions | GrowthEnd::Time => ReportEnd::Limit,
    };
    report
}

/// Answers searches: lines, or those of a queue.
pub(super) fn worker(args: &WorkerCommand, settings: &Settings) -> anyhow::Result<ExitCode> {
    let name = name_of(&args.weights)?;
    let weights = Arc::new(args.weights.load()?);
    if let Some(url) = &args.queue {
        let job = settings.job()?;
        job.progress.stage("searching", None, Unit::Positions);
        let queue = shared_queue(url, &args.shared, &name)?;
        let searches = work_for_queue(&queue, threads(settings)?, &weights, &job)?;
        let is_cancelled = job.check().is_err();
        drop(job);
        print_counts(&[("searches", searches)], settings.json)?;
        return Ok(if is_cancelled {
            ExitCode::from(INTERRUPTED)
        } else {
            ExitCode::SUCCESS
        });
    }
    let identity = SearchIdentity::new(name);
    let mut searcher = BookSearcher::new(weights);
    let mut output = std::io::stdout().lock();
    let mut lines = BoundedLines::new(std::io::stdin().lock());
    while let Some(line) = lines
        .next_text()
        .map_err(|error| UsageError(error.to_string()))?
    {
        if line.trim() == SearchIdentity::QUESTION {
            writeln!(output, "{identity}")?;
            output.flush()?;
            continue;
        }
        let item: SearchItem = line
            .parse()
            .map_err(|error| UsageError(format!("line {}: {error}", lines.number())))?;
        if let Some(found) = searcher.search(&item, &Control::default()) {
            writeln!(output, "{found}")?;
            output.flush()?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Sets a value by hand.
pub(super) fn set(args: &SetArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let writing = writing(&args.output, &args.reading)?;
    let _claim = settings.overwrite().claim(&args.output, &[&args.book])?;
    let game = game(&args.moves, settings)?;
    // A value for the player who moved, if there was one.
    let is_for_mover = game.moves().is_empty();
    let value = if is_for_mover {
        args.value
    } else {
        -args.value
    };
    let job = settings.job()?;
    let opened = open_book(&args.book, &args.reading, &job)?;
    let mut book = GrowingBook::new(opened.book);
    let edit = PositionEdit::set(&book, game.position(), value, PositionEdit::BY_HAND);
    let is_new = book.find(edit.board()).is_none();
    edit.apply(&mut book);
    if book.find(Board::START).is_some() {
        ops::count_lines(&mut book, Board::START);
    }
    let saved = files::save(&book, &args.output, BookOutputMode::Write, writing)?;
    drop(job);
    print_counts(
        &[("positions", saved.positions), ("new", u64::from(is_new))],
        settings.json,
    )?;
    Ok(ExitCode::SUCCESS)
}
