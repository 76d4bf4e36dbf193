//! The program with arguments: the book, the search, the output of lines, and the summary.

use std::io::{BufWriter, Stdout, Write as _};
use std::path::Path;
use std::process::ExitCode;

use othello_book::convert::LeafPolicy;
use othello_book::files::BookFile;
use othello_book::miner::{MineLimits, MineOptions, MinerSummary, MismatchLine, Mode};
use othello_book::store::{EdaxIndex, MemoryBook, OnDamage};
use othello_book::{BookFormat, FormatError, convert, miner};
use othello_core::{Game, Position};
use othello_record::read_one;
use yane_cli::{HumanCount, UsageError, counted, print};
use yane_io::{AtomicFile, Claim, Error, Job, Map, ReadLimit, Result, TempFolder};

use crate::{Args, Dialect, LineFormat, inspect};

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let job = match args.output {
        Some(_) => args.settings.job()?,
        None => args.settings.printing_job()?,
    };
    let _claim = match &args.output {
        Some(output) => args.settings.overwrite().claim(output, &[&args.book])?,
        None => Claim::default(),
    };
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
fn line_format(args: &Args) -> std::result::Result<LineFormat, UsageError> {
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

// The searched book, of any format.

/// The file of an Edax book; another book converted to one in memory.
pub(crate) struct Source {
    pub(crate) map: Map,
    /// Damaged records of a converted book.
    damaged: u64,
}

impl Source {
    pub(crate) fn open(path: &Path, damage: OnDamage) -> Result<Self> {
        let map = Map::open(path)?;
        match BookFormat::of_file(&map)? {
            BookFormat::Edax => Ok(Self { map, damaged: 0 }),
            BookFormat::EdaxText => Self::of_text(map, damage),
            BookFormat::Egaroucid(_) => Self::of_egaroucid(&map, damage),
        }
    }

    fn of_text(map: Map, damage: OnDamage) -> Result<Self> {
        let path = map.path().to_owned();
        let input = BookFile::of(map)?;
        Ok(Self {
            damaged: input.damaged_lines(damage)?,
            map: Map::from_bytes(&path, input.map.to_vec()),
        })
    }

    fn of_egaroucid(map: &Map, damage: OnDamage) -> Result<Self> {
        let mut damaged = 0;
        // Old books have no levels; only values count here.
        let table = MemoryBook::read(map, 1, &mut |error: FormatError| match damage {
            OnDamage::Stop => Err(error),
            OnDamage::Skip => {
                damaged += 1;
                Ok(())
            }
        })?;
        let records = convert::to_edax(&table, None, LeafPolicy::Keep);
        drop(table);
        let mut bytes = convert::header_for(&records).to_bytes().to_vec();
        for record in &records {
            record.write_to(&mut bytes);
        }
        Ok(Self {
            map: Map::from_bytes(map.path(), bytes),
            damaged,
        })
    }

    pub(crate) fn index(&self, damage: OnDamage, job: &Job) -> Result<EdaxIndex<'_>> {
        EdaxIndex::new(&self.map, damage, job)
    }

    /// The number of damaged records.
    pub(crate) fn damaged(&self, index: &EdaxIndex<'_>) -> u64 {
        self.damaged + index.damaged()
    }
}

// The summary of a search, as text and JSON.

/// The summary of a search and its book.
pub(crate) struct Report<'a> {
    pub(crate) summary: &'a MinerSummary,
    pub(crate) positions: u64,
    pub(crate) repeated: u64,
    pub(crate) damaged: u64,
}

impl<'a> Report<'a> {
    pub(crate) fn new(summary: &'a MinerSummary, source: &Source, index: &EdaxIndex<'_>) -> Self {
        Self {
            summary,
            positions: index.len(),
            repeated: index.repeated(),
            damaged: source.damaged(index),
        }
    }

