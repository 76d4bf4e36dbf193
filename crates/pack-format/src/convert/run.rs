//! Whole conversions.

use std::path::Path;

use yane_io::{Claim, Job, Pool};

use super::drive::{Drive, Worker};
use super::generic::{Scribe, from_csv};
use super::kifu::from_kifu;
use super::records::{FromRecord, Packed};
use super::unrepresentable::Unrepresentable;
use super::{
    DataFormat, TeacherConvertOptions, TeacherConvertReport, WithoutMove, generic, pack, records,
};
use crate::pack::PackReplayer;
use crate::stream::{Input, StreamOutput};
use crate::text::csv;
use crate::{Hcpe, Psv, Result, Sample, TeacherError, TeacherFormat, kind};

/// Converts `inputs`, one after the other, into one output. Inputs may be `-` for the standard
/// input, the output `-` for the standard output.
///
/// # Errors
/// [`TeacherError::Unrepresentable`], and any damage unless [`TeacherConvertOptions::recover`] says
/// otherwise; so is an input with nothing in it to convert. No output is made then.
pub fn convert(
    inputs: &[Input],
    output: &Path,
    options: &TeacherConvertOptions,
    job: &Job,
) -> Result<TeacherConvertReport> {
    // Impossible conversions are refused before any file is opened.
    drop(worker(options, false)?);
    let paths: Vec<_> = inputs.iter().map(Input::path).collect();
    let _claim = if output.as_os_str() == "-" {
        Claim::default()
    } else {
        options
            .overwrite
            .claim(output, &paths)
            .map_err(TeacherError::from)?
    };
    let name = output;
    let mut output = Destination::new(name, options.to)?;
    let mut report = TeacherConvertReport::default();
    if options.to.is(TeacherFormat::Csv) {
        output.put(csv::HEADER.as_bytes())?;
        report.bytes_written += csv::HEADER.len() as u64;
    }
    let header = report.bytes_written;
    for input in inputs {
        let put = &mut |bytes: &[u8]| output.put(bytes);
        let format = match options.from {
            DataFormat::Teacher(TeacherFormat::Csv) => {
                let scribe = Scribe::new(options);
                from_csv(input, options.recover, &scribe, job, put, &mut report)?;
                continue;
            }
            DataFormat::Kifu(_) => {
                let scribe = Scribe::new(options);
                from_kifu(input, options, &scribe, job, put, &mut report)?;
                continue;
            }
            DataFormat::Teacher(format) => format,
        };
        let (codes, survey) = options.move_codes.resolve(input, format)?;
        if let Some(survey) = survey {
            job.progress.note(&format!("{input}: {survey}"));
        }
        Drive {
            input,
            format,
            codes,
            contradictions: options.contradictions,
            recover: options.recover,
            job,
            overwrites: overwrites(options),
            worker: &|skip| worker(options, skip),
            restores: true,
            output: put,
            report: &mut report,
            buffers: Pool::default(),
        }
        .run()?;
    }
    if report.bytes_written == header {
        let has_only_moveless_games =
            report.games > 0 && report.damaged == 0 && report.unscored == 0;
        if !has_only_moveless_games || has_bytes(name) {
            return Err(nothing(inputs, options.from, &report));
        }
        job.progress.note("there is no position in these games");
    }
    output.output.commit()?;
    Ok(report)
}

/// The output. Between two game records of a file is a separator.
struct Destination {
    output: StreamOutput,
    /// Bytes of the separator in front of the first record, which has none.
    separator: usize,
}

impl Destination {
    fn new(name: &Path, format: DataFormat) -> Result<Self> {
        let separator = match format {
            DataFormat::Kifu(format) => format.separator().len(),
            DataFormat::Teacher(_) => 0,
        };
        let output = StreamOutput::create(name)?;
        Ok(Self { output, separator })
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let separator = std::mem::take(&mut self.separator);
        self.output.put(&bytes[separator..])
    }
}

/// Returns true if the output exists and has contents that would be lost.
fn has_bytes(output: &Path) -> bool {
    std::fs::metadata(output).is_ok_and(|data| data.is_file() && data.len() > 0)
}

/// The error of a conversion that has nothing to write.
fn nothing(inputs: &[Input], from: DataFormat, report: &TeacherConvertReport) -> TeacherError {
    match report.lost.first() {
        Some(lost) => TeacherError::NothingLeft {
            input: lost.input.clone(),
            invalid: Box::new(lost.invalid.clone()),
            report: Box::new(report.clone()),
        },
        None if report.unscored > 0 => TeacherError::Option(format!(
            "nothing is left; moves without an evaluation: {}",
            report.unscored
        )),
        None if report.undecided > 0 => TeacherError::Option(format!(
            "nothing is left; games without a result: {}",
            report.undecided
        )),
        None if report.without_move > 0 => TeacherError::Option(format!(
            "all of the {} records are without a move: nothing is left",
            report.without_move
        )),
        None => match from {
            DataFormat::Teacher(from) => kind::nothing(inputs, from),
            DataFormat::Kifu(_) => {
                let first = inputs.first().map_or(Path::new(""), Input::path);
                yane_io::Error::file(first, "no usable game in it").into()
            }
        },
    }
}

// The work function of a batch, for each pair of formats.

