//! Layouts: the patterns of an evaluation, their images on the board, and what symmetry makes equal.
//!
//! A pattern of n squares has 3^n states. Their number is ternary, the first square the most significant digit: 0 the
//! mover's disc, 1 the opponent's, 2 empty, as in the files of Edax and Egaroucid. The evaluator counts balanced, with +1
//! for the mover, −1 for the opponent and 0 for empty, so that changing sides is a change of sign.

use othello_core::{Square, Squares, Symmetry};

/// Largest number of squares of a pattern. Balanced indices of 10 squares fit 16 bits.
pub(crate) const MAX_SQUARES: usize = 10;

/// A pattern: squares in order, and the symmetries that make its places on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    squares: Vec<Square>,
    images: Vec<Symmetry>,
}

impl Pattern {
    /// A pattern of these squares with one place for each different set of squares among its eight images.
    ///
    /// # Errors
    /// No square or more than ten, or a square twice.
    pub fn new(squares: &[Square]) -> Result<Self, LayoutError> {
        if squares.is_empty() || squares.len() > MAX_SQUARES {
            return Err(LayoutError::Size(squares.len()));
        }
        let set: Squares = squares.iter().copied().collect();
        if set.len() as usize != squares.len() {
            return Err(LayoutError::Repeated);
        }
        Ok(Self {
            squares: squares.to_vec(),
            images: different_images(set),
        })
    }

    /// A pattern written as names of squares, at the places that symmetries with these numbers give.
    fn named(names: &str, images: &[usize]) -> Self {
        let square = |name: &str| Square::ALL.into_iter().find(|s| s.to_string() == name);
        let squares: Vec<_> = names.split(' ').filter_map(square).collect();
        debug_assert_eq!(squares.len(), names.split(' ').count(), "{names}");
        let images = images.iter().map(|&n| Symmetry::ALL[n]).collect();
        Self { squares, images }
    }

    /// A pattern written as names of squares, at all places.
    fn everywhere(names: &str) -> Self {
        let pattern = Self::named(names, &[]);
        let set = pattern.squares.iter().copied().collect();
        Self {
            images: different_images(set),
            ..pattern
        }
    }

    /// The squares, the most significant digit first.
    pub fn squares(&self) -> &[Square] {
        &self.squares
    }

    /// The places on the board: the squares in order, once for each image.
    pub fn places(&self) -> impl Iterator<Item = Vec<Square>> {
        let place = |symmetry: &Symmetry| {
            let image = self.squares.iter().map(|&square| symmetry.square(square));
            image.collect()
        };
        self.images.iter().map(place)
    }

    /// The number of places.
    pub fn len(&self) -> usize {
        self.images.len()
    }

    /// Returns whether there is no place; there is always one.
    pub fn is_empty(&self) -> bool {
        self.images.is_empty()
    }

    /// The number of states, 3^n.
    pub fn states(&self) -> usize {
        3usize.pow(self.squares.len() as u32)
    }

    /// What is equal by symmetry, and other ways to count the states.
    pub fn indices(&self) -> PatternIndices {
        PatternIndices::new(self)
    }

    /// The permutations of the squares by the symmetries that map the pattern onto itself, the identity left out.
    fn permutations(&self) -> Vec<Vec<usize>> {
        let set: Squares = self.squares.iter().copied().collect();
        let own = Symmetry::ALL.into_iter().filter(|s| s.squares(set) == set);
        let mut all: Vec<Vec<usize>> = own
            .map(|symmetry| {
                let place = |&square: &Square| {
                    let image = symmetry.square(square);
                    self.squares.iter().position(|&other| other == image)
                };
                self.squares.iter().filter_map(place).collect()
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        // The identity is the smallest.
        all.split_off(1)
    }
}

/// The symmetries, the smallest numbers first, that give the different images of a set.
fn different_images(set: Squares) -> Vec<Symmetry> {
    let mut images: Vec<Symmetry> = Vec::new();
    for symmetry in Symmetry::ALL {
        let image = symmetry.squares(set);
        if images.iter().all(|other| other.squares(set) != image) {
            images.push(symmetry);
        }
    }
    images
}

/// Ways to count the states of a pattern.
#[derive(Clone, Debug)]
pub struct PatternIndices {
    /// By ternary number: the balanced number, counted from 0 (all squares the opponent's) to 3^n − 1.
    pub balanced: Vec<u16>,
    /// By ternary number: the smallest ternary number that symmetry makes equal to it.
    pub canonical: Vec<u16>,
    /// By ternary number: the place of its canonical number among the canonical numbers in ascending order.
    pub packed: Vec<u16>,
    /// The number of canonical numbers.
    pub packed_len: usize,
}

impl PatternIndices {
    fn new(pattern: &Pattern) -> Self {
        let n = pattern.squares.len();
        let states = pattern.states();
        let permutations = pattern.permutations();
        let mut balanced = vec![0; states];
        let mut canonical: Vec<u16> = vec![0; states];
        let mut packed = vec![0; states];
        let mut packed_len = 0;
        let mut digits = [0usize; MAX_SQUARES];
        for number in 0..states {
            let mut rest = number;
            for digit in digits[..n].iter_mut().rev() {
                (*digit, rest) = (rest % 3, rest / 3);
            }
            let of = |value: &dyn Fn(usize) -> usize| (0..n).fold(0, |sum, k| sum * 3 + value(k));
            // Mover 0 to +1, opponent 1 to -1, empty 2 to 0; one more, so that it counts from 0.
            balanced[number] = of(&|k| [2, 0, 1][digits[k]]) as u16;
            let images = permutations.iter().map(|p| of(&|k| digits[p[k]]));
            let smallest = images.fold(number, usize::min);
            canonical[number] = smallest as u16;
            packed[number] = if smallest == number {
                packed_len += 1;
                (packed_len - 1) as u16
            } else {
                packed[smallest]
            };
        }
        Self {
            balanced,
            canonical,
            packed,
            packed_len,
        }
    }
}

/// The patterns of an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternLayout {
    patterns: Vec<Pattern>,
}

/// A layout that cannot be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// A pattern of no or too many squares.
    #[error("a pattern has 1 to {MAX_SQUARES} squares, not {0}")]
    Size(usize),
    /// A pattern with the same square twice.
    #[error("a pattern has the same square twice")]
    Repeated,
    /// More places than the evaluator has room for.
    #[error("the patterns have {0} places on the board, more than {1}")]
    Places(usize, usize),
}

