//! Differences between two books.

use std::cmp::Ordering;
use std::path::Path;

use crate::db::{BadLines, Comments, SkippedLine};
use crate::entries::{BookFile, SfenKey, Sorted, SortedEntry};
use crate::ybb::MoveDepths;
use crate::{BookMove, Job, Result, add_move};

/// Options of a comparison.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiffOptions {
    /// Entries that differ only in ply are one, their moves joined.
    pub ignore_ply: bool,
    /// Policy for bad lines.
    pub bad_lines: BadLines,
}

/// A position about which the books do not agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The SFEN with ply (the first book's if it has the position).
    pub sfen: String,
    /// Kind of the difference.
    pub kind: DifferenceKind,
}

/// A difference between books about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// Only the first book has it, with these moves.
    OnlyFirst(Vec<BookMove>),
    /// Only the second book has it, with these moves.
    OnlySecond(Vec<BookMove>),
    /// Both books have the position.
    Moves(Vec<MoveChange>),
}

/// A difference between books about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveChange {
    /// Only the first book has it.
    Removed(BookMove),
    /// Only the second book has it.
    Added(BookMove),
    /// Both books have the move, with different data.
    Changed {
        /// The move in the first book.
        before: BookMove,
        /// The move in the second book.
        after: BookMove,
    },
}

/// Counts of differences. Positions are counted once, however often a book has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiffReport {
    /// Positions with equal entries in both books.
    pub same: u64,
    /// Positions that only the first book has.
    pub only_first: u64,
    /// Positions that only the second book has.
    pub only_second: u64,
    /// Positions that both have, with different moves.
    pub different: u64,
    /// Moves, in positions of both, that only the first book has.
    pub removed: u64,
    /// Moves, in positions of both, that only the second book has.
    pub added: u64,
    /// Moves of both whose value is different.
    pub eval_changed: u64,
    /// Moves of both of which only something else (reply, depth, count) is different.
    pub rest_changed: u64,
    /// Lines left out with [`BadLines::Skip`].
    pub skipped: Vec<SkippedLine>,
}

impl DiffReport {
    /// Returns true if the books are equal.
    pub const fn is_same(&self) -> bool {
        self.only_first == 0 && self.only_second == 0 && self.different == 0
    }
}

/// Compares the books `first` and `second`, each `.db` or `.ybb`, and hands every difference to
/// `found` in the order of the SFENs.
///
/// The order of moves and of positions makes no difference. Compared is what both formats can hold:
/// with a `.ybb` book neither replies nor counts. A book that is not sorted is sorted in a temporary
/// file.
///
/// # Errors
/// When a book cannot be read or a line is wrong, or `found` fails.
pub fn diff(
    first: &Path,
    second: &Path,
    options: DiffOptions,
    job: &Job,
    mut found: impl FnMut(Difference) -> Result<()>,
) -> Result<DiffReport> {
    let files = [
        BookFile::open(first, options.bad_lines)?,
        BookFile::open(second, options.bad_lines)?,
    ];
    let fields = ComparedFields::of(&files);
    let mut a = Side::open(&files[0], options, job)?;
    let mut b = Side::open(&files[1], options, job)?;
    let mut report = DiffReport::default();
    report.skipped.append(&mut a.entries.skipped);
    report.skipped.append(&mut b.entries.skipped);
    let mut compared = 0u32;
    loop {
        let order = match (&a.current, &b.current) {
            (None, None) => return Ok(report),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.key.cmp(&b.key),
        };
        let (sfen, kind) = match order {
            Ordering::Less => (a.sfen(options), DifferenceKind::OnlyFirst(a.take()?)),
            Ordering::Greater => (b.sfen(options), DifferenceKind::OnlySecond(b.take()?)),
            Ordering::Equal => {
                let sfen = a.sfen(options);
                let changes = fields.changes(&a.take()?, &b.take()?);
                (sfen, DifferenceKind::Moves(changes))
            }
        };
        if report.count(&kind) {
            found(Difference { sfen, kind })?;
        }
        compared = compared.wrapping_add(1);
        if compared.is_multiple_of(4096) {
            job.check()?;
        }
    }
}

