//! The bytes of a journal.

use std::path::Path;

use crate::{Error, Result, RunIdentity};

pub(super) const MAGIC: &[u8; 8] = b"YANEJRN2";
/// What every unit begins with. No text in UTF-8 has it.
pub(super) const MARK: [u8; 4] = *b"\xffJU\xfe";
/// Bytes before those of a unit.
pub(super) const HEAD: usize = 24;
/// Longest unit that is believed in, in bytes.
pub(super) const LONGEST: u32 = 1 << 30;
/// Longest identity, in bytes.
const LONGEST_IDENTITY: u32 = 1 << 20;

/// The beginning of a journal: whose it is.
#[derive(Clone, Debug)]
pub(super) struct Beginning {
    /// It lies in the file twice.
    block: Vec<u8>,
    identity: RunIdentity,
    /// That of the identity; those of the units go on from it.
    checksum: u32,
}

impl Beginning {
    pub(super) fn new(path: &Path, identity: &RunIdentity) -> Result<Self> {
        let text = identity.to_string();
        let len = u32::try_from(text.len())
            .ok()
            .filter(|&len| len <= LONGEST_IDENTITY);
        let len = len.ok_or_else(|| Error::file(path, "the identity of a run is too long"))?;
        let mut block = MAGIC.to_vec();
        block.extend(len.to_le_bytes());
        block.extend(text.bytes());
        let checksum = crc32fast::hash(&block[MAGIC.len()..]);
        block.extend(checksum.to_le_bytes());
        Ok(Self {
            block,
            identity: identity.clone(),
            checksum,
        })
    }

    pub(super) const fn identity(&self) -> &RunIdentity {
        &self.identity
    }

    /// The bytes of one of the two copies.
    pub(super) fn block(&self) -> &[u8] {
        &self.block
    }

    /// The bytes at the start of the file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        [&self.block[..], &self.block].concat()
    }

    /// Appends a unit as it lies in the file; `len` is the length of `bytes`.
    pub(super) fn put_unit(&self, record: &mut Vec<u8>, len: u32, number: u64, bytes: &[u8]) {
        record.reserve(HEAD + bytes.len());
        record.extend_from_slice(&MARK);
        record.extend_from_slice(&len.to_le_bytes());
        record.extend_from_slice(&number.to_le_bytes());
        record.extend_from_slice(&self.checksum(bytes).to_le_bytes());
        let start = record.len() - (HEAD - 4);
        let checksum = self.checksum(&record[start..]);
        record.extend_from_slice(&checksum.to_le_bytes());
        record.extend_from_slice(bytes);
    }

    /// The head of a unit; `None` if these bytes are none.
    pub(super) fn head(&self, bytes: &[u8; HEAD]) -> Option<UnitHead> {
        let (told, checksum) = bytes.split_last_chunk()?;
        let (mark, told_rest) = told.split_first_chunk()?;
        let (len, rest) = told_rest.split_first_chunk()?;
        let (number, rest) = rest.split_first_chunk()?;
        let (of_bytes, _) = rest.split_first_chunk()?;
        let len = u32::from_le_bytes(*len);
        let is_head =
            *mark == MARK && self.checksum(told) == u32::from_le_bytes(*checksum) && len <= LONGEST;
        is_head.then(|| UnitHead {
            number: u64::from_le_bytes(*number),
            len,
            checksum: u32::from_le_bytes(*of_bytes),
        })
    }

    /// Returns the checksum of a part of a unit.
    pub(super) fn checksum(&self, bytes: &[u8]) -> u32 {
        let mut hasher = crc32fast::Hasher::new_with_initial(self.checksum);
        hasher.update(bytes);
        hasher.finalize()
    }
}

/// What is told before the bytes of a unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitHead {
    pub(super) number: u64,
    pub(super) len: u32,
    pub(super) checksum: u32,
}

/// The identity in a block at the start of these bytes, and the length of the block.
pub(super) fn read_block(bytes: &[u8]) -> Option<(RunIdentity, usize)> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (len, rest) = rest.split_first_chunk()?;
    let len = u32::from_le_bytes(*len);
    if len > LONGEST_IDENTITY {
        return None;
    }
    let (text, rest) = rest.split_at_checked(len as usize)?;
    let (checksum, _) = rest.split_first_chunk()?;
    let told = &bytes[MAGIC.len()..MAGIC.len() + 4 + text.len()];
    let is_whole = crc32fast::hash(told) == u32::from_le_bytes(*checksum);
    let text = is_whole.then(|| std::str::from_utf8(text).ok())??;
    Some((RunIdentity::parse(text), MAGIC.len() + 8 + text.len()))
}
