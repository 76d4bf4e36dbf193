//! The kinds of evaluations that grow, and what is different about each: the programs and their options.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvolveKind {
    /// Networks of the alpha-beta engine of shogi.
    Nnue,
    /// Policy and value networks of the deep engine of shogi.
    Deep,
    /// Evaluations of othello.
    Othello,
}

impl EvolveKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Nnue, Self::Deep, Self::Othello];

    /// Its name in settings: `nnue`, `deep`, `othello`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nnue => "nnue",
            Self::Deep => "deep",
            Self::Othello => "othello",
        }
    }

    /// The kind of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The default settings as a file with comments (JSON5).
    pub const fn default_text(self) -> &'static str {
        match self {
            Self::Nnue => include_str!("settings/nnue.json5"),
            Self::Deep => include_str!("settings/deep.json5"),
            Self::Othello => include_str!("settings/othello.json5"),
        }
    }

    /// The name of an evaluation's file, by which engines find it in its folder.
    pub(crate) const fn network_file(self) -> &'static str {
        match self {
            Self::Nnue => "nn.bin",
            Self::Deep => "model.onnx",
            Self::Othello => "weights.yev",
        }
    }

    /// The name of the file of a generation's games.
    pub(crate) const fn games_file(self) -> &'static str {
        match self {
            Self::Nnue => "games.pack",
            Self::Deep => "games.hcpe3",
            Self::Othello => "games.olp",
        }
    }

    /// Positions that a game usually has, until there are games to count.
    pub(crate) const fn usual_positions(self) -> f64 {
        match self {
            Self::Nnue => 75.0,
            Self::Deep => 90.0,
            Self::Othello => 45.0,
        }
    }

    /// True for shogi.
    pub(crate) const fn is_shogi(self) -> bool {
        matches!(self, Self::Nnue | Self::Deep)
    }
}

impl fmt::Display for EvolveKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
