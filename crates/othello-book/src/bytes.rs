//! Numbers out of slices of bytes.

/// The `N` bytes at a place that is known to be inside; zeros if it is not.
#[inline(always)]
pub(crate) fn at<const N: usize>(bytes: &[u8], place: usize) -> [u8; N] {
    bytes
        .get(place..)
        .and_then(|rest| rest.first_chunk())
        .copied()
        .unwrap_or([0; N])
}

/// As [`at`], as a number.
#[inline(always)]
pub(crate) fn u64_at(bytes: &[u8], place: usize) -> u64 {
    u64::from_le_bytes(at(bytes, place))
}

/// As [`at`], as a number.
#[inline(always)]
pub(crate) fn u32_at(bytes: &[u8], place: usize) -> u32 {
    u32::from_le_bytes(at(bytes, place))
}

/// As [`at`], as a number.
#[inline(always)]
pub(crate) fn i32_at(bytes: &[u8], place: usize) -> i32 {
    i32::from_le_bytes(at(bytes, place))
}

/// As [`at`], as a number.
#[inline(always)]
pub(crate) fn i16_at(bytes: &[u8], place: usize) -> i16 {
    i16::from_le_bytes(at(bytes, place))
}
