//! Units picked at random, from files and from streams.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;

use yane_base::random::{Rng, RngExt, stream};
use yane_io::{Error, Job};

use crate::listing::units::{Raw, Units};
use crate::listing::{Show, open};
use crate::stream::Input;
use crate::{Result, kind};

// Picking at random.

/// Shows units picked at random.
pub(super) fn random(show: &mut Show<'_>, seed: u64, job: &Job) -> Result<()> {
    let mut random = stream(seed);
    if let (Some(len), Input::File(path)) = (show.options.format.record_len(), show.input) {
        let mut file = File::open(path).map_err(Error::io(path))?;
        let data = file.metadata().map_err(Error::io(path))?;
        if data.is_file() {
            kind::check_file(show.input, show.options.format)?;
            return look_up(show, (&mut file, path), (data.len(), len), &mut random, job);
        }
    }
    reservoir(show, &mut random, job)
}

/// Shows records of a file, found by their offsets.
pub(super) fn look_up(
    show: &mut Show<'_>,
    (file, path): (&mut File, &Path),
    (size, len): (u64, usize),
    random: &mut impl Rng,
    job: &Job,
) -> Result<()> {
    let mut read = |index: u64| -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(len);
        file.seek(SeekFrom::Start(index * len as u64))
            .and_then(|_| file.by_ref().take(len as u64).read_to_end(&mut bytes))
            .map_err(Error::io(path))?;
        Ok(bytes)
    };
    let total = size / len as u64;
    let picked = some_of(total, show.options.count, random);
    // Bytes behind the last whole record come at the end.
    let rest = (size % len as u64 > 0).then_some(total);
    for index in picked.into_iter().chain(rest) {
        job.check()?;
        let bytes = read(index)?;
        let shown = show.show(&Raw {
            number: index + 1,
            offset: index * len as u64,
            whole: bytes.len() == len,
            bytes: &bytes,
        })?;
        if shown.is_some_and(|flow| flow.is_break()) {
            break;
        }
    }
    Ok(())
}

/// `count` different numbers below `total` (all of them when there are not that many), each set
/// equally likely (Floyd's method: one random number for each).
pub(super) fn some_of(total: u64, count: u64, random: &mut impl Rng) -> BTreeSet<u64> {
    let mut picked = BTreeSet::new();
    for last in total.saturating_sub(count)..total {
        if !picked.insert(random.random_range(0..=last)) {
            picked.insert(last);
        }
    }
    picked
}

/// Unit picked so far.
pub(super) struct Kept {
    pub(super) number: u64,
    pub(super) offset: u64,
    pub(super) bytes: Vec<u8>,
}

impl Kept {
    pub(super) fn raw(&self) -> Raw<'_> {
        Raw {
            number: self.number,
            offset: self.offset,
            bytes: &self.bytes,
            whole: true,
        }
    }
}

/// Shows units of a stream, whose number is known only at its end: each new one replaces a picked
/// one with the probability that makes all equally likely.
pub(super) fn reservoir(show: &mut Show<'_>, random: &mut impl Rng, job: &Job) -> Result<()> {
    let count = show.options.count;
    let mut picked: Vec<Kept> = Vec::new();
    let mut invalid = None;
    let mut batches = open(show, job)?;
    let pool = batches.pool();
    while let Some(batch) = batches.next_batch()? {
        job.check()?;
        for raw in Units::new(show.options.format, &batch) {
            if !raw.whole {
                invalid = show.decoder.decode(show.options.format, &raw).err();
                break;
            }
            if (picked.len() as u64) < count {
                picked.push(raw.keep());
                continue;
            }
            let slot = random.random_range(0..raw.number);
            if slot < count {
                picked[slot as usize] = raw.keep();
            }
        }
        job.progress.advance(batch.bytes.len() as u64);
        pool.give(batch.bytes);
    }
    picked.sort_by_key(|kept| kept.number);
    for kept in &picked {
        if let Some(ControlFlow::Break(())) = show.show(&kept.raw())? {
            return Ok(());
        }
    }
    invalid.map_or(Ok(()), |invalid| show.damaged(invalid))
}

impl Raw<'_> {
    fn keep(&self) -> Kept {
        Kept {
            number: self.number,
            offset: self.offset,
            bytes: self.bytes.to_vec(),
        }
    }
}
