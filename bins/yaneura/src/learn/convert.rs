//! `learn convert_plain`, `learn convert_bin` and `learn shuffle…`: what the classic command does besides learning.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use pack_format::plain::{PlainReader, write_plain};
use pack_format::record::{InvalidRecord, TeacherRecord as _, records};
use pack_format::{InvalidData, Psv, TeacherError};
use yane_io::{AtomicFile, Error, Map, Overwrite};

use super::classic::{ClassicLearn, ClassicTask};

/// Records between two looks at the flag that stops a conversion.
const STOP_EVERY: u64 = 4096;

/// Prints a line.
pub(super) type Say<'a> = dyn FnMut(&str) -> anyhow::Result<()> + 'a;

/// Writes the records of all inputs behind what the output holds already. A conversion that fails or is stopped leaves
/// the output as it was.
pub(super) fn convert(
    learn: &ClassicLearn,
    stop: &AtomicBool,
    say: &mut Say<'_>,
) -> anyhow::Result<()> {
    let to_text = learn.task == ClassicTask::ConvertPlain;
    say(if to_text {
        "convert_plain.."
    } else {
        "convert_bin.."
    })?;
    let inputs = learn.inputs().map_err(anyhow::Error::msg)?;
    let target = &learn.output_file_name;
    let _claim = Overwrite::Refuse.claim(target, &inputs)?;
    let mut output = appended(target)?;
    for input in &inputs {
        say(&format!("convert {} ... ", input.display()))?;
        let records = if to_text {
            plain_of_records(input, &mut output, stop)
        } else {
            records_of_plain(input, &mut output, stop)
        }?;
        say(&format!("done : {records} records"))?;
    }
    output.commit()?;
    say("all done")
}

/// A new version of `target` that begins with what it holds now.
fn appended(target: &Path) -> Result<AtomicFile, Error> {
    let mut output = AtomicFile::create(target)?;
    if target.exists() {
        let mut old = File::open(target).map_err(Error::io(target))?;
        let failed = output.error();
        std::io::copy(&mut old, &mut output).map_err(failed)?;
    }
    Ok(output)
}

/// Stops a conversion when somebody wants that.
fn go_on(stop: &AtomicBool, records: u64) -> Result<(), Error> {
    if records.is_multiple_of(STOP_EVERY) && stop.load(Ordering::Relaxed) {
        return Err(Error::Cancelled);
    }
    Ok(())
}

/// Writes the records of a PSV file as text blocks; returns their number.
fn plain_of_records(
    input: &Path,
    output: &mut AtomicFile,
    stop: &AtomicBool,
) -> anyhow::Result<u64> {
    let invalid = |error: InvalidRecord| TeacherError::invalid(input, InvalidData::from(error));
    let bytes = Map::open(input)?;
    let mut text = String::new();
    let mut number = 0;
    for record in records::<Psv>(&bytes) {
        let record = record.map_err(invalid)?;
        text.clear();
        write_plain(&record, &mut text).map_err(|problem| {
            invalid(InvalidRecord {
                record: number + 1,
                offset: number * Psv::LEN as u64,
                problem,
            })
        })?;
        output.put(text.as_bytes())?;
        number += 1;
        go_on(stop, number)?;
    }
    Ok(number)
}

/// Writes the text blocks of a file as PSV records; returns their number.
fn records_of_plain(
    input: &Path,
    output: &mut AtomicFile,
    stop: &AtomicBool,
) -> anyhow::Result<u64> {
    let text = File::open(input).map_err(Error::io(input))?;
    let (mut bytes, mut number) = (Vec::new(), 0);
    for record in PlainReader::new(BufReader::new(text)) {
        let record = record.map_err(|error| anyhow::anyhow!("{}: {error}", input.display()))?;
        bytes.clear();
        record.write_to(&mut bytes);
        output.put(&bytes)?;
        number += 1;
        go_on(stop, number)?;
    }
    Ok(number)
}

/// The message in answer to a shuffle, with the command line that does the same.
pub(super) fn shuffle_instead(learn: &ClassicLearn, word: &str) -> Result<String, String> {
    let quoted = |path: &Path| {
        let text = path.display().to_string();
        if text.contains(' ') {
            format!("\"{text}\"")
        } else {
            text
        }
    };
    let inputs: Vec<_> = learn.inputs()?.iter().map(|path| quoted(path)).collect();
    let inputs = if inputs.is_empty() {
        "FILE...".to_owned()
    } else {
        inputs.join(" ")
    };
    let output = quoted(&learn.output_file_name);
    Ok(format!(
        "learn {word} is now: teacher shuffle {inputs} -o {output}"
    ))
}