/// The work for these formats. Damaged records and lines are left out when `skip`, else the first one ends
/// the work on a batch.
///
/// # Errors
/// When the target cannot hold what the source has.
pub(super) fn worker(options: &TeacherConvertOptions, skip: bool) -> Result<Worker> {
    check_representable(options)?;
    let TeacherConvertOptions { from, to, .. } = *options;
    let smoothing = options.smoothing.clone();
    let scribe = Scribe::new(options);
    let contradictions = options.contradictions;
    let without_move = options.without_move;
    let replayer = move || PackReplayer::new(contradictions);
    let DataFormat::Teacher(from) = from else {
        // Records are not read in batches: see `kifu`.
        return Ok(Box::new(|_, _| None));
    };
    Ok(match (from, to.teacher()) {
        (TeacherFormat::Pack, Some(TeacherFormat::Hcpe)) => Box::new(move |batch, part| {
            pack::to_records::<Hcpe>(&batch.bytes, &mut replayer(), smoothing.as_ref(), part)
        }),
        (TeacherFormat::Pack, Some(TeacherFormat::Psv)) => Box::new(move |batch, part| {
            pack::to_records::<Psv>(&batch.bytes, &mut replayer(), smoothing.as_ref(), part)
        }),
        (TeacherFormat::Hcpe, Some(TeacherFormat::Hcpe)) => {
            records_worker::<Hcpe, Hcpe>(skip, without_move)
        }
        (TeacherFormat::Hcpe, Some(TeacherFormat::Psv)) => {
            records_worker::<Hcpe, Psv>(skip, without_move)
        }
        (TeacherFormat::Psv, Some(TeacherFormat::Hcpe)) => {
            records_worker::<Psv, Hcpe>(skip, without_move)
        }
        (TeacherFormat::Psv, Some(TeacherFormat::Psv)) => {
            records_worker::<Psv, Psv>(skip, without_move)
        }
        (TeacherFormat::Pack, _) => {
            Box::new(move |batch, part| generic::from_pack(batch, &mut replayer(), &scribe, part))
        }
        (TeacherFormat::Hcpe3, _) => {
            Box::new(move |batch, part| generic::from_hcpe3(batch, &scribe, part))
        }
        (TeacherFormat::Hcpe, _) => Box::new(move |batch, part| {
            generic::from_records(batch, Sample::from_hcpe, skip, &scribe, part)
        }),
        (TeacherFormat::Psv, _) => Box::new(move |batch, part| {
            generic::from_records(batch, Sample::from_psv, skip, &scribe, part)
        }),
        (TeacherFormat::Jsonl, _) => {
            Box::new(move |batch, part| generic::from_jsonl(batch, skip, &scribe, part))
        }
        // CSV is not read in batches, since a header and games span them: see `csv`.
        (TeacherFormat::Csv, _) => Box::new(|_, _| None),
    })
}

/// Returns true if the work function overwrites the output buffer, see [`records::to_records`].
pub(super) const fn overwrites(options: &TeacherConvertOptions) -> bool {
    matches!(
        (options.from, options.to),
        (
            DataFormat::Teacher(TeacherFormat::Hcpe | TeacherFormat::Psv),
            DataFormat::Teacher(TeacherFormat::Hcpe | TeacherFormat::Psv)
        )
    )
}

/// Returns an error for conversions that are impossible whatever the files hold.
fn check_representable(options: &TeacherConvertOptions) -> Result<()> {
    let TeacherConvertOptions { from, to, .. } = *options;
    let has_positions = matches!(
        from.teacher(),
        Some(TeacherFormat::Hcpe | TeacherFormat::Psv)
    );
    let wants_games = matches!(
        to,
        DataFormat::Teacher(TeacherFormat::Pack) | DataFormat::Kifu(_)
    );
    if has_positions && wants_games {
        return Err(TeacherError::Unrepresentable {
            from,
            to,
            reason: Unrepresentable::SINGLE_POSITIONS,
        });
    }
    if options.without_move == WithoutMove::Keep && to.is(TeacherFormat::Hcpe3) && from != to {
        let text = "an hcpe3 game consists of moves: records without a move cannot be kept in it";
        return Err(TeacherError::Option(text.to_owned()));
    }
    if matches!((from, to), (DataFormat::Kifu(_), DataFormat::Kifu(_))) {
        let text = "both are game records: `kifu convert` makes one of the other";
        return Err(TeacherError::Option(text.to_owned()));
    }
    let records = matches!(to.teacher(), Some(TeacherFormat::Hcpe | TeacherFormat::Psv));
    let games = matches!(
        from.teacher(),
        Some(TeacherFormat::Pack | TeacherFormat::Hcpe3 | TeacherFormat::Jsonl)
    );
    if options.smoothing.is_some() && !(records && games) {
        let text = "smoothing is for games of a pack, hcpe3 or jsonl that become hcpe or psv";
        return Err(TeacherError::Option(text.to_owned()));
    }
    Ok(())
}

fn records_worker<T: Packed + 'static, U: FromRecord<T> + 'static>(
    skip: bool,
    without_move: WithoutMove,
) -> Worker {
    Box::new(move |batch, part| records::to_records::<T, U>(&batch.bytes, skip, without_move, part))
}
