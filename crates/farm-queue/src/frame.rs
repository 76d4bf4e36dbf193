//! A unit or a result as a message: the number, then the bytes.

/// Most bytes of a result: servers take messages of 1 MiB, unless told otherwise.
pub(crate) const MOST: usize = (1 << 20) - 64;

pub(crate) fn pack(unit: u64, bytes: &[u8]) -> Vec<u8> {
    [&unit.to_le_bytes(), bytes].concat()
}

/// `None` when it is no such message.
pub(crate) fn unpack(message: &[u8]) -> Option<(u64, &[u8])> {
    let (unit, bytes) = message.split_first_chunk()?;
    Some((u64::from_le_bytes(*unit), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back() {
        assert_eq!(unpack(&pack(7, b"x")), Some((7, &b"x"[..])));
        assert_eq!(unpack(&pack(u64::MAX, b"")), Some((u64::MAX, &b""[..])));
        assert_eq!(unpack(b"short"), None);
    }
}
