//! A network as it is used: read from its file, evaluated by whatever can.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use yane_base::lanes::{LaneLevel, VectorLimit};
use yane_io::secret::Secret;

use crate::backend::{DeepBackend, DeepRuntime, Precision};
#[cfg(feature = "ort")]
use crate::batch::{NoEvaluator, PlacedEvaluator};
use crate::cache::CachedEvaluator;
use crate::compile::interface;
use crate::graph::with_numbers;
use crate::onnx::{FLOAT, FLOAT16};
#[cfg(feature = "ort")]
use crate::onnx_runtime::OnnxRuntimeNetwork;
use crate::remote::client::{LocalNetwork, RemoteModel};
use crate::remote::evaluator::RemoteEvaluator;
use crate::remote::protocol::{ModelFingerprint, ServerHello};
use crate::rten_network::RtenNetwork;
use crate::tensors::{TensorEvaluator, TensorForm};
use crate::{
    BatchEvaluator, CacheCounts, EvaluationCache, EvaluationQueue, InputFormat, ModelError,
    NativeNetwork, NetworkModel, PolicyValueEvaluator, QueueSettings, RuntimeError,
};

/// How long an evaluator on a graphics card waits for more positions when there were more lately: far less than a batch takes.
#[cfg(feature = "ort")]
const CARD_PATIENCE: Duration = Duration::from_micros(500);

