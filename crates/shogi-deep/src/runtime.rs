//! A network as it is used: read from its file, evaluated by whatever can.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use yane_base::lanes::{LaneLevel, VectorLimit};
use yane_io::secret::Secret;

use crate::backend::{DeepBackend, DeepRuntime};
use crate::compile::interface;
#[cfg(feature = "ort")]
use crate::onnx_runtime::OnnxRuntimeNetwork;
use crate::remote::client::{LocalNetwork, RemoteModel};
use crate::remote::evaluator::RemoteEvaluator;
use crate::remote::protocol::{ModelFingerprint, ServerHello};
use crate::rten_network::RtenNetwork;
use crate::tensors::{TensorEvaluator, TensorForm};
use crate::{
    BatchEvaluator, EvaluationQueue, InputFormat, ModelError, NativeNetwork, NetworkModel,
    PolicyValueEvaluator, QueueSettings, RuntimeError,
};

/// How long an evaluator on a graphics card waits for more positions when there were more lately: far less than a batch takes.
#[cfg(feature = "ort")]
const CARD_PATIENCE: Duration = Duration::from_micros(500);
/// Evaluators for each graphics card: one prepares a batch while the other waits for the card.
#[cfg(feature = "ort")]
const THREADS_OF_CARD: usize = 2;

/// A network that was read, from which any number of evaluators are made. Clones share it.
#[derive(Clone)]
pub struct DeepModel {
    runtime: Runtime,
    bytes: u64,
    fingerprint: ModelFingerprint,
    /// What all evaluators share, if they do.
    queue: Option<Arc<EvaluationQueue>>,
}

/// What evaluates it.
#[derive(Clone)]
enum Runtime {
    /// The kernel of this crate.
    Native(Arc<NetworkModel>),
    /// `rten`.
    Rten(RtenNetwork, TensorForm),
    /// ONNX Runtime.
    #[cfg(feature = "ort")]
    Onnx(OnnxRuntimeNetwork, TensorForm, DeepBackend),
    /// A server.
    Remote(Arc<RemoteModel>),
}

impl DeepModel {
    /// Reads an ONNX file, to be evaluated by `runtime`.
    ///
    /// # Errors
    /// When it is no network in dlshogi's shape: with what was found. [`ModelError::Backend`] when the runtime is not there or refuses it, or a
    /// server has another network. For a server there need be no file.
    pub fn open(path: &Path, runtime: &DeepRuntime) -> Result<Self, ModelError> {
        if runtime.backend == DeepBackend::Remote && !path.is_file() {
            return Self::on_server(None, runtime);
        }
        let bytes = std::fs::read(path).map_err(|reason| ModelError::Io {
            path: path.to_owned(),
            reason,
        })?;
        Self::open_bytes(bytes, runtime)
    }

    /// [`Self::open`] with the bytes of a file.
    ///
    /// # Errors
    /// As with a file.
    pub fn open_bytes(bytes: Vec<u8>, runtime: &DeepRuntime) -> Result<Self, ModelError> {
        let mut model = match runtime.backend {
            DeepBackend::Native => Self::from_bytes(bytes),
            DeepBackend::Remote => Self::on_server(Some(Self::from_bytes(bytes)?), runtime),
            _ => Self::in_onnx_runtime(&bytes, runtime),
        }?;
        if runtime.queue.is_on(runtime.backend) {
            let queue = model.start_queue(None, runtime.queue_batch);
            let failed = |error: std::io::Error| ModelError::Backend {
                name: runtime.backend.name(),
                reason: Box::new(RuntimeError::Thread(error)),
            };
            model.queue = Some(Arc::new(queue.map_err(failed)?));
        }
        Ok(model)
    }

