//! What a search came across.

/// What a search came across. Counts are of edges as they were taken, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Positions that were entered, the start among them; one that was entered twice counts twice.
    pub entered: u64,
    /// Edges that lead to a position of the book.
    pub judged: u64,
    /// Edges whose two values disagree by enough.
    pub mismatches: u64,
    /// Lines that came out.
    pub lines: u64,
    /// Mismatches by ply, counted from the start of the walk.
    pub by_ply: Vec<u64>,
    /// Mismatches by size in discs.
    pub by_size: Vec<u64>,
    /// Links to positions that the book lacks.
    pub missing: u64,
    /// Links and leaves that are illegal on their board.
    pub illegal: u64,
    /// Positions of the book that were never entered.
    pub isolated: u64,
    /// The walk ended at the limit of lines.
    pub cut_short: bool,
}

impl Summary {
    pub(super) fn mismatch(&mut self, ply: u32, size: u32) {
        self.mismatches += 1;
        for (counts, n) in [(&mut self.by_ply, ply), (&mut self.by_size, size)] {
            let n = n as usize;
            if counts.len() <= n {
                counts.resize(n + 1, 0);
            }
            counts[n] += 1;
        }
    }

    /// Adds what another part of the book gave.
    pub(super) fn add(&mut self, other: &Self) {
        self.judged += other.judged;
        self.mismatches += other.mismatches;
        self.missing += other.missing;
        self.illegal += other.illegal;
        for (counts, more) in [
            (&mut self.by_ply, &other.by_ply),
            (&mut self.by_size, &other.by_size),
        ] {
            if counts.len() < more.len() {
                counts.resize(more.len(), 0);
            }
            for (count, more) in counts.iter_mut().zip(more) {
                *count += more;
            }
        }
    }
}
