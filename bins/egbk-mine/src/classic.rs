//! The program without arguments: the files of the folder.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use othello_book::miner::{self, MineOptions, MismatchLine, Mode};
use othello_book::store::OnDamage;
use yane_cli::{Console, UsageError, print};
use yane_io::Job;

use crate::args::LineFormat;
use crate::book::Source;
use crate::config::Config;
use crate::inspect;
use crate::log::{Level, Log};
use crate::output::{Output, Style};
use crate::report::Report;

/// Lines are appended to `mismatched_positions.txt`, with line ends as the system has them.
const STYLE: Style = Style {
    format: LineFormat::Text,
    bom: true,
    crlf: cfg!(windows),
};

pub(crate) fn run(folder: &Path) -> anyhow::Result<ExitCode> {
    let (book, config) = (folder.join("book.dat"), folder.join("config.ini"));
    if !book.exists() && !config.exists() {
        let text = "there is no book.dat here; name a book, or see egbk-mine --help";
        return Err(UsageError(text.to_owned()).into());
    }
    let config = Config::read(&config)?;
    let log = folder.join("debuglog.txt");
    let log = Log::begin(log, config.level, config.adjusted_level())?;
    let done = work(folder, config, &log);
    if let Err(error) = &done {
        log.lines(Level::Error, &[format!("{error:#}")])?;
    }
    done
}

fn work(folder: &Path, config: Config, log: &Log) -> anyhow::Result<ExitCode> {
    let job = Job {
        progress: Arc::new(Console::new(false)),
        ..Job::default()
    };
    yane_cli::stop_on_request(&job.cancelled)?;
    let source = Source::open(&folder.join("book.dat"), OnDamage::Stop)?;
    let mut index = source.index(OnDamage::Stop, &job)?;
    log.lines(Level::Info, &[format!("{} positions", index.len())])?;
    let Some(mode) = Mode::from_number(config.mode) else {
        let answers = inspect::answers(&index, &folder.join("specified_positions.txt"))?;
        let lines: Vec<_> = answers.iter().map(inspect::Answer::text).collect();
        // Answers are logged at every level but none.
        log.lines(Level::Error, &lines)?;
        print::lines(lines)?;
        return Ok(inspect::code(&answers));
    };
    let mut output = Output::append(&folder.join("mismatched_positions.txt"), STYLE)?;
    let mut options = MineOptions::new(mode);
    options.limits = Some(config.limits);
    let summary = miner::mine(&mut index, &options, &job, &mut |line| {
        if log.wants(Level::Debug) {
            log.lines(Level::Debug, &[found(line)])?;
        }
        output.line(line)
    })?;
    output.finish()?;
    let lines = Report::new(&summary, &source, &index).lines();
    log.lines(Level::Warning, &lines)?;
    print::lines(lines)?;
    Ok(ExitCode::SUCCESS)
}

fn found(line: &MismatchLine<'_>) -> String {
    let MismatchLine {
        transcript,
        expected,
        found,
        ..
    } = line;
    format!("{transcript}: {expected:+} expected, {found:+} found")
}
