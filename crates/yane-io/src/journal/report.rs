//! What was lost of a journal.

use std::path::{Path, PathBuf};

/// Damaged places that are told one by one.
const TOLD: usize = 3;

/// What was lost of a journal at opening.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "what was lost has to be told"]
pub struct JournalReport {
    path: PathBuf,
    torn: u64,
    damaged: Vec<DamagedPlace>,
    copy: Option<PathBuf>,
}

/// Bytes of a journal that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DamagedPlace {
    /// Offset of the first byte.
    pub start: u64,
    /// Offset behind the last byte.
    pub end: u64,
    /// The number of the unit, where that can be read.
    pub unit: Option<u64>,
}

impl DamagedPlace {
    pub(super) const fn new(start: u64, end: u64, unit: Option<u64>) -> Self {
        Self { start, end, unit }
    }
}

impl JournalReport {
    pub(super) fn new(path: &Path, torn: u64, damaged: Vec<DamagedPlace>) -> Self {
        Self {
            path: path.to_owned(),
            torn,
            damaged,
            copy: None,
        }
    }

    pub(super) fn copied_to(&mut self, copy: PathBuf) {
        self.copy = Some(copy);
    }

    /// Bytes at the end that were cut away: the rest of a unit that a crash left.
    pub const fn torn(&self) -> u64 {
        self.torn
    }

    /// The damaged places, in their order. Each has cost one unit, or several that lay side by side.
    pub fn damaged(&self) -> &[DamagedPlace] {
        &self.damaged
    }

    /// The damaged file as it was; `None` when nothing was damaged.
    pub fn copy(&self) -> Option<&Path> {
        self.copy.as_deref()
    }

    /// Bytes that were lost.
    pub fn lost(&self) -> u64 {
        let damaged = self.damaged.iter().map(|place| place.end - place.start);
        self.torn + damaged.sum::<u64>()
    }

    /// Gives `note` a sentence for people about each loss; none when nothing was lost.
    pub fn tell(&self, mut note: impl FnMut(&str)) {
        let path = self.path.display();
        if self.torn > 0 {
            note(&format!(
                "{path}: cut {} bytes at the end: a unit that was being written when the last run was interrupted",
                self.torn
            ));
        }
        let Some(copy) = &self.copy else {
            return;
        };
        let count = self.damaged.len();
        let places = self.damaged.iter().take(TOLD).map(|place| {
            let DamagedPlace { start, end, unit } = place;
            let unit = unit.map_or_else(String::new, |unit| format!("unit {unit}, "));
            format!("{unit}bytes {start} to {end}")
        });
        let places = places.collect::<Vec<_>>();
        let more = if count > TOLD { "; …" } else { "" };
        let plural = if count == 1 { "place is" } else { "places are" };
        note(&format!(
            "{path}: {count} {plural} damaged and skipped ({}{more}); the damaged file is kept as {}",
            places.join("; "),
            copy.display()
        ));
    }
}
