//! Positions that are there more than once: the same, at another ply, or flipped.
//!
//! Every position is a small record under the 128-bit key of its black-to-move form; sorted by key
//! (outside of memory), those that belong together are neighbours.

use shogi_core::{Color, Position};
use yane_io::external::{RunBuilder, Sorter};

use super::{FindingKind, PieceFindings};
use crate::{Job, Result, Unit};

/// What is known of a position with a key.
#[derive(Clone, Copy)]
struct Appearance {
    side: u8,
    ply: u32,
    offset: u64,
}

impl Appearance {
    fn to_bytes(self) -> [u8; 13] {
        let mut bytes = [self.side; 13];
        bytes[1..5].copy_from_slice(&self.ply.to_le_bytes());
        bytes[5..].copy_from_slice(&self.offset.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        Self {
            side: bytes[0],
            ply: u32::from_le_bytes(std::array::from_fn(|i| bytes[1 + i])),
            offset: u64::from_le_bytes(std::array::from_fn(|i| bytes[5 + i])),
        }
    }
}

/// Notes the position that begins at byte `offset`.
pub(super) fn note(position: &Position, offset: u64, identities: &mut RunBuilder) {
    let key = match position.side_to_move() {
        Color::Black => position.key128(),
        Color::White => position.flip().key128(),
    };
    let identity = Appearance {
        side: position.side_to_move() as u8,
        ply: position.ply(),
        offset,
    };
    identities.push(&key.to_be_bytes(), &identity.to_bytes());
}

/// Finds the repetitions among the positions noted.
pub(super) fn find(noted: Sorter, findings: &mut PieceFindings, job: &Job) -> Result<()> {
    let total = Some(findings.positions);
    job.progress.stage("repetitions", total, Unit::Positions);
    let mut records = noted.finish()?;
    let mut found = PieceFindings::new(findings.limit);
    let mut group: Vec<Appearance> = Vec::new();
    let mut group_key = Vec::new();
    let mut done = 0u64;
    while let Some((_, key, body)) = records.current() {
        if group_key != key {
            report(&group, &mut found);
            group.clear();
            group_key.clear();
            group_key.extend_from_slice(key);
        }
        group.push(Appearance::from_bytes(body));
        records.advance()?;
        done += 1;
        if done.is_multiple_of(1 << 16) {
            job.check()?;
            job.progress.advance(1 << 16);
        }
    }
    report(&group, &mut found);
    findings.append(found);
    Ok(())
}

/// Tells of all entries of one position but the first.
fn report(group: &[Appearance], findings: &mut PieceFindings) {
    for (place, identity) in group.iter().enumerate().skip(1) {
        let earlier = &group[..place];
        let same_side = earlier.iter().find(|other| other.side == identity.side);
        let same = earlier
            .iter()
            .find(|other| other.side == identity.side && other.ply == identity.ply);
        let (kind, other, text) = match (same, same_side) {
            (Some(other), _) => (
                FindingKind::Duplicate,
                other,
                "the position is there already",
            ),
            (None, Some(other)) => (
                FindingKind::OtherPly,
                other,
                "the position is there at another ply",
            ),
            (None, None) => (
                FindingKind::Flipped,
                &group[0],
                "the flipped position is there",
            ),
        };
        findings.add_repeat(kind, identity.offset, text, Some(other.offset));
    }
}
