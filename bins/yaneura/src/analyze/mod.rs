//! `yaneura analyze`: the analysis of games, one or thousands. `kifu analyze` is the same.

mod book;
mod cli;
mod engines;
mod games;
mod records;
mod run;
mod store;
mod table;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::{CommandFactory as _, FromArgMatches as _, Parser};
use shogi_farm::{EnginePool, with_contents};
use shogi_kifu::KifuFormat;
use shogi_review::{GameReview, ReviewBook, ReviewTotals, review_chart, review_page, totals_page};
use yane_cli::print::Printer;
use yane_cli::{ActingSettings, Settings, UsageError, is_standard};
use yane_io::{
    AtomicFile, Checksum, Claim, Error as FileError, Job, Journal, Overwrite, RunIdentity,
};

use book::FileBook;
pub use cli::AnalyzeArgs;
use engines::{engine, engine_pool, limit_style};
use games::InputGames;
use records::Records;
use run::AnalyzeTask;
use store::{Anew, Store};

/// The first word of the command.
const NAME: &str = "analyze";

/// The settings that act.
const ACTING: ActingSettings = ActingSettings(&[(NAME, SETTINGS)]);

/// The settings that act in the command, for programs that have it too.
pub const SETTINGS: &str = "threads quiet force json";

/// Help behind the options.
pub const EXAMPLES: &str = "\
Each move is compared with the best one, from the end of the game backwards. A score becomes a
probability of winning, 1 / (1 + exp(-score / 600)); a move that loses 5, 10 or 20 points of it is an
inaccuracy, a mistake or a blunder. Several games are analysed side by side, one on each thread; one
game alone gets all threads. With -o, --out-dir or --html the same command resumes after Ctrl-C.

Exit codes: 0 done; 1 failed, or a game cannot be read; 2 wrong usage; 130 interrupted.

Examples:
  yaneura analyze game.kif
  yaneura analyze game.kif -o analysed.kif --html game.html --nodes 1000000
  yaneura analyze game.csa --time 2000 --multipv 3 --hash 1024 --json
  yaneura analyze game.kif --engine engines/YaneuraOu --option EvalDir=eval --depth 20
  yaneura analyze games/ --out-dir analysed/ --summary --player 太郎
  yaneura analyze floodgate/ --html me.html --nodes 50000 --skip-bad --book own.db";

/// Analyse games: what each move loses, the best moves, mates missed, pieces left hanging.
#[derive(Debug, Parser)]
#[command(name = NAME, after_help = EXAMPLES)]
struct AnalyzeCli {
    #[command(flatten)]
    args: AnalyzeArgs,
    #[command(flatten, next_help_heading = "Settings")]
    settings: Settings,
}

/// A program that has this command only, so that settings which do not act are refused.
fn alone() -> clap::Command {
    let program = clap::Command::new("yaneura")
        .args(settings())
        .subcommand(command_alone());
    yane_cli::plain_help(ACTING.limit(program))
}

fn settings() -> Vec<clap::Arg> {
    let all = AnalyzeCli::command();
    all.get_arguments()
        .filter(|arg| arg.is_global_set())
        .cloned()
        .collect()
}

fn command_alone() -> clap::Command {
    AnalyzeCli::command()
}

/// The command, as [`clap`] sees it.
pub(crate) fn command() -> clap::Command {
    let program = alone();
    let found = program.find_subcommand(NAME).cloned();
    found.unwrap_or_else(command_alone)
}

/// Runs the command that the program's arguments are, if it is this one and nothing else; `None` otherwise.
/// Wrong arguments end the program.
pub(crate) fn run_as_program(words: &[OsString]) -> Option<ExitCode> {
    let is_named = words.first().is_some_and(|word| word == NAME);
    if !is_named || words.iter().any(|word| word == ",") {
        return None;
    }
    let line = std::iter::once(OsString::from("yaneura")).chain(words.iter().cloned());
    let matches = ACTING.matches(alone(), line);
    let cli = matches.and_then(|matches| match matches.subcommand() {
        Some((_, matches)) => AnalyzeCli::from_arg_matches(matches),
        None => AnalyzeCli::from_arg_matches(&matches),
    });
    let cli = cli.unwrap_or_else(|error| error.exit());
    Some(
        analyze(&cli.args, &cli.settings)
            .unwrap_or_else(|error| yane_cli::fail("yaneura analyze", &error)),
    )
}

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
    let book = args
        .search
        .book
        .as_deref()
        .map(|path| FileBook::open(path, &job))
        .transpose()?;
    let threads = job.threads.min(input.games.len()).max(1);
    let of_each = if input.games.len() == 1 {
        job.threads
    } else {
        1
    };
    let engine = engine(&args.engine, threads, of_each)?;
    let identity = with_contents(
        identity(args, &input)?,
        &shogi_farm::contents_of(
            std::slice::from_ref(&engine),
            &yane_cli::evaluation_folders(),
        )?,
    );
    let anew = if settings.force { Anew::Yes } else { Anew::No };
    let mut store = Store::open(
        journal_path(args).as_deref(),
        &identity,
        anew,
        input.games.len(),
    )?;
    let pool = engine_pool(&args.engine, &engine, of_each)?;
    if let (Some(name), false) = (pool.first_deep(), args.search.is_limited()) {
        let text = format!(
            "engine {name} is the deep engine, which needs --nodes (playouts) or --time: --depth alone may never end its search"
        );
        return Err(UsageError(text).into());
    }
    let mut screen = Screen::new(args, settings, input.games.len());
    let task = AnalyzeTask {
        games: &input.games,
        limits: args.search.limits(limit_style(&engine)),
        variations: args.search.all_lines,
        book: book.as_ref().map(|book| book as &(dyn ReviewBook + Sync)),
    };
    let is_done = analyze_all(task, &pool, &mut store, &job, &mut screen, &input)?;
    if let Some(error) = book.and_then(FileBook::into_error) {
        return Err(error.into());
    }
    if !is_done {
        if let (Some(path), false) = (journal_path(args), settings.quiet) {
            job.progress.note(&format!(
                "{} keeps what is analysed. Run the same command to continue.",
                path.display()
            ));
        }
        return Err(FileError::Cancelled.into());
    }
    drop(job);
    records.write(results, &input, &mut store)?;
    write_pictures(args, &input, &mut store, &screen.totals)?;
    screen.finish()?;
    store.remove()?;
    Ok(input.tally.code())
}

