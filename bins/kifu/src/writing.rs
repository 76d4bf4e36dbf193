//! Commands that write records: convert, filter, split.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value;
use shogi_kifu::{GameRecord, KifuFormat, Losses, encode_record};
use yane_cli::{HumanCount, RecordSink, Settings, UsageError, is_standard, print};
use yane_io::Error;

use crate::args::{ConvertArgs, FilterArgs, Inputs, SplitArgs, Writing};
use crate::reading::{Tally, for_each_game, tally, tally_json};

/// A game as it is written, with what the format cannot hold.
type Written = (Vec<u8>, Losses);

impl Writing {
    /// Writes games as `format` on the threads that read them.
    fn writer(
        &self,
        format: KifuFormat,
    ) -> impl Fn(&GameRecord) -> Written + Clone + Send + Sync + 'static {
        let (charset, ends, version) = (
            self.encoding.charset(),
            self.line_ends.ends(),
            self.csa_version.csa(),
        );
        move |record| {
            let (text, mut losses) = format.write(record, version);
            let (bytes, lost) = encode_record(&text, charset, ends);
            losses.absorb(&lost);
            (bytes, losses)
        }
    }

    /// The line between two games of a file.
    fn separator(&self, format: KifuFormat) -> Vec<u8> {
        encode_record(
            format.separator(),
            shogi_kifu::Charset::Utf8,
            self.line_ends.ends(),
        )
        .0
    }

    /// The format of the output `path`.
    fn format_for(&self, path: &Path) -> Result<KifuFormat, UsageError> {
        let named = path
            .extension()
            .and_then(|ext| KifuFormat::of_extension(ext.to_str()?));
        self.format().or(named).ok_or_else(|| {
            UsageError(format!(
                "the name {} tells no format: add --to FORMAT",
                path.display()
            ))
        })
    }
}

/// What was written.
#[derive(Default)]
struct Summary {
    written: u64,
    files: u64,
    losses: Losses,
}

impl Summary {
    /// Tells what came of it; the exit code is 1 when games were left out as bad.
    fn tell(
        &self,
        tally: &Tally,
        settings: &Settings,
        to_standard: bool,
    ) -> anyhow::Result<ExitCode> {
        if settings.json && !to_standard {
            let losses: serde_json::Map<String, Value> = self
                .losses
                .iter()
                .map(|(kind, count)| (kind.name().to_owned(), count.into()))
                .collect();
            let mut told = tally_json(tally);
            told["written"] = self.written.into();
            told["files"] = self.files.into();
            told["losses"] = losses.into();
            print::json(&told)?;
        } else if !settings.quiet {
            eprintln!(
                "games: {} read, {} written, {} bad",
                HumanCount(tally.games),
                HumanCount(self.written),
                HumanCount(tally.bad)
            );
            if !self.losses.is_empty() {
                eprintln!(
                    "left out, as the format has no place for it: {}",
                    self.losses
                );
            }
        }
        Ok(tally.code())
    }
}

pub(crate) fn convert(args: &ConvertArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let inputs = args.inputs.paths()?;
    if let Some(output) = &args.output {
        let format = args.writing.format_for(output)?;
        return one_file(
            &args.inputs,
            &inputs,
            output,
            &args.writing,
            format,
            settings,
            |_| true,
        );
    }
    let format = args
        .writing
        .format()
        .ok_or_else(|| UsageError("no format is named: add --to FORMAT, or -o OUT".to_owned()))?;
    let job = settings.job()?;
    let (mut tally, mut summary) = (tally(), Summary::default());
    for input in &inputs {
        if is_standard(input) {
            return Err(UsageError("the standard input has no name: add -o OUT".to_owned()).into());
        }
        let mut output = input.with_extension(format.extension());
        if let Some(folder) = &args.out_dir {
            std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
            output = folder.join(output.file_name().unwrap_or_default());
        }
        let mut sink = RecordSink::create(&output, std::slice::from_ref(input), settings)?;
        append(
            &args.inputs,
            std::slice::from_ref(input),
            &mut sink,
            &args.writing,
            format,
            &job,
            &mut tally,
            &mut summary,
            |_| true,
        )?;
        if sink.records() > 0 {
            sink.commit()?;
            summary.files += 1;
        }
    }
    drop(job);
    nothing(&tally, &summary)?;
    summary.tell(&tally, settings, false)
}

