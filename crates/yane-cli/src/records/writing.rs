//! Writing records: all into one file, a file for each input, files of so many records.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::HumanCount;
use serde_json::Value;
use yane_io::archive::{LossCounts as _, WrittenFormat as _};
use yane_io::{Error, Job};

use super::{ArchiveWriter, OnBadRecord, Put, RecordOutput, RecordTally, for_each_record};
use crate::{Settings, UsageError, is_standard, print};

/// A run of a command that writes records.
pub struct RecordRun<'s, W: ArchiveWriter> {
    writer: W,
    on_bad: OnBadRecord,
    settings: &'s Settings,
    job: Job,
    tally: RecordTally<W::Error>,
    written: u64,
    files: u64,
    losses: W::Losses,
}

impl<'s, W: ArchiveWriter> RecordRun<'s, W> {
    /// A run that has read nothing yet.
    pub fn new(writer: W, on_bad: OnBadRecord, settings: &'s Settings, job: Job) -> Self {
        Self {
            writer,
            on_bad,
            settings,
            job,
            tally: RecordTally::new::<W>(),
            written: 0,
            files: 0,
            losses: W::Losses::default(),
        }
    }

    /// Writes the records of the files at `paths` that are wanted into one file, or the standard output for `-`. There is no file
    /// when there is no record.
    ///
    /// # Errors
    /// When a file cannot be read or written, or at a bad record if that is wanted.
    pub fn one_file(
        &mut self,
        paths: &[PathBuf],
        path: &Path,
        format: W::Format,
        is_wanted: impl Fn(&W::Record) -> bool + Clone + Send + Sync + 'static,
    ) -> anyhow::Result<()> {
        let output = self.writer.output(path, paths, format, self.settings)?;
        self.write_to(output, paths, format, is_wanted)
    }

    /// Writes the records of the files at `paths` that are wanted to an output; see [`Self::one_file`].
    ///
    /// # Errors
    /// When a file cannot be read or written, or at a bad record if that is wanted.
    pub fn write_to(
        &mut self,
        mut output: Box<dyn RecordOutput<W>>,
        paths: &[PathBuf],
        format: W::Format,
        is_wanted: impl Fn(&W::Record) -> bool + Clone + Send + Sync + 'static,
    ) -> anyhow::Result<()> {
        let before = self.written;
        self.for_each_written(paths, format, is_wanted, |path, record, losses| {
            output.put(path, record, losses)
        })?;
        if self.written > before {
            self.files += output.finish(&mut self.losses)?;
        }
        Ok(())
    }

    /// Writes the records of each input into a file by itself, beside it or in `folder`, with the extension of the format.
    ///
    /// # Errors
    /// As [`Self::one_file`]; when the standard input is among them, which has no name.
    pub fn file_for_each_input(
        &mut self,
        paths: &[PathBuf],
        folder: Option<&Path>,
        format: W::Format,
    ) -> anyhow::Result<()> {
        for input in paths {
            if is_standard(input) {
                let reason = "the standard input has no name: add -o OUT";
                return Err(UsageError(reason.to_owned()).into());
            }
            let mut output = input.with_extension(format.extension());
            if let Some(folder) = folder {
                std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
                output = folder.join(output.file_name().unwrap_or_default());
            }
            self.one_file(std::slice::from_ref(input), &output, format, |_| true)?;
        }
        Ok(())
    }