/// A network that was read, from which any number of evaluators are made. Clones share it.
#[derive(Clone)]
pub struct DeepModel {
    runtime: Runtime,
    bytes: u64,
    fingerprint: ModelFingerprint,
    /// What all evaluators share, if they do.
    queue: Option<Arc<EvaluationQueue>>,
    cache: Option<Arc<EvaluationCache>>,
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
    Onnx(OnnxRuntimeNetwork, InputFormat),
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
        Self::open_with(bytes, runtime, path.parent())
    }

    /// [`Self::open`] with the bytes of a file.
    ///
    /// # Errors
    /// As with a file.
    pub fn open_bytes(bytes: Vec<u8>, runtime: &DeepRuntime) -> Result<Self, ModelError> {
        Self::open_with(bytes, runtime, None)
    }

    /// [`Self::open_bytes`]; what a runtime makes of the network is kept in `folder`, if it keeps something.
    fn open_with(
        bytes: Vec<u8>,
        runtime: &DeepRuntime,
        folder: Option<&Path>,
    ) -> Result<Self, ModelError> {
        let mut model = match runtime.backend {
            DeepBackend::Native => Self::from_bytes(bytes),
            DeepBackend::Remote => Self::on_server(Some(Self::from_bytes(bytes)?), runtime),
            _ => Self::in_onnx_runtime(&bytes, runtime, folder),
        }?;
        if runtime.precision == Precision::Narrow
            && let Runtime::Native(network) = &mut model.runtime
        {
            Arc::make_mut(network).narrow();
        }
        if runtime.queue.is_on(runtime.backend) {
            let queue = model.start_queue(None, runtime.batch);
            let failed = |error: std::io::Error| ModelError::Backend {
                name: runtime.backend.name(),
                reason: Box::new(RuntimeError::Thread(error)),
            };
            model.queue = Some(Arc::new(queue.map_err(failed)?));
        }
        if runtime.cache_mib > 0 {
            model.cache = Some(Arc::new(EvaluationCache::new(runtime.cache_mib << 20)));
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
            cache: None,
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

    /// Takes what has happened to the connection to a server, or to devices, since the last time, as lines for people.
    pub fn take_notices(&self) -> Vec<String> {
        let mut notices = match &self.runtime {
            Runtime::Remote(remote) => remote.take_notices(),
            #[cfg(feature = "ort")]
            Runtime::Onnx(network, _) => network.take_notices(),
            _ => Vec::new(),
        };
        let of_queue = self.queue.as_ref().map(|queue| queue.take_notices());
        notices.extend(of_queue.unwrap_or_default());
        notices
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
            Runtime::Onnx(network, _) => (network.devices(), network.streams(), CARD_PATIENCE),
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

    /// What the cache has done, if there is one.
    pub fn cache_counts(&self) -> Option<CacheCounts> {
        self.cache.as_ref().map(|cache| cache.counts())
    }

    /// Evaluators for each thread of a search with batches of this size: two where one evaluates on another thread while the search goes on.
    pub fn lanes(&self, batch: usize) -> usize {
        let is_asynchronous = self.queue.is_some() && !matches!(self.runtime, Runtime::Native(_));
        if is_asynchronous && batch > 1 { 2 } else { 1 }
    }

    /// Sizes of the batches that ONNX Runtime was given so far, with their numbers, ascending; none with other runtimes.
    pub fn batch_counts(&self) -> Vec<(usize, u64)> {
        match &self.runtime {
            #[cfg(feature = "ort")]
            Runtime::Onnx(network, _) => network.batch_counts(),
            _ => Vec::new(),
        }
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
            Runtime::Onnx(network, _) => match network.evaluator(device) {
                Ok(evaluator) => Box::new(evaluator),
                Err(reason) => Box::new(NoEvaluator(reason.into())),
            },
            Runtime::Remote(_) => return None,
        })
    }

    #[cfg(feature = "ort")]
    fn in_onnx_runtime(
        bytes: &[u8],
        runtime: &DeepRuntime,
        folder: Option<&Path>,
    ) -> Result<Self, ModelError> {
        let interface = interface(bytes)?;
        let fingerprint = ModelFingerprint::of(bytes);
        let engines = folder.map(|folder| (folder.to_owned(), fingerprint.to_string()));
        let opened = OnnxRuntimeNetwork::open(bytes, interface, runtime, engines);
        let network = opened.map_err(|reason| ModelError::Backend {
            name: runtime.backend.name(),
            reason: Box::new(reason),
        })?;
        Ok(Self {
            runtime: Runtime::Onnx(network, interface.format),
            bytes: bytes.len() as u64,
            fingerprint,
            queue: None,
            cache: None,
        })
    }

    #[cfg(not(feature = "ort"))]
    fn in_onnx_runtime(
        bytes: &[u8],
        runtime: &DeepRuntime,
        _: Option<&Path>,
    ) -> Result<Self, ModelError> {
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
                let interface = interface(&bytes)?;
                let format = interface.format;
                let form = TensorForm {
                    format,
                    batch: interface.batch,
                };
                let bytes = if interface.is_single {
                    bytes
                } else {
                    // It has 32-bit numbers alone.
                    with_numbers(&bytes, FLOAT16, FLOAT)?
                };
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
            cache: None,
        })
    }

    /// An evaluator for one thread, with so many places (at least one), on the device with this place in [`DeepRuntime::devices`].
    /// With a queue all evaluators share the devices. What the cache knows is not evaluated again.
    pub fn evaluator(&self, batch: usize, device: usize) -> Box<dyn PolicyValueEvaluator> {
        let evaluator = self.direct_evaluator(batch, device);
        match &self.cache {
            Some(cache) => Box::new(CachedEvaluator::new(evaluator, Arc::clone(cache))),
            None => evaluator,
        }
    }

    /// [`Self::evaluator`] without the cache.
    fn direct_evaluator(&self, batch: usize, device: usize) -> Box<dyn PolicyValueEvaluator> {
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
            Runtime::Onnx(network, _) => match network.evaluator(device) {
                Ok(evaluator) => Box::new(PlacedEvaluator::new(evaluator, batch)),
                Err(reason) => Box::new(PlacedEvaluator::new(NoEvaluator(reason.into()), batch)),
            },
            Runtime::Remote(remote) => Box::new(RemoteEvaluator::new(Arc::clone(remote), batch)),
        }
    }

    /// The planes that it wants.
    pub fn format(&self) -> InputFormat {
        match &self.runtime {
            Runtime::Native(network) => network.format(),
            Runtime::Rten(_, form) => form.format,
            #[cfg(feature = "ort")]
            Runtime::Onnx(_, format) => *format,
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
                let bits = if network.is_narrow() {
                    ", factors of 16 bits"
                } else {
                    ""
                };
                (network.parameters(), format!("native {level:?}{bits}"))
            }
            Runtime::Rten(network, _) => (network.parameters(), "rten".to_owned()),
            #[cfg(feature = "ort")]
            Runtime::Onnx(network, _) => return network.description(),
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
            (Runtime::Onnx(one, _), Runtime::Onnx(other, _)) => one.is_same(other),
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
pub(crate) mod tests {
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
        let bytes = model.encode_to_vec();
        batch.map_or(bytes.clone(), |size| with_batch(&bytes, size))
    }

    /// The model with a batch of a fixed size.
    pub(crate) fn with_batch(bytes: &[u8], size: i64) -> Vec<u8> {
        let mut model = ModelProto::decode(bytes).unwrap();
        let graph = model.graph.as_mut().unwrap();
        for info in &mut graph.input {
            let shape = info.kind.as_mut().and_then(|kind| kind.tensor.as_mut());
            let shape = shape.and_then(|tensor| tensor.shape.as_mut()).unwrap();
            shape.dim[0].size = size;
            shape.dim[0].symbol.clear();
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
    fn compare(one: Box<dyn PolicyValueEvaluator>, two: Box<dyn PolicyValueEvaluator>) {
        compare_within(1e-4, one, two);
    }

    fn compare_within(
        most_allowed: f32,
        mut one: Box<dyn PolicyValueEvaluator>,
        mut two: Box<dyn PolicyValueEvaluator>,
    ) {
        let positions = positions();
        for (place, position) in positions.iter().enumerate() {
            one.put(place, position);
            two.put(place, position);
        }
        one.evaluate(positions.len());
        two.evaluate(positions.len());
        for place in 0..positions.len() {
            let (one, two) = (one.output(place), two.output(place));
            assert!((one.value - two.value).abs() < most_allowed / 10.0);
            let pairs = one.logits.iter().zip(two.logits.iter());
            let most = pairs
                .map(|(one, two)| (one - two).abs())
                .fold(0.0, f32::max);
            assert!(most < most_allowed, "{most}");
        }
    }

    /// Tests with the library are in `onnx_runtime`.
    #[test]
    fn a_library_that_is_not_there_is_told() {
        if std::env::var_os("ORT_DYLIB_PATH").is_some() {
            // A process loads one library.
            eprintln!("skipped: ORT_DYLIB_PATH names a library");
            return;
        }
        let runtime = DeepRuntime {
            backend: DeepBackend::Cuda,
            library: Some("/nowhere/libonnxruntime.so".into()),
            ..DeepRuntime::default()
        };
        let model = DeepModel::open(&test_support::fixture("deep/mtiny.onnx"), &runtime);
        let text = model.unwrap_err().to_string();
        let reason = if cfg!(feature = "ort") {
            "/nowhere/libonnxruntime.so is not found"
        } else {
            "built without ONNX Runtime"
        };
        assert!(
            text.starts_with("cuda: ") && text.contains(reason),
            "{text}"
        );
    }

    #[test]
    fn models_with_sixteen_bits_are_evaluated_by_the_other_evaluator_too() {
        let wide = with_other_operator("Clip", None);
        let half = with_numbers(&wide, FLOAT, FLOAT16).unwrap();
        let [wide, half] = [wide, half].map(|bytes| DeepModel::from_bytes(bytes).unwrap());
        assert!(half.description().contains("rten"), "{half:?}");
        compare_within(1e-2, wide.evaluator(8, 0), half.evaluator(8, 0));
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
