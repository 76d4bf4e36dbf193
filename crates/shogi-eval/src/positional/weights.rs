//! Every number of the positional evaluation, with its name and range, and the files that have them.
//!
//! All are in the internal unit (a pawn is worth 90), seen from the side that owns the piece. The built-in ones
//! are our own: set by shogi judgement and kept when games of the search against itself said so.
//! Distances are king steps (the larger of the file and the rank difference), ranks are counted from
//! the owner's far edge: 0 is the last rank, 8 the back rank.
//!
//! A file has a line for each number in the form of the field's tuners: `NAME, int, VALUE, MIN, MAX, STEP, RATE`. Of these the
//! name and the value are read. Blank lines and lines that begin with `#` or `//` say nothing.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use shogi_core::{HandKind, PieceKind};
use thiserror::Error;

/// Rows of the tables by piece: all promoted small pieces share one.
const ROWS: [&str; 11] = [
    "pawn", "lance", "knight", "silver", "gold", "promoted", "bishop", "rook", "horse", "dragon",
    "king",
];

/// Rows of the tables that kings have no place in.
const ROWS_WITHOUT_KING: usize = 10;

/// The row of the king.
pub(super) const KING: usize = 10;

/// The row of a piece.
pub(super) const fn row(kind: PieceKind) -> usize {
    match kind {
        PieceKind::Pawn => 0,
        PieceKind::Lance => 1,
        PieceKind::Knight => 2,
        PieceKind::Silver => 3,
        PieceKind::Gold => 4,
        PieceKind::ProPawn | PieceKind::ProLance | PieceKind::ProKnight | PieceKind::ProSilver => 5,
        PieceKind::Bishop => 6,
        PieceKind::Rook => 7,
        PieceKind::Horse => 8,
        PieceKind::Dragon => 9,
        PieceKind::King => KING,
    }
}

/// The names of pieces in hand, in the order of [`HandKind::ALL`].
const HANDS: [&str; 7] = [
    "pawn", "lance", "knight", "silver", "bishop", "rook", "gold",
];

/// The place of a kind among [`HandKind::ALL`].
pub(super) const fn hand_row(kind: HandKind) -> usize {
    kind as usize - 1
}

/// The names of the counts that king danger is made of.
const DANGERS: [&str; 5] = ["attacked", "outnumbered", "weak", "zone", "closed"];

/// The numbers of the positional evaluation ([`PositionalWeights::DEFAULT`]), or any others, such as their derivatives.
///
/// All have a name and a range ([`PositionalWeights::describe`]), and an order in which they are a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionalWeights<T = i32> {
    /// Being on move.
    pub tempo: T,
    /// Material, by row.
    pub pieces: [T; 10],
    /// Worth of an own piece by its distance (0 to 8) from the own king, beyond its material value, by row:
    /// generals shelter the king, a horse nearby is worth several of them, a rook next to the king gets
    /// in its way.
    pub guard: [[T; 9]; 10],
    /// Worth of a piece by its distance (0 to 8) from the *enemy* king, by row: what is near can join an attack.
    pub attack: [[T; 9]; 10],
    /// The percentage of `attack` that counts, by how many ranks the piece stands *behind* the enemy
    /// king as its owner sees it (0 when level or in front): attackers work best from the front.
    pub behind: [T; 9],
    /// Worth of a piece by its rank (0 = far edge), by row.
    pub rank: [[T; 9]; 11],
    /// Worth of a piece by its distance from the centre file (0 to 4), by row.
    pub file: [[T; 5]; 11],
    /// Worth of the first, second, third and each further piece of a kind in hand beyond its material value, in the order of
    /// [`HandKind::ALL`]: it can go anywhere, the first pawn most of all.
    pub hand: [[T; 4]; 7],
    /// Every square that an own piece attacks.
    pub control: T,
    /// Every square of the enemy camp that an own piece attacks, on top of `control`.
    pub control_in_camp: T,
    /// Every square a bishop or horse reaches.
    pub diagonal_mobility: T,
    /// Every square a rook or dragon reaches.
    pub straight_mobility: T,
    /// An own piece other than pawn and king that is attacked and not defended.
    pub hanging: T,
    /// An own pawn that is attacked and not defended.
    pub hanging_pawn: T,
    /// An own piece other than pawn and king that an enemy pawn attacks.
    pub hit_by_pawn: T,
    /// Danger points of a king: each square next to it (or its own) that the enemy attacks;
    /// that it attacks at least twice while it is not defended twice; that only the king defends;
    /// each square two steps away that the enemy attacks;
    /// and each square the king cannot flee to, of the eight.
    pub danger: [T; 5],
    /// Danger points count the more, the more the enemy has in hand: in 16ths, for each of the first two pieces of a kind, in the
    /// order of [`HandKind::ALL`].
    pub hand_force: [T; 7],
    /// Weight of danger with nothing in the enemy's hand, in 16ths.
    pub force_base: T,
    /// Danger (points times force) squared and divided by this is the penalty, …
    pub danger_divisor: T,
    /// … up to this.
    pub danger_max: T,
}