impl DiffReport {
    /// Counts a difference. Returns true if it is one.
    fn count(&mut self, kind: &DifferenceKind) -> bool {
        match kind {
            DifferenceKind::OnlyFirst(_) => self.only_first += 1,
            DifferenceKind::OnlySecond(_) => self.only_second += 1,
            DifferenceKind::Moves(changes) if changes.is_empty() => {
                self.same += 1;
                return false;
            }
            DifferenceKind::Moves(changes) => {
                self.different += 1;
                for change in changes {
                    *match change {
                        MoveChange::Removed(_) => &mut self.removed,
                        MoveChange::Added(_) => &mut self.added,
                        MoveChange::Changed { before, after } if before.eval != after.eval => {
                            &mut self.eval_changed
                        }
                        MoveChange::Changed { .. } => &mut self.rest_changed,
                    } += 1;
                }
            }
        }
        true
    }
}

/// One book, position by position, entries with equal keys joined.
struct Side {
    entries: Sorted,
    current: Option<SortedEntry>,
    next: Option<SortedEntry>,
}

impl Side {
    fn open(file: &BookFile, options: DiffOptions, job: &Job) -> Result<Self> {
        let key = if options.ignore_ply {
            SfenKey::WithoutPly
        } else {
            SfenKey::WithPly
        };
        let folder = job.temp_for(file.path());
        let mut side = Self {
            entries: Sorted::by_sfen(file, key, &folder, 2, job)?,
            current: None,
            next: None,
        };
        side.next = side.read()?;
        side.advance()?;
        Ok(side)
    }

    fn read(&mut self) -> Result<Option<SortedEntry>> {
        let mut entry = SortedEntry::default();
        Ok(self.entries.next(&mut entry)?.then_some(entry))
    }

    /// Joins the next entries with equal keys.
    fn advance(&mut self) -> Result<()> {
        self.current = None;
        while let Some(next) = &self.next {
            if self
                .current
                .as_ref()
                .is_some_and(|current| current.key != next.key)
            {
                break;
            }
            let following = self.read()?;
            let Some(entry) = std::mem::replace(&mut self.next, following) else {
                break;
            };
            let current = self.current.get_or_insert_with(|| SortedEntry {
                key: entry.key,
                ply: entry.ply,
                moves: Vec::with_capacity(entry.moves.len()),
                comments: Comments::default(),
            });
            current.ply = current.ply.min(entry.ply);
            for known in entry.moves {
                add_move(&mut current.moves, known);
            }
        }
        Ok(())
    }

    /// The SFEN of the current position, with ply.
    fn sfen(&self, options: DiffOptions) -> String {
        let Some(current) = &self.current else {
            return String::new();
        };
        let key = String::from_utf8_lossy(&current.key);
        if options.ignore_ply {
            format!("{key} {}", current.ply)
        } else {
            key.into_owned()
        }
    }

    /// The moves of the current position; goes to the next.
    fn take(&mut self) -> Result<Vec<BookMove>> {
        let moves = self.current.take().map(|current| current.moves);
        self.advance()?;
        Ok(moves.unwrap_or_default())
    }
}

/// Keys for comparing records.
#[derive(Clone, Copy)]
struct ComparedFields {
    reply_and_count: bool,
    depth: bool,
}

impl ComparedFields {
    fn of(files: &[BookFile; 2]) -> Self {
        let has_depth = |file: &BookFile| {
            file.binary()
                .is_none_or(|book| book.depths() == MoveDepths::Stored)
        };
        Self {
            reply_and_count: files.iter().all(|file| file.binary().is_none()),
            depth: files.iter().all(has_depth),
        }
    }

    fn agree(self, a: &BookMove, b: &BookMove) -> bool {
        a.eval == b.eval
            && (!self.depth || a.depth == b.depth)
            && (!self.reply_and_count || (a.ponder == b.ponder && a.count == b.count))
    }

    fn changes(self, first: &[BookMove], second: &[BookMove]) -> Vec<MoveChange> {
        let find = |moves: &[BookMove], mv| moves.iter().find(|known| known.mv == mv).copied();
        let gone_or_changed = first.iter().filter_map(|&before| {
            let Some(after) = find(second, before.mv) else {
                return Some(MoveChange::Removed(before));
            };
            (!self.agree(&before, &after)).then_some(MoveChange::Changed { before, after })
        });
        let new = second
            .iter()
            .filter(|after| find(first, after.mv).is_none())
            .map(|&after| MoveChange::Added(after));
        gone_or_changed.chain(new).collect()
    }
}
