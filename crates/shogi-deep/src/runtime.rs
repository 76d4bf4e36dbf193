//! A network as it is used: read from its file, evaluated by whatever can.

use std::path::Path;
use std::sync::Arc;

use float_lanes::{LaneLevel, VectorLimit};

use crate::compile::interface;
use crate::general::{GeneralEvaluator, GeneralNetwork};
use crate::{InputFormat, ModelError, NativeNetwork, NetworkModel, PolicyValueEvaluator};

/// A network that was read, from which any number of evaluators are made. Clones share it.
#[derive(Clone)]
pub struct DeepModel {
    runtime: Runtime,
    bytes: u64,
}

/// What evaluates it.
#[derive(Clone)]
enum Runtime {
    /// The kernel of this crate.
    Native(Arc<NetworkModel>),
    /// `rten`.
    General(GeneralNetwork),
}

impl DeepModel {
    /// Reads an ONNX file.
    ///
    /// # Errors
    /// When it is no network in dlshogi's shape: with what was found.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let bytes = std::fs::read(path).map_err(|source| ModelError::Io {
            path: path.to_owned(),
            source,
        })?;
        Self::from_bytes(bytes)
    }

    /// Reads the bytes of an ONNX file.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ModelError> {
        let size = bytes.len() as u64;
        let runtime = match NetworkModel::from_bytes(&bytes) {
            Ok(network) => Runtime::Native(Arc::new(network)),
            Err(native @ (ModelError::Operator { .. } | ModelError::Tensor { .. })) => {
                let (format, batch) = interface(&bytes)?;
                let general = GeneralNetwork::from_bytes(bytes, format, batch);
                Runtime::General(general.map_err(|reason| ModelError::Runtime {
                    native: Box::new(native),
                    runtime: "rten",
                    reason,
                })?)
            }
            Err(error) => return Err(error),
        };
        Ok(Self {
            runtime,
            bytes: size,
        })
    }

    /// An evaluator for one thread, with so many places (at least one).
    pub fn evaluator(&self, batch: usize) -> Box<dyn PolicyValueEvaluator> {
        match &self.runtime {
            Runtime::Native(network) => {
                let network = Arc::clone(network);
                Box::new(NativeNetwork::new(network, batch, VectorLimit::Best))
            }
            Runtime::General(network) => Box::new(GeneralEvaluator::new(network.clone(), batch)),
        }
    }

    /// The planes that it wants.
    pub fn format(&self) -> InputFormat {
        match &self.runtime {
            Runtime::Native(network) => network.format(),
            Runtime::General(network) => network.format(),
        }
    }

    /// Size of its file in bytes.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What evaluates it, and its size, for people.
    pub fn description(&self) -> String {
        let (parameters, runtime) = match &self.runtime {
            Runtime::Native(network) => {
                let level = LaneLevel::within(VectorLimit::Best);
                (network.parameters(), format!("native {level:?}"))
            }
            Runtime::General(network) => (network.parameters(), "rten".to_owned()),
        };
        format!("{:.2} M parameters, {runtime}", parameters as f64 / 1e6)
    }

    /// Returns whether both are the same network, not only equal ones.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.runtime, &other.runtime) {
            (Runtime::Native(one), Runtime::Native(other)) => Arc::ptr_eq(one, other),
            (Runtime::General(one), Runtime::General(other)) => one.is_same(other),
            _ => false,
        }
    }
}

impl std::fmt::Debug for DeepModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DeepModel({})", self.description())
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use shogi_core::{Game, Position};
    use test_support::fixture_bytes;

    use super::*;
    use crate::onnx::{ModelProto, TensorProto};

    /// The small network with another operator in place of `ReLU`, that does the same: the larger of a number and nothing.
    fn with_other_operator(operator: &str, batch: Option<i64>) -> Vec<u8> {
        let bytes = fixture_bytes("deep/mtiny.onnx");
        let mut model = ModelProto::decode(&bytes[..]).unwrap();
        let graph = model.graph.as_mut().unwrap();
        for node in graph.node.iter_mut().filter(|node| node.op_type == "Relu") {
            node.op_type = operator.to_owned();
            node.input.push("nothing".to_owned());
        }
        graph.initializer.push(TensorProto {
            data_type: 1,
            name: "nothing".to_owned(),
            raw_data: 0_f32.to_le_bytes().to_vec(),
            ..TensorProto::default()
        });
        if let Some(size) = batch {
            for info in &mut graph.input {
                let shape = info.kind.as_mut().and_then(|kind| kind.tensor.as_mut());
                let shape = shape.and_then(|tensor| tensor.shape.as_mut()).unwrap();
                shape.dim[0].size = size;
                shape.dim[0].symbol.clear();
            }
        }
        // The version of the format comes first, and that of its operators last.
        let (ir_version, operators) = ([0x08, 8], [0x42, 2, 0x10, 17]);
        [&ir_version[..], &model.encode_to_vec(), &operators].concat()
    }

    fn positions() -> Vec<Position> {
        let mut game = Game::new(Position::startpos());
        let moves = ["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e"];
        let mut positions = vec![game.position().clone()];
        for m in moves {
            game.play(game.position().move_from_usi(m).unwrap());
            positions.push(game.position().clone());
        }
        positions
    }

    #[test]
    fn graphs_with_other_operators_are_evaluated_too() {
        let native = DeepModel::from_bytes(fixture_bytes("deep/mtiny.onnx")).unwrap();
        assert!(native.description().contains("native"));
        for batch in [None, Some(4)] {
            let other = DeepModel::from_bytes(with_other_operator("Clip", batch)).unwrap();
            assert!(other.description().contains("rten"), "{other:?}");
            assert_eq!(other.format(), native.format());
            assert!(other.is_same(&other.clone()) && !other.is_same(&native));
            let (mut one, mut two) = (native.evaluator(8), other.evaluator(8));
            let positions = positions();
            for (place, position) in positions.iter().enumerate() {
                one.put(place, position);
                two.put(place, position);
            }
            one.evaluate(positions.len());
            two.evaluate(positions.len());
            for place in 0..positions.len() {
                let (one, two) = (one.output(place), two.output(place));
                assert!((one.value - two.value).abs() < 1e-5);
                let pairs = one.logits.iter().zip(two.logits.iter());
                let most = pairs
                    .map(|(one, two)| (one - two).abs())
                    .fold(0.0, f32::max);
                assert!(most < 1e-4, "{most}");
            }
        }
    }

    #[test]
    fn unknown_operators_are_named() {
        let error = DeepModel::from_bytes(with_other_operator("Nonsense", None));
        let text = error.unwrap_err().to_string();
        assert!(
            text.contains("operator Nonsense") && text.contains("rten: "),
            "{text}"
        );
    }
}
