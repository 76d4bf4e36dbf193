//! Sorted sources, and the order of keys.

// K-way merge of sorted sources by a loser tree (Knuth, The Art of Computer Programming, volume 3, 5.4.1).

/// A source of records in the order of their keys.
pub trait SortedSource {
    /// The error of reading.
    type Error;

    /// Key and body of the current record; `None` at the end.
    fn current(&self) -> Option<(&[u8], &[u8])>;

    /// Advances to the next record. Must not be called at the end.
    ///
    /// # Errors
    /// When reading fails.
    fn advance(&mut self) -> std::result::Result<(), Self::Error>;
}

// Sorting byte strings.
//
// Keys such as the SFENs of one book share long beginnings, so comparing whole strings over and over is slow. Instead
// eight bytes of each are compared as one number, and only strings with equal numbers are looked at
// eight bytes further on (multikey quicksort with cached characters; Bentley and Sedgewick, "Fast
// algorithms for sorting and searching strings", 1997; Ng and Kakehi, "Cache efficient radix sort for
// string sorting", 2007).

/// Bytes compared at once.
pub(super) const STEP: usize = 8;

/// The order of `keys`: their indices, sorted by key bytes; equal keys in the order given.
pub(super) fn sorted_order<'a>(count: usize, key: impl Fn(u32) -> &'a [u8] + Copy) -> Vec<u32> {
    let mut items: Vec<(u64, u32)> = (0..count as u32).map(|index| (0, index)).collect();
    sort_from(&mut items, 0, key);
    items.into_iter().map(|(_, index)| index).collect()
}

/// Sorts items whose keys agree before `depth`.
pub(super) fn sort_from<'a>(
    items: &mut [(u64, u32)],
    depth: usize,
    key: impl Fn(u32) -> &'a [u8] + Copy,
) {
    for (cached, index) in items.iter_mut() {
        *cached = load(key(*index), depth);
    }
    // Indices break ties, so the unstable sort keeps equal keys in order.
    items.sort_unstable();
    let mut rest = items;
    while let Some(&(cached, _)) = rest.first() {
        let end = rest.partition_point(|item| item.0 <= cached);
        let (group, others) = rest.split_at_mut(end);
        if group.len() > 1 {
            sort_group(group, depth + STEP, key);
        }
        rest = others;
    }
}

/// Sorts items whose keys, padded with zeros, agree before `depth`: those that have ended first, by
/// length.
pub(super) fn sort_group<'a>(
    group: &mut [(u64, u32)],
    depth: usize,
    key: impl Fn(u32) -> &'a [u8] + Copy,
) {
    let goes_on = |index: u32| key(index).len() > depth;
    let ended = group.iter().filter(|item| !goes_on(item.1)).count();
    if ended > 0 {
        group.sort_by_key(|item| (key(item.1).len().min(depth + 1), item.1));
    }
    if group.len() - ended > 1 {
        sort_from(&mut group[ended..], depth, key);
    }
}

/// The eight bytes from `depth` on as a number that compares as they do, zeros after the end.
#[inline(always)]
pub(super) fn load(key: &[u8], depth: usize) -> u64 {
    let rest = key.get(depth..).unwrap_or_default();
    if let Some(bytes) = rest.first_chunk::<STEP>() {
        return u64::from_be_bytes(*bytes);
    }
    let mut bytes = [0; STEP];
    bytes[..rest.len()].copy_from_slice(rest);
    u64::from_be_bytes(bytes)
}