    /// The summary as text. Problems are listed only if there are some.
    pub(crate) fn lines(&self) -> Vec<String> {
        let summary = self.summary;
        let mut lines = vec![format!(
            "{}, {} judged, {}, {}{}",
            counted(self.positions, "position", "positions"),
            counted(summary.judged, "move", "moves"),
            counted(summary.mismatches, "mismatch", "mismatches"),
            counted(summary.lines, "line", "lines"),
            if summary.cut_short {
                " (stopped there)"
            } else {
                ""
            },
        )];
        for (name, counts) in [("ply", &summary.by_ply), ("discs", &summary.by_size)] {
            let counts = counts.iter().enumerate().filter(|(_, count)| **count > 0);
            let counts: Vec<_> = counts
                .map(|(n, count)| format!("{n}: {}", HumanCount(*count)))
                .collect();
            if !counts.is_empty() {
                lines.push(format!("mismatches by {name}: {}", counts.join(", ")));
            }
        }
        // A search that ended early has not reached all.
        let isolated = if summary.cut_short {
            0
        } else {
            summary.isolated
        };
        let oddities = [
            (self.damaged, "damaged records left out"),
            (self.repeated, "repeated records left out"),
            (summary.missing, "links to positions that are missing"),
            (summary.illegal, "illegal links and leaves"),
            (isolated, "positions that were not reached"),
        ];
        let oddities = oddities.iter().filter(|(count, _)| *count > 0);
        lines.extend(oddities.map(|(count, what)| format!("{} {what}", HumanCount(*count))));
        lines
    }

    /// The summary as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        let summary = self.summary;
        serde_json::json!({
            "positions": self.positions,
            "entered": summary.entered,
            "judged": summary.judged,
            "mismatches": summary.mismatches,
            "lines": summary.lines,
            "by_ply": summary.by_ply,
            "by_size": summary.by_size,
            "damaged": self.damaged,
            "repeated": self.repeated,
            "missing": summary.missing,
            "illegal": summary.illegal,
            "isolated": summary.isolated,
            "cut_short": summary.cut_short,
        })
    }
}

// The output of lines.

/// The style of an output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) format: LineFormat,
    pub(crate) bom: bool,
    pub(crate) crlf: bool,
}

const BOM: &[u8] = b"\xef\xbb\xbf";

/// An atomic file, or standard output.
pub(crate) struct Output {
    to: Target,
    style: Style,
    text: String,
}

enum Target {
    File(AtomicFile),
    Standard(BufWriter<Stdout>),
}

impl Output {
    /// Creates a file, or writes to standard output.
    pub(crate) fn create(path: Option<&Path>, style: Style) -> Result<Self> {
        let to = match path {
            Some(path) => Target::File(AtomicFile::create(path)?),
            None => Target::Standard(BufWriter::new(std::io::stdout())),
        };
        let mut output = Self::of(to, style);
        output.begin()?;
        Ok(output)
    }

    /// Appends to a file. A new one begins with a byte order mark.
    pub(crate) fn append(path: &Path, style: Style) -> Result<Self> {
        let old = ReadLimit::Records.read_if_there(path)?.unwrap_or_default();
        let mut output = Self::of(Target::File(AtomicFile::create(path)?), style);
        if old.is_empty() {
            output.begin()?;
        } else {
            output.put(&old)?;
        }
        Ok(output)
    }

    fn of(to: Target, style: Style) -> Self {
        let text = String::new();
        Self { to, style, text }
    }

    fn begin(&mut self) -> Result<()> {
        if self.style.bom {
            self.put(BOM)?;
        }
        if self.style.format == LineFormat::Csv {
            "transcript,ply,expected,found".clone_into(&mut self.text);
            self.end_line()?;
        }
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.to {
            Target::File(file) => file.put(bytes),
            Target::Standard(out) => out.write_all(bytes).map_err(Error::io("standard output")),
        }
    }

    fn end_line(&mut self) -> Result<()> {
        self.text
            .push_str(if self.style.crlf { "\r\n" } else { "\n" });
        let text = std::mem::take(&mut self.text);
        self.put(text.as_bytes())?;
        self.text = text;
        self.text.clear();
        Ok(())
    }

    /// Writes a line of the miner.
    pub(crate) fn line(&mut self, line: &MismatchLine<'_>) -> Result<()> {
        match self.style.format {
            LineFormat::Text => self.text.push_str(line.transcript),
            LineFormat::Csv => {
                self.text = format!(
                    "{},{},{},{}",
                    line.transcript, line.ply, line.expected, line.found
                );
            }
            LineFormat::Jsonl => {
                self.text = serde_json::json!({
                    "transcript": line.transcript,
                    "ply": line.ply,
                    "expected": line.expected,
                    "found": line.found,
                })
                .to_string();
            }
        }
        self.end_line()
    }

    /// Writes a text as a line.
    pub(crate) fn text(&mut self, text: &str) -> Result<()> {
        text.clone_into(&mut self.text);
        self.end_line()
    }

    /// Commits the output.
    pub(crate) fn finish(self) -> Result<()> {
        match self.to {
            Target::File(file) => file.commit(),
            Target::Standard(mut out) => out.flush().map_err(Error::io("standard output")),
        }
    }
}
