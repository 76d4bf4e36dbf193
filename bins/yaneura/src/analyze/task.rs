//! The command from its arguments to its outputs.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use shogi_farm::{Engine, EnginePool, contents_of, with_contents};
use shogi_review::ReviewBook;
use yane_cli::{Settings, UsageError, evaluation_folders, is_standard};
use yane_io::{Checksum, Claim, Error as FileError, Job, Journal, Overwrite, RunIdentity};

use super::book::FileBook;
use super::cli::AnalyzeArgs;
use super::engines::{engine, engine_pool, limit_style};
use super::games::InputGames;
use super::pictures::write_pictures;
use super::records::Records;
use super::run::AnalyzeTask;
use super::screen::Screen;
use super::store::{Anew, Store};

/// Analyses games and writes what was asked for.
///
/// # Errors
/// When a game cannot be read, the engine fails, or an output cannot be written.
pub fn analyze(args: &AnalyzeArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let results = &args.results;
    let job = settings.job()?;
    let input = InputGames::read(args, &job)?;
    if input.games.is_empty() {
        bail!("no game could be read ({} bad)", input.tally.bad);
    }
    results.accept(input.games.len())?;
    let overwrite = overwrite(args, settings);
    let _claims = claims(args, overwrite, &input)?;
    let records = Records::plan(results, overwrite, &input)?;
    let (side_by_side, threads) = division(&job, &input);
    let engine = engine(&args.engine, side_by_side, threads)?;
    let mut store = open_store(args, settings, &input, &engine)?;
    let pool = engine_pool(&args.engine, &engine, threads)?;
    check_limits(args, &pool)?;
    let mut screen = Screen::new(results, settings, input.games.len());
    if !search(args, &input, &engine, &pool, &mut store, &job, &mut screen)? {
        if let (Some(path), false) = (journal_path(args), settings.quiet) {
            let path = path.display();
            job.progress.note(&format!(
                "{path} keeps what is analysed. Run the same command to continue."
            ));
        }
        return Err(FileError::Cancelled.into());
    }
    drop(job);
    records.write(results, &input, &mut store)?;
    write_pictures(results, &input, &mut store, &screen.totals)?;
    screen.finish()?;
    store.remove()?;
    Ok(input.tally.code())
}

/// How many games are analysed side by side, and the threads of each: one game alone gets all.
fn division(job: &Job, input: &InputGames) -> (usize, usize) {
    match input.games.len() {
        1 => (1, job.threads),
        games => (job.threads.clamp(1, games), 1),
    }
}

/// Analyses what is not known yet, and shows all; false when the job was cancelled before.
fn search(
    args: &AnalyzeArgs,
    input: &InputGames,
    engine: &Engine,
    pool: &EnginePool,
    store: &mut Store,
    job: &Job,
    screen: &mut Screen<'_>,
) -> anyhow::Result<bool> {
    let book = args.search.book.as_deref();
    let book = book.map(|path| FileBook::open(path, job)).transpose()?;
    let task = AnalyzeTask {
        games: &input.games,
        limits: args.search.limits(limit_style(engine)),
        variations: args.search.all_lines,
        book: book.as_ref().map(|book| book as &(dyn ReviewBook + Sync)),
    };
    let is_done = task.run(pool, store, job, |game, review| {
        screen.show(&input.games[game].place(), game, &review)
    })?;
    match book.and_then(FileBook::into_error) {
        Some(error) => Err(error.into()),
        None => Ok(is_done),
    }
}

/// Refuses a search of the deep engine that may never end.
fn check_limits(args: &AnalyzeArgs, pool: &EnginePool) -> Result<(), UsageError> {
    match pool.first_deep() {
        Some(name) if !args.search.is_limited() => Err(UsageError(format!(
            "engine {name} is the deep engine, which needs --nodes (playouts) or --time: --depth alone may never end its search"
        ))),
        _ => Ok(()),
    }
}

/// The results of an interrupted run of the same identity, or none.
fn open_store(
    args: &AnalyzeArgs,
    settings: &Settings,
    input: &InputGames,
    engine: &Engine,
) -> anyhow::Result<Store> {
    let contents = contents_of(std::slice::from_ref(engine), &evaluation_folders())?;
    let identity = with_contents(identity(args, input)?, &contents);
    let anew = if settings.force { Anew::Yes } else { Anew::No };
    Store::open(
        journal_path(args).as_deref(),
        &identity,
        anew,
        input.games.len(),
    )
}

/// The files that outputs may replace: those of an interrupted run that is resumed may be there already.
fn overwrite(args: &AnalyzeArgs, settings: &Settings) -> Overwrite {
    let is_resumed = journal_path(args).is_some_and(|path| path.exists());
    if is_resumed {
        Overwrite::Allow
    } else {
        settings.overwrite()
    }
}

/// Reserves the outputs.
fn claims(
    args: &AnalyzeArgs,
    overwrite: Overwrite,
    input: &InputGames,
) -> anyhow::Result<Vec<Claim>> {
    let inputs: Vec<&PathBuf> = input
        .paths
        .iter()
        .filter(|path| !is_standard(path))
        .collect();
    let claim = |file: &PathBuf| Ok(overwrite.claim(file, &inputs)?);
    args.results.files().map(claim).collect()
}

/// The journal of a run that writes files.
fn journal_path(args: &AnalyzeArgs) -> Option<PathBuf> {
    let folder = args
        .results
        .out_dir
        .as_ref()
        .map(|folder| folder.join("analyze"));
    let first = folder.as_ref().or_else(|| args.results.files().next());
    first.map(|output| Journal::path_of(output))
}

/// All that decides the result of a run.
fn identity(args: &AnalyzeArgs, input: &InputGames) -> anyhow::Result<RunIdentity> {
    let identity = RunIdentity::new("analyze 1")
        .with("games", input.checksum())
        .with("limits", args.search.text())
        .with("engine", &args.engine.engine)
        .with("options", args.engine.option.join(", "))
        .with("hash", args.engine.hash);
    match &args.search.book {
        Some(book) => Ok(identity.with("book", Checksum::of_path(book)?)),
        None => Ok(identity),
    }
}