/// At most so many pieces of a kind in hand count for `hand_force`.
pub(super) const HAND_FORCE_COUNT: u8 = 2;

impl PositionalWeights {
    /// The built-in numbers.
    pub const DEFAULT: Self = Self {
        tempo: 22,
        pieces: [90, 315, 405, 495, 540, 540, 855, 990, 945, 1395],
        guard: [
            [0, 12, 8, 2, 0, 0, 0, 0, 0],
            [0, 8, 6, 2, 0, 0, 0, 0, 0],
            [0, 6, 8, 4, 0, 0, 0, 0, 0],
            [0, 26, 20, 10, 2, 0, -2, -4, -6],
            [0, 34, 26, 12, 0, -6, -10, -12, -14],
            [0, 22, 16, 6, 0, 0, 0, 0, 0],
            [0, 4, 6, 4, 0, 0, 0, 0, 0],
            [0, -34, -22, -8, 0, 4, 6, 6, 6],
            [0, 40, 34, 26, 16, 8, 4, 0, 0],
            [0, 16, 12, 8, 4, 0, 0, 0, 0],
        ],
        attack: [
            [0, 22, 18, 8, 2, 0, 0, 0, 0],
            [0, 14, 12, 10, 6, 4, 2, 0, 0],
            [0, 12, 30, 26, 12, 4, 0, 0, 0],
            [0, 42, 38, 26, 14, 6, 0, 0, 0],
            [0, 46, 40, 24, 12, 4, 0, 0, 0],
            [0, 56, 48, 34, 20, 8, -4, -14, -20],
            [0, 28, 26, 22, 16, 12, 10, 8, 6],
            [0, 34, 30, 24, 18, 14, 10, 8, 6],
            [0, 60, 52, 42, 32, 24, 16, 10, 6],
            [0, 80, 72, 56, 46, 38, 32, 26, 22],
        ],
        behind: [100, 80, 60, 50, 40, 30, 30, 30, 30],
        rank: [
            [0, 26, 22, 18, 12, 6, 0, 0, 0],
            [0, 0, -4, -8, -8, -6, -4, 0, 2],
            [0, 0, 14, -6, -12, -6, 6, -4, 0],
            [4, 6, 10, 12, 14, 12, 8, 2, -8],
            [-10, 0, 6, 0, -4, -4, 2, 8, 0],
            [-6, 4, 8, 6, 4, 0, -4, -8, -12],
            [0, 0, 0, 4, 6, 4, 2, 0, -4],
            [10, 14, 14, 2, 6, 4, -4, 2, 0],
            [0, 4, 4, 8, 10, 10, 10, 6, 0],
            [14, 16, 14, 8, 4, 0, 0, 0, 0],
            [10, 10, 0, -40, -90, -110, -80, -8, 12],
        ],
        file: [
            [2, 2, 2, 0, -4],
            [0; 5],
            [2, 2, 2, 0, -8],
            [6, 6, 4, 0, -12],
            [6, 6, 2, 0, -12],
            [6, 6, 2, 0, -12],
            [0; 5],
            [0; 5],
            [0; 5],
            [0; 5],
            [-30, -14, 10, 30, 8],
        ],
        hand: [
            [26, 10, 4, -4],
            [16, 0, 0, 0],
            [22, 2, 2, 2],
            [40, 27, 27, 27],
            [38, 38, 38, 38],
            [40, 40, 40, 40],
            [48, 34, 34, 34],
        ],
        control: 2,
        control_in_camp: 3,
        diagonal_mobility: 4,
        straight_mobility: 3,
        hanging: 42,
        hanging_pawn: 10,
        hit_by_pawn: 34,
        danger: [3, 3, 5, 1, 1],
        hand_force: [1, 3, 3, 6, 6, 8, 8],
        force_base: 14,
        danger_divisor: 14,
        danger_max: 900,
    };
}

