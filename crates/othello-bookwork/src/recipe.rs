//! What is to be done with a book: stages, and files of them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{BookGrowthError, BookTextError, RecipeProblem, Result};
use crate::item::BookLevel;
use crate::todo::ENDLESS;

/// A limit: a number, or `inf` for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "GrowthLimitText", into = "GrowthLimitText")]
pub struct GrowthLimit(pub Option<u32>);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum GrowthLimitText {
    Number(u32),
    Text(String),
}

impl TryFrom<GrowthLimitText> for GrowthLimit {
    type Error = BookTextError;

    fn try_from(text: GrowthLimitText) -> std::result::Result<Self, BookTextError> {
        match text {
            GrowthLimitText::Number(number) => Ok(Self(Some(number))),
            GrowthLimitText::Text(text) => text.parse(),
        }
    }
}

impl From<GrowthLimit> for GrowthLimitText {
    fn from(bound: GrowthLimit) -> Self {
        bound
            .0
            .map_or_else(|| Self::Text("inf".to_owned()), Self::Number)
    }
}

impl std::str::FromStr for GrowthLimit {
    type Err = BookTextError;

    fn from_str(text: &str) -> std::result::Result<Self, BookTextError> {
        if text.eq_ignore_ascii_case("inf") {
            return Ok(Self(None));
        }
        let number = text.parse();
        let number = number.map_err(|_| BookTextError::Limit(text.to_owned()))?;
        Ok(Self(Some(number)))
    }
}

impl GrowthLimit {
    /// As a number of discs; what is unlimited is more than any line loses.
    pub(crate) fn discs(self) -> i32 {
        self.0
            .map_or(ENDLESS, |number| number.min(ENDLESS as u32) as i32)
    }

    /// As a number of plies from the start of a game.
    pub(crate) fn plies(self) -> u32 {
        self.0.map_or(60, |number| number.min(60))
    }
}

/// The order in which positions are worked on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// From the first plies on.
    #[default]
    Plies,
    /// Positions whose values are least reliable first, by their accuracy.
    Accuracy,
}

/// Starts found by random walks through the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomStarts {
    /// The number of walks.
    pub count: u64,
    /// Moves of a walk at most; it ends where the book does.
    pub plies: u32,
    /// The greatest loss of a move, in discs.
    #[serde(default)]
    pub loss: u32,
}

/// Learning as Egaroucid does it, from each start in turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Learn {
    /// Level of the searches.
    pub level: BookLevel,
    /// Greatest depth in plies (discs less 4).
    pub depth: GrowthLimit,
    /// Greatest error of a move, in discs.
    pub error: GrowthLimit,
    /// Greatest sum of errors of a line, in discs.
    pub sum: GrowthLimit,
    /// How much worse than the value of its position a leaf may be to become a position, in discs.
    pub leaf_error: GrowthLimit,
    /// Most rounds for a start.
    pub loops: GrowthLimit,
    /// The order of positions in a round.
    pub schedule: Schedule,
    /// Games or boards to begin at; if there are no other starts either, the start of the game.
    pub starts: Vec<String>,
    /// A file of games to begin at the ends of.
    pub games: Option<PathBuf>,
    /// Starts by chance.
    pub random: Option<RandomStarts>,
}

impl Default for Learn {
    /// Level 21 to ply 30, errors of 2 discs a move and a leaf, 4 a line.
    fn default() -> Self {
        Self {
            level: BookLevel::default(),
            depth: GrowthLimit(Some(30)),
            error: GrowthLimit(Some(2)),
            sum: GrowthLimit(Some(4)),
            leaf_error: GrowthLimit(Some(2)),
            loops: GrowthLimit(None),
            schedule: Schedule::default(),
            starts: Vec::new(),
            games: None,
            random: None,
        }
    }
}

impl Default for BookLevel {
    /// Level 21 of Egaroucid.
    fn default() -> Self {
        Self::Egaroucid(21)
    }
}

/// Recalculation of leaves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LeafRecalculation {
    /// Level of the searches; leaves of lower ones are recalculated.
    pub level: BookLevel,
    /// Greatest depth in plies (discs less 4).
    pub depth: GrowthLimit,
    /// Greatest error of a move, in discs.
    pub error: GrowthLimit,
    /// Greatest sum of errors of a line, in discs.
    pub sum: GrowthLimit,
    /// True if only missing and illegal leaves are recalculated.
    pub only_illegal: bool,
    /// A game or board to begin at; the start of the game if empty.
    pub start: String,
}

