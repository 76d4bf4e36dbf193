//! Little-endian numbers in byte slices, and boards in hexadecimal.

/// The `N` bytes at an offset; zeros beyond the end.
#[inline(always)]
pub(crate) fn at<const N: usize>(bytes: &[u8], place: usize) -> [u8; N] {
    bytes
        .get(place..)
        .and_then(|rest| rest.first_chunk())
        .copied()
        .unwrap_or([0; N])
}

/// The `u64` at an offset.
#[inline(always)]
pub(crate) fn u64_at(bytes: &[u8], place: usize) -> u64 {
    u64::from_le_bytes(at(bytes, place))
}

/// The `u32` at an offset.
#[inline(always)]
pub(crate) fn u32_at(bytes: &[u8], place: usize) -> u32 {
    u32::from_le_bytes(at(bytes, place))
}

/// The `i32` at an offset.
#[inline(always)]
pub(crate) fn i32_at(bytes: &[u8], place: usize) -> i32 {
    i32::from_le_bytes(at(bytes, place))
}

/// The `i16` at an offset.
#[inline(always)]
pub(crate) fn i16_at(bytes: &[u8], place: usize) -> i16 {
    i16::from_le_bytes(at(bytes, place))
}

/// Serde functions of boards: two words of 16 hexadecimal digits, a1 = bit 0.
pub(crate) mod hex {
    use othello_core::Board;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Discs {
        mover: String,
        opponent: String,
    }

    pub(crate) fn serialize<S: Serializer>(board: &Board, to: S) -> Result<S::Ok, S::Error> {
        Discs {
            mover: format!("{:016x}", board.mover()),
            opponent: format!("{:016x}", board.opponent()),
        }
        .serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Board, D::Error> {
        let discs = Discs::deserialize(from)?;
        let number = |text: &str| u64::from_str_radix(text, 16).map_err(D::Error::custom);
        Board::new(number(&discs.mover)?, number(&discs.opponent)?).map_err(D::Error::custom)
    }
}