    /// Writes the records of each input into files of at most `records` each, in `folder`: `INPUT-000001.EXT` and so on, `games-…`
    /// for the standard input. `format` tells the format of an input's files, `on_record` hears the name of the file that each record
    /// goes to.
    ///
    /// # Errors
    /// As [`Self::one_file`].
    pub fn parts(
        &mut self,
        paths: &[PathBuf],
        folder: &Path,
        records: u64,
        format: impl Fn(&Path) -> anyhow::Result<W::Format>,
        mut on_record: impl FnMut(&str, &W::Written),
    ) -> anyhow::Result<()> {
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let settings = self.settings;
        for input in paths {
            let format = format(input)?;
            let stem = if is_standard(input) {
                "games".into()
            } else {
                input.file_stem().unwrap_or_default().to_string_lossy()
            };
            let writer = self.writer.clone();
            let mut part: Option<Part<W>> = None;
            let (mut number, mut finished) = (0, 0);
            let input = std::slice::from_ref(input);
            self.for_each_written(
                input,
                format,
                |_| true,
                |path, record, losses| {
                    if let Some(full) = part.take_if(|part| part.records == records) {
                        finished += full.output.finish(losses)?;
                    }
                    let part = if let Some(part) = &mut part {
                        part
                    } else {
                        number += 1;
                        let name = format!("{stem}-{number:06}");
                        let path = folder.join(format!("{name}.{}", format.extension()));
                        part.insert(Part {
                            output: writer.output(&path, paths, format, settings)?,
                            name,
                            records: 0,
                        })
                    };
                    on_record(&part.name, &record);
                    let put = part.output.put(path, record, losses)?;
                    part.records += u64::from(matches!(put, Put::Written));
                    Ok(put)
                },
            )?;
            if let Some(last) = part.filter(|part| part.records > 0) {
                finished += last.output.finish(&mut self.losses)?;
            }
            self.files += finished;
        }
        Ok(())
    }

    /// Calls `put` with every record that is wanted, as it is written, in order.
    fn for_each_written(
        &mut self,
        paths: &[PathBuf],
        format: W::Format,
        is_wanted: impl Fn(&W::Record) -> bool + Clone + Send + Sync + 'static,
        mut put: impl FnMut(&Path, W::Written, &mut W::Losses) -> anyhow::Result<Put<W::Error>>,
    ) -> anyhow::Result<()> {
        let writer = self.writer.clone();
        let work =
            move |record: W::Record| is_wanted(&record).then(|| writer.write(record, format));
        let Self {
            writer,
            on_bad,
            job,
            tally,
            written,
            losses,
            ..
        } = self;
        let take = |path: &Path, record: Option<W::Written>| {
            let Some(record) = record else {
                return Ok(None);
            };
            Ok(match put(path, record, losses)? {
                Put::Written => {
                    *written += 1;
                    None
                }
                Put::Repeated => None,
                Put::Refused(problem) => Some(problem),
            })
        };
        for_each_record(writer, paths, *on_bad, job, tally, work, take)
    }

    /// Ends the run, and tells what came of it. The exit code is 1 when records were left out as bad; `results` say where the
    /// records went.
    ///
    /// # Errors
    /// When nothing was written.
    pub fn finish(self, results: Results) -> anyhow::Result<RecordsWritten> {
        let Self {
            tally,
            written,
            losses,
            settings,
            job,
            files,
            ..
        } = self;
        drop(job);
        if written == 0 {
            anyhow::bail!(
                "no game is left to be written ({} read, {} bad); nothing was written",
                tally.games,
                tally.bad
            );
        }
        if settings.json && results == Results::Files {
            let counts = losses.by_name().into_iter();
            let counts = counts.map(|(name, count)| (name.to_owned(), Value::from(count)));
            let mut told = tally.json::<W>();
            told["written"] = written.into();
            told["files"] = files.into();
            told["losses"] = counts.collect::<serde_json::Map<_, _>>().into();
            print::json(&told)?;
        } else if !settings.quiet {
            let (read, bad) = (HumanCount(tally.games), HumanCount(tally.bad));
            eprintln!(
                "games: {read} read, {} written, {bad} bad",
                HumanCount(written)
            );
            if !losses.by_name().is_empty() {
                eprintln!("left out, as the format has no place for it: {losses}");
            }
        }
        Ok(RecordsWritten {
            files,
            code: tally.code(),
        })
    }
}

/// Where records went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    /// Into files.
    Files,
    /// To the standard output, where nothing else is printed then.
    Standard,
}

impl Results {
    /// Those of an output at `path`.
    pub fn at(path: &Path) -> Self {
        if is_standard(path) {
            Self::Standard
        } else {
            Self::Files
        }
    }
}

/// What came of a run.
#[derive(Clone, Copy, Debug)]
pub struct RecordsWritten {
    /// The files that were written.
    pub files: u64,
    /// The exit code.
    pub code: ExitCode,
}

/// A file that takes some of the records of an input.
struct Part<W: ArchiveWriter> {
    output: Box<dyn RecordOutput<W>>,
    /// Its name, without the extension.
    name: String,
    records: u64,
}
