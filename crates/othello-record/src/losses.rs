//! What is lost when a record is written in a format.

use std::fmt;

use yane_io::archive::LossCounts;

use crate::format::OthelloFormat;
use crate::tree::{GameVariant, MoveNote, OthelloRecord};

/// A kind of information that a format cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordLoss {
    /// Moves before the position that is written.
    Moves,
    /// Variations.
    Variations,
    /// Comments.
    Comments,
    /// Values of positions.
    Values,
    /// Levels of searches.
    Levels,
    /// Times of moves.
    Times,
    /// Fractions of discs or seconds.
    Fractions,
    /// Names of players, events and places.
    Names,
    /// Ratings.
    Ratings,
    /// Dates, or their times of day.
    Dates,
    /// Time controls.
    TimeControls,
    /// Results, or the way games ended.
    Results,
    /// Start positions.
    Starts,
    /// Properties that only the source knows.
    Properties,
}

pub(super) const LOSSES: [&str; 14] = [
    "moves",
    "variations",
    "comments",
    "values",
    "levels",
    "times of moves",
    "fractions",
    "names",
    "ratings",
    "dates",
    "time controls",
    "results",
    "start positions",
    "other properties",
];

impl RecordLoss {
    /// The name for people and in JSON, in the plural.
    pub const fn name(self) -> &'static str {
        LOSSES[self as usize]
    }
}

/// What was left out in writing, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordLosses(pub(super) [u64; LOSSES.len()]);

impl RecordLosses {
    /// Returns whether nothing was left out.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&count| count == 0)
    }

    /// The names of the kinds of which something was left out, with the number.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        LOSSES
            .into_iter()
            .zip(self.0)
            .filter(|&(_, count)| count > 0)
    }

    /// Number of items of a kind that were left out.
    pub const fn count(&self, kind: RecordLoss) -> u64 {
        self.0[kind as usize]
    }

    /// Adds those of another record.
    pub fn absorb(&mut self, other: &Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }

    pub(crate) fn add(&mut self, kind: RecordLoss, count: usize) {
        self.0[kind as usize] += count as u64;
    }

    /// Counts a text that is left out.
    pub(crate) fn text(&mut self, kind: RecordLoss, text: &str) {
        self.add(kind, usize::from(!text.is_empty()));
    }

    /// Counts the way that a game ended if a result with a score does not tell it.
    pub(crate) fn check_end(&mut self, result: crate::OthelloResult) {
        let is_told = result == crate::result::parse_result(&result.to_string()).unwrap_or(result);
        self.add(RecordLoss::Results, usize::from(!is_told));
    }

    /// Counts everything but the moves of the line that is played.
    pub(super) fn add_all_but_moves(&mut self, record: &OthelloRecord) {
        let info = &record.info;
        self.header(info);
        self.text(RecordLoss::Comments, &info.comment);
        self.add(RecordLoss::Results, usize::from(info.result.is_some()));
        self.add(RecordLoss::Properties, info.extras.len());
        self.add(RecordLoss::Variations, record.variations());
        for id in record.ids() {
            self.whole_note(&record.node(id).note);
        }
    }

    /// Counts all that is noted about a move.
    pub(crate) fn whole_note(&mut self, note: &MoveNote) {
        self.note(note);
        self.text(RecordLoss::Comments, &note.comment);
        self.add(RecordLoss::Properties, note.extras.len());
    }

    /// Counts names, ratings, date and time control.
    pub(super) fn header(&mut self, info: &crate::OthelloInfo) {
        for text in [
            &info.black.name,
            &info.white.name,
            &info.event,
            &info.round,
            &info.place,
        ] {
            self.text(RecordLoss::Names, text);
        }
        self.text(RecordLoss::Ratings, &info.black.rating);
        self.text(RecordLoss::Ratings, &info.white.rating);
        self.text(RecordLoss::Dates, &info.date);
        self.text(RecordLoss::TimeControls, &info.time_control);
        self.variant(info);
    }

    /// Counts rules that are not the usual ones.
    pub(crate) fn variant(&mut self, info: &crate::OthelloInfo) {
        let is_other = info.variant != GameVariant::Standard;
        self.add(RecordLoss::Properties, usize::from(is_other));
    }

    /// Counts value, level and time of a move.
    pub(crate) fn note(&mut self, note: &MoveNote) {
        self.add(RecordLoss::Values, usize::from(note.value.is_some()));
        self.add(RecordLoss::Levels, usize::from(note.level.is_some()));
        self.add(RecordLoss::Times, usize::from(note.time.is_some()));
    }

    /// Counts variations, and the notes of their moves.
    pub(crate) fn variations(&mut self, record: &OthelloRecord) {
        self.add(RecordLoss::Variations, record.variations());
    }

    /// Counts the properties of a list that other formats know.
    pub(crate) fn foreign(&mut self, extras: &[crate::RecordExtra], format: OthelloFormat) {
        let foreign = extras.iter().filter(|extra| extra.format != format);
        self.add(RecordLoss::Properties, foreign.count());
    }
}

impl LossCounts for RecordLosses {
    fn absorb(&mut self, other: &Self) {
        self.absorb(other);
    }

    fn by_name(&self) -> Vec<(&'static str, u64)> {
        self.iter().collect()
    }
}

impl fmt::Display for RecordLosses {
    /// `3 variations, 12 comments`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, count)) in self.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{count} {name}")?;
        }
        Ok(())
    }
}