impl Default for PositionalWeights {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// A number of the positional evaluation: what it is called, and the values that it may have.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionalWeight {
    /// Its name: that of its table, row and column, as `guard_gold_3`.
    pub name: String,
    /// The values that it may have.
    pub range: RangeInclusive<i32>,
    /// A change that is small, but can be seen in the evaluation.
    pub step: f64,
}

/// Numbers that are alike: a name, the names of rows if there are several, the columns of a row, the range of values, and a change
/// that is small.
struct Group {
    name: &'static str,
    rows: &'static [&'static str],
    columns: usize,
    range: RangeInclusive<i32>,
    step: f64,
}

const fn group(
    name: &'static str,
    (rows, columns): (&'static [&'static str], usize),
    range: RangeInclusive<i32>,
    step: f64,
) -> Group {
    Group {
        name,
        rows,
        columns,
        range,
        step,
    }
}

/// One number without rows.
const ONE: (&[&str], usize) = (&[], 1);

/// All groups, in the order of the fields. Within these ranges no value of a position overflows: danger stays below 31,000, whose
/// square has 31 bits.
const GROUPS: [Group; 20] = [
    group("tempo", ONE, -200..=200, 2.0),
    group(
        "piece",
        (ROWS.split_at(ROWS_WITHOUT_KING).0, 1),
        0..=4000,
        10.0,
    ),
    group(
        "guard",
        (ROWS.split_at(ROWS_WITHOUT_KING).0, 9),
        -1000..=1000,
        3.0,
    ),
    group(
        "attack",
        (ROWS.split_at(ROWS_WITHOUT_KING).0, 9),
        -1000..=1000,
        3.0,
    ),
    group("behind", (&[], 9), 0..=200, 3.0),
    group("rank", (&ROWS, 9), -1000..=1000, 3.0),
    group("file", (&ROWS, 5), -1000..=1000, 3.0),
    group("hand", (&HANDS, 4), -1000..=1000, 3.0),
    group("control", ONE, -50..=50, 0.2),
    group("control_in_camp", ONE, -50..=50, 0.2),
    group("diagonal_mobility", ONE, -50..=50, 0.2),
    group("straight_mobility", ONE, -50..=50, 0.2),
    group("hanging", ONE, -1000..=1000, 3.0),
    group("hanging_pawn", ONE, -1000..=1000, 3.0),
    group("hit_by_pawn", ONE, -1000..=1000, 3.0),
    group("danger", (&DANGERS, 1), 0..=20, 0.2),
    group("hand_force", (&HANDS, 1), 0..=30, 0.3),
    group("force_base", ONE, 0..=64, 0.5),
    group("danger_divisor", ONE, 1..=200, 0.5),
    group("danger_max", ONE, 0..=5000, 10.0),
];

impl Group {
    fn len(&self) -> usize {
        self.rows.len().max(1) * self.columns
    }

    /// The name of the number at `index`: `guard_gold_3`.
    fn name_of(&self, index: usize) -> String {
        let mut name = self.name.to_owned();
        if let Some(row) = self.rows.get(index / self.columns) {
            name = format!("{name}_{row}");
        }
        if self.columns > 1 {
            name = format!("{name}_{}", index % self.columns);
        }
        name
    }
}

