//! The kind of evaluation that is trained, and the options that mean something for it.

use std::fmt;
use std::str::FromStr;

use clap::ArgMatches;
use clap::parser::ValueSource;
use shogi_eval::kppt::{KpptLayout, KpptTable};
use shogi_eval::nnue::arch::Architecture;
use shogi_learn::DeepShape;

/// The kind of evaluation that is trained, by the name that `--arch` has for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum EvaluationKind {
    /// A network.
    Network(Architecture),
    /// Three-piece tables.
    Tables(KpptLayout),
    /// The numbers of the positional evaluation.
    Positional,
    /// A policy and value network.
    Deep(DeepShape),
}

impl FromStr for EvaluationKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "kppt" => Ok(Self::Tables(KpptLayout::Kppt)),
            "kpp_kkpt" => Ok(Self::Tables(KpptLayout::KppKkpt)),
            "positional" => Ok(Self::Positional),
            name if name.starts_with("resnet") => {
                let shape = name.parse::<DeepShape>();
                shape.map(Self::Deep).map_err(|error| error.to_string())
            }
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
            Self::Positional => f.write_str("positional"),
            Self::Deep(shape) => shape.fmt(f),
        }
    }
}

/// Options about the course of a learning rate, which is always the same for tables.
const OF_RATES: [&str; 2] = ["warm_up", "schedule"];

/// Options about the steps of networks that evaluate alone.
const OF_NETWORKS: [&str; 3] = ["optimiser", "no_factors", "ema"];

/// Options about the steps of all networks.
const OF_ALL_NETWORKS: [&str; 4] = ["weight_decay", "momentum", "mirror", "clip"];

/// Options about the loss of values, which are no winning rates.
const OF_VALUES: [&str; 3] = ["scale_out", "offset_out", "loss"];

/// Options of policy and value networks.
const OF_DEEP: [&str; 3] = ["average", "half", "fold"];

impl EvaluationKind {
    /// Checks that no option was given that means nothing for this kind.
    pub(super) fn check(self, matches: &ArgMatches) -> Result<(), String> {
        let (name, foreign) = match self {
            Self::Network(_) => ("networks", [&["freeze"][..], &OF_DEEP].concat()),
            Self::Tables(_) => (
                "three-piece tables",
                [&OF_RATES[..], &OF_NETWORKS, &OF_ALL_NETWORKS, &OF_DEEP].concat(),
            ),
            Self::Positional => (
                "the positional evaluation",
                [&OF_NETWORKS[..], &OF_ALL_NETWORKS, &OF_DEEP].concat(),
            ),
            Self::Deep(_) => (
                "policy and value networks",
                [&OF_NETWORKS[..], &OF_VALUES, &["freeze", "qsearch"]].concat(),
            ),
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
            Self::Positional => 0.3,
            Self::Deep(_) => 0.02,
        }
    }
}

/// The table of a three-piece evaluation with this name.
pub(super) fn table(name: &str) -> Result<KpptTable, String> {
    match name {
        "kk" => Ok(KpptTable::Kk),
        "kkp" => Ok(KpptTable::Kkp),
        "kpp" => Ok(KpptTable::Kpp),
        other => Err(format!(
            "--freeze takes kk, kkp and kpp for tables, found {other}"
        )),
    }
}
