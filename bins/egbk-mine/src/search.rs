//! The program with arguments.

use std::process::ExitCode;

use othello_book::miner::{self, MineLimits, MineOptions, Mode};
use othello_book::store::OnDamage;
use othello_core::{Game, Position};
use othello_record::read_one;
use yane_cli::{UsageError, print};
use yane_io::{Job, TempFolder};

use crate::args::{Args, Dialect, LineFormat};
use crate::book::Source;
use crate::inspect;
use crate::output::{Output, Style};
use crate::report::Report;

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let job = match args.output {
        Some(_) => args.settings.job()?,
        None => args.settings.printing_job()?,
    };
    if let Some(output) = &args.output {
        args.settings.overwrite().check(output, &[&args.book])?;
    }
    let style = Style {
        format: line_format(args)?,
        bom: args.bom,
        crlf: args.crlf,
    };
    match Mode::from_number(args.mode) {
        Some(mode) => search(args, &options(args, mode, &job)?, style, &job),
        None if args.format == LineFormat::Csv => {
            Err(UsageError("--format csv: mode 5 has text or jsonl".to_owned()).into())
        }
        None => look_up(args, style, &job),
    }
}

/// The format of the lines. A JSON summary on standard output needs JSON lines.
fn line_format(args: &Args) -> Result<LineFormat, UsageError> {
    match args.format {
        LineFormat::Text if args.output.is_none() && args.settings.json => Ok(LineFormat::Jsonl),
        LineFormat::Csv if args.output.is_none() && args.settings.json => {
            let text = "--json and --format csv both want the standard output: add -o FILE";
            Err(UsageError(text.to_owned()))
        }
        form => Ok(form),
    }
}

fn damage(args: &Args) -> OnDamage {
    if args.skip_damaged {
        OnDamage::Skip
    } else {
        OnDamage::Stop
    }
}

fn options(args: &Args, mode: Mode, job: &Job) -> anyhow::Result<MineOptions> {
    let mut options = MineOptions::new(mode);
    if let Some(start) = &args.start {
        let record = read_one(start);
        let record = record.map_err(|error| UsageError(format!("--start: {error}")))?;
        if let Some(note) = record.note() {
            job.progress.note(note);
        }
        options.start = record.position();
        options.prefix = prefix(&record.game);
    }
    options.dialect = match args.dialect {
        Dialect::Seed => miner::Dialect::Seed,
        Dialect::V2 => miner::Dialect::V2,
        Dialect::V1 => miner::Dialect::V1,
    };
    options.limits = Some(MineLimits {
        error: args.per_move_error,
        sum: args.cumulative_error,
        plies: args.max_line,
    });
    options.max_ply = args.max_ply;
    options.min_difference = args.min_diff;
    options.limit = args.limit;
    Ok(options)
}

/// The prefix of lines: the moves of a game, and its start position unless that is the usual one.
fn prefix(game: &Game) -> String {
    if game.start() == Position::START {
        game.to_string()
    } else {
        format!("{} {game}", game.start())
    }
}

fn search(args: &Args, options: &MineOptions, style: Style, job: &Job) -> anyhow::Result<ExitCode> {
    let source = Source::open(&args.book, damage(args))?;
    let mut index = source.index(damage(args), job)?;
    let mut output = Output::create(args.output.as_deref(), style)?;
    let mut each = |line: &miner::MismatchLine<'_>| output.line(line);
    let summary = if args.parallel {
        let folder = match (&args.output, &job.temp_dir) {
            (Some(output), _) => job.temp_for(output),
            (None, folder) => TempFolder::from(&folder.clone().unwrap_or_else(std::env::temp_dir)),
        };
        miner::mine_sorted(&mut index, options, job, folder, &mut each)?
    } else {
        miner::mine(&mut index, options, job, &mut each)?
    };
    let report = Report::new(&summary, &source, &index);
    if args.output.is_none() && args.settings.json {
        output.text(&report.json().to_string())?;
    }
    output.finish()?;
    match (&args.output, args.settings.json) {
        (Some(_), true) => print::json(&report.json())?,
        (Some(_), false) => print::lines(report.lines())?,
        // Standard output has the lines.
        (None, true) => {}
        (None, false) => {
            for line in report.lines() {
                job.progress.note(&line);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn look_up(args: &Args, style: Style, job: &Job) -> anyhow::Result<ExitCode> {
    let source = Source::open(&args.book, damage(args))?;
    let index = source.index(damage(args), job)?;
    let mut output = Output::create(args.output.as_deref(), style)?;
    let found = inspect::answers(&index, &args.positions)?;
    for answer in &found {
        let text = if args.settings.json || args.format == LineFormat::Jsonl {
            answer.json().to_string()
        } else {
            answer.text()
        };
        output.text(&text)?;
    }
    output.finish()?;
    Ok(inspect::code(&found))
}