impl<T: Copy> PositionalWeights<T> {
    /// The numbers of each of [`GROUPS`].
    fn groups_mut(&mut self) -> [&mut [T]; GROUPS.len()] {
        fn one<T>(number: &mut T) -> &mut [T] {
            std::slice::from_mut(number)
        }
        [
            one(&mut self.tempo),
            &mut self.pieces,
            self.guard.as_flattened_mut(),
            self.attack.as_flattened_mut(),
            &mut self.behind,
            self.rank.as_flattened_mut(),
            self.file.as_flattened_mut(),
            self.hand.as_flattened_mut(),
            one(&mut self.control),
            one(&mut self.control_in_camp),
            one(&mut self.diagonal_mobility),
            one(&mut self.straight_mobility),
            one(&mut self.hanging),
            one(&mut self.hanging_pawn),
            one(&mut self.hit_by_pawn),
            &mut self.danger,
            &mut self.hand_force,
            one(&mut self.force_base),
            one(&mut self.danger_divisor),
            one(&mut self.danger_max),
        ]
    }

    /// All numbers as a list.
    pub fn to_vec(&self) -> Vec<T> {
        self.clone().groups_mut().concat()
    }

    /// All numbers the same.
    pub const fn splat(number: T) -> Self {
        Self {
            tempo: number,
            pieces: [number; 10],
            guard: [[number; 9]; 10],
            attack: [[number; 9]; 10],
            behind: [number; 9],
            rank: [[number; 9]; 11],
            file: [[number; 5]; 11],
            hand: [[number; 4]; 7],
            control: number,
            control_in_camp: number,
            diagonal_mobility: number,
            straight_mobility: number,
            hanging: number,
            hanging_pawn: number,
            hit_by_pawn: number,
            danger: [number; 5],
            hand_force: [number; 7],
            force_base: number,
            danger_divisor: number,
            danger_max: number,
        }
    }

    /// Sets all numbers from a list.
    ///
    /// # Panics
    /// When there are more or fewer.
    pub fn set(&mut self, mut numbers: &[T]) {
        for group in self.groups_mut() {
            let (first, rest) = numbers.split_at(group.len());
            group.copy_from_slice(first);
            numbers = rest;
        }
        assert!(numbers.is_empty(), "too many numbers");
    }
}

impl PositionalWeights {
    /// Names and ranges of all numbers, in the order of [`Self::to_vec`].
    pub fn describe() -> Vec<PositionalWeight> {
        let numbers = |group: &'static Group| {
            (0..group.len()).map(|index| PositionalWeight {
                name: group.name_of(index),
                range: group.range.clone(),
                step: group.step,
            })
        };
        GROUPS.iter().flat_map(numbers).collect()
    }

    /// The numbers as the text of a file.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (number, value) in Self::describe().iter().zip(self.to_vec()) {
            let PositionalWeight { name, range, step } = number;
            let (min, max) = (range.start(), range.end());
            writeln!(text, "{name}, int, {value}, {min}, {max}, {step}, 0.002")
                .expect("text can be appended to");
        }
        text
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// When a line is not of the form above, a name is unknown, there twice or missing, or a value is out of its range.
    pub fn from_text(text: &str) -> Result<Self, PositionalWeightsError> {
        let all = Self::describe();
        let mut found: Vec<Option<i32>> = vec![None; all.len()];
        for (index, line) in text.lines().enumerate() {
            let wrong = |reason: String| PositionalWeightsError::Line {
                line: index + 1,
                reason,
            };
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
                continue;
            }
            let read = read_line(line).map_err(|problem| wrong(problem.to_string()));
            let (name, value) = read?;
            let Some(place) = all.iter().position(|number| number.name == name) else {
                return Err(wrong(format!(
                    "no number of the positional evaluation is called {name:?}"
                )));
            };
            let range = &all[place].range;
            if !range.contains(&value) {
                let (min, max) = (range.start(), range.end());
                return Err(wrong(format!("{name} is {value}, expected {min} to {max}")));
            }
            if found[place].replace(value).is_some() {
                return Err(wrong(format!("{name} is there twice")));
            }
        }
        if let Some(place) = found.iter().position(Option::is_none) {
            return Err(PositionalWeightsError::Missing(all[place].name.clone()));
        }
        let values: Vec<i32> = found.into_iter().flatten().collect();
        let mut weights = Self::DEFAULT;
        weights.set(&values);
        Ok(weights)
    }
}

