//! Side-cars as they are read.

use std::path::Path;
use std::sync::OnceLock;

use yane_io::{Job, Map, Result, Unit};

use super::super::read::each_of;
use super::super::told::Told;
use super::{Belongs, ENTRY, Head, Holds, SIDE_CAR_MAGIC, VERSION};
use crate::edax::{Header, Records};
use crate::egaroucid::{Entry, Version};
use crate::files::Reading;
use crate::fingerprint::Fingerprint;
use crate::store::Damage;
use crate::{Fault, Format};

/// A position of a side-car.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Aside {
    pub(crate) told: Told,
    /// Whether the book was written without it, because no move of it was known.
    pub(crate) left_out: bool,
    /// The check number of the record that was written for an entry. Only newer side-cars have it.
    pub(crate) check: Option<u32>,
    /// Whether it comes back if the book does not have it.
    pub(crate) comes_back: bool,
}

impl Aside {
    /// Whether the book never had room for it.
    pub(crate) fn has_no_room(&self) -> bool {
        match self.told {
            Told::Edax(_) => !self.told.fits_egaroucid(),
            Told::Egaroucid(_) => self.left_out,
        }
    }
}

/// The file of a side-car.
#[derive(Debug)]
pub(crate) struct SideFile {
    map: Map,
    pub(super) belongs: OnceLock<Belongs>,
}

/// What a file says that it is.
enum Kind {
    /// Of now.
    Headed(Head),
    /// A book, as side-cars were before.
    Plain(Format),
}