    /// A network on a server, the same as `local` if that is given.
    fn on_server(local: Option<Self>, runtime: &DeepRuntime) -> Result<Self, ModelError> {
        let bytes = local.as_ref().map_or(0, Self::bytes);
        let local = local.map(|model| LocalNetwork {
            format: model.format(),
            fingerprint: model.fingerprint,
            description: model.description(),
            evaluator: Box::new(move |places| model.evaluator(places, 0)),
        });
        let (server, timeout) = (&runtime.server, runtime.server_timeout);
        let connected = if server.is_empty() {
            Err(RuntimeError::NoServer)
        } else {
            let secret = match &runtime.secret_file {
                Some(path) => Secret::read(path).map(Some),
                None => Secret::from_environment(),
            };
            let secret = secret.map_err(RuntimeError::from);
            secret.and_then(|secret| RemoteModel::connect(server, timeout, secret.as_ref(), local))
        };
        let remote = connected.map_err(|reason| ModelError::Backend {
            name: DeepBackend::Remote.name(),
            reason: Box::new(reason),
        })?;
        Ok(Self {
            fingerprint: remote.fingerprint(),
            runtime: Runtime::Remote(Arc::new(remote)),
            bytes,
            queue: None,
        })
    }

    /// What a server says of this network, to which `name` is added.
    pub fn hello(&self, name: &str) -> ServerHello {
        ServerHello {
            format: self.format(),
            fingerprint: self.fingerprint,
            name: format!("{name}, {}", self.description()),
        }
    }

    /// Takes what has happened to the connection to a server since the last time, as lines for people.
    pub fn take_notices(&self) -> Vec<String> {
        match &self.runtime {
            Runtime::Remote(remote) => remote.take_notices(),
            _ => Vec::new(),
        }
    }

    /// A queue with evaluators of its own, for batches of up to `largest` positions: `threads` for each device, by default as many as suit.
    ///
    /// # Errors
    /// When the system gives no thread, or the network is on a server.
    pub fn start_queue(
        &self,
        threads: Option<usize>,
        largest: usize,
    ) -> std::io::Result<EvaluationQueue> {
        let (devices, usual, patience) = match &self.runtime {
            Runtime::Native(_) | Runtime::Rten(..) => {
                let cores = std::thread::available_parallelism();
                (1, cores.map_or(1, std::num::NonZero::get), Duration::ZERO)
            }
            #[cfg(feature = "ort")]
            Runtime::Onnx(network, ..) => (network.devices(), THREADS_OF_CARD, CARD_PATIENCE),
            Runtime::Remote(_) => {
                let text = "a network on a server is evaluated there";
                return Err(std::io::Error::new(ErrorKind::Unsupported, text));
            }
        };
        let threads = threads.unwrap_or(usual).max(1);
        let devices = (0..devices).flat_map(|device| std::iter::repeat_n(device, threads));
        let evaluators = devices.filter_map(|device| self.batch_evaluator(device));
        let settings = QueueSettings {
            largest: largest.max(1),
            patience,
        };
        EvaluationQueue::new(evaluators.collect(), settings)
    }

    /// The queue that its evaluators share, if they do.
    pub const fn queue(&self) -> Option<&Arc<EvaluationQueue>> {
        self.queue.as_ref()
    }

    /// An evaluator of planes, on the device with this place in [`DeepRuntime::devices`]; `None` for a network on a server.
    fn batch_evaluator(&self, device: usize) -> Option<Box<dyn BatchEvaluator>> {
        let _ = device;
        Some(match &self.runtime {
            Runtime::Native(network) => {
                let network = Arc::clone(network);
                Box::new(NativeNetwork::new(network, 1, VectorLimit::Best))
            }
            Runtime::Rten(network, form) => {
                Box::new(TensorEvaluator::new(network.clone(), *form, 1))
            }
            #[cfg(feature = "ort")]
            Runtime::Onnx(network, form, _) => {
                Box::new(TensorEvaluator::new(network.on_device(device), *form, 1))
            }
            Runtime::Remote(_) => return None,
        })
    }

