//! Lines of JSON with a checksum in them. Readers that do not know it take it for one more field.
//!
//! A line is an object with one field that is an object: `{"game":{…}}` becomes `{"game":{…,"crc32":"89abcdef"}}`. The checksum is that of
//! the line without it.

/// The end of a line without a checksum.
const END: &[u8] = b"}}";
/// What stands before the digits of the checksum.
const BEFORE: &[u8] = b",\"crc32\":\"";
/// What stands behind them.
const BEHIND: &[u8] = b"\"}}";
/// Digits of the checksum.
const DIGITS: usize = 8;

/// What the checksum of a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineSeal {
    /// There is none: a line of an earlier version, or a damaged one.
    Absent,
    /// The line is as it was written.
    Whole,
    /// It is another line.
    Broken,
}

/// Puts the checksum of a line without its end into it.
pub fn seal_line(line: &mut Vec<u8>) {
    debug_assert!(line.ends_with(END), "an object in an object");
    let digits = digits(&[line]);
    line.truncate(line.len() - END.len());
    line.extend_from_slice(BEFORE);
    line.extend_from_slice(digits.as_bytes());
    line.extend_from_slice(BEHIND);
}

/// Checks a line without its end.
pub fn check_line(line: &[u8]) -> LineSeal {
    let found = line.strip_suffix(BEHIND).and_then(|line| {
        let (line, digits) = line.split_at_checked(line.len().checked_sub(DIGITS)?)?;
        Some((line.strip_suffix(BEFORE)?, digits))
    });
    let Some((before, found)) = found else {
        return LineSeal::Absent;
    };
    if digits(&[before, END]).as_bytes() == found {
        LineSeal::Whole
    } else {
        LineSeal::Broken
    }
}

/// The checksum of a line in parts.
fn digits(parts: &[&[u8]]) -> String {
    let mut hasher = crc32fast::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    format!("{:08x}", hasher.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_found() {
        let line = br#"{"game":{"game":7,"winner":null}}"#;
        assert_eq!(check_line(line), LineSeal::Absent);
        let mut sealed = line.to_vec();
        seal_line(&mut sealed);
        let text = String::from_utf8(sealed.clone()).unwrap();
        assert!(
            text.starts_with(r#"{"game":{"game":7,"winner":null,"crc32":""#),
            "{text}"
        );
        assert_eq!(check_line(&sealed), LineSeal::Whole);
        for bit in 0..sealed.len() * 8 {
            let mut other = sealed.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(check_line(&other), LineSeal::Whole, "bit {bit}");
        }
        for end in 0..sealed.len() {
            assert_ne!(check_line(&sealed[..end]), LineSeal::Whole, "{end} bytes");
        }
    }
}
