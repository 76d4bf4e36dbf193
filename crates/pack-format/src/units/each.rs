//! Whole units one by one.

use crate::{TeacherFormat, hcpe3, pack};

/// The units of `bytes`, which must be whole.
pub(crate) fn each(format: TeacherFormat, bytes: &[u8]) -> Each<'_> {
    Each { format, bytes }
}

/// See [`each`].
pub(crate) struct Each<'a> {
    format: TeacherFormat,
    bytes: &'a [u8],
}

impl<'a> Iterator for Each<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.bytes.is_empty() {
            return None;
        }
        let len = match self.format {
            TeacherFormat::Pack => pack::frame(self.bytes).ok().map(|frame| frame.len),
            TeacherFormat::Hcpe3 => hcpe3::frame(self.bytes).ok().map(|frame| frame.len),
            TeacherFormat::Hcpe | TeacherFormat::Psv => self.format.record_len(),
            TeacherFormat::Jsonl | TeacherFormat::Csv => {
                memchr::memchr(b'\n', self.bytes).map(|at| at + 1)
            }
        };
        let len = len.unwrap_or(usize::MAX).min(self.bytes.len());
        let (unit, rest) = self.bytes.split_at(len);
        self.bytes = rest;
        Some(unit)
    }
}
