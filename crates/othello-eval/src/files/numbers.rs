//! What files of ours have in common: notes, checksums, and numbers of variable length.
//!
//! Numbers have 7 bits a byte, the lowest first, with the high bit set in all but the last byte: a weight w ≠ 0 is 2w for w > 0 and −2w
//! − 1 for w < 0; 0 stands for zeros, and the next number is how many, less 1.

use super::{Bytes, WeightsError};

/// Reads a note.
pub(super) fn note(reader: &mut Bytes<'_>) -> Result<String, WeightsError> {
    let len = reader.take(2, "the note")?;
    let len = usize::from(u16::from_le_bytes([len[0], len[1]]));
    let at = reader.at;
    let text = reader.take(len, "the note")?.to_vec();
    String::from_utf8(text).map_err(|_| WeightsError::at(at, "expected a note in UTF-8"))
}

/// Reads a byte.
pub(super) fn byte(reader: &mut Bytes<'_>, what: &str) -> Result<u8, WeightsError> {
    Ok(reader.take(1, what)?[0])
}

/// Checks the CRC-32 behind a file's other bytes.
pub(super) fn check_sum(body: &[u8], crc: [u8; 4]) -> Result<(), WeightsError> {
    if crc32fast::hash(body) == u32::from_le_bytes(crc) {
        return Ok(());
    }
    let reason = "the checksum is another one: some bytes of the file are wrong";
    Err(WeightsError::at(body.len(), reason))
}

/// Reads `len` weights.
pub(super) fn numbers(reader: &mut Bytes<'_>, len: usize) -> Result<Vec<i16>, WeightsError> {
    let mut weights = Vec::with_capacity(len);
    while weights.len() < len {
        let at = reader.at;
        let number = number(reader)?;
        if number == 0 {
            let zeros = self::number(reader)? as usize + 1;
            if zeros > len - weights.len() {
                return Err(WeightsError::at(at, "expected fewer zeros"));
            }
            weights.resize(weights.len() + zeros, 0);
        } else {
            let half = i64::from(number.div_ceil(2));
            let weight = if number % 2 == 0 { half } else { -half };
            let weight = i16::try_from(weight);
            weights.push(weight.map_err(|_| WeightsError::at(at, "a weight has 16 bits at most"))?);
        }
    }
    Ok(weights)
}

/// Reads a variable-length number.
fn number(reader: &mut Bytes<'_>) -> Result<u32, WeightsError> {
    let at = reader.at;
    let mut number = 0u32;
    for shift in [0, 7, 14, 21] {
        let byte = byte(reader, "the weights")?;
        number |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(WeightsError::at(at, "a number has four bytes at most"))
}

/// Writes the length and the text of a note; a longer one than 65,535 bytes is cut.
pub(super) fn write_note(note: &str, bytes: &mut Vec<u8>) {
    let longest = (0..=note.len().min(usize::from(u16::MAX))).rev();
    let mut longest = longest.filter(|&len| note.is_char_boundary(len));
    let note = &note[..longest.next().unwrap_or(0)];
    bytes.extend((note.len() as u16).to_le_bytes());
    bytes.extend(note.as_bytes());
}

/// Writes weights.
pub(super) fn write_numbers(weights: &[i16], bytes: &mut Vec<u8>) {
    for run in weights.chunk_by(|a, b| *a == 0 && *b == 0) {
        match run[0] {
            0 => {
                write_number(0, bytes);
                write_number(run.len() as u32 - 1, bytes);
            }
            weight => {
                let weight = i32::from(weight);
                let number = if weight > 0 {
                    2 * weight
                } else {
                    -2 * weight - 1
                };
                write_number(number as u32, bytes);
            }
        }
    }
}

fn write_number(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
