//! Commands that write records: convert, filter, split.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value;
use shogi_kifu::{
    ArchiveGame, Charset, CsaVersion, KifuError, KifuFormat, KifuFormats, LineEnds, Losses,
    encode_record,
};
use yane_cli::records::{
    ArchiveWriter, Put, RecordOutput, RecordRun, RecordSink, RecordSource, Results,
    format_of_output, named_format,
};
use yane_cli::{HumanCount, Settings, UsageError, is_standard};

use crate::args::{ConvertArgs, FilterArgs, Inputs, SplitArgs, Writing};
use crate::reading::KifuGames;

/// Records of shogi as a command line wants them written.
#[derive(Clone, Copy, Debug)]
struct KifuWriter {
    charset: Charset,
    line_ends: LineEnds,
    csa_version: CsaVersion,
}

impl KifuWriter {
    const fn new(writing: &Writing) -> Self {
        Self {
            charset: writing.encoding.charset(),
            line_ends: writing.line_ends.ends(),
            csa_version: writing.csa_version.csa(),
        }
    }
}

impl RecordSource for KifuWriter {
    type Record = ArchiveGame;
    type Error = KifuError;
    type Formats = KifuFormats;

    const PROGRAM: &'static str = KifuGames::PROGRAM;

    fn formats(&self, paths: &[PathBuf]) -> anyhow::Result<KifuFormats> {
        KifuGames.formats(paths)
    }

    fn problem(error: &KifuError) -> Value {
        KifuGames::problem(error)
    }
}

impl ArchiveWriter for KifuWriter {
    type Format = KifuFormat;
    type Written = (Vec<u8>, Losses);
    type Losses = Losses;

    fn write(&self, game: ArchiveGame, format: KifuFormat) -> (Vec<u8>, Losses) {
        let (text, mut losses) = format.write(&game.record, self.csa_version);
        let (bytes, lost) = encode_record(&text, self.charset, self.line_ends);
        losses.absorb(&lost);
        (bytes, losses)
    }

    fn output(
        &self,
        path: &Path,
        inputs: &[PathBuf],
        format: KifuFormat,
        settings: &Settings,
    ) -> anyhow::Result<Box<dyn RecordOutput<Self>>> {
        let (separator, _) = encode_record(format.separator(), Charset::Utf8, self.line_ends);
        let sink = RecordSink::create(path, inputs, settings)?;
        Ok(Box::new(KifuOutput { sink, separator }))
    }
}

/// A file of games.
struct KifuOutput {
    sink: RecordSink,
    /// The line between two games.
    separator: Vec<u8>,
}

impl RecordOutput<KifuWriter> for KifuOutput {
    fn put(
        &mut self,
        _: &Path,
        (bytes, lost): (Vec<u8>, Losses),
        losses: &mut Losses,
    ) -> anyhow::Result<Put<KifuError>> {
        losses.absorb(&lost);
        self.sink.put(&bytes, &self.separator)?;
        Ok(Put::Written)
    }

    fn finish(self: Box<Self>, _: &mut Losses) -> anyhow::Result<u64> {
        self.sink.commit()?;
        Ok(1)
    }
}

fn run<'s>(
    inputs: &Inputs,
    writing: &Writing,
    settings: &'s Settings,
) -> anyhow::Result<RecordRun<'s, KifuWriter>> {
    let (writer, job) = (KifuWriter::new(writing), settings.job()?);
    Ok(RecordRun::new(writer, inputs.on_bad(), settings, job))
}

pub(crate) fn convert(args: &ConvertArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let inputs = args.inputs.paths()?;
    let named = args.writing.format();
    let results = if let Some(output) = &args.output {
        let format = format_of_output(named, output)?;
        let mut run = run(&args.inputs, &args.writing, settings)?;
        run.one_file(&inputs, output, format, |_| true)?;
        run.finish(Results::at(output))?
    } else {
        let format = named_format(named)?;
        let mut run = run(&args.inputs, &args.writing, settings)?;
        run.file_for_each_input(&inputs, args.out_dir.as_deref(), format)?;
        run.finish(Results::Files)?
    };
    Ok(results.code)
}

pub(crate) fn filter(args: &FilterArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let selection = args.filter()?;
    let inputs = args.inputs.paths()?;
    let format = format_of_output(args.writing.format(), &args.output)?;
    let mut run = run(&args.inputs, &args.writing, settings)?;
    run.one_file(&inputs, &args.output, format, move |game| {
        selection.accepts(&game.record)
    })?;
    Ok(run.finish(Results::at(&args.output))?.code)
}

pub(crate) fn split(args: &SplitArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let inputs = args.inputs.paths()?;
    let named = args.writing.format();
    // Without a name each file has parts of its own format.
    let format = |input: &Path| match named {
        Some(format) => Ok(format),
        None if is_standard(input) => {
            Err(UsageError("add --to FORMAT for the standard input".to_owned()).into())
        }
        None => Ok(shogi_kifu::detect_file(input)?.unwrap_or(KifuFormat::Kif)),
    };
    let mut run = run(&args.inputs, &args.writing, settings)?;
    run.parts(&inputs, &args.out_dir, args.games, format, |_, _| ())?;
    let written = run.finish(Results::Files)?;
    if !settings.quiet && !settings.json {
        eprintln!("files: {}", HumanCount(written.files));
    }
    Ok(written.code)
}
