//! Which parts of an engine help: half of the parts plays against the other half, another half each round.
//!
//! Every game tells about every part, so that so many games measure all parts as well as they would measure one that is
//! taken away alone. The halves are the rows of a Hadamard matrix (Sylvester's), whose columns are the parts: within a
//! block of as many rounds as it has rows, a part meets the presence and the absence of every other equally often. The two
//! players have complementary halves, so that what two parts do together only (an interaction) cancels out. In each block
//! parts have other columns, drawn at random, and the rows another order.

use std::fmt;
use std::str::FromStr;

use yane_base::random::RngExt as _;

use crate::engine::Contestant;
use crate::error::{Result, TextError, TournamentError};
use crate::log::LoggedGame;
use crate::rotation::OptionSet;
use crate::rules::random;
use crate::score::MatchScore;
use crate::standings::Standings;
use crate::usi::Usi;

/// Apart from the numbers of random openings, which come from the same seed.
const HALVES: u64 = 0x6861_6c76_6573;

/// A part of an engine, and the options that take it away: `NAME: OPTION=VALUE,OPTION=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnginePart {
    /// Its name.
    pub name: String,
    /// The options of the engine without it.
    pub without: OptionSet,
}

impl FromStr for EnginePart {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let wrong =
            || TextError::unexpected(format!("{text:?}"), "NAME: OPTION=VALUE,OPTION=VALUE,...");
        let (name, options) = text.split_once(':').ok_or_else(wrong)?;
        let name = name.trim();
        if name.is_empty() || options.trim().is_empty() {
            return Err(wrong());
        }
        Ok(Self {
            name: name.to_owned(),
            without: options.parse()?,
        })
    }
}

impl fmt::Display for EnginePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.without)
    }
}

/// Who of the two players has which part in which round. Without parts it changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartDesign {
    parts: Vec<EnginePart>,
    /// The options of all parts with the values that the engine has.
    present: Vec<(String, String)>,
    /// Consecutive rounds with the same halves, so that each half meets everything that rounds take in turn.
    repeats: usize,
    seed: u64,
}

