//! Writing files, with LEB128 numbers.

use std::io;
use std::io::Write;

use super::{LEB128_MAGIC, LebFault};
use crate::nnue::aligned::Aligned;
use crate::nnue::arch::{Architecture, FILE_VERSION, PROGRESS_HASH};
use crate::nnue::network::{AffineLayers, FeatureWeights};

/// Writes a network's file from its parts. `rows` are read twice for SFNN files, which have the size of the
/// compressed weights before them.
///
/// # Errors
/// `out` cannot be written, or a part is larger than a file can say.
pub fn write_network(
    description: &[u8],
    rows: &impl FeatureWeights,
    layers: &AffineLayers,
    out: impl Write,
) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    let architecture = *layers.architecture();
    let u32 = |out: &mut dyn Write, number: u32| out.write_all(&number.to_le_bytes());
    u32(&mut out, FILE_VERSION)?;
    u32(&mut out, architecture.file_hash())?;
    u32(&mut out, size(description.len())?)?;
    out.write_all(description)?;
    u32(&mut out, architecture.transformer_hash())?;
    match architecture {
        Architecture::Classic(_) => write_plain(&architecture, rows, &mut out)?,
        Architecture::Sfnn(_) => write_compressed(&architecture, rows, &mut out)?,
    }
    if let Some(progress) = layers.progress() {
        u32(&mut out, PROGRESS_HASH)?;
        for number in std::iter::once(&progress.bias()).chain(progress.weights()) {
            out.write_all(&number.to_le_bytes())?;
        }
    }
    for stack in 0..architecture.stack_count() {
        u32(&mut out, architecture.network_hash())?;
        for layer in layers.layers() {
            let layer = layer.stack(stack);
            for bias in layer.biases {
                out.write_all(&bias.to_le_bytes())?;
            }
            for weight in layer.weights {
                out.write_all(&weight.to_le_bytes())?;
            }
        }
    }
    out.flush()
}

/// A size that files keep in 32 bits.
fn size(bytes: usize) -> io::Result<u32> {
    u32::try_from(bytes).map_err(|_| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{bytes} bytes are more than the size of a part can say (4 GiB)"),
        )
    })
}

/// Calls `f` with the weights of every feature.
fn for_each_row(
    architecture: &Architecture,
    rows: &impl FeatureWeights,
    mut f: impl FnMut(&[i16]) -> io::Result<()>,
) -> io::Result<()> {
    let mut row = vec![0; architecture.width()];
    for feature in 0..architecture.features().dimensions() {
        rows.read_weights(feature, &mut row);
        f(&row)?;
    }
    Ok(())
}

fn write_plain(
    architecture: &Architecture,
    rows: &impl FeatureWeights,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    let mut write = |row: &[i16]| {
        bytes.clear();
        bytes.extend(row.iter().flat_map(|number| number.to_le_bytes()));
        out.write_all(&bytes)
    };
    write(rows.biases())?;
    for_each_row(architecture, rows, write)
}

fn write_compressed(
    architecture: &Architecture,
    rows: &impl FeatureWeights,
    out: &mut impl Write,
) -> io::Result<()> {
    let bytes_of = |numbers: &[i16]| numbers.iter().map(|&n| len(n)).sum::<usize>();
    let begin = |out: &mut dyn Write, bytes: usize| {
        out.write_all(LEB128_MAGIC)?;
        out.write_all(&size(bytes)?.to_le_bytes())
    };
    begin(out, bytes_of(rows.biases()))?;
    for &number in rows.biases() {
        write(number, out)?;
    }
    let mut bytes = 0;
    for_each_row(architecture, rows, |row| {
        bytes += bytes_of(row);
        Ok(())
    })?;
    begin(out, bytes)?;
    for_each_row(architecture, rows, |row| {
        row.iter().try_for_each(|&number| write(number, out))
    })
}

// Signed LEB128: 7 bits a byte, lowest first; the top bit of a byte says that another follows.

/// Bytes that 16 bits may need.
const MAX_BYTES: usize = 3;

