//! The sizes of the batches that a session is made for.

use crate::PositionQuery;

/// Places for labels of each position of a batch. There are some 80 moves in most positions, so that a batch of many positions seldom fills them.
const LABELS_OF_POSITION: usize = 128;

/// Places for the labels of a batch of `size` positions: all that one position can have, at least.
pub(super) const fn label_places(size: usize) -> usize {
    let many = size * LABELS_OF_POSITION;
    if many > PositionQuery::MOST_LABELS {
        many
    } else {
        PositionQuery::MOST_LABELS
    }
}

/// One, a quarter of `most` and all of it, ascending.
pub(super) fn few_sizes(most: usize) -> Vec<usize> {
    let most = most.max(1);
    let mut sizes = vec![1, most.div_ceil(4), most];
    sizes.dedup();
    sizes
}

/// The first positions that fit into a batch of `most`: how many, and how many labels they have. At least one.
pub(super) fn next_part(positions: &[PositionQuery], most: usize) -> (usize, usize) {
    let places = label_places(most);
    let (mut count, mut labels) = (0, 0);
    for position in positions.iter().take(most.max(1)) {
        let more = labels + position.labels.len();
        if count > 0 && more > places {
            break;
        }
        (count, labels) = (count + 1, more);
    }
    (count, labels)
}

/// The place of the first of ascending `sizes` that has room for positions and labels; the last one if none has.
pub(super) fn place_of(
    mut sizes: impl ExactSizeIterator<Item = usize>,
    positions: usize,
    labels: usize,
) -> usize {
    let last = sizes.len().saturating_sub(1);
    let place = sizes.position(|size| size >= positions && label_places(size) >= labels);
    place.unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use shogi_core::Position;

    use super::*;

    #[test]
    fn batches_have_few_sizes() {
        assert_eq!(few_sizes(256), [1, 64, 256]);
        assert_eq!(few_sizes(4), [1, 4]);
        assert_eq!(few_sizes(0), [1]);
        let place_of = |positions, labels| {
            let sizes = few_sizes(256).into_iter();
            super::place_of(sizes, positions, labels)
        };
        for (positions, expected) in [(1, 0), (2, 1), (64, 1), (65, 2), (256, 2)] {
            assert_eq!(place_of(positions, 80 * positions), expected);
        }
        // Many labels ask for a larger batch.
        assert_eq!(place_of(60, 60 * 150), 2);
    }

    #[test]
    fn labels_that_do_not_fit_wait_for_the_next_batch() {
        let mut one = PositionQuery::new(&Position::startpos());
        one.labels = (0..593).collect();
        let positions = vec![one; 40];
        assert_eq!(next_part(&positions, 16), (3, 3 * 593));
        assert_eq!(next_part(&positions, 1), (1, 593));
        assert_eq!(next_part(&positions[..2], 16), (2, 2 * 593));
        let few = vec![PositionQuery::new(&Position::startpos()); 40];
        assert_eq!(next_part(&few, 16), (16, 16 * 30));
    }
}