impl Default for LeafRecalculation {
    fn default() -> Self {
        let inf = GrowthLimit(None);
        Self {
            level: BookLevel::default(),
            depth: inf,
            error: inf,
            sum: inf,
            only_illegal: false,
            start: String::new(),
        }
    }
}

/// The positions of games become positions of the book, and so do the best moves that searches find there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Store {
    /// Level of the searches. Positions of this level or a higher one stay.
    pub level: BookLevel,
    /// Games or boards.
    pub starts: Vec<String>,
    /// A file of games.
    pub games: Option<PathBuf>,
    /// The last ply (discs less 4) of games to store.
    pub depth: GrowthLimit,
    /// True if the positions behind the best moves are stored too, as Egaroucid does.
    pub best_moves: bool,
}

impl Default for Store {
    fn default() -> Self {
        Self {
            level: BookLevel::default(),
            starts: Vec::new(),
            games: None,
            depth: GrowthLimit(None),
            best_moves: true,
        }
    }
}

/// Edax's `book deviate`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Deviate {
    /// Greatest sum of errors of one player, in discs: Edax's relative error.
    pub relative: u32,
    /// Greatest distance of a value from that of the start, in discs: Edax's absolute error.
    pub absolute: u32,
    /// Fewest empty squares of a position that is expanded [default: that of the book].
    pub empties: Option<u32>,
    /// Level of searches where a position has none.
    pub level: BookLevel,
    /// Most rounds.
    pub loops: GrowthLimit,
    /// A game or board to begin at; the start of the game if empty.
    pub start: String,
}

impl Default for Deviate {
    /// 2 and 4 discs, as in Edax.
    fn default() -> Self {
        Self {
            relative: 2,
            absolute: 4,
            empties: None,
            level: edax_level(),
            loops: GrowthLimit(None),
            start: String::new(),
        }
    }
}

fn edax_level() -> BookLevel {
    BookLevel::Edax(21)
}

/// Edax's `book enhance`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Enhance {
    /// Assumed error of values in the midgame, in discs.
    pub midgame_error: u32,
    /// Assumed error of selective end games, in discs.
    pub endcut_error: u32,
    /// Fewest empty squares of a position that is expanded [default: that of the book].
    pub empties: Option<u32>,
    /// Level of searches where a position has none.
    pub level: BookLevel,
    /// Most rounds.
    pub loops: GrowthLimit,
    /// A game or board to begin at; the start of the game if empty.
    pub start: String,
}

impl Default for Enhance {
    /// 2 and 4 discs, as in Edax.
    fn default() -> Self {
        Self {
            midgame_error: 2,
            endcut_error: 4,
            empties: None,
            level: edax_level(),
            loops: GrowthLimit(None),
            start: String::new(),
        }
    }
}

/// Edax's `book fill`: lines between positions of the book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fill {
    /// Most moves that are missing on a line.
    pub depth: u32,
    /// Fewest empty squares of a position from which lines go [default: that of the book].
    pub empties: Option<u32>,
    /// Level of the searches.
    pub level: BookLevel,
}

impl Default for Fill {
    /// One move, as in Edax.
    fn default() -> Self {
        Self {
            depth: 1,
            empties: None,
            level: edax_level(),
        }
    }
}

/// Edax's `book play`: positions without links get that of their leaf, down to the least number of empty squares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Play {
    /// Fewest empty squares of a position that is expanded [default: that of the book].
    pub empties: Option<u32>,
    /// Level of searches where a position has none.
    pub level: BookLevel,
    /// Most rounds.
    pub loops: GrowthLimit,
}

impl Default for Play {
    fn default() -> Self {
        Self {
            empties: None,
            level: edax_level(),
            loops: GrowthLimit(None),
        }
    }
}

/// Values from the leaves back to the start, lines counted, wrong leaves deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fix {
    /// True if positions that cannot be reached from the start are removed.
    pub remove_isolated: bool,
}