/// What is wrong with a line.
#[derive(Debug, Error)]
enum LineProblem<'a> {
    #[error("{FORM}")]
    Form,
    #[error("{0:?} is no whole number; {FORM}")]
    Value(&'a str),
    #[error("{0:?} is no number; {FORM}")]
    Number(&'a str),
}

/// What a line has to be.
const FORM: &str = "expected NAME, int, VALUE, MIN, MAX, STEP, RATE";

/// Name and value of a line.
fn read_line(line: &str) -> Result<(&str, i32), LineProblem<'_>> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let [name, kind, value, rest @ ..] = &fields[..] else {
        return Err(LineProblem::Form);
    };
    if *kind != "int" || rest.len() > 4 {
        return Err(LineProblem::Form);
    }
    let value = value.parse().map_err(|_| LineProblem::Value(value))?;
    match rest.iter().find(|number| number.parse::<f64>().is_err()) {
        Some(wrong) => Err(LineProblem::Number(wrong)),
        None => Ok((name, value)),
    }
}

/// The reason why a text is not that of the positional evaluation's numbers.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PositionalWeightsError {
    /// A line is wrong.
    #[error("line {line}: {reason}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// The reason, and what was expected.
        reason: String,
    },
    /// A number is not there.
    #[error("no line for {0}; there must be one for each number")]
    Missing(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_the_numbers_is_read_as_it_is_written() {
        let mut weights = PositionalWeights::DEFAULT;
        let numbers = PositionalWeights::describe();
        let different: Vec<i32> = (0..)
            .zip(&numbers)
            .map(|(i, number)| {
                let (min, max) = (*number.range.start(), *number.range.end());
                min + i % (max - min + 1)
            })
            .collect();
        weights.set(&different);
        assert_eq!(weights.to_vec(), different);
        let text = format!("# mine\n\n{}// end", weights.to_text());
        assert_eq!(PositionalWeights::from_text(&text), Ok(weights));
        assert!(text.contains("\nguard_gold_3, int, "), "{text}");
        let mut names: Vec<_> = numbers.iter().map(|number| &number.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), numbers.len());
    }

    #[test]
    fn the_built_in_numbers_are_in_their_ranges() {
        for (number, value) in PositionalWeights::describe()
            .iter()
            .zip(PositionalWeights::DEFAULT.to_vec())
        {
            assert!(number.range.contains(&value), "{number:?} {value}");
        }
        for kind in PieceKind::ALL {
            if kind != PieceKind::King {
                assert_eq!(
                    PositionalWeights::DEFAULT.pieces[row(kind)],
                    kind.exchange_value()
                );
            }
        }
        for (index, kind) in HandKind::ALL.into_iter().enumerate() {
            assert_eq!(hand_row(kind), index);
        }
    }

    #[test]
    fn wrong_texts_say_what_was_expected() {
        let good = PositionalWeights::DEFAULT.to_text();
        for (from, to, expected) in [
            (
                "tempo, int, 22,",
                "tempo, int, 2x,",
                "line 1: \"2x\" is no whole number",
            ),
            (
                "tempo, int, 22,",
                "tempo, float, 22,",
                "line 1: expected NAME, int, VALUE",
            ),
            (
                "tempo, int, 22,",
                "tempo, int, 2222,",
                "line 1: tempo is 2222, expected -200 to 200",
            ),
            (
                "tempo, int",
                "temper, int",
                "line 1: no number of the positional evaluation is called \"temper\"",
            ),
            (
                "-200, 200, 2, 0.002",
                "-200, 200, fast",
                "line 1: \"fast\" is no number",
            ),
            (
                "piece_lance",
                "piece_pawn",
                "line 3: piece_pawn is there twice",
            ),
            ("tempo", "# tempo", "no line for tempo"),
        ] {
            let error = PositionalWeights::from_text(&good.replacen(from, to, 1)).unwrap_err();
            assert!(error.to_string().starts_with(expected), "{from} {error}");
        }
        assert!(PositionalWeights::from_text("nonsense").is_err());
    }
}