pub(crate) fn filter(args: &FilterArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let selection = args.filter()?;
    let inputs = args.inputs.paths()?;
    let format = args.writing.format_for(&args.output)?;
    one_file(
        &args.inputs,
        &inputs,
        &args.output,
        &args.writing,
        format,
        settings,
        move |record| selection.accepts(record),
    )
}

fn nothing(tally: &Tally, summary: &Summary) -> anyhow::Result<()> {
    if summary.written > 0 {
        return Ok(());
    }
    anyhow::bail!(
        "no game is left to be written ({} read, {} bad); nothing was written",
        tally.games,
        tally.bad
    )
}

/// All games that are wanted into one file.
fn one_file(
    args: &Inputs,
    inputs: &[PathBuf],
    output: &Path,
    writing: &Writing,
    format: KifuFormat,
    settings: &Settings,
    wanted: impl Fn(&GameRecord) -> bool + Clone + Send + Sync + 'static,
) -> anyhow::Result<ExitCode> {
    let mut sink = RecordSink::create(output, inputs, settings)?;
    let job = settings.job()?;
    let (mut tally, mut summary) = (tally(), Summary::default());
    append(
        args,
        inputs,
        &mut sink,
        writing,
        format,
        &job,
        &mut tally,
        &mut summary,
        wanted,
    )?;
    drop(job);
    nothing(&tally, &summary)?;
    let to_standard = sink.is_standard();
    sink.commit()?;
    summary.files = 1;
    summary.tell(&tally, settings, to_standard)
}

/// Appends the games of inputs to an output.
#[expect(
    clippy::too_many_arguments,
    reason = "one call for each of two ways to write, with nothing in common to bundle"
)]
fn append(
    args: &Inputs,
    inputs: &[PathBuf],
    sink: &mut RecordSink,
    writing: &Writing,
    format: KifuFormat,
    job: &yane_io::Job,
    tally: &mut Tally,
    summary: &mut Summary,
    wanted: impl Fn(&GameRecord) -> bool + Clone + Send + Sync + 'static,
) -> anyhow::Result<()> {
    let (write, separator) = (writing.writer(format), writing.separator(format));
    let work =
        move |game: shogi_kifu::ArchiveGame, _| wanted(&game.record).then(|| write(&game.record));
    for_each_game(inputs, args.bad(), job, tally, work, |_, written| {
        let Some((bytes, losses)) = written else {
            return Ok(());
        };
        summary.written += 1;
        summary.losses.absorb(&losses);
        sink.put(&bytes, &separator)
    })
}

pub(crate) fn split(args: &SplitArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let inputs = args.inputs.paths()?;
    let job = settings.job()?;
    std::fs::create_dir_all(&args.out_dir).map_err(Error::io(&args.out_dir))?;
    let (mut tally, mut summary) = (tally(), Summary::default());
    for input in &inputs {
        let format = match args.writing.format() {
            Some(format) => format,
            None if is_standard(input) => {
                return Err(UsageError("add --to FORMAT for the standard input".to_owned()).into());
            }
            None => shogi_kifu::detect_file(input)?.unwrap_or(KifuFormat::Kif),
        };
        let stem = if is_standard(input) {
            "games".into()
        } else {
            input.file_stem().unwrap_or_default().to_owned()
        };
        let stem = stem.to_string_lossy().into_owned();
        let (write, separator) = (args.writing.writer(format), args.writing.separator(format));
        let mut open: Option<RecordSink> = None;
        let mut number = 0u64;
        let work = move |game: shogi_kifu::ArchiveGame, _| write(&game.record);
        for_each_game(
            std::slice::from_ref(input),
            args.inputs.bad(),
            &job,
            &mut tally,
            work,
            |_, (bytes, losses)| {
                if let Some(sink) = open.take_if(|sink| sink.records() == args.games) {
                    sink.commit()?;
                }
                if open.is_none() {
                    number += 1;
                    let name = format!("{stem}-{number:06}.{}", format.extension());
                    let sink = RecordSink::create(&args.out_dir.join(name), &inputs, settings)?;
                    open = Some(sink);
                    summary.files += 1;
                }
                summary.written += 1;
                summary.losses.absorb(&losses);
                let sink = open.as_mut().expect("it was just opened");
                sink.put(&bytes, &separator)
            },
        )?;
        if let Some(sink) = open {
            sink.commit()?;
        }
    }
    drop(job);
    nothing(&tally, &summary)?;
    let code = summary.tell(&tally, settings, false)?;
    if !settings.quiet && !settings.json {
        eprintln!("files: {}", HumanCount(summary.files));
    }
    Ok(code)
}