/// Removal of positions that are too deep or behind bad moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Prune {
    /// Greatest depth in plies from the start.
    pub depth: GrowthLimit,
    /// Greatest error of a move, in discs.
    pub error: GrowthLimit,
    /// Greatest sum of errors of a line, in discs.
    pub sum: GrowthLimit,
}

impl Default for Prune {
    fn default() -> Self {
        let inf = GrowthLimit(None);
        Self {
            depth: inf,
            error: inf,
            sum: inf,
        }
    }
}

/// What is to be done with a book; `do` names it in a recipe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
#[expect(missing_docs, reason = "their types say it")]
pub enum BookStage {
    Learn(Learn),
    Leaves(LeafRecalculation),
    Store(Store),
    Deviate(Deviate),
    Enhance(Enhance),
    Fill(Fill),
    Play(Play),
    Fix(Fix),
    Prune(Prune),
}

impl BookStage {
    /// The name, as recipes have it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Learn(_) => "learn",
            Self::Leaves(_) => "leaves",
            Self::Store(_) => "store",
            Self::Deviate(_) => "deviate",
            Self::Enhance(_) => "enhance",
            Self::Fill(_) => "fill",
            Self::Play(_) => "play",
            Self::Fix(_) => "fix",
            Self::Prune(_) => "prune",
        }
    }
}

/// Stages that are done one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Seed of everything random.
    #[serde(default = "one")]
    pub seed: u64,
    /// The stages.
    pub stages: Vec<BookStage>,
}

const fn one() -> u64 {
    1
}

impl Recipe {
    /// Reads a recipe from a JSON5 file. Names of files in it are relative to its folder.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, that is no JSON5, or no recipe.
    pub fn read(path: &Path) -> Result<Self> {
        let text = yane_io::ReadLimit::Settings.read_string(path)?;
        let mut recipe = Self::parse(&text).map_err(|problem| BookGrowthError::Recipe {
            path: path.to_owned(),
            problem,
        })?;
        let folder = yane_io::folder_of(path);
        for stage in &mut recipe.stages {
            if let BookStage::Learn(Learn {
                games: Some(games), ..
            })
            | BookStage::Store(Store {
                games: Some(games), ..
            }) = stage
            {
                *games = folder.join(&*games);
            }
        }
        Ok(recipe)
    }

    fn parse(text: &str) -> std::result::Result<Self, RecipeProblem> {
        let recipe: Self = json5::from_str(text)?;
        if recipe.stages.is_empty() {
            return Err(RecipeProblem::NoStages);
        }
        Ok(recipe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_have_defaults_and_refuse_what_they_do_not_know() {
        let text = "{
            // a comment
            seed: 7,
            stages: [
                { do: 'learn', level: 10, depth: 20, sum: 'inf', schedule: 'accuracy', random: { count: 3, plies: 8 } },
                { do: 'deviate', level: 'edax11' },
                { do: 'leaves', only_illegal: true },
                { do: 'fix' },
            ],
        }";
        let recipe = Recipe::parse(text).unwrap();
        assert_eq!(recipe.seed, 7);
        let names: Vec<_> = recipe.stages.iter().map(BookStage::name).collect();
        assert_eq!(names, ["learn", "deviate", "leaves", "fix"]);
        let BookStage::Learn(learn) = &recipe.stages[0] else {
            panic!()
        };
        assert_eq!(
            (learn.level.to_string().as_str(), learn.sum, learn.error),
            ("10", GrowthLimit(None), GrowthLimit(Some(2)))
        );
        let again = serde_json::to_string(&recipe).unwrap();
        assert_eq!(Recipe::parse(&again).unwrap(), recipe);
        for (wrong, word) in [
            ("{ stages: [] }", "no stages"),
            ("{ stages: [{ do: 'lern' }] }", "lern"),
            ("{ stages: [{ do: 'learn', levle: 3 }] }", "levle"),
            ("{ stages: [{ do: 'learn', level: 61 }] }", "61"),
            ("{ stages: [{ do: 'learn', depth: 'deep' }] }", "deep"),
            ("{ stages: [{ do: 'fix' }], sed: 1 }", "sed"),
            ("{ stages: ", "1"),
        ] {
            let error = Recipe::parse(wrong).unwrap_err();
            assert!(error.to_string().contains(word), "{wrong}: {error}");
        }
    }
}