impl PartDesign {
    /// A design for an engine, which is started to read the values that its options have with all parts: those that it
    /// is given, otherwise its defaults. The halves stay for `repeats` rounds.
    ///
    /// # Errors
    /// When the engine cannot be started, there are no parts, two parts have the same name or option, or an option is not
    /// there, does not take the value, or has it anyway.
    pub fn new(
        parts: Vec<EnginePart>,
        engine: &Contestant,
        repeats: usize,
        seed: u64,
    ) -> Result<Self> {
        let wrong = |reason: String| Err(TournamentError::Settings(reason));
        if parts.is_empty() {
            return wrong("there are no parts to compare".to_owned());
        }
        let failed = |reason: String| TournamentError::Engine {
            name: engine.label.clone(),
            reason,
        };
        let process = Usi::open(&engine.command).map_err(|error| failed(error.to_string()))?;
        let mut present: Vec<(String, String)> = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            if parts[..number].iter().any(|other| other.name == part.name) {
                return wrong(format!("the part {} is there twice", part.name));
            }
            for (name, value) in part.without.options() {
                let is_it = |other: &str| other.eq_ignore_ascii_case(name);
                if present.iter().any(|(other, _)| is_it(other)) {
                    return wrong(format!(
                        "part {}: the option {name} is there twice",
                        part.name
                    ));
                }
                let option = process.options().iter().find(|it| is_it(&it.name));
                let option = option.ok_or_else(|| failed(format!("there is no option {name}")))?;
                option.kind.read(value).map_err(|unfit| {
                    failed(format!(
                        "part {}: {name}={value} is not {}",
                        part.name, unfit.0
                    ))
                })?;
                let usual = engine
                    .spec
                    .given_option(name)
                    .map_or_else(|| option.kind.default_value().to_string(), str::to_owned);
                if usual == *value {
                    return wrong(format!(
                        "part {}: {name}={value} is what the engine has with it",
                        part.name
                    ));
                }
                present.push((option.name.clone(), usual));
            }
        }
        drop(process.quit(engine.command.patience));
        Ok(Self {
            parts,
            present,
            repeats,
            seed,
        })
    }

    /// The parts.
    pub fn parts(&self) -> &[EnginePart] {
        &self.parts
    }

    /// True if there are parts.
    pub const fn has_parts(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Number of rows of the matrix: a power of two above the number of parts.
    const fn rows(&self) -> usize {
        (self.parts.len() + 1).next_power_of_two()
    }

    /// Number of rounds after which every part has met every other equally often, with everything that rounds take in turn.
    pub fn block(&self) -> usize {
        self.rows() * self.repeats()
    }

    fn repeats(&self) -> usize {
        self.repeats.max(1)
    }

    /// Which parts player 0 has in a round; player 1 has the others.
    pub(crate) fn first_half(&self, round: usize) -> Vec<bool> {
        let rows = self.rows();
        let (block, row) = (round / self.block(), (round / self.repeats()) % rows);
        let mut random = random(self.seed ^ HALVES, block);
        let mut shuffled = |mut numbers: Vec<usize>| {
            for last in (1..numbers.len()).rev() {
                numbers.swap(last, random.random_range(0..=last));
            }
            numbers
        };
        // Column 0 is the same in all rows.
        let columns = shuffled((1..rows).collect());
        let order = shuffled((0..rows).collect());
        let has = |column: &usize| (order[row] & column).count_ones().is_multiple_of(2);
        columns[..self.parts.len()].iter().map(has).collect()
    }

    /// The options of a player, 0 or 1, in a round. All options of parts are there, as an engine plays many rounds.
    pub fn options(&self, round: usize, player: usize) -> Vec<(String, String)> {
        if !self.has_parts() {
            return Vec::new();
        }
        let mut options = self.present.clone();
        let mut next = options.iter_mut();
        for (part, is_first) in self.parts.iter().zip(self.first_half(round)) {
            for ((_, without), (_, value)) in part.without.options().iter().zip(&mut next) {
                if is_first != (player == 0) {
                    value.clone_from(without);
                }
            }
        }
        options
    }
}

/// As it stands behind the limit in logs: nothing without parts.
impl fmt::Display for PartDesign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.has_parts() {
            return Ok(());
        }
        let parts: Vec<_> = self.parts.iter().map(EnginePart::to_string).collect();
        let present = self.present.iter();
        let present: Vec<_> = present
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        write!(
            f,
            ", without half of {}; with them {}; halves by seed {}",
            parts.join("; "),
            present.join(","),
            self.seed
        )
    }
}

/// The games by part: the player that had it against the one that had not.
#[derive(Clone, Debug)]
pub struct PartScores(Vec<Standings>);

impl PartScores {
    pub(crate) fn new(design: &PartDesign) -> Self {
        Self(vec![Standings::new(2); design.parts.len()])
    }

    /// Counts a game of a round.
    pub(crate) fn add(&mut self, design: &PartDesign, round: usize, game: &LoggedGame) {
        if self.0.is_empty() {
            return;
        }
        for (standings, is_first) in self.0.iter_mut().zip(design.first_half(round)) {
            let players = game.players;
            standings.add_as(
                if is_first {
                    players
                } else {
                    players.map(|player| 1 - player)
                },
                game,
            );
        }
    }

