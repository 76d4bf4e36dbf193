//! Records and games one by one.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt, SeedableRng};
use yane_io::{Error, Job};

use super::{Game, Item, Show, open};
use crate::games::{FileGame, InvalidGame};
use crate::record::{InvalidRecord, TeacherRecord, TeacherRecordProblem};
use crate::stream::{Batch, Input};
use crate::{Hcpe, InvalidData, Psv, Result, Sample, TeacherFormat, games, hcpe3, kind, pack};

/// The bytes of a record or a game. Of what is damaged they are those up to the end of the batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw<'a> {
    /// Number in the file, from 1.
    pub(super) number: u64,
    /// Offset in the file.
    pub(super) offset: u64,
    pub(super) bytes: &'a [u8],
    /// True if these are all bytes of the unit: false where its length cannot be determined.
    pub(super) whole: bool,
}

/// The units of a batch. The last one is the damaged one if the batch cannot be cut further.
pub(super) struct Units<'a> {
    format: TeacherFormat,
    next: Raw<'a>,
}

impl<'a> Units<'a> {
    pub(super) fn new(format: TeacherFormat, batch: &'a Batch) -> Self {
        let next = Raw {
            number: batch.before + 1,
            offset: batch.offset,
            bytes: &batch.bytes,
            whole: false,
        };
        Self { format, next }
    }
}

/// Bytes of the first unit; `None` when they cannot be told or are not all there.
fn unit_len(format: TeacherFormat, bytes: &[u8]) -> Option<usize> {
    match format {
        TeacherFormat::Pack => pack::frame(bytes).ok().map(|frame| frame.len),
        TeacherFormat::Hcpe3 => hcpe3::frame(bytes).ok().map(|frame| frame.len),
        _ => format.record_len().filter(|&len| len <= bytes.len()),
    }
}

impl<'a> Iterator for Units<'a> {
    type Item = Raw<'a>;

    fn next(&mut self) -> Option<Raw<'a>> {
        let rest = self.next;
        if rest.bytes.is_empty() {
            return None;
        }
        let len = unit_len(self.format, rest.bytes);
        let (bytes, behind) = rest.bytes.split_at(len.unwrap_or(rest.bytes.len()));
        self.next = Raw {
            number: rest.number + 1,
            offset: rest.offset + bytes.len() as u64,
            bytes: behind,
            whole: false,
        };
        Some(Raw {
            bytes,
            whole: len.is_some(),
            ..rest
        })
    }
}

/// Decoder of items.
#[derive(Default)]
pub(super) struct Decoder {
    pack: pack::PackReplayer,
    hcpe3: hcpe3::Hcpe3Replayer,
}

impl Decoder {
    /// The item, or what is wrong with it, with its place in the file.
    pub(super) fn decode(
        &mut self,
        format: TeacherFormat,
        raw: &Raw<'_>,
    ) -> Result<Item, InvalidData> {
        let Raw {
            number,
            offset,
            bytes,
            ..
        } = *raw;
        let game = match format {
            TeacherFormat::Pack => Game::Pack(game(raw, &mut self.pack)?),
            TeacherFormat::Hcpe3 => Game::Hcpe3(game(raw, &mut self.hcpe3)?),
            _ => {
                let sample = sample(format, bytes).map_err(|problem| {
                    InvalidData::from(InvalidRecord {
                        record: number,
                        offset,
                        problem,
                    })
                })?;
                return Ok(Item::Position {
                    number,
                    offset,
                    sample,
                });
            }
        };
        Ok(Item::Game {
            number,
            offset,
            game,
        })
    }
}

/// The game of these bytes.
fn game<G: FileGame>(raw: &Raw<'_>, replayer: &mut G::Replayer) -> Result<G, InvalidData>
where
    InvalidData: From<InvalidGame<G::Problem>>,
{
    let (game, _) = games::read(raw.bytes, replayer).map_err(|problem| InvalidGame {
        game: raw.number,
        offset: raw.offset,
        problem,
    })?;
    Ok(game)
}

/// The sample of a record.
fn sample(format: TeacherFormat, bytes: &[u8]) -> Result<Sample, TeacherRecordProblem> {
    let needed = format.record_len().unwrap_or(0);
    if bytes.len() < needed {
        let left = bytes.len();
        return Err(TeacherRecordProblem::Truncated { needed, left });
    }
    match format {
        TeacherFormat::Psv => Sample::from_psv(&Psv::from_bytes(bytes)?),
        _ => Sample::from_hcpe(&Hcpe::from_bytes(bytes)?),
    }
}

// Picking at random.

/// Shows units picked at random.
pub(super) fn random(show: &mut Show<'_>, seed: u64, job: &Job) -> Result<()> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
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
fn look_up(
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
fn some_of(total: u64, count: u64, random: &mut impl Rng) -> BTreeSet<u64> {
    let mut picked = BTreeSet::new();
    for last in total.saturating_sub(count)..total {
        if !picked.insert(random.random_range(0..=last)) {
            picked.insert(last);
        }
    }
    picked
}

/// Unit picked so far.
struct Kept {
    number: u64,
    offset: u64,
    bytes: Vec<u8>,
}

impl Kept {
    fn raw(&self) -> Raw<'_> {
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
fn reservoir(show: &mut Show<'_>, random: &mut impl Rng, job: &Job) -> Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_equally_likely() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut counts = [0; 10];
        for _ in 0..10_000 {
            let picked = some_of(10, 3, &mut random);
            assert_eq!(picked.len(), 3);
            for number in picked {
                counts[number as usize] += 1;
            }
        }
        // 3000 each; five standard deviations are 230.
        assert!(
            counts.iter().all(|count| (2770..3230).contains(count)),
            "{counts:?}"
        );
        assert_eq!(some_of(4, 9, &mut random), BTreeSet::from([0, 1, 2, 3]));
        assert!(some_of(0, 9, &mut random).is_empty());
    }
}
