//! Which records of an archive are wanted, by what the records of every game tell.

/// A day as far as a record tells it; earlier days are less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordDate {
    /// The year.
    pub year: u16,
    /// The month, from 1; 0 if it is not told.
    pub month: u8,
    /// The day of the month, from 1; 0 if it is not told.
    pub day: u8,
}

impl RecordDate {
    /// The last day of what is told: a year, a month or a day.
    #[must_use]
    pub const fn last_day(self) -> Self {
        let Self { year, month, day } = self;
        match (month, day) {
            (0, _) => Self {
                year,
                month: 12,
                day: 31,
            },
            (_, 0) => Self {
                year,
                month,
                day: 31,
            },
            _ => self,
        }
    }
}

/// What a record tells that selections of every game ask for.
pub trait SelectableRecord {
    /// How a game comes out.
    type Outcome: PartialEq;

    /// The names of black's and white's player; empty for none. Black moves first.
    fn players(&self) -> [&str; 2];

    /// The ratings of black's and white's player.
    fn ratings(&self) -> [Option<f64>; 2];

    /// The day of the game.
    fn day(&self) -> Option<RecordDate>;

    /// The moves that were made, as the game counts them.
    fn length(&self) -> usize;

    /// How the game came out.
    fn result(&self) -> Self::Outcome;

    /// Returns whether the game begins where games usually do.
    fn is_from_start(&self) -> bool;

    /// Returns whether a name has a part.
    fn has_part(name: &str, part: &str) -> bool {
        name.contains(part)
    }
}

/// A selection of records: those that fit everything that is given. The default takes all; of a list, one must fit. A record that does
/// not tell what is asked (no day, no rating) does not fit.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordSelection<O> {
    /// Parts of the name of a player.
    pub players: Vec<String>,
    /// Parts of the name of black's player.
    pub black: Vec<String>,
    /// Parts of the name of white's player.
    pub white: Vec<String>,
    /// The lowest rating of both players.
    pub min_rating: Option<f64>,
    /// The first day.
    pub since: Option<RecordDate>,
    /// The last day.
    pub until: Option<RecordDate>,
    /// The fewest moves.
    pub min_moves: Option<usize>,
    /// The most moves.
    pub max_moves: Option<usize>,
    /// How the game came out.
    pub outcomes: Vec<O>,
    /// Only games that begin where games usually do.
    pub is_from_start: bool,
}

impl<O> Default for RecordSelection<O> {
    fn default() -> Self {
        Self {
            players: Vec::new(),
            black: Vec::new(),
            white: Vec::new(),
            min_rating: None,
            since: None,
            until: None,
            min_moves: None,
            max_moves: None,
            outcomes: Vec::new(),
            is_from_start: false,
        }
    }
}

impl<O: PartialEq> RecordSelection<O> {
    /// Returns whether a record is selected.
    pub fn accepts<R: SelectableRecord<Outcome = O>>(&self, record: &R) -> bool {
        let names = record.players();
        has_part::<R>(&names, &self.players)
            && has_part::<R>(&names[..1], &self.black)
            && has_part::<R>(&names[1..], &self.white)
            && self.accepts_day(record)
            && self.accepts_length(record)
            && (self.outcomes.is_empty() || self.outcomes.contains(&record.result()))
            && self.accepts_ratings(record)
            && (!self.is_from_start || record.is_from_start())
    }

    fn accepts_day(&self, record: &impl SelectableRecord) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        record.day().is_some_and(|day| {
            self.since.is_none_or(|since| day >= since)
                && self.until.is_none_or(|until| day <= until)
        })
    }

    fn accepts_length(&self, record: &impl SelectableRecord) -> bool {
        if self.min_moves.is_none() && self.max_moves.is_none() {
            return true;
        }
        let moves = record.length();
        self.min_moves.is_none_or(|least| moves >= least)
            && self.max_moves.is_none_or(|most| moves <= most)
    }

    fn accepts_ratings(&self, record: &impl SelectableRecord) -> bool {
        let Some(least) = self.min_rating else {
            return true;
        };
        let mut ratings = record.ratings().into_iter();
        ratings.all(|rating| rating.is_some_and(|rating| rating >= least))
    }
}