impl SideFile {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Ok(Self {
            map: Map::open(path)?,
            belongs: OnceLock::new(),
        })
    }

    /// Whether it belongs to its book, if that is known by now.
    pub(crate) fn known_to_belong(&self) -> Option<&Belongs> {
        self.belongs.get()
    }

    pub(super) fn path(&self) -> &Path {
        self.map.path()
    }

    fn kind(&self) -> std::result::Result<Kind, Fault> {
        let bytes = &*self.map;
        if bytes.len() < Head::LEN && SIDE_CAR_MAGIC.starts_with(&bytes[..bytes.len().min(8)]) {
            let reason = format!("the file ends inside the head of {} bytes", Head::LEN);
            return Err(Fault::new(bytes.len() as u64, reason));
        }
        match bytes.strip_prefix(&SIDE_CAR_MAGIC) {
            None => Format::of_bytes(bytes).map(Kind::Plain),
            Some(_) => Head::read(bytes).map(Kind::Headed),
        }
    }

    /// The fingerprint of the book that it was written for, if it tells one.
    pub(super) fn book(&self) -> Option<Fingerprint> {
        match self.kind() {
            Ok(Kind::Headed(head)) => Some(head.book),
            Ok(Kind::Plain(_)) | Err(_) => None,
        }
    }

    /// The header of the book of Edax that its records are from.
    pub(crate) fn header(&self) -> Option<Header> {
        match self.kind().ok()? {
            Kind::Plain(Format::Edax) => Header::read(&self.map).ok(),
            Kind::Headed(head) if head.holds == Holds::Records => {
                Header::read(self.map.get(Head::LEN..)?).ok()
            }
            Kind::Plain(_) | Kind::Headed(_) => None,
        }
    }

    /// Gives all positions; how many damaged records were left out.
    pub(crate) fn each(
        &self,
        damage: Damage,
        job: &Job,
        each: &mut dyn FnMut(Aside) -> Result<()>,
    ) -> Result<u64> {
        let stage = "reading the side-car";
        let mut damaged = 0;
        let mut faults = |fault: Fault| match damage {
            Damage::Skip => {
                damaged += 1;
                Ok(())
            }
            Damage::Stop => {
                let reason = format!(
                    "{}; the book can be read without its side-car",
                    fault.reason
                );
                Err(Fault { reason, ..fault }.of(&self.map))
            }
        };
        match self.kind() {
            Err(fault) => faults(fault)?,
            Ok(Kind::Plain(format)) => {
                let reading = Reading::default();
                each_of(
                    &self.map,
                    format,
                    stage,
                    reading,
                    job,
                    &mut faults,
                    &mut |told| {
                        each(Aside {
                            told,
                            left_out: false,
                            check: None,
                            comes_back: false,
                        })
                    },
                )
                .map(drop)?;
            }
            Ok(Kind::Headed(head)) => {
                let len = self.map.len() as u64;
                job.progress.stage(stage, Some(len), Unit::Bytes);
                let own = match head.holds {
                    Holds::Records => self.each_record(head, job, &mut faults, each)?,
                    Holds::Entries => self.each_entry(head, job, &mut faults, each)?,
                };
                if own.is_some_and(|own| own != head.own) {
                    let reason = "the check sum of its records is not the one that it tells";
                    faults(Fault::new(40, reason))?;
                }
                job.progress.advance(len);
            }
        }
        Ok(damaged)
    }

    /// The fingerprint of the records, if all could be read.
    fn each_record(
        &self,
        head: Head,
        job: &Job,
        faults: &mut dyn FnMut(Fault) -> Result<()>,
        each: &mut dyn FnMut(Aside) -> Result<()>,
    ) -> Result<Option<Fingerprint>> {
        let start = Head::LEN + Header::LEN;
        let mut own = Some(Fingerprint::default());
        for record in Records::within(&self.map, start, head.own.count) {
            let record = match record {
                Ok(record) => record,
                Err(fault) => {
                    own = None;
                    faults(fault)?;
                    continue;
                }
            };
            if let Some(own) = &mut own {
                own.add(record.bytes());
            }
            check(own, job)?;
            each(Aside {
                told: Told::Edax(record.to_record()),
                left_out: false,
                check: None,
                comes_back: false,
            })?;
        }
        Ok(own)
    }

    /// Likewise.
    fn each_entry(
        &self,
        head: Head,
        job: &Job,
        faults: &mut dyn FnMut(Fault) -> Result<()>,
        each: &mut dyn FnMut(Aside) -> Result<()>,
    ) -> Result<Option<Fingerprint>> {
        let mut own = Some(Fingerprint::default());
        let (mut offset, mut left) = (Head::LEN as u64, head.own.count);
        let (records, rest) = self.map[Head::LEN..].as_chunks::<ENTRY>();
        for record in records {
            match Entry::read(Version::Egbk3, &record[..25]) {
                Ok(entry) => {
                    if let Some(own) = &mut own {
                        own.add(record);
                    }
                    check(own, job)?;
                    let [.., left_out, a, b, c, d] = *record;
                    each(Aside {
                        told: Told::Egaroucid(entry),
                        left_out: left_out != 0,
                        check: Some(u32::from_le_bytes([a, b, c, d])),
                        comes_back: false,
                    })?;
                }
                Err((place, reason)) => {
                    own = None;
                    faults(Fault::new(offset + place, reason))?;
                }
            }
            offset += ENTRY as u64;
            left = left.saturating_sub(1);
        }
        if left > 0 || !rest.is_empty() {
            own = None;
            let reason = format!(
                "the file ends where {left} more positions of {ENTRY} bytes were expected: {} bytes are left",
                rest.len()
            );
            faults(Fault::new(offset, reason))?;
        }
        Ok(own)
    }
}

/// Looks now and then whether to stop.
fn check(read: Option<Fingerprint>, job: &Job) -> Result<()> {
    if read.is_none_or(|read| read.count.is_multiple_of(1 << 16)) {
        job.check()?;
    }
    Ok(())
}

impl Head {
    fn read(bytes: &[u8]) -> std::result::Result<Self, Fault> {
        let fault = |at, reason: String| Err(Fault::new(at, reason));
        let bytes: &[u8; Self::LEN] = bytes
            .first_chunk()
            .ok_or_else(|| Fault::new(bytes.len() as u64, "the file ends inside its head"))?;
        if bytes[8] != VERSION {
            let reason = format!("version {} of side-cars, {VERSION} was expected", bytes[8]);
            return fault(8, reason);
        }
        let holds = match bytes[9] {
            0 => Holds::Records,
            1 => Holds::Entries,
            other => return fault(9, format!("contents of kind {other}, 0 or 1 was expected")),
        };
        let mut sums = bytes[16..].chunks_exact(Fingerprint::LEN).map(|sum| {
            let sum = sum.first_chunk().copied().unwrap_or_default();
            Fingerprint::from_bytes(sum)
        });
        Ok(Self {
            holds,
            book: sums.next().unwrap_or_default(),
            own: sums.next().unwrap_or_default(),
        })
    }
}
