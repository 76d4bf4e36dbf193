//! The sizes of a network, and the patterns that it looks at.

use std::fmt;
use std::str::FromStr;

use crate::layout::PatternLayout;

/// Outputs of the first layer behind the accumulator; the last goes straight to the value.
pub const FIRST_OUTPUTS: usize = 16;

/// Outputs of the second layer.
pub const SECOND_OUTPUTS: usize = 32;

/// The patterns of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum InputSet {
    /// 46 places of at most nine squares.
    Places46,
    /// 30 places of at most nine squares.
    Places30,
}

/// The architecture of a network on patterns: which patterns, and how many units the accumulator has.
///
/// Its name is `p46_64-16-32`: 46 places of patterns, 64 units, 16 and 32 outputs of the layers behind them. The sizes of the layers are
/// always these.
///
/// ```
/// use othello_eval::NetShape;
///
/// let shape: NetShape = "p46_64-16-32".parse()?;
/// assert_eq!((shape.layout().places(), shape.units()), (46, 64));
/// assert!("p46_65-16-32".parse::<NetShape>().is_err());
/// # Ok::<(), othello_eval::NetShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NetShape {
    inputs: InputSet,
    units: usize,
}

/// A name of no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no architecture: expected one of {all}", all = NetShape::names())]
pub struct NetShapeError(String);

impl NetShape {
    /// All architectures.
    pub const ALL: [Self; 6] = [
        Self::new(InputSet::Places46, 32),
        Self::new(InputSet::Places46, 64),
        Self::new(InputSet::Places46, 96),
        Self::new(InputSet::Places30, 32),
        Self::new(InputSet::Places30, 64),
        Self::new(InputSet::Places30, 96),
    ];

    const fn new(inputs: InputSet, units: usize) -> Self {
        Self { inputs, units }
    }

    /// The names of all, for messages.
    fn names() -> String {
        Self::ALL.map(|shape| shape.to_string()).join(", ")
    }

    /// The patterns.
    pub fn layout(self) -> PatternLayout {
        let more: &[&str] = match self.inputs {
            InputSet::Places46 => &[
                "c1 d2 e3 f4 g5 h6",
                "d1 e2 f3 g4 h5",
                "a1 b1 c1 d1 a2 b2 c2 d2",
            ],
            InputSet::Places30 => &[],
        };
        let all = [
            // The corner, the edge with the squares beside it, lines and diagonals.
            "a1 b1 c1 a2 b2 c2 a3 b3 c3",
            "a1 b1 c1 d1 e1 f1 g1 h1",
            "a2 b2 c2 d2 e2 f2 g2 h2",
            "a3 b3 c3 d3 e3 f3 g3 h3",
            "a4 b4 c4 d4 e4 f4 g4 h4",
            "a1 b2 c3 d4 e5 f6 g7 h8",
            "b1 c2 d3 e4 f5 g6 h7",
            "c1 d1 e1 f1 c2 d2 e2 f2",
        ];
        PatternLayout::everywhere(all.iter().chain(more))
    }

    /// Units of the accumulator.
    pub const fn units(self) -> usize {
        self.units
    }
}

impl fmt::Display for NetShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = match self.inputs {
            InputSet::Places46 => 46,
            InputSet::Places30 => 30,
        };
        let units = self.units;
        write!(f, "p{places}_{units}-{FIRST_OUTPUTS}-{SECOND_OUTPUTS}")
    }
}

impl FromStr for NetShape {
    type Err = NetShapeError;

    fn from_str(name: &str) -> Result<Self, NetShapeError> {
        let found = Self::ALL
            .into_iter()
            .find(|shape| shape.to_string() == name);
        found.ok_or_else(|| NetShapeError(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_sizes() {
        for shape in NetShape::ALL {
            let name = shape.to_string();
            assert_eq!(name.parse(), Ok(shape));
            let places = format!("p{}_{}-", shape.layout().places(), shape.units());
            assert!(name.starts_with(&places), "{name} {places}");
        }
        let error = "p1_2".parse::<NetShape>().unwrap_err().to_string();
        assert!(error.contains("p46_64-16-32"), "{error}");
    }
}