/// Returns whether one of some names has one of some parts; true without any parts.
fn has_part<R: SelectableRecord>(names: &[&str], parts: &[String]) -> bool {
    let mut any = parts.iter();
    parts.is_empty() || any.any(|part| names.iter().any(|name| R::has_part(name, part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game of the most different lengths.
    #[derive(Clone)]
    struct Match {
        rating: Option<f64>,
        day: Option<RecordDate>,
    }

    impl SelectableRecord for Match {
        type Outcome = char;

        fn players(&self) -> [&str; 2] {
            ["Ada", "Bob"]
        }

        fn ratings(&self) -> [Option<f64>; 2] {
            [Some(1500.0), self.rating]
        }

        fn day(&self) -> Option<RecordDate> {
            self.day
        }

        fn length(&self) -> usize {
            30
        }

        fn result(&self) -> char {
            'b'
        }

        fn is_from_start(&self) -> bool {
            false
        }
    }

    const fn day(year: u16, month: u8, day: u8) -> RecordDate {
        RecordDate { year, month, day }
    }

    type Change = fn(&mut RecordSelection<char>);

    fn accepts(change: Change, record: &Match) -> bool {
        let mut selection = RecordSelection::default();
        change(&mut selection);
        selection.accepts(record)
    }

    #[test]
    fn records_fit_all_that_is_given() {
        let told = Match {
            rating: Some(1400.0),
            day: Some(day(2024, 5, 1)),
        };
        let fits: [Change; 10] = [
            |_| (),
            |it| it.players = vec!["x".into(), "Bo".into()],
            |it| it.black = vec!["Ada".into()],
            |it| it.white = vec!["b".into()],
            |it| it.min_rating = Some(1400.0),
            |it| it.since = Some(day(2024, 5, 0)),
            |it| (it.since, it.until) = (Some(day(2024, 5, 1)), Some(day(2024, 5, 1))),
            |it| it.until = Some(day(2024, 0, 0).last_day()),
            |it| (it.min_moves, it.max_moves) = (Some(30), Some(30)),
            |it| it.outcomes = vec!['w', 'b'],
        ];
        for (number, change) in fits.into_iter().enumerate() {
            assert!(accepts(change, &told), "{number}");
        }
        let does_not_fit: [Change; 11] = [
            |it| it.players = vec!["bo".into()],
            |it| it.black = vec!["Bob".into()],
            |it| it.white = vec!["Ada".into()],
            |it| it.min_rating = Some(1400.5),
            |it| it.since = Some(day(2024, 5, 2)),
            |it| it.until = Some(day(2024, 4, 0).last_day()),
            |it| it.min_moves = Some(31),
            |it| it.max_moves = Some(29),
            |it| it.outcomes = vec!['w'],
            |it| it.is_from_start = true,
            |it| (it.players, it.min_moves) = (vec!["Ada".into()], Some(31)),
        ];
        for (number, change) in does_not_fit.into_iter().enumerate() {
            assert!(!accepts(change, &told), "{number}");
        }
    }

    #[test]
    fn what_is_not_told_does_not_fit() {
        let untold = Match {
            rating: None,
            day: None,
        };
        let asks: [Change; 3] = [
            |it| it.min_rating = Some(0.0),
            |it| it.since = Some(RecordDate::default()),
            |it| it.until = Some(day(9999, 0, 0)),
        ];
        for (number, change) in asks.into_iter().enumerate() {
            assert!(!accepts(change, &untold), "{number}");
        }
        assert!(accepts(|_| (), &untold));
    }

    #[test]
    fn the_last_day_is_that_of_what_is_told() {
        for (date, last) in [
            (day(2024, 0, 0), day(2024, 12, 31)),
            (day(2024, 2, 0), day(2024, 2, 31)),
            (day(2024, 2, 3), day(2024, 2, 3)),
        ] {
            assert_eq!(date.last_day(), last);
        }
    }
}
