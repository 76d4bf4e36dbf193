//! Whole files, on several threads.

use std::path::Path;

use yane_io::{Job, Map, Overwrite, Pool};

use super::records::FromRecord;
use super::units::Part;
use super::{ConvertOptions, ConvertReport, Lost, Recover, pack, records};
use crate::pack::{Replayer, resync};
use crate::record::Record;
use crate::stream::{Batch, Input, Output, Start, process_from};
use crate::{Damage, Format, Hcpe, Psv, Result, TeacherError};

/// Converts `inputs`, one after the other, into one output. Inputs may be `-` for the standard
/// input, the output `-` for the standard output.
///
/// # Errors
/// [`TeacherError::Unrepresentable`], and any damage unless [`ConvertOptions::recover`] says
/// otherwise; no output is made then.
pub fn convert(
    inputs: &[Input],
    output: &Path,
    options: &ConvertOptions,
    job: &Job,
) -> Result<ConvertReport> {
    let paths: Vec<_> = inputs.iter().map(Input::path).collect();
    Overwrite::Refuse.check(output, &paths)?;
    let mut output = Output::create(output)?;
    let mut report = ConvertReport::default();
    for input in inputs {
        convert_input(input, &mut output, options, job, &mut report)?;
    }
    output.commit()?;
    Ok(report)
}

/// Converts one input, in as many passes as there are damaged places to get over.
fn convert_input(
    input: &Input,
    output: &mut Output,
    options: &ConvertOptions,
    job: &Job,
    report: &mut ConvertReport,
) -> Result<()> {
    let mut start = Start::default();
    loop {
        let Some(damage) = pass(input, start, output, options, job, report)? else {
            return Ok(());
        };
        if options.recover == Recover::No {
            return Err(TeacherError::damaged(input.path(), damage));
        }
        let from = damage.begins_at().unwrap_or(start.offset);
        let (next, end) = good_again(input, from, options);
        report.lose(Lost {
            input: input.to_string(),
            damage,
            from,
            to: next.or(end),
        });
        let Some(next) = next else {
            return Ok(());
        };
        start = Start {
            offset: next,
            before: report.games,
        };
    }
}

/// Where good games begin again behind the damaged one at `from`, and where the input ends, as far
/// as that is wanted and known.
fn good_again(
    input: &Input,
    from: u64,
    options: &ConvertOptions,
) -> (Option<u64>, Option<u64>) {
    let Input::File(path) = input else {
        return (None, None);
    };
    let Ok(map) = Map::open(path) else {
        return (None, None);
    };
    let end = Some(map.len() as u64);
    if options.recover != Recover::Resync || options.from != Format::Pack {
        return (None, end);
    }
    let mut replayer = Replayer::new(options.contradictions);
    let next = resync(&map, from as usize, &mut replayer);
    (next.map(|next| next.at as u64), end)
}

/// Converts from `start` to the end or to the damage that is returned.
fn pass(
    input: &Input,
    start: Start,
    output: &mut Output,
    options: &ConvertOptions,
    job: &Job,
    report: &mut ConvertReport,
) -> Result<Option<Damage>> {
    let work = worker(options)?;
    let pool = Pool::default();
    let buffers = pool.clone();
    let results = process_from(input, options.from, start, job, move |batch| {
        let mut part = Part {
            output: buffers.take(0),
            ..Part::default()
        };
        let damage = work(batch, &mut part);
        (part, damage)
    })?;
    for done in results {
        let done = done?;
        let part = done.value;
        output.put(&part.output)?;
        report.games += part.games;
        report.positions += part.positions;
        report.contradictions += part.contradictions;
        report.bytes_read += part.good as u64;
        report.bytes_written += part.output.len() as u64;
        pool.give(part.output);
        for (damage, len) in part.skipped {
            let damage = damage.moved(done.offset, done.before);
            let from = damage.begins_at().unwrap_or(done.offset);
            report.lose(Lost {
                input: input.to_string(),
                damage,
                from,
                to: Some(from + len),
            });
        }
        if done.damage.is_some() {
            return Ok(done.damage);
        }
    }
    Ok(None)
}

/// What is done with each batch.
type Worker = Box<dyn Fn(&Batch, &mut Part) -> Option<Damage> + Send + Sync>;

fn worker(options: &ConvertOptions) -> Result<Worker> {
    let ConvertOptions { from, to, .. } = *options;
    let smoothing = options.smoothing.clone();
    let contradictions = options.contradictions;
    let skip = options.recover != Recover::No;
    let replayer = move || Replayer::new(contradictions);
    Ok(match (from, to) {
        (Format::Pack, Format::Hcpe) => Box::new(move |batch, part| {
            pack::to_records::<Hcpe>(&batch.bytes, &mut replayer(), smoothing.as_ref(), part)
        }),
        (Format::Pack, Format::Psv) => Box::new(move |batch, part| {
            pack::to_records::<Psv>(&batch.bytes, &mut replayer(), smoothing.as_ref(), part)
        }),
        (Format::Hcpe, Format::Hcpe) => records_worker::<Hcpe, Hcpe>(skip),
        (Format::Hcpe, Format::Psv) => records_worker::<Hcpe, Psv>(skip),
        (Format::Psv, Format::Hcpe) => records_worker::<Psv, Hcpe>(skip),
        (Format::Psv, Format::Psv) => records_worker::<Psv, Psv>(skip),
        _ => {
            return Err(TeacherError::Unrepresentable {
                from,
                to,
                reason: "not yet",
            });
        }
    })
}

fn records_worker<T: Record + 'static, U: FromRecord<T> + 'static>(skip: bool) -> Worker {
    Box::new(move |batch, part| records::to_records::<T, U>(&batch.bytes, skip, part))
}
