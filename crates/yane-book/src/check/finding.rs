//! What a check finds, and what it collects of a piece of a book.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use yane_io::external::RunBuilder;

/// A problem at a place of a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind.
    pub kind: FindingKind,
    /// Offset where it begins in the file, in bytes.
    pub offset: u64,
    /// Number of the line from 1, in a text book.
    pub line: Option<u64>,
    /// Description of the problem: the text found and the one expected.
    pub text: String,
    /// Place where the position is that this one repeats: its line in a text book, its byte in a binary one.
    pub repeats: Option<u64>,
}

/// Summary of the problems of a piece, and the state needed to check the next one.
#[derive(Default)]
pub(super) struct PieceFindings {
    pub(super) limit: usize,
    pub(super) positions: u64,
    pub(super) moves: u64,
    pub(super) without_value: u64,
    pub(super) counts: BTreeMap<FindingKind, u64>,
    pub(super) listed: Vec<Finding>,
    /// Sort keys of the first and the last position, with the place of the first between them.
    pub(super) ends: Option<(Vec<u8>, u64, Vec<u8>)>,
    pub(super) identities: RunBuilder,
}

impl PieceFindings {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, kind: FindingKind, offset: u64, text: impl Into<String>) {
        self.add_repeat(kind, offset, text, None);
    }

    pub(super) fn add_repeat(
        &mut self,
        kind: FindingKind,
        offset: u64,
        text: impl Into<String>,
        repeats: Option<u64>,
    ) {
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        if *count <= self.limit as u64 {
            self.listed.push(Finding {
                kind,
                offset,
                line: None,
                text: text.into(),
                repeats,
            });
        }
    }

    /// Checks that the next position is in order.
    pub(super) fn follow(&mut self, key: &[u8], offset: u64) {
        match &mut self.ends {
            None => self.ends = Some((key.to_vec(), offset, key.to_vec())),
            Some((_, _, last)) => {
                let falls = key < last.as_slice();
                last.clear();
                last.extend_from_slice(key);
                if falls {
                    self.add(
                        FindingKind::Order,
                        offset,
                        "smaller than the position before it",
                    );
                }
            }
        }
    }

    /// Adds the findings of the next piece.
    pub(super) fn append(&mut self, next: Self) {
        self.positions += next.positions;
        self.moves += next.moves;
        self.without_value += next.without_value;
        if let Some((first, offset, last)) = next.ends {
            self.follow(&first, offset);
            if let Some(ends) = &mut self.ends {
                ends.2 = last;
            }
        }
        let listed_before = |kind| self.counts.get(&kind).map_or(0, |&count| count as usize);
        let mut places: BTreeMap<FindingKind, usize> = BTreeMap::new();
        for finding in next.listed {
            let place = places
                .entry(finding.kind)
                .or_insert_with(|| listed_before(finding.kind));
            if *place < self.limit {
                self.listed.push(finding);
            }
            *place += 1;
        }
        for (kind, count) in next.counts {
            *self.counts.entry(kind).or_default() += count;
        }
    }
}

/// A kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// The first line is not the header of the format.
    Header,
    /// Text in UTF-16.
    Encoding,
    /// A line that is neither position, move nor comment; in a binary book bytes that make no sense.
    Format,
    /// A position that cannot be: too many pieces, a king that could be captured, a king missing.
    Position,
    /// A move that is not legal.
    Move,
    /// An expected reply that is not legal after the move.
    Reply,
    /// A position that is smaller than the one before.
    Order,
    /// A position or move spelled in a way that other programs do not understand or do not find.
    Spelling,
    /// More than other programs read: 8 KiB of moves for a position, 1 KiB for an SFEN line.
    TooLong,
    /// A position without moves, or a book without positions.
    Empty,
    /// A move that its position has already.
    RepeatedMove,
    /// A position that is there already.
    Duplicate,
    /// A position that is there already at another ply.
    OtherPly,
    /// A position that is there already, turned by 180 degrees.
    Flipped,
}

impl FindingKind {
    /// All kinds of findings.
    pub const ALL: [Self; 14] = [
        Self::Header,
        Self::Encoding,
        Self::Format,
        Self::Position,
        Self::Move,
        Self::Reply,
        Self::Order,
        Self::Spelling,
        Self::TooLong,
        Self::Empty,
        Self::RepeatedMove,
        Self::Duplicate,
        Self::OtherPly,
        Self::Flipped,
    ];

    /// Returns the name of the kind in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Encoding => "encoding",
            Self::Format => "format",
            Self::Position => "position",
            Self::Move => "move",
            Self::Reply => "reply",
            Self::Order => "order",
            Self::Spelling => "spelling",
            Self::TooLong => "too-long",
            Self::Empty => "empty",
            Self::RepeatedMove => "repeated-move",
            Self::Duplicate => "duplicate",
            Self::OtherPly => "other-ply",
            Self::Flipped => "turned",
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that is not the name of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected one of {}", FindingKind::ALL.map(FindingKind::name).join(", "))]
pub struct UnknownFindingKind;

impl FromStr for FindingKind {
    type Err = UnknownFindingKind;

    fn from_str(text: &str) -> std::result::Result<Self, UnknownFindingKind> {
        let mut all = Self::ALL.into_iter();
        all.find(|kind| kind.name() == text)
            .ok_or(UnknownFindingKind)
    }
}
