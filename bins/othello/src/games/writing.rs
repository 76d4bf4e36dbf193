//! `games convert` and `games filter`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use othello_record::{
    ArchiveError, ArchivedRecord, EgaroucidRow, OthelloFormat, OthelloFormats, RecordLosses,
};
use serde_json::Value;
use yane_cli::Settings;
use yane_cli::records::{
    ArchiveWriter, RecordOutput, RecordRun, RecordSink, RecordSource, Results, format_of_output,
    named_format,
};

use super::OthelloGames;
use super::annotate::Annotation;
use super::outputs::{Texts, Tournament, Tree, WrittenGame};
use crate::args::{ConvertGames, FilterGames, GameInputs};

/// Records of othello as a command line wants them written.
#[derive(Clone)]
pub(super) struct OthelloWriter {
    games: OthelloGames,
    annotation: Annotation,
    content: Content,
}

/// What outputs need of a game.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Text,
    Record,
}

impl RecordSource for OthelloWriter {
    type Record = ArchivedRecord;
    type Error = ArchiveError;
    type Formats = OthelloFormats<'static>;

    const PROGRAM: &'static str = OthelloGames::PROGRAM;

    fn formats(&self, paths: &[PathBuf]) -> anyhow::Result<OthelloFormats<'static>> {
        self.games.formats(paths)
    }

    fn problem(error: &ArchiveError) -> Value {
        OthelloGames::problem(error)
    }

    fn doubt(read: &ArchivedRecord) -> Option<String> {
        OthelloGames::doubt(read)
    }

    fn more_doubts(more: u64) -> String {
        OthelloGames::more_doubts(more)
    }
}

impl ArchiveWriter for OthelloWriter {
    type Format = OthelloFormat;
    type Written = WrittenGame;
    type Losses = RecordLosses;

    fn write(&self, read: ArchivedRecord, format: OthelloFormat) -> WrittenGame {
        let mut record = Box::new(read.record);
        self.annotation.apply(&mut record);
        let (text, losses) = if self.content == Content::Text && format != OthelloFormat::Wthor {
            format.write(&record)
        } else {
            Default::default()
        };
        WrittenGame {
            text,
            losses,
            record,
            synchro: read.synchro,
            place: read.place,
        }
    }

    fn output(
        &self,
        path: &Path,
        inputs: &[PathBuf],
        format: OthelloFormat,
        settings: &Settings,
    ) -> anyhow::Result<Box<dyn RecordOutput<Self>>> {
        Ok(if format == OthelloFormat::Wthor {
            Box::new(Tournament::create(path, inputs, settings)?)
        } else {
            Box::new(Texts::create(path, inputs, format, settings)?)
        })
    }
}

/// A run for these inputs.
fn run<'s>(
    inputs: &GameInputs,
    annotation: Annotation,
    content: Content,
    settings: &'s Settings,
    job: yane_io::Job,
) -> RecordRun<'s, OthelloWriter> {
    let writer = OthelloWriter {
        games: inputs.source(),
        annotation,
        content,
    };
    RecordRun::new(writer, inputs.on_bad(), settings, job)
}

pub(crate) fn convert(args: &ConvertGames, settings: &Settings) -> anyhow::Result<ExitCode> {
    args.header.check()?;
    let paths = args.inputs.paths()?;
    let job = settings.job()?;
    let annotation = Annotation::new(&args.header, &job)?;
    let content = if args.tree {
        Content::Record
    } else {
        Content::Text
    };
    let mut run = run(&args.inputs, annotation.clone(), content, settings, job);
    let named = args.format.format();
    let results = if let Some(output) = &args.output {
        let format = format_of_output(named, output)?;
        if args.tree {
            let tree = Tree::create(output, &paths, format, annotation, settings)?;
            run.write_to(Box::new(tree), &paths, format, |_| true)?;
        } else {
            run.one_file(&paths, output, format, |_| true)?;
        }
        Results::at(output)
    } else {
        let format = named_format(named)?;
        match &args.out_dir {
            Some(folder) if format.is_single() => {
                file_each(&mut run, &paths, folder, format, settings)?;
            }
            folder => run.file_for_each_input(&paths, folder.as_deref(), format)?,
        }
        Results::Files
    };
    Ok(run.finish(results)?.code)
}

/// Writes a file for each game into a folder, and Egaroucid's table of them.
fn file_each(
    run: &mut RecordRun<'_, OthelloWriter>,
    paths: &[PathBuf],
    folder: &Path,
    format: OthelloFormat,
    settings: &Settings,
) -> anyhow::Result<()> {
    let mut table = Vec::new();
    run.parts(
        paths,
        folder,
        1,
        |_| Ok(format),
        |name, game| {
            if !game.loses_start() {
                table.push(EgaroucidRow::of(name, &game.record).to_string());
            }
        },
    )?;
    if format == OthelloFormat::Egaroucid && !table.is_empty() {
        let mut sink = RecordSink::create(&folder.join("summary.csv"), paths, settings)?;
        sink.put((table.join("\n") + "\n").as_bytes(), b"")?;
        sink.commit()?;
    }
    Ok(())
}

pub(crate) fn filter(args: &FilterGames, settings: &Settings) -> anyhow::Result<ExitCode> {
    let selection = args.filter()?;
    let paths = args.inputs.paths()?;
    let format = format_of_output(args.format.format(), &args.output)?;
    let names = args.openings.names()?;
    names.check(args.opening_names())?;
    let names = names.list;
    let job = settings.job()?;
    let mut run = run(
        &args.inputs,
        Annotation::default(),
        Content::Text,
        settings,
        job,
    );
    let is_wanted = move |read: &ArchivedRecord| selection.accepts(&read.record, &names);
    if args.unique {
        let output = Texts::once(&args.output, &paths, format, settings)?;
        run.write_to(Box::new(output), &paths, format, is_wanted)?;
    } else {
        run.one_file(&paths, &args.output, format, is_wanted)?;
    }
    Ok(run.finish(Results::at(&args.output))?.code)
}