fn analyze_all(
    task: AnalyzeTask<'_>,
    pool: &EnginePool,
    store: &mut Store,
    job: &Job,
    screen: &mut Screen<'_>,
    input: &InputGames,
) -> anyhow::Result<bool> {
    task.run(pool, store, job, |game, review| {
        screen.show(&input.games[game].place(), game, &review)
    })
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

/// The graph and the page.
fn write_pictures(
    args: &AnalyzeArgs,
    input: &InputGames,
    store: &mut Store,
    totals: &ReviewTotals,
) -> anyhow::Result<()> {
    let (results, language) = (&args.results, args.results.language());
    let one = input.games.len() == 1;
    if let Some(path) = &results.svg
        && let Some(review) = store.get(0)?
    {
        write_text(path, &review_chart(&review, language))?;
    }
    if let Some(path) = &results.html {
        let mut reviews: Vec<GameReview> = Vec::new();
        for game in 0..input.games.len() {
            reviews.extend(
                store
                    .get(game)?
                    .map(|review| if one { review } else { without_lines(review) }),
            );
        }
        let page = match (&reviews[..], one) {
            ([review], true) => review_page(&input.games[0].record, review, language),
            _ => totals_page(&reviews, totals, language),
        };
        write_text(path, &page)?;
    }
    Ok(())
}

/// A review with less memory: the page of many games shows no moves.
fn without_lines(mut review: GameReview) -> GameReview {
    review.moves = Vec::new();
    review
}

fn write_text(path: &PathBuf, text: &str) -> anyhow::Result<()> {
    if is_standard(path) {
        return Ok(yane_cli::print::lines(text.lines())?);
    }
    let mut file = AtomicFile::create(path)?;
    file.put(text.as_bytes())?;
    Ok(file.commit()?)
}

/// What is printed of each game, and of all.
struct Screen<'a> {
    args: &'a AnalyzeArgs,
    settings: &'a Settings,
    games: usize,
    printer: Option<Printer>,
    totals: ReviewTotals,
}

impl<'a> Screen<'a> {
    fn new(args: &'a AnalyzeArgs, settings: &'a Settings, games: usize) -> Self {
        let results = &args.results;
        let outputs = [&results.output, &results.svg, &results.html];
        let is_taken = outputs.into_iter().flatten().any(|path| is_standard(path));
        let printer = (!is_taken).then(Printer::new);
        Self {
            args,
            settings,
            games,
            printer,
            totals: ReviewTotals::default(),
        }
    }

    fn show(&mut self, place: &str, game: usize, review: &GameReview) -> anyhow::Result<()> {
        let player = self.args.results.player.as_deref();
        self.totals.add(review, |name| {
            player.is_none_or(|player| name.contains(player))
        });
        let language = self.args.results.language();
        let lines = if self.settings.json {
            let mut told = serde_json::to_value(review)?;
            if self.games > 1 {
                told["game"] = (game + 1).into();
                told["place"] = place.into();
            }
            vec![told.to_string()]
        } else if self.games == 1 {
            table::game(review, language)
        } else {
            table::row_of_many(place, game, review, language)
        };
        self.print(lines)
    }

    fn print(&mut self, lines: Vec<String>) -> anyhow::Result<()> {
        if let Some(printer) = &mut self.printer {
            for line in lines {
                printer.line(line)?;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<()> {
        if self.args.results.summary {
            let lines = if self.settings.json {
                vec![serde_json::json!({ "summary": self.totals }).to_string()]
            } else {
                table::totals(&self.totals, self.args.results.language())
            };
            self.print(lines)?;
        }
        match self.printer {
            Some(printer) => Ok(printer.finish()?),
            None => Ok(()),
        }
    }
}

/// The format of a file of annotated records.
fn format_of(path: &std::path::Path, named: Option<KifuFormat>) -> anyhow::Result<KifuFormat> {
    Ok(yane_cli::records::format_of_output(named, path)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_do_not_act_are_refused() {
        assert!(
            ACTING
                .problems(
                    &clap::Command::new("yaneura")
                        .args(settings())
                        .subcommand(command_alone())
                )
                .is_empty()
        );
        let parse = |line: &str| ACTING.matches(alone(), line.split(' '));
        assert!(parse("yaneura analyze x.kif --threads 2 --json --force -q").is_ok());
        assert!(parse("yaneura analyze x.kif --temp-dir /tmp").is_err());
        assert!(parse("yaneura analyze").is_err());
    }
}
