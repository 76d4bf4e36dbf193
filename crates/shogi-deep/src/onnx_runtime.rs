//! Networks evaluated by ONNX Runtime, a library of the system that is loaded when it is asked for: on graphics cards, where its providers are found.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ort::ep::{CUDA, CoreML, DirectML, ExecutionProviderDispatch, TensorRT};
use ort::session::Session;
use ort::value::TensorRef;

use crate::backend::{DeepBackend, DeepRuntime};
use crate::tensors::{TensorNetwork, input_shapes};
use crate::{InputFormat, RuntimeError};

/// The library as systems name it.
const LIBRARY: &str = if cfg!(windows) {
    "onnxruntime.dll"
} else if cfg!(target_os = "macos") {
    "libonnxruntime.dylib"
} else {
    "libonnxruntime.so"
};

/// A network in ONNX Runtime: a session on each device, which the threads of the device take in turn. Clones share the sessions.
#[derive(Clone)]
pub(crate) struct OnnxRuntimeNetwork {
    sessions: Vec<Arc<Mutex<Session>>>,
    format: InputFormat,
}

impl OnnxRuntimeNetwork {
    /// Loads the library, unless it is loaded, and gives it the bytes of an ONNX file.
    ///
    /// # Errors
    /// When the library or the provider is not found, or refuses the network.
    pub(crate) fn open(
        bytes: &[u8],
        format: InputFormat,
        runtime: &DeepRuntime,
    ) -> Result<Self, RuntimeError> {
        load_library(runtime.library.as_deref())?;
        let devices = if runtime.devices.is_empty() {
            &[0]
        } else {
            &runtime.devices[..]
        };
        let session = |&device: &u32| {
            let session = session(bytes, runtime.backend, device)?;
            Ok::<_, RuntimeError>(Arc::new(Mutex::new(session)))
        };
        Ok(Self {
            sessions: devices.iter().map(session).collect::<Result<_, _>>()?,
            format,
        })
    }

    /// The network on a device, by its place in the list of devices.
    pub(crate) fn on_device(&self, number: usize) -> DeviceNetwork {
        DeviceNetwork {
            session: Arc::clone(&self.sessions[number % self.sessions.len()]),
            format: self.format,
        }
    }

    /// Number of devices.
    pub(crate) const fn devices(&self) -> usize {
        self.sessions.len()
    }

    /// Returns whether both have the same sessions.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.sessions[0], &other.sessions[0])
    }
}

/// Why the library cannot be loaded.
type LibraryError = Arc<dyn std::error::Error + Send + Sync>;

/// What came of loading the library. A process loads one, once: after an attempt that failed `ort` must not be used again.
static LOADED: OnceLock<Result<(), LibraryError>> = OnceLock::new();

/// Loads the library that is named, or that `ORT_DYLIB_PATH` names, or the one of the system; beside the program first.
fn load_library(path: Option<&Path>) -> Result<(), RuntimeError> {
    let loaded = LOADED.get_or_init(|| {
        let named = || std::env::var_os("ORT_DYLIB_PATH").map(PathBuf::from);
        let path = path.map(Path::to_owned).or_else(named);
        let path = path.unwrap_or_else(|| LIBRARY.into());
        let environment = ort::init_from(&path);
        let environment = environment.map_err(|error| Arc::new(error) as LibraryError)?;
        environment.commit();
        Ok(())
    });
    match loaded {
        Ok(()) => Ok(()),
        Err(error) => Err(RuntimeError::Library(Arc::clone(error))),
    }
}

fn session(bytes: &[u8], backend: DeepBackend, device: u32) -> Result<Session, RuntimeError> {
    let mut builder = Session::builder().map_err(RuntimeError::refused)?;
    let device = device as i32;
    let provider: Option<ExecutionProviderDispatch> = match backend {
        DeepBackend::Native | DeepBackend::OnnxRuntime | DeepBackend::Remote => None,
        DeepBackend::Cuda => Some(CUDA::default().with_device_id(device).build()),
        DeepBackend::TensorRt => Some(TensorRT::default().with_device_id(device).build()),
        DeepBackend::DirectMl => Some(DirectML::default().with_device_id(device).build()),
        DeepBackend::CoreMl => Some(CoreML::default().build()),
    };
    if let Some(provider) = provider {
        builder = builder
            .with_execution_providers([provider.error_on_failure()])
            .map_err(|error| RuntimeError::refused(error.to_string()))?;
    }
    builder
        .commit_from_memory(bytes)
        .map_err(RuntimeError::refused)
}

/// A network on one device.
#[derive(Clone)]
pub(crate) struct DeviceNetwork {
    session: Arc<Mutex<Session>>,
    format: InputFormat,
}

impl TensorNetwork for DeviceNetwork {
    fn run(
        &mut self,
        count: usize,
        board: &[f32],
        state: &[f32],
    ) -> Result<(Vec<f32>, Vec<f32>), RuntimeError> {
        let say = |error: ort::Error| RuntimeError::refused(error);
        let [board_shape, state_shape] = input_shapes(count, self.format);
        let board = TensorRef::from_array_view((board_shape, board)).map_err(say)?;
        let state = TensorRef::from_array_view((state_shape, state)).map_err(say)?;
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let inputs = ort::inputs!["input1" => board, "input2" => state];
        let outputs = session.run(inputs).map_err(say)?;
        let numbers = |name: &str| {
            let output = outputs.get(name);
            let output = output.ok_or_else(|| RuntimeError::NoOutput(name.to_owned()))?;
            let (_, numbers) = output.try_extract_tensor::<f32>().map_err(say)?;
            Ok::<_, RuntimeError>(numbers.to_vec())
        };
        Ok((numbers("output_policy")?, numbers("output_value")?))
    }
}
