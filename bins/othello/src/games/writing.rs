//! `games convert` and `games filter`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use othello_record::{
    ArchiveError, ArchivedRecord, OthelloFormat, OthelloRecord, RecordLosses, RecordPlace,
    SynchroBoard, WthorWriter, canonical_moves, egaroucid_summary,
};
use serde_json::Value;
use yane_cli::{HumanCount, RecordSink, Settings, UsageError, is_standard, print};
use yane_io::{AtomicFile, Error, Job};

use super::annotate::Annotation;
use super::{Tally, tally, tally_json};
use crate::args::{ConvertGames, FilterGames, GameInputs};

/// What was written.
#[derive(Default)]
struct Summary {
    written: u64,
    files: u64,
    losses: RecordLosses,
}

impl Summary {
    /// Tells what came of it; the exit code is 1 when games were left out as bad.
    fn tell(
        &self,
        tally: &Tally,
        settings: &Settings,
        to_standard: bool,
    ) -> anyhow::Result<ExitCode> {
        if self.written == 0 {
            anyhow::bail!(
                "no game is left to be written ({} read, {} bad); nothing was written",
                tally.games,
                tally.bad
            );
        }
        if settings.json && !to_standard {
            let losses = self
                .losses
                .iter()
                .map(|(name, count)| (name.to_owned(), Value::from(count)));
            let mut told = tally_json(tally);
            told["written"] = self.written.into();
            told["files"] = self.files.into();
            told["losses"] = losses.collect::<serde_json::Map<_, _>>().into();
            print::json(&told)?;
        } else if !settings.quiet {
            let (read, written, bad) = (
                HumanCount(tally.games),
                HumanCount(self.written),
                HumanCount(tally.bad),
            );
            eprintln!("games: {read} read, {written} written, {bad} bad");
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

/// A game as it is written.
struct Written {
    text: String,
    record: Box<OthelloRecord>,
    synchro: Option<SynchroBoard>,
}

/// The boards of a match that are written together, as GGS does: `2 (;…)(;…)`.
#[derive(Default)]
struct Boards(Vec<Written>);

impl Boards {
    /// Writes a game, or keeps it until the other boards of its match are there.
    fn put(&mut self, game: Written, sink: &mut RecordSink) -> anyhow::Result<()> {
        let goes_on = match (self.0.last().and_then(|last| last.synchro), game.synchro) {
            (Some(last), Some(next)) => last.of == next.of && last.number < next.number,
            _ => false,
        };
        if !goes_on {
            self.finish(sink)?;
        }
        let is_last = game.synchro.is_none_or(|board| board.number == board.of);
        self.0.push(game);
        if is_last { self.finish(sink) } else { Ok(()) }
    }

    fn finish(&mut self, sink: &mut RecordSink) -> anyhow::Result<()> {
        let games = std::mem::take(&mut self.0);
        let text = match &games[..] {
            [] => return Ok(()),
            [one] => one.text.clone(),
            several => {
                let texts = several.iter().map(|game| game.text.trim_end());
                format!("{} {}\n", several.len(), texts.collect::<String>())
            }
        };
        sink.put(text.as_bytes(), b"")
    }
}

/// A reading of games to be written.
struct Reading<'a> {
    inputs: &'a GameInputs,
    settings: &'a Settings,
    job: Job,
    tally: Tally,
    summary: Summary,
    annotation: Annotation,
}

impl<'a> Reading<'a> {
    fn new(inputs: &'a GameInputs, settings: &'a Settings) -> anyhow::Result<Self> {
        Ok(Self {
            inputs,
            settings,
            job: settings.job()?,
            tally: tally(),
            summary: Summary::default(),
            annotation: Annotation::default(),
        })
    }

    /// Calls `put` with the text of every game that is wanted.
    fn texts(
        &mut self,
        paths: &[PathBuf],
        format: OthelloFormat,
        wanted: impl Fn(&OthelloRecord) -> bool + Clone + Send + Sync + 'static,
        mut put: impl FnMut(Written) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let annotation = self.annotation.clone();
        let work = move |read: ArchivedRecord| {
            let mut record = Box::new(read.record);
            let written = wanted(&record).then(|| {
                annotation.apply(&mut record);
                format.write(&record)
            });
            let synchro = read.synchro;
            let place = read.place;
            written.map(|(text, losses)| {
                let game = Written {
                    text,
                    record,
                    synchro,
                };
                (game, losses, place)
            })
        };
        let summary = &mut self.summary;
        self.inputs
            .for_each(paths, &self.job, &mut self.tally, work, |path, written| {
                let Some((game, losses, place)) = written else {
                    return Ok(None);
                };
                if losses.count(othello_record::RecordLoss::Starts) > 0 {
                    let reason = format!("{format} has only games from the start position");
                    return Ok(Some(problem(path, place, reason)));
                }
                summary.written += 1;
                summary.losses.absorb(&losses);
                put(game)?;
                Ok(None)
            })
    }

    /// Writes all games into one file.
    fn one_file(
        &mut self,
        paths: &[PathBuf],
        output: &Path,
        format: OthelloFormat,
        wanted: impl Fn(&OthelloRecord) -> bool + Clone + Send + Sync + 'static,
    ) -> anyhow::Result<()> {
        if format == OthelloFormat::Wthor {
            return self.tournament(paths, output, wanted);
        }
        let mut sink = RecordSink::create(output, paths, self.settings)?;
        let mut boards = Boards::default();
        self.texts(paths, format, wanted, |game| {
            if format.is_single() && sink.records() > 0 {
                let reason =
                    format!("a file of {format} holds one game; use --out-dir DIR for several");
                return Err(UsageError(reason).into());
            }
            if format == OthelloFormat::Ggf {
                return boards.put(game, &mut sink);
            }
            sink.put(game.text.as_bytes(), format.separator().as_bytes())
        })?;
        boards.finish(&mut sink)?;
        if self.summary.written > 0 {
            sink.commit()?;
            self.summary.files += 1;
        }
        Ok(())
    }

    /// Writes all games into a file of WTHOR, with its names beside it.
    fn tournament(
        &mut self,
        paths: &[PathBuf],
        output: &Path,
        wanted: impl Fn(&OthelloRecord) -> bool + Clone + Send + Sync + 'static,
    ) -> anyhow::Result<()> {
        if is_standard(output) {
            return Err(UsageError("WTHOR is three files: add -o OUT.wtb".to_owned()).into());
        }
        let outputs = ["wtb", "jou", "trn"].map(|extension| output.with_extension(extension));
        let overwrite = self.settings.overwrite();
        let claims = outputs.iter().map(|output| overwrite.claim(output, paths));
        let _claims = claims.collect::<yane_io::Result<Vec<_>>>()?;
        let mut writer = WthorWriter::default();
        let annotation = self.annotation.clone();
        let work = move |read: ArchivedRecord| {
            wanted(&read.record).then(|| {
                let mut record = Box::new(read.record);
                annotation.apply(&mut record);
                (record, read.place)
            })
        };
        let summary = &mut self.summary;
        self.inputs
            .for_each(paths, &self.job, &mut self.tally, work, |path, read| {
                let Some((record, place)) = read else {
                    return Ok(None);
                };
                if let Err(error) = writer.add(&record, &mut summary.losses) {
                    return Ok(Some(problem(path, place, error.to_string())));
                }
                summary.written += 1;
                Ok(None)
            })?;
        if self.summary.written == 0 {
            return Ok(());
        }
        let files = writer.finish(today());
        let contents = [files.games, files.players, files.tournaments];
        // The games last: they need the names.
        for (path, bytes) in outputs.iter().zip(&contents).rev() {
            let mut file = AtomicFile::create(path)?;
            file.put(bytes)?;
            file.commit()?;
            self.summary.files += 1;
        }
        Ok(())
    }

    /// Writes a file for each game into a folder.
    fn file_each(
        &mut self,
        paths: &[PathBuf],
        folder: &Path,
        format: OthelloFormat,
    ) -> anyhow::Result<()> {
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let settings = self.settings;
        let mut table = Vec::new();
        for path in paths {
            let stem = if is_standard(path) {
                "games".into()
            } else {
                path.file_stem().unwrap_or_default().to_string_lossy()
            };
            let mut number = 0u64;
            let inputs = std::slice::from_ref(path);
            self.texts(
                inputs,
                format,
                |_| true,
                |game| {
                    number += 1;
                    let name = format!("{stem}-{number:06}");
                    let output = folder.join(format!("{name}.{}", format.extension()));
                    let mut sink = RecordSink::create(&output, inputs, settings)?;
                    sink.put(game.text.as_bytes(), b"")?;
                    sink.commit()?;
                    table.push(egaroucid_summary(&name, &game.record));
                    Ok(())
                },
            )?;
            self.summary.files += number;
        }
        if format == OthelloFormat::Egaroucid && !table.is_empty() {
            let mut sink = RecordSink::create(&folder.join("summary.csv"), paths, settings)?;
            sink.put((table.join("\n") + "\n").as_bytes(), b"")?;
            sink.commit()?;
        }
        Ok(())
    }

    /// Makes one record with variations of all games.
    fn tree(
        &mut self,
        paths: &[PathBuf],
        output: &Path,
        format: OthelloFormat,
    ) -> anyhow::Result<()> {
        if format != OthelloFormat::Sgf {
            return Err(UsageError(format!("--tree: {format} has no variations; SGF has")).into());
        }
        let mut sink = RecordSink::create(output, paths, self.settings)?;
        let mut tree: Option<OthelloRecord> = None;
        let annotation = self.annotation.clone();
        let work = move |read: ArchivedRecord| {
            let mut record = Box::new(read.record);
            annotation.apply(&mut record);
            (record, read.place)
        };
        self.inputs.for_each(
            paths,
            &self.job,
            &mut self.tally,
            work,
            |path, (record, place)| {
                let is_of_tree = match &mut tree {
                    None => {
                        tree = Some(*record);
                        true
                    }
                    Some(tree) => tree.merge(&record),
                };
                let reason = "it begins at another position than the first game";
                Ok((!is_of_tree).then(|| problem(path, place, reason.to_owned())))
            },
        )?;
        let Some(mut tree) = tree else {
            return Ok(());
        };
        if self.tally.games > 1 {
            // What is said of the first game does not hold for all.
            tree.info = othello_record::OthelloInfo::default();
            self.annotation.name(&mut tree);
        }
        let (text, losses) = format.write(&tree);
        self.summary.losses.absorb(&losses);
        self.summary.written = self.tally.games;
        self.summary.files = 1;
        sink.put(text.as_bytes(), b"")?;
        sink.commit()
    }
}

fn problem(path: &Path, place: RecordPlace, reason: String) -> ArchiveError {
    ArchiveError {
        path: Some(path.to_owned()),
        place,
        reason,
    }
}

/// Year, month and day in UTC.
pub(crate) fn today() -> [u16; 3] {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let days = since.map_or(0, |since| since.as_secs() / 86_400);
    // Years that begin in March have the leap day at their end.
    let day = days + 719_468;
    let era = day / 146_097;
    let of_era = day % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    [year as u16, month as u16, day as u16]
}

pub(crate) fn convert(args: &ConvertGames, settings: &Settings) -> anyhow::Result<ExitCode> {
    args.header.check()?;
    let paths = args.inputs.paths()?;
    let mut reading = Reading::new(&args.inputs, settings)?;
    reading.annotation = Annotation::new(&args.header, &reading.job)?;
    if let Some(output) = &args.output {
        let format = args.format.of_output(output)?;
        if args.tree {
            reading.tree(&paths, output, format)?;
        } else {
            reading.one_file(&paths, output, format, |_| true)?;
        }
        return reading
            .summary
            .tell(&reading.tally, settings, is_standard(output));
    }
    let format = args.format.format();
    let format = format
        .ok_or_else(|| UsageError("no format is named: add --to FORMAT, or -o OUT".to_owned()))?;
    if let (Some(folder), true) = (&args.out_dir, format.is_single()) {
        reading.file_each(&paths, folder, format)?;
        return reading.summary.tell(&reading.tally, settings, false);
    }
    if let Some(folder) = &args.out_dir {
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    }
    for input in &paths {
        if is_standard(input) {
            return Err(UsageError("the standard input has no name: add -o OUT".to_owned()).into());
        }
        let mut output = input.with_extension(format.extension());
        if let Some(folder) = &args.out_dir {
            output = folder.join(output.file_name().unwrap_or_default());
        }
        let before = reading.summary.written;
        reading.summary.written = 0;
        reading.one_file(std::slice::from_ref(input), &output, format, |_| true)?;
        reading.summary.written += before;
    }
    reading.summary.tell(&reading.tally, settings, false)
}

pub(crate) fn filter(args: &FilterGames, settings: &Settings) -> anyhow::Result<ExitCode> {
    let selection = args.filter()?;
    let paths = args.inputs.paths()?;
    let format = args.format.of_output(&args.output)?;
    let names = args.openings.names()?;
    names.check(args.opening_names())?;
    let names = names.list;
    let mut reading = Reading::new(&args.inputs, settings)?;
    if args.unique {
        return unique(args, &paths, format, reading, move |record| {
            selection.accepts(record, &names)
        });
    }
    reading.one_file(&paths, &args.output, format, move |record| {
        selection.accepts(record, &names)
    })?;
    reading
        .summary
        .tell(&reading.tally, settings, is_standard(&args.output))
}

/// Writes each game once.
fn unique(
    args: &FilterGames,
    paths: &[PathBuf],
    format: OthelloFormat,
    mut reading: Reading<'_>,
    wanted: impl Fn(&OthelloRecord) -> bool + Clone + Send + Sync + 'static,
) -> anyhow::Result<ExitCode> {
    if format == OthelloFormat::Wthor {
        return Err(UsageError(
            "--unique: filter into another format, then convert to WTHOR".to_owned(),
        )
        .into());
    }
    let mut seen = HashSet::new();
    let mut sink = RecordSink::create(&args.output, paths, reading.settings)?;
    reading.texts(paths, format, wanted, |game| {
        if seen.insert(canonical_moves(&game.record)) {
            sink.put(game.text.as_bytes(), format.separator().as_bytes())?;
        }
        Ok(())
    })?;
    reading.summary.written = sink.records();
    let to_standard = sink.is_standard();
    if sink.records() > 0 {
        sink.commit()?;
    }
    reading.summary.files = 1;
    reading
        .summary
        .tell(&reading.tally, reading.settings, to_standard)
}
