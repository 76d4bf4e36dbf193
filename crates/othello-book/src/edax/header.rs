//! The header of `book.dat`.

use serde::{Deserialize, Serialize};

use crate::Fault;
use crate::bytes::{at, i32_at};

/// The first eight bytes.
const MAGIC: [u8; 8] = *b"XADEKOOB";

/// The same from a machine that stores numbers the other way round.
const TURNED: [u8; 8] = *b"EDAXBOOK";

/// The version that there is.
const VERSION: u8 = 4;

/// What stands before the records of an Edax book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The release of the program that wrote it: 6 for Edax 4.6. Edax does not look at it.
    pub release: u8,
    /// When it was written.
    pub date: Date,
    /// The byte behind the date, which means nothing.
    pub pad: u8,
    /// The level at which positions are searched.
    pub level: i32,
    /// Positions with fewer empty squares are not in the book: 61 − its depth.
    pub n_empties: i32,
    /// By how much values of the middle game may be wrong, in discs.
    pub midgame_error: i32,
    /// The same for values of selective end-game searches.
    pub endcut_error: i32,
    /// How much Edax tells while it works on the book.
    pub verbosity: i32,
    /// How many records there are. Edax only makes its table as large, but writes the right number.
    pub n_nodes: i32,
}

/// A date and a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Date {
    pub year: i16,
    pub month: i8,
    pub day: i8,
    pub hour: i8,
    pub minute: i8,
    pub second: i8,
}

impl Default for Header {
    /// What a book says that comes from nowhere in particular: the start of 2000, and errors as in new books of Edax.
    fn default() -> Self {
        Self {
            release: 6,
            date: Date {
                year: 2000,
                month: 1,
                day: 1,
                hour: 0,
                minute: 0,
                second: 0,
            },
            pad: 0,
            level: 21,
            n_empties: 24,
            midgame_error: 2,
            endcut_error: 1,
            verbosity: 0,
            n_nodes: 0,
        }
    }
}

impl Header {
    /// How many bytes it takes.
    pub const LEN: usize = 42;

    /// Reads a header.
    ///
    /// # Errors
    ///
    /// Bytes that are too few, no header, or one of another byte order or version.
    pub fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let fault = |offset, reason: String| Err(Fault::new(offset, reason));
        if bytes.starts_with(&TURNED) {
            return fault(
                0,
                "an Edax book with its bytes in the other order (big endian); on the machine it comes from, load it \
                 with Edax, let `book export book.txt` write it as text, and read that instead"
                    .to_owned(),
            );
        }
        if !bytes.starts_with(&MAGIC) {
            return fault(0, "not an Edax book: 'XADEKOOB' was expected".to_owned());
        }
        if bytes.len() < Self::LEN {
            let found = bytes.len();
            return fault(
                found as u64,
                format!("the file ends inside the header of {} bytes", Self::LEN),
            );
        }
        if bytes[8] != VERSION {
            return fault(
                8,
                format!("version {} of the format, {VERSION} was expected", bytes[8]),
            );
        }
        let [month, day, hour, minute, second, pad] = at(bytes, 12);
        Ok(Self {
            release: bytes[9],
            date: Date {
                year: i16::from_le_bytes(at(bytes, 10)),
                month: month as i8,
                day: day as i8,
                hour: hour as i8,
                minute: minute as i8,
                second: second as i8,
            },
            pad,
            level: i32_at(bytes, 18),
            n_empties: i32_at(bytes, 22),
            midgame_error: i32_at(bytes, 26),
            endcut_error: i32_at(bytes, 30),
            verbosity: i32_at(bytes, 34),
            n_nodes: i32_at(bytes, 38),
        })
    }

    /// The bytes of the header.
    pub fn to_bytes(&self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8] = VERSION;
        bytes[9] = self.release;
        bytes[10..12].copy_from_slice(&self.date.year.to_le_bytes());
        let date = &self.date;
        let parts = [date.month, date.day, date.hour, date.minute, date.second];
        bytes[12..17].copy_from_slice(&parts.map(|part| part as u8));
        bytes[17] = self.pad;
        let numbers = [
            self.level,
            self.n_empties,
            self.midgame_error,
            self.endcut_error,
            self.verbosity,
            self.n_nodes,
        ];
        for (place, number) in bytes[18..].chunks_exact_mut(4).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }
}
