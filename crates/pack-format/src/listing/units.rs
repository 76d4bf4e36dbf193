//! Records and games one by one.

use super::{Game, Item};
use crate::games::{FileGame, InvalidGame};
#[cfg(test)]
use crate::listing::random::some_of;
use crate::record::{InvalidRecord, TeacherRecord, TeacherRecordProblem};
use crate::stream::Batch;
use crate::{Hcpe, InvalidData, Psv, Result, Sample, TeacherFormat, games, hcpe3, pack};

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use yane_base::random::stream;

    #[test]
    fn every_number_is_equally_likely() {
        let mut random = stream(1);
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
