//! K-way merge of sorted sources by a loser tree (Knuth, The Art of Computer Programming, volume 3, 5.4.1).

use std::cmp::Ordering;

/// A source of records in the order of their keys.
pub trait SortedSource {
    /// The error of reading.
    type Error;

    /// Key and body of the current record; `None` at the end.
    fn current(&self) -> Option<(&[u8], &[u8])>;

    /// Goes to the next record. Must not be called at the end.
    ///
    /// # Errors
    /// When reading fails.
    fn advance(&mut self) -> Result<(), Self::Error>;
}

/// K-way merge: several sorted sources as one. Of records with equal keys those of the earlier source come first.
#[derive(Debug)]
pub struct KWayMerge<S> {
    sources: Vec<S>,
    /// Inner node `i` has the loser of the match of its children `2i` and `2i + 1`; source `s` is
    /// the child `s + sources.len()`. Node 0 has the winner of all.
    losers: Vec<usize>,
}

impl<S: SortedSource> KWayMerge<S> {
    /// Begins with the first record of each source.
    pub fn new(sources: Vec<S>) -> Self {
        let count = sources.len();
        let mut merge = Self {
            sources,
            losers: vec![0; count],
        };
        if count > 0 {
            let mut winners = vec![0; 2 * count];
            for node in (1..2 * count).rev() {
                if node >= count {
                    winners[node] = node - count;
                    continue;
                }
                let (a, b) = (winners[2 * node], winners[2 * node + 1]);
                let (winner, loser) = if merge.beats(a, b) { (a, b) } else { (b, a) };
                winners[node] = winner;
                merge.losers[node] = loser;
            }
            merge.losers[0] = winners[1];
        }
        merge
    }

    /// Number of the source and its current record, the smallest of all; `None` at the end.
    #[inline(always)]
    pub fn current(&self) -> Option<(usize, &[u8], &[u8])> {
        let &winner = self.losers.first()?;
        let (key, body) = self.sources[winner].current()?;
        Some((winner, key, body))
    }

    /// Goes to the next record. Must not be called at the end.
    ///
    /// # Errors
    /// When reading fails.
    #[inline]
    pub fn advance(&mut self) -> Result<(), S::Error> {
        let mut winner = self.losers[0];
        self.sources[winner].advance()?;
        let mut node = (winner + self.sources.len()) >> 1;
        while node > 0 {
            let other = self.losers[node];
            if self.beats(other, winner) {
                self.losers[node] = winner;
                winner = other;
            }
            node >>= 1;
        }
        self.losers[0] = winner;
        Ok(())
    }

    /// The sources, wherever they stand.
    pub fn into_sources(self) -> Vec<S> {
        self.sources
    }

    /// Returns whether the current record of source `a` comes before that of `b`.
    #[inline(always)]
    fn beats(&self, a: usize, b: usize) -> bool {
        match (self.sources[a].current(), self.sources[b].current()) {
            (Some((key_a, _)), Some((key_b, _))) => match key_a.cmp(key_b) {
                Ordering::Less => true,
                Ordering::Greater => false,
                Ordering::Equal => a < b,
            },
            (a, _) => a.is_some(),
        }
    }
}
