//! A loaded evaluation, and the evaluator of any kind that it makes.

use std::sync::Arc;

use shogi_core::{Delta, Position};

use crate::kppt::{FileTables, KpptEvaluator};
use crate::nnue::file::Note;
use crate::nnue::file::{FileError, NetworkReadOptions};
use crate::nnue::own_scale::OwnScale;
#[cfg(test)]
use crate::nnue::own_scale::stated;
use crate::nnue::shared::Sharing;
use crate::nnue::{FvScale, Network, NnueEvaluator, PreparedNetwork};
use crate::{
    Evaluator, LevelEvaluator, MaterialEvaluator, MaterialLevel, PositionalEvaluator,
    PositionalTable,
};

/// An evaluation that is ready for use. Clones share its data.
#[derive(Clone, Debug)]
pub struct Evaluation(Data);

#[derive(Clone, Debug)]
enum Data {
    Material(MaterialLevel),
    /// `None`: with the built-in numbers.
    Positional(Option<Arc<PositionalTable>>),
    Tables(Arc<FileTables>),
    Network(Arc<PreparedNetwork>),
}

impl Evaluation {
    /// The value of the pieces; from the second level on with attacks and kings.
    pub const fn material(level: MaterialLevel) -> Self {
        Self(Data::Material(level))
    }

    /// The positional evaluation, which needs no data.
    pub const fn positional() -> Self {
        Self(Data::Positional(None))
    }

    /// The positional evaluation with these numbers.
    pub(crate) fn positional_with(table: PositionalTable) -> Self {
        Self(Data::Positional(Some(Arc::new(table))))
    }

    /// The network that was embedded when the library was built, else the positional evaluation.
    ///
    /// # Errors
    /// When what was embedded is no network.
    pub fn embedded() -> Result<OpenedEvaluation, FileError> {
        let Some(bytes) = NETWORK else {
            return Ok(OpenedEvaluation {
                evaluation: Self::positional(),
                bytes: 0,
                notes: Vec::new(),
                sharing: None,
            });
        };
        let loaded = Network::from_bytes(bytes, &NetworkReadOptions::default())?;
        Ok(OpenedEvaluation {
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
            Data::Positional(_) => "positional".to_owned(),
            Data::Tables(tables) => tables.layout().name().to_owned(),
            Data::Network(network) => network.architecture().to_string(),
        }
    }

    /// The divisor of a network's output unless the user says otherwise; `None` for everything
    /// that is not a network.
    pub fn own_scale(&self) -> Option<OwnScale> {
        match &self.0 {
            Data::Network(network) => Some(OwnScale::of(network)),
            _ => None,
        }
    }

    /// Returns whether this is the same data as `other`: loaded once, not only equal.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Data::Material(a), Data::Material(b)) => a == b,
            (Data::Positional(None), Data::Positional(None)) => true,
            (Data::Positional(Some(a)), Data::Positional(Some(b))) => Arc::ptr_eq(a, b),
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
            Data::Positional(None) => AnyEvaluator::Positional(PositionalEvaluator::new()),
            Data::Positional(Some(table)) => {
                AnyEvaluator::Positional(PositionalEvaluator::with_table(Arc::clone(table)))
            }
            Data::Tables(tables) => AnyEvaluator::Tables(KpptEvaluator::new(Arc::clone(tables))),
            Data::Network(network) => AnyEvaluator::Network(NnueEvaluator::new(
                Arc::clone(network),
                scale.unwrap_or(OwnScale::of(network).scale),
            )),
        }
    }
}

/// One of the evaluators. Made by [`Evaluation::evaluator`].
///
/// An enum and not a trait object, so that a search compiled for it has the small evaluations in line.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one for each thread, and it stays where it is"
)]
pub enum AnyEvaluator {
    /// Material.
    Material(MaterialEvaluator),
    /// Material with attacks: the levels 2 to 9.
    Level(LevelEvaluator),
    /// The positional evaluation.
    Positional(PositionalEvaluator),
    /// Three-piece tables.
    Tables(KpptEvaluator<FileTables>),
    /// A neural network.
    Network(NnueEvaluator),
}

/// Calls the same method of whatever evaluator it is.
macro_rules! each {
    ($any:expr, $evaluator:ident => $call:expr) => {
        match $any {
            AnyEvaluator::Material($evaluator) => $call,
            AnyEvaluator::Level($evaluator) => $call,
            AnyEvaluator::Positional($evaluator) => $call,
            AnyEvaluator::Tables($evaluator) => $call,
            AnyEvaluator::Network($evaluator) => $call,
        }
    };
}

impl Evaluator for AnyEvaluator {
    fn reset(&mut self, position: &Position) {
        each!(self, evaluator => evaluator.reset(position));
    }

    #[inline]
    fn push(&mut self, delta: Option<&Delta>) {
        each!(self, evaluator => evaluator.push(delta));
    }

    #[inline]
    fn pop(&mut self) {
        each!(self, evaluator => evaluator.pop());
    }

    #[inline]
    fn evaluate(&mut self, position: &Position) -> i32 {
        each!(self, evaluator => evaluator.evaluate(position))
    }
}

/// The bytes of its file.
const NETWORK: Option<&[u8]> = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The file of the network that was embedded when the library was built, if any.
pub const fn embedded_network() -> Option<&'static [u8]> {
    NETWORK
}

/// An evaluation with what there is to tell about its files.
#[derive(Debug)]
pub struct OpenedEvaluation {
    /// The evaluation.
    pub evaluation: Evaluation,
    /// Size of its files in bytes; 0 when it needs none.
    pub bytes: u64,
    /// Oddities of a network's file.
    pub notes: Vec<Note>,
    /// The way a network came into memory, when it should be shared.
    pub sharing: Option<Sharing>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_files() {
        for (text, expected) in [
            ("Features=X,fv_scale=28", Some(28)),
            ("FV_SCALE=14,qa=127", Some(14)),
            ("fv_scale=0", None),
            ("fv_scale=129", None),
            ("fv_scale=99999999999999999999", None),
            ("fv_scale=", None),
            ("fv_scale=-3", None),
            ("", None),
            ("fv_scal", None),
        ] {
            let found = stated(text.as_bytes()).map(FvScale::get);
            assert_eq!(found, expected, "{text}");
        }
    }
}
