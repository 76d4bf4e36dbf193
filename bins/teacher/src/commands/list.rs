//! `head`, `sample` and `stats`: their arguments and what they do.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use pack_format::listing::{Game, Item, ListOptions, Pick};
use pack_format::stats::StatsOptions;
use pack_format::stream::StreamOutput;
use pack_format::text::jsonl;
use pack_format::{Skipped, TeacherError};
use yane_cli::print::Printer;
use yane_cli::{Output as Named, Settings, UsageError, print};

use super::{list_skipped, timed};
use crate::conversion::check_page;
use crate::files::Files;
use crate::names::is_standard;

/// The first games or positions.
pub(super) fn head(args: &HeadArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    list(&args.files, &args.how, Pick::First, settings)
}

/// Games or positions picked at random.
pub(super) fn sample(args: &SampleArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let pick = Pick::Random { seed: args.seed };
    list(&args.files, &args.how, pick, settings)
}

fn list(
    files: &Files,
    how: &HowToList,
    pick: Pick,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    let (inputs, format) = files.open()?;
    let options = ListOptions {
        format,
        count: how.count,
        pick,
        skip_bad: how.skip_bad,
    };
    let job = settings.printing_job()?;
    let mut printer = Printer::new();
    for input in &inputs {
        if inputs.len() > 1 && !settings.json {
            printer.line(format!("{input}:"))?;
        }
        let mut printed = Ok(());
        let listed = pack_format::listing::list(input, &options, &job, |item| {
            printed = printer.line(text(&item, how.board, settings.json));
            if printed.is_ok() && !printer.is_closed() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        printed?;
        let skipped = usage(listed)?;
        if printer.is_closed() {
            break;
        }
        list_skipped(&skipped);
    }
    printer.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn usage(listed: Result<Skipped, TeacherError>) -> anyhow::Result<Skipped> {
    listed.map_err(|error| match error {
        TeacherError::Option(reason) => UsageError(reason).into(),
        error => error.into(),
    })
}

/// An item as text, or as a line of JSON.
fn text(item: &Item, board: bool, json: bool) -> String {
    if !json {
        let text = if board {
            format!("{item:#}")
        } else {
            item.to_string()
        };
        return text.trim_end_matches('\n').to_owned();
    }
    let mut line = Vec::new();
    match item {
        Item::Position { sample, .. } => jsonl::write_sample(&mut line, sample),
        Item::Game {
            number,
            offset,
            game,
        } => match game {
            Game::Pack(game) => jsonl::write_game(&mut line, number - 1, *offset, game),
            Game::Hcpe3(game) => jsonl::write_hcpe3(&mut line, number - 1, *offset, game),
        },
    }
    String::from_utf8_lossy(&line).trim_end().to_owned()
}

/// `stats FILE...`
#[derive(Args, Debug)]
#[command(after_help = STATS_EXAMPLES)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    /// Also write a page with plots
    #[arg(long, value_name = "PAGE")]
    pub(crate) html: Option<PathBuf>,
    /// Also write the main plots (scores, winning rate, plies, results) as a picture (SVG); - is the standard output, instead of
    /// text
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Leave out damaged records of hcpe and psv, and count them, instead of stopping at the first
    #[arg(long)]
    pub(crate) skip_bad: bool,
}

const STATS_EXAMPLES: &str = "\
Games, results, end reasons, lengths, scores and how they agree with the results, plies, pieces,
checks, kinds of moves; about how many different positions there are. Everything is checked on the
way.

Examples:
  teacher stats a.pack
  teacher stats a.psv b.psv --json
  teacher stats a.hcpe --html a.html
  teacher stats a.hcpe --svg a.svg";

/// `head FILE...`
#[derive(Args, Debug)]
#[command(after_help = HEAD_EXAMPLES)]
pub(crate) struct HeadArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    #[command(flatten)]
    pub(crate) how: HowToList,
}

const HEAD_EXAMPLES: &str = "\
With --json each is a line as `teacher convert --to jsonl` writes it.

Examples:
  teacher head a.pack
  teacher head a.psv -n 3 --board
  teacher head a.hcpe -n 1 --json";

/// `sample FILE...`
#[derive(Args, Debug)]
#[command(after_help = SAMPLE_EXAMPLES)]
pub(crate) struct SampleArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    #[command(flatten)]
    pub(crate) how: HowToList,
    /// The same seed picks the same ones
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
}

const SAMPLE_EXAMPLES: &str = "\
All are equally likely. Records of a file are looked up at once; games and the standard input are
read to the end.

Examples:
  teacher sample a.psv
  teacher sample a.pack -n 3 --seed 42 --board
  teacher sample a.hcpe -n 100 --json";

/// Options of `head` and `sample`.
#[derive(Args, Debug)]
pub(crate) struct HowToList {
    /// Games or positions to list per file
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub(crate) count: u64,
    /// Show boards: of each position, of the start and the end of each game
    #[arg(long)]
    pub(crate) board: bool,
    /// Leave out damaged records of hcpe and psv, instead of stopping at the first
    #[arg(long)]
    pub(crate) skip_bad: bool,
}

/// Writes a page or a picture.
fn write(name: &Path, text: &str) -> anyhow::Result<()> {
    let mut file = StreamOutput::create(name)?;
    file.put(text.as_bytes())?;
    Ok(file.commit()?)
}

/// Prints the statistics of files.
pub(super) fn stats(args: &StatsArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let (inputs, format) = args.files.open()?;
    let outputs = [&args.html, &args.svg];
    let named = || outputs.into_iter().flatten();
    for output in named() {
        check_page(&Named::by_option(output), &inputs, settings)?;
    }
    if let (Some(page), Some(picture)) = (&args.html, &args.svg)
        && page == picture
    {
        let text = format!("--html and --svg both want {}", page.display());
        return Err(UsageError(text).into());
    }
    let options = StatsOptions {
        skip_bad: args.skip_bad,
    };
    let (stats, _) = timed(settings, |job| {
        pack_format::stats::stats(&inputs, format, &options, job)
    })?;
    if let Some(page) = &args.html {
        write(page, &stats.to_html())?;
    }
    if let Some(picture) = &args.svg {
        write(picture, &stats.to_svg())?;
    }
    if named().any(|output| is_standard(output)) {
        return Ok(ExitCode::SUCCESS);
    }
    if settings.json {
        print::lines([stats.to_json()])?;
    } else {
        print::lines([stats.to_text().trim_end()])?;
    }
    Ok(ExitCode::SUCCESS)
}
