//! Runs: sorted records as bytes.
//!
//! A record is the length of its key (u16), the length of its body (u32), both little endian, the key
//! and the body.

use super::strings::sorted_order;
use crate::Pool;

/// Bytes before the key.
pub(super) const RECORD_HEADER: usize = 6;

/// Records being collected for a run.
#[derive(Debug, Default)]
pub struct RunBuilder {
    data: Vec<u8>,
    /// The offset of each record in `data`.
    starts: Vec<u32>,
    /// Set when a key was added that is less than the one before it.
    unsorted: bool,
}

impl RunBuilder {
    /// An empty one that collects records in `buffer`, which must be empty.
    pub const fn in_buffer(buffer: Vec<u8>) -> Self {
        Self {
            data: buffer,
            starts: Vec::new(),
            unsorted: false,
        }
    }

    /// Adds a record; `body` writes its body to the end of the vector.
    ///
    /// # Panics
    /// When the key has more than 65,535 bytes, the body more than 4 GiB, or all records together
    /// more than 4 GiB.
    #[inline]
    pub fn push_with<R>(&mut self, key: &[u8], body: impl FnOnce(&mut Vec<u8>) -> R) -> R {
        let start = u32::try_from(self.data.len()).expect("a run is smaller than 4 GiB");
        let key_len = u16::try_from(key.len()).expect("a key is shorter than 64 KiB");
        self.unsorted = self.unsorted || self.starts.last().is_some_and(|&at| key < self.key(at));
        self.starts.push(start);
        self.data.extend_from_slice(&key_len.to_le_bytes());
        self.data.extend_from_slice(&[0; 4]);
        self.data.extend_from_slice(key);
        let body_start = self.data.len();
        let result = body(&mut self.data);
        let body_len =
            u32::try_from(self.data.len() - body_start).expect("a body is smaller than 4 GiB");
        let at = start as usize + 2;
        self.data[at..at + 4].copy_from_slice(&body_len.to_le_bytes());
        result
    }

    /// Adds a record.
    ///
    /// # Panics
    /// See [`Self::push_with`].
    pub fn push(&mut self, key: &[u8], body: &[u8]) {
        self.push_with(key, |data| data.extend_from_slice(body));
    }

    /// Bytes used.
    pub const fn size(&self) -> usize {
        self.data.len() + self.starts.len() * 4
    }

    /// Number of records.
    pub const fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns whether there is no record.
    pub const fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns whether the keys are in order.
    pub const fn is_sorted(&self) -> bool {
        !self.unsorted
    }

    /// The first and the last key; `None` without records.
    pub fn ends(&self) -> Option<(&[u8], &[u8])> {
        let (&first, &last) = (self.starts.first()?, self.starts.last()?);
        Some((self.key(first), self.key(last)))
    }

    /// Key of the record that begins at `start`.
    #[inline(always)]
    fn key(&self, start: u32) -> &[u8] {
        parse_record(&self.data[start as usize..]).0
    }

    /// The records in the order they were added.
    pub fn into_unsorted_run(self) -> Vec<u8> {
        self.data
    }

    /// The records in the order of their keys; equal keys in the order they were added.
    pub fn into_run(self) -> Vec<u8> {
        self.into_run_with(&Pool::default())
    }

    /// As [`Self::into_run`], with buffers from and to `pool`.
    pub fn into_run_with(self, pool: &Pool) -> Vec<u8> {
        let sorted = self.is_sorted();
        let Self { data, starts, .. } = self;
        if sorted {
            return data;
        }
        let key = |index: u32| parse_record(&data[starts[index as usize] as usize..]).0;
        let order = sorted_order(starts.len(), key);
        let mut run = pool.take(data.len());
        for index in order {
            let record = &data[starts[index as usize] as usize..];
            let (key, body) = parse_record(record);
            run.extend_from_slice(&record[..RECORD_HEADER + key.len() + body.len()]);
        }
        pool.give(data);
        run
    }
}

/// Lengths of the key and the body of the record that begins here.
#[inline(always)]
pub(super) fn record_lengths(header: [u8; RECORD_HEADER]) -> (usize, usize) {
    let [a, b, c, d, e, f] = header;
    (
        u16::from_le_bytes([a, b]).into(),
        u32::from_le_bytes([c, d, e, f]) as usize,
    )
}

/// Key and body of the record at the start of `bytes`, which must hold it whole.
#[inline(always)]
pub(super) fn parse_record(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut header = [0; RECORD_HEADER];
    header.copy_from_slice(&bytes[..RECORD_HEADER]);
    let (key, body) = record_lengths(header);
    bytes[RECORD_HEADER..RECORD_HEADER + key + body].split_at(key)
}
