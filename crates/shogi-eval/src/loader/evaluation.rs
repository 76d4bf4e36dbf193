//! A loaded evaluation.

use std::sync::Arc;

use super::embedded::NETWORK;
use super::{AnyEvaluator, Opened, OwnScale};
use crate::kppt::{FileTables, KpptEvaluator};
use crate::nnue::file::{FileError, ReadOptions};
use crate::nnue::{FvScale, Network, NnueEvaluator, PreparedNetwork};
use crate::{LevelEvaluator, MaterialEvaluator, MaterialLevel, PositionalEvaluator};

/// An evaluation that is ready for use. Clones share its data.
#[derive(Clone, Debug)]
pub struct Evaluation(Data);

#[derive(Clone, Debug)]
enum Data {
    Material(MaterialLevel),
    Positional,
    Tables(Arc<FileTables>),
    Network(Arc<PreparedNetwork>),
}

impl Evaluation {
    /// What the pieces are worth; from the second level on with what there is besides.
    pub const fn material(level: MaterialLevel) -> Self {
        Self(Data::Material(level))
    }

    /// The positional evaluation, which needs no data.
    pub const fn positional() -> Self {
        Self(Data::Positional)
    }

    /// The network that was embedded when the library was built, else the positional evaluation.
    ///
    /// # Errors
    /// When what was embedded is no network.
    pub fn embedded() -> Result<Opened, FileError> {
        let Some(bytes) = NETWORK else {
            return Ok(Opened {
                evaluation: Self::positional(),
                bytes: 0,
                notes: Vec::new(),
                sharing: None,
            });
        };
        let loaded = Network::from_bytes(bytes, &ReadOptions::default())?;
        Ok(Opened {
            evaluation: Self::network(Arc::new(PreparedNetwork::new(loaded.network))),
            bytes: bytes.len() as u64,
            notes: loaded.notes,
            sharing: None,
        })
    }

    /// Three-piece tables.
    pub fn tables(tables: FileTables) -> Self {
        Self(Data::Tables(Arc::new(tables)))
    }

    /// A network.
    pub const fn network(network: Arc<PreparedNetwork>) -> Self {
        Self(Data::Network(network))
    }

    /// `material` (`material2` to `material9` for the other levels), `positional`, the kind of tables
    /// (`kppt32`, `kpp_kkpt32`) or the architecture of a network (`halfkp_256x2-32-32`).
    pub fn name(&self) -> String {
        match &self.0 {
            Data::Material(MaterialLevel::FIRST) => "material".to_owned(),
            Data::Material(level) => format!("material{}", level.get()),
            Data::Positional => "positional".to_owned(),
            Data::Tables(tables) => tables.layout().name().to_owned(),
            Data::Network(network) => network.architecture().to_string(),
        }
    }

    /// What a network's output is divided by unless the user says otherwise; `None` for everything
    /// that is not a network.
    pub fn own_scale(&self) -> Option<OwnScale> {
        match &self.0 {
            Data::Network(network) => Some(OwnScale::of(network)),
            _ => None,
        }
    }

    /// Whether this is the same data as `other`: loaded once, not only equal.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Data::Material(a), Data::Material(b)) => a == b,
            (Data::Positional, Data::Positional) => true,
            (Data::Tables(a), Data::Tables(b)) => Arc::ptr_eq(a, b),
            (Data::Network(a), Data::Network(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// An evaluator for one thread. The output of a network is divided by `scale`, by the network's own
    /// ([`Self::own_scale`]) without one; other evaluations take no notice of it.
    pub fn evaluator(&self, scale: Option<FvScale>) -> AnyEvaluator {
        match &self.0 {
            Data::Material(MaterialLevel::FIRST) => {
                AnyEvaluator::Material(MaterialEvaluator::new())
            }
            Data::Material(level) => AnyEvaluator::Level(LevelEvaluator::new(*level)),
            Data::Positional => AnyEvaluator::Positional(PositionalEvaluator::new()),
            Data::Tables(tables) => AnyEvaluator::Tables(KpptEvaluator::new(Arc::clone(tables))),
            Data::Network(network) => AnyEvaluator::Network(NnueEvaluator::new(
                Arc::clone(network),
                scale.unwrap_or(OwnScale::of(network).scale),
            )),
        }
    }
}