    /// The scores with the parts against without, in the order of the design.
    pub fn scores(&self) -> Vec<MatchScore> {
        self.0.iter().map(Standings::first_score).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlayedGame;
    use crate::rules::PlayerColor;

    fn design(parts: usize, repeats: usize) -> PartDesign {
        let part = |number: usize| -> EnginePart {
            format!("p{number}: O{number}=0,Q{number}=off")
                .parse()
                .unwrap()
        };
        PartDesign {
            parts: (0..parts).map(part).collect(),
            present: (0..parts)
                .flat_map(|number| {
                    [
                        (format!("O{number}"), "7".into()),
                        (format!("Q{number}"), "on".into()),
                    ]
                })
                .collect(),
            repeats,
            seed: 5,
        }
    }

    #[test]
    fn parts_meet_each_other_equally_often_in_every_block() {
        for (parts, rows) in [(1, 2), (2, 4), (3, 4), (7, 8), (8, 16), (15, 16)] {
            let design = design(parts, 3);
            assert_eq!(design.block(), 3 * rows);
            for block in 0..3 {
                let halves: Vec<_> = (0..design.block())
                    .map(|round| design.first_half(block * design.block() + round))
                    .collect();
                assert!(
                    halves
                        .chunks(3)
                        .all(|same| same[0] == same[1] && same[0] == same[2])
                );
                let count = |is_asked: &dyn Fn(&Vec<bool>) -> bool| {
                    halves.iter().filter(|half| is_asked(half)).count()
                };
                for one in 0..parts {
                    assert_eq!(2 * count(&|half| half[one]), design.block());
                    for other in 0..one {
                        assert_eq!(2 * count(&|half| half[one] == half[other]), design.block());
                    }
                }
            }
        }
        let seven = design(7, 1);
        let block = |number: usize| -> Vec<_> {
            (0..8)
                .map(|round| seven.first_half(8 * number + round))
                .collect()
        };
        assert_ne!(block(0), block(1));
    }

    #[test]
    fn players_have_complementary_options() {
        let design = design(3, 1);
        for round in 0..8 {
            let half = design.first_half(round);
            let [first, second] = [0, 1].map(|player| design.options(round, player));
            for (number, has) in half.into_iter().enumerate() {
                let with = [("7", "on"), ("0", "off")][usize::from(!has)];
                let without = [("7", "on"), ("0", "off")][usize::from(has)];
                let values = |options: &[(String, String)]| {
                    (
                        options[2 * number].1.clone(),
                        options[2 * number + 1].1.clone(),
                    )
                };
                assert_eq!(values(&first), (with.0.into(), with.1.into()));
                assert_eq!(values(&second), (without.0.into(), without.1.into()));
                assert_eq!(first[2 * number].0, format!("O{number}"));
            }
        }
        assert!(PartDesign::default().first_half(3).is_empty());
        assert_eq!(PartDesign::default().options(3, 0), []);
        assert_eq!(PartDesign::default().to_string(), "");
    }

    /// Where one part decides every game, its score says so, and those of the others are even.
    #[test]
    fn scores_find_the_part_that_wins() {
        let design = design(5, 1);
        let worths = [1, -40, 3, 100, 0];
        let mut scores = PartScores::new(&design);
        for round in 0..4 * design.block() {
            let half = design.first_half(round);
            let signed = worths.iter().zip(&half);
            let lead: i32 = signed
                .map(|(&worth, &has)| if has { worth } else { -worth })
                .sum();
            for black in [0, 1] {
                let winner = PlayerColor::ALL[usize::from((lead > 0) != (black == 0))];
                let game = LoggedGame {
                    number: 2 * round as u64 + black as u64,
                    players: [black, 1 - black],
                    played: PlayedGame::won_by(Some(winner)),
                };
                scores.add(&design, round, &game);
            }
        }
        let scores = scores.scores();
        let games = 8 * design.block() as u32;
        assert!(scores.iter().all(|score| score.games() == games));
        assert_eq!((scores[3].wins, scores[3].losses), (games, 0));
        // What is not worth enough to decide a game shows nothing.
        for even in [0, 1, 2, 4] {
            assert_eq!(
                (scores[even].wins, scores[even].losses),
                (games / 2, games / 2)
            );
        }
        assert_eq!(scores[3].pairs, [0, 0, 0, 0, games / 2]);
    }

    #[test]
    fn parts_are_a_name_and_options() {
        let part: EnginePart = " null move : NullMove=false, depth = 9 ".parse().unwrap();
        assert_eq!(part.to_string(), "null move: NullMove=false,depth=9");
        for text in ["", "a", "a:", ": X=1", "a: X", "a: =1"] {
            assert!(text.parse::<EnginePart>().is_err(), "{text}");
        }
    }
}