impl PatternLayout {
    /// A layout of these patterns, with at most `most` places.
    ///
    /// # Errors
    /// More places than that.
    pub fn new(patterns: Vec<Pattern>, most: usize) -> Result<Self, LayoutError> {
        let layout = Self { patterns };
        let places = layout.places();
        if places > most {
            return Err(LayoutError::Places(places, most));
        }
        Ok(layout)
    }

    /// Patterns written as names of squares, at all places.
    pub(crate) fn everywhere<'a>(names: impl Iterator<Item = &'a &'a str>) -> Self {
        let patterns = names.map(|names| Pattern::everywhere(names)).collect();
        Self { patterns }
    }

    /// Our own layout: 15 patterns, 64 places.
    pub fn yaneura() -> Self {
        let all = [
            // Corners: 3x3, 5x2 (at eight places), a triangle, the angle of both edges, a cross around the diagonal.
            "a1 b1 c1 a2 b2 c2 a3 b3 c3",
            "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2",
            "a1 b1 c1 d1 a2 b2 c2 a3 b3 a4",
            "a5 a4 a3 a2 a1 b2 b1 c1 d1 e1",
            "a1 b2 c3 d4 b1 c2 d3 a2 b3 c4",
            // Edges, with the inner squares beside them.
            "b2 a1 b1 c1 d1 e1 f1 g1 h1 g2",
            "a1 c1 d1 c2 d2 e2 f2 e1 f1 h1",
            // Lines and diagonals; the longest with two squares beside a corner.
            "a2 b2 c2 d2 e2 f2 g2 h2",
            "a3 b3 c3 d3 e3 f3 g3 h3",
            "a4 b4 c4 d4 e4 f4 g4 h4",
            "a1 b2 c3 d4 e5 f6 g7 h8 a2 b1",
            "b1 c2 d3 e4 f5 g6 h7",
            "c1 d2 e3 f4 g5 h6",
            "d1 e2 f3 g4 h5",
            "d1 c2 b3 a4",
        ];
        Self::everywhere(all.iter())
    }

    /// Edax's layout: 12 patterns, 46 places.
    pub fn edax() -> Self {
        let all = [
            "a1 b1 a2 b2 c1 a3 c2 b3 c3",
            "a5 a4 a3 a2 a1 b2 b1 c1 d1 e1",
            "b2 a1 b1 c1 d1 e1 f1 g1 h1 g2",
            "a1 c1 d1 c2 d2 e2 f2 e1 f1 h1",
            "a2 b2 c2 d2 e2 f2 g2 h2",
            "a3 b3 c3 d3 e3 f3 g3 h3",
            "a4 b4 c4 d4 e4 f4 g4 h4",
            "a1 b2 c3 d4 e5 f6 g7 h8",
            "b1 c2 d3 e4 f5 g6 h7",
            "c1 d2 e3 f4 g5 h6",
            "d1 e2 f3 g4 h5",
            "d1 c2 b3 a4",
        ];
        Self::everywhere(all.iter())
    }

    /// Egaroucid's layout: 16 patterns, 64 places.
    pub fn egaroucid() -> Self {
        const MIRRORS: &[usize] = &[0, 1, 2, 3];
        const ROTATIONS: &[usize] = &[0, 6, 3, 5];
        const EDGES: &[usize] = &[0, 4, 2, 6];
        let all = [
            ("a2 b2 c2 d2 e2 f2 g2 h2", EDGES),
            ("b1 c1 d2 e3 g2 f4 g5 h6 h7", ROTATIONS),
            ("a3 b3 c3 d3 e3 f3 g3 h3", EDGES),
            ("a1 b1 c2 d3 e4 f5 g6 h7 h8", ROTATIONS),
            ("a4 b4 c4 d4 e4 f4 g4 h4", EDGES),
            ("a1 b1 c1 a2 b2 c2 a3 b3 c3", MIRRORS),
            ("b2 d1 e2 f3 g4 h5 g7", ROTATIONS),
            ("a1 b2 c3 d4 e5 f6 g7 h8 a2 b1", MIRRORS),
            ("b2 a1 b1 c1 d1 e1 f1 g1 h1 g2", EDGES),
            ("a1 b1 c1 d1 a2 b2 c2 a3 b3 a4", MIRRORS),
            ("a1 c1 d1 e1 f1 h1 c2 d2 e2 f2", EDGES),
            ("a1 b2 c3 d4 b1 c2 d3 a2 b3 c4", MIRRORS),
            ("c2 a1 b1 c1 d1 e1 f1 g1 h1 f2", EDGES),
            ("a1 b1 c1 d1 e1 a2 b2 a3 a4 a5", MIRRORS),
            ("a1 b1 a2 b2 c2 d2 b3 c3 b4 d4", MIRRORS),
            ("c3 d3 d2 d1 c1 f1 e1 e2 e3 f3", &[2, 4, 1, 7]),
        ];
        let patterns = all
            .into_iter()
            .map(|(names, images)| Pattern::named(names, images));
        Self {
            patterns: patterns.collect(),
        }
    }

    /// The patterns.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// The number of places of all patterns on the board.
    pub fn places(&self) -> usize {
        self.patterns.iter().map(Pattern::len).sum()
    }

    /// The number of weights of a phase, all states of all patterns.
    pub fn weights(&self) -> usize {
        self.patterns.iter().map(Pattern::states).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_have_the_sizes_of_their_files() {
        let edax = PatternLayout::edax();
        let packed = |layout: &PatternLayout| -> Vec<usize> {
            let patterns = layout.patterns().iter();
            patterns.map(|p| p.indices().packed_len).collect()
        };
        assert_eq!(
            packed(&edax),
            [
                10206, 29889, 29646, 29646, 3321, 3321, 3321, 3321, 1134, 378, 135, 45
            ]
        );
        assert_eq!((edax.places(), edax.weights()), (46, 226_314));
        let egaroucid = PatternLayout::egaroucid();
        assert_eq!((egaroucid.places(), egaroucid.weights()), (64, 612_360));
        assert_eq!(PatternLayout::yaneura().places(), 64);
    }

    #[test]
    fn images_of_egaroucid_are_different_places() {
        for pattern in PatternLayout::egaroucid().patterns() {
            let mut sets: Vec<u64> = pattern
                .places()
                .map(|place| place.into_iter().collect::<Squares>().0)
                .collect();
            sets.sort_unstable();
            sets.dedup();
            assert_eq!(sets.len(), 4, "{pattern:?}");
        }
    }

    #[test]
    fn states_and_their_mirror_images_are_equal() {
        for layout in [PatternLayout::edax(), PatternLayout::yaneura()] {
            for pattern in layout.patterns() {
                let indices = pattern.indices();
                let mut seen = vec![false; pattern.states()];
                for (number, &balanced) in indices.balanced.iter().enumerate() {
                    assert!(!std::mem::replace(&mut seen[balanced as usize], true));
                    let canonical = indices.canonical[number] as usize;
                    assert!(canonical <= number);
                    assert_eq!(indices.canonical[canonical] as usize, canonical);
                    assert_eq!(indices.packed[canonical], indices.packed[number]);
                    assert!((indices.packed[number] as usize) < indices.packed_len);
                }
            }
        }
    }

    #[test]
    fn patterns_are_checked() {
        let a1 = Square::ALL[0];
        assert_eq!(Pattern::new(&[]), Err(LayoutError::Size(0)));
        assert_eq!(Pattern::new(&Square::ALL[..11]), Err(LayoutError::Size(11)));
        assert_eq!(Pattern::new(&[a1, a1]), Err(LayoutError::Repeated));
        let corner = Pattern::new(&[a1]).unwrap();
        assert_eq!(corner.len(), 4);
        assert_eq!(
            PatternLayout::new(vec![corner; 5], 16),
            Err(LayoutError::Places(20, 16))
        );
    }
}