    #[cfg(feature = "ort")]
    fn in_onnx_runtime(bytes: &[u8], runtime: &DeepRuntime) -> Result<Self, ModelError> {
        let (format, batch) = interface(bytes)?;
        let form = TensorForm { format, batch };
        let opened = OnnxRuntimeNetwork::open(bytes, format, runtime).and_then(|network| {
            let form = form.checked(network.on_device(0))?;
            Ok(Runtime::Onnx(network, form, runtime.backend))
        });
        let opened = opened.map_err(|reason| ModelError::Backend {
            name: runtime.backend.name(),
            reason: Box::new(reason),
        });
        Ok(Self {
            runtime: opened?,
            bytes: bytes.len() as u64,
            fingerprint: ModelFingerprint::of(bytes),
            queue: None,
        })
    }

    #[cfg(not(feature = "ort"))]
    fn in_onnx_runtime(bytes: &[u8], runtime: &DeepRuntime) -> Result<Self, ModelError> {
        interface(bytes)?;
        Err(ModelError::Backend {
            name: runtime.backend.name(),
            reason: Box::new(RuntimeError::NotBuilt),
        })
    }

    /// Reads the bytes of an ONNX file, to be evaluated by this program.
    ///
    /// # Errors
    /// When it is no network in dlshogi's shape: with what was found.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ModelError> {
        let size = bytes.len() as u64;
        let fingerprint = ModelFingerprint::of(&bytes);
        let runtime = match NetworkModel::from_bytes(&bytes) {
            Ok(network) => Runtime::Native(Arc::new(network)),
            Err(native @ (ModelError::Operator { .. } | ModelError::Tensor { .. })) => {
                let (format, batch) = interface(&bytes)?;
                let form = TensorForm { format, batch };
                let read = RtenNetwork::from_bytes(bytes, format).and_then(|network| {
                    let form = form.checked(network.clone())?;
                    Ok(Runtime::Rten(network, form))
                });
                read.map_err(|reason| ModelError::Runtime {
                    native: Box::new(native),
                    runtime: "rten",
                    reason: Box::new(reason),
                })?
            }
            Err(error) => return Err(error),
        };
        Ok(Self {
            runtime,
            bytes: size,
            fingerprint,
            queue: None,
        })
    }

    /// An evaluator for one thread, with so many places (at least one), on the device with this place in [`DeepRuntime::devices`].
    /// With a queue all evaluators share the devices.
    pub fn evaluator(&self, batch: usize, device: usize) -> Box<dyn PolicyValueEvaluator> {
        let _ = device;
        if let Some(queue) = &self.queue {
            return Box::new(queue.evaluator(batch));
        }
        match &self.runtime {
            Runtime::Native(network) => {
                let network = Arc::clone(network);
                Box::new(NativeNetwork::new(network, batch, VectorLimit::Best))
            }
            Runtime::Rten(network, form) => {
                Box::new(TensorEvaluator::new(network.clone(), *form, batch))
            }
            #[cfg(feature = "ort")]
            Runtime::Onnx(network, form, _) => Box::new(TensorEvaluator::new(
                network.on_device(device),
                *form,
                batch,
            )),
            Runtime::Remote(remote) => Box::new(RemoteEvaluator::new(Arc::clone(remote), batch)),
        }
    }

    /// The planes that it wants.
    pub fn format(&self) -> InputFormat {
        match &self.runtime {
            Runtime::Native(network) => network.format(),
            Runtime::Rten(_, form) => form.format,
            #[cfg(feature = "ort")]
            Runtime::Onnx(_, form, _) => form.format,
            Runtime::Remote(remote) => remote.format(),
        }
    }

    /// Size of its file in bytes; 0 where there is none.
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
            Runtime::Rten(network, _) => (network.parameters(), "rten".to_owned()),
            #[cfg(feature = "ort")]
            Runtime::Onnx(_, _, backend) => return format!("ONNX Runtime, {}", backend.name()),
            Runtime::Remote(remote) => {
                let place = format!("server {}", remote.address());
                let here = remote
                    .local()
                    .map(|local| format!(", else {}", local.description));
                return place + &here.unwrap_or_default();
            }
        };
        format!("{:.2} M parameters, {runtime}", parameters as f64 / 1e6)
    }

    /// Returns whether both are the same network, not only equal ones.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.runtime, &other.runtime) {
            (Runtime::Native(one), Runtime::Native(other)) => Arc::ptr_eq(one, other),
            (Runtime::Rten(one, _), Runtime::Rten(other, _)) => one.is_same(other),
            #[cfg(feature = "ort")]
            (Runtime::Onnx(one, ..), Runtime::Onnx(other, ..)) => one.is_same(other),
            (Runtime::Remote(one), Runtime::Remote(other)) => Arc::ptr_eq(one, other),
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
    use std::path::PathBuf;

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
        model.encode_to_vec()
    }

    fn positions() -> Vec<Position> {
        let mut game = Game::new(Position::startpos());
        let moves = ["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e"];
        let mut positions = vec![game.position().clone()];
        for m in moves {
            game.play_unchecked(game.position().move_from_usi(m).unwrap());
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
            compare(native.evaluator(8, 0), other.evaluator(8, 0));
        }
    }

    /// Both evaluate positions the same.
    fn compare(mut one: Box<dyn PolicyValueEvaluator>, mut two: Box<dyn PolicyValueEvaluator>) {
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

    /// With the feature `ort`, and the library's path in `ORT_DYLIB_PATH`, that is tried too.
    #[test]
    fn onnx_runtime_is_used_where_it_is() {
        let path = test_support::fixture("deep/mtiny.onnx");
        let open = |backend, library: Option<&str>| {
            let runtime = DeepRuntime {
                backend,
                library: library.map(PathBuf::from),
                ..DeepRuntime::default()
            };
            DeepModel::open(&path, &runtime)
        };
        let native = open(DeepBackend::Native, None).unwrap();
        if cfg!(feature = "ort") && std::env::var_os("ORT_DYLIB_PATH").is_some() {
            let other = open(DeepBackend::OnnxRuntime, None).unwrap();
            assert_eq!(other.format(), native.format());
            compare(native.evaluator(8, 0), other.evaluator(8, 0));
            // A provider that the library does not have.
            let text = open(DeepBackend::CoreMl, None).unwrap_err().to_string();
            assert!(text.starts_with("coreml: "), "{text}");
        } else {
            let missing = open(DeepBackend::Cuda, Some("/nowhere/libonnxruntime.so"));
            let text = missing.unwrap_err().to_string();
            let reason = if cfg!(feature = "ort") {
                "/nowhere/libonnxruntime.so"
            } else {
                "built without ONNX Runtime"
            };
            assert!(
                text.starts_with("cuda: ") && text.contains(reason),
                "{text}"
            );
            eprintln!("skipped: ORT_DYLIB_PATH and the feature ort are needed");
        }
    }

    #[test]
    fn unknown_operators_are_named() {
        let error = DeepModel::from_bytes(with_other_operator("Nonsense", None));
        let text = error.unwrap_err().to_string();
        assert!(text.contains("operator Nonsense"), "{text}");
        // Where little follows on it, the other evaluator says so.
        let mut model = ModelProto::decode(&fixture_bytes("deep/mtiny.onnx")[..]).unwrap();
        let nodes = model.graph.as_mut().unwrap().node.iter_mut();
        let last = nodes.rev().find(|node| node.op_type == "Relu").unwrap();
        last.op_type = "Nonsense".to_owned();
        let error = DeepModel::from_bytes(model.encode_to_vec());
        let text = error.unwrap_err().to_string();
        assert!(
            text.contains("operator Nonsense") && text.contains("rten: "),
            "{text}"
        );
    }
}