/// The count of numbers in `bytes`: bytes that end one.
pub(super) fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte < 0x80).count()
}

/// The numbers that `bytes` hold, or the place of a wrong one.
pub(super) fn decode(bytes: &[u8]) -> Result<Aligned<i16>, (usize, LebFault)> {
    let mut numbers = Aligned::zeros(count(bytes));
    let mut at = 0;
    for number in numbers.iter_mut() {
        // Most numbers are one byte.
        let first = bytes[at];
        if first < 0x80 {
            *number = i16::from((first << 1) as i8 >> 1);
            at += 1;
        } else {
            let (value, len) = long(&bytes[at..]).map_err(|fault| (at, fault))?;
            *number = value;
            at += len;
        }
    }
    if at == bytes.len() {
        Ok(numbers)
    } else {
        Err((at, LebFault::CutOff))
    }
}

/// The number that `bytes` begin with, and its length.
#[cold]
fn long(bytes: &[u8]) -> Result<(i16, usize), LebFault> {
    let mut value = 0i32;
    for (i, &byte) in bytes.iter().take(MAX_BYTES).enumerate() {
        value |= i32::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            let unused = 32 - 7 * (i as u32 + 1);
            let value = value << unused >> unused;
            return match i16::try_from(value) {
                Ok(value) => Ok((value, i + 1)),
                Err(_) => Err(LebFault::Range),
            };
        }
    }
    if bytes.len() < MAX_BYTES {
        Err(LebFault::CutOff)
    } else {
        Err(LebFault::Range)
    }
}

/// Bytes that `number` takes.
pub(super) const fn len(number: i16) -> usize {
    match number {
        -64..=63 => 1,
        -8192..=8191 => 2,
        _ => 3,
    }
}

/// Writes `number`.
pub(super) fn write(number: i16, out: &mut impl Write) -> io::Result<()> {
    let mut bytes = [0; MAX_BYTES];
    let len = len(number);
    for (i, byte) in bytes[..len].iter_mut().enumerate() {
        let more = if i + 1 < len { 0x80 } else { 0 };
        *byte = (number >> (7 * i)) as u8 & 0x7f | more;
    }
    out.write_all(&bytes[..len])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_are_read_as_written() {
        let mut bytes = Vec::new();
        for number in i16::MIN..=i16::MAX {
            let before = bytes.len();
            write(number, &mut bytes).unwrap();
            assert_eq!(bytes.len() - before, len(number));
        }
        assert_eq!(count(&bytes), 65_536);
        let numbers = decode(&bytes).unwrap();
        assert!((i16::MIN..=i16::MAX).eq(numbers.iter().copied()));
    }

    #[test]
    fn known_numbers() {
        for (number, expected) in [
            (0, &[0x00][..]),
            (-1, &[0x7f]),
            (63, &[0x3f]),
            (64, &[0xc0, 0x00]),
            (-64, &[0x40]),
            (-65, &[0xbf, 0x7f]),
            (200, &[0xc8, 0x01]),
            (i16::MIN, &[0x80, 0x80, 0x7e]),
        ] {
            let mut bytes = Vec::new();
            write(number, &mut bytes).unwrap();
            assert_eq!(bytes, expected, "{number}");
        }
    }

    #[test]
    fn wrong_numbers_have_a_place() {
        // A number that is longer than it need be is one nonetheless.
        assert_eq!(decode(&[0x80, 0x80, 0x00]).unwrap()[..], [0]);
        for (bytes, at, fault) in [
            (&[1, 2, 0x80][..], 2, LebFault::CutOff),
            (&[1, 0x80, 0x80, 0x80, 0x00], 1, LebFault::Range),
            (&[1, 0xff, 0xff, 0x03], 1, LebFault::Range),
            (&[0x80, 0x80, 0x02], 0, LebFault::Range),
            (&[0xff, 0xff, 0x80], 0, LebFault::CutOff),
        ] {
            assert_eq!(decode(bytes), Err((at, fault)), "{bytes:x?}");
        }
    }
}
