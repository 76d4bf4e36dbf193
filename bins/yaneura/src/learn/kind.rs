//! The kind of evaluation that is trained, and the options that mean something for it.

use std::fmt;
use std::str::FromStr;

use clap::ArgMatches;
use clap::parser::ValueSource;
use shogi_eval::kppt::{KpptLayout, KpptTable};
use shogi_eval::nnue::arch::Architecture;

/// The kind of evaluation that is trained, by the name that `--arch` has for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum EvaluationKind {
    /// A network.
    Network(Architecture),
    /// Three-piece tables.
    Tables(KpptLayout),
}

impl FromStr for EvaluationKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "kppt" => Ok(Self::Tables(KpptLayout::Kppt)),
            "kpp_kkpt" => Ok(Self::Tables(KpptLayout::KppKkpt)),
            name => match KpptLayout::from_name(name) {
                Some(layout) => Ok(Self::Tables(layout)),
                None => name
                    .parse()
                    .map(Self::Network)
                    .map_err(|error| format!("{error}")),
            },
        }
    }
}

impl fmt::Display for EvaluationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(architecture) => architecture.fmt(f),
            Self::Tables(layout) => f.write_str(layout.name()),
        }
    }
}

/// Options about the steps of networks alone.
const OF_NETWORKS: [&str; 7] = [
    "warm_up",
    "schedule",
    "optimiser",
    "weight_decay",
    "momentum",
    "no_factors",
    "mirror",
];

impl EvaluationKind {
    /// Checks that no option was given that means nothing for this kind.
    pub(super) fn check(self, matches: &ArgMatches) -> Result<(), String> {
        let (name, foreign): (_, &[&str]) = match self {
            Self::Network(_) => ("networks", &["freeze"]),
            Self::Tables(_) => ("three-piece tables", &OF_NETWORKS),
        };
        let is_given = |id: &&&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        match foreign.iter().find(is_given) {
            None => Ok(()),
            Some(id) => Err(format!(
                "--{} means nothing for {name} (--arch)",
                id.replace('_', "-")
            )),
        }
    }

    /// The learning rate without `--lr`.
    pub(super) const fn default_rate(self) -> f64 {
        match self {
            Self::Network(_) => 1e-3,
            Self::Tables(_) => 30.0,
        }
    }
}

/// A table of a three-piece evaluation, by its name.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum TableName {
    /// Both kings
    Kk,
    /// Both kings and a piece
    Kkp,
    /// A king and two pieces
    Kpp,
}

impl From<TableName> for KpptTable {
    fn from(name: TableName) -> Self {
        match name {
            TableName::Kk => Self::Kk,
            TableName::Kkp => Self::Kkp,
            TableName::Kpp => Self::Kpp,
        }
    }
}
