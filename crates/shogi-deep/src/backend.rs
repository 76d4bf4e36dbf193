//! What evaluates a network, and when searches share a queue for it.

use std::path::PathBuf;
use std::time::Duration;

/// What evaluates a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeepBackend {
    /// This program on the processor: its own kernel, or `rten` for graphs that the kernel does not have.
    #[default]
    Native,
    /// ONNX Runtime on the processor.
    OnnxRuntime,
    /// ONNX Runtime with CUDA.
    Cuda,
    /// ONNX Runtime with `TensorRT`.
    TensorRt,
    /// ONNX Runtime with `DirectML`.
    DirectMl,
    /// ONNX Runtime with Core ML.
    CoreMl,
    /// A server on another machine.
    Remote,
}

impl DeepBackend {
    /// All.
    pub const ALL: [Self; 7] = [
        Self::Native,
        Self::OnnxRuntime,
        Self::Cuda,
        Self::TensorRt,
        Self::DirectMl,
        Self::CoreMl,
        Self::Remote,
    ];

    /// The name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::OnnxRuntime => "onnxruntime",
            Self::Cuda => "cuda",
            Self::TensorRt => "tensorrt",
            Self::DirectMl => "directml",
            Self::CoreMl => "coreml",
            Self::Remote => "remote",
        }
    }
}

/// Whether the searches of a process have one queue of positions, or evaluators of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueUse {
    /// A queue where batches are faster: with ONNX Runtime.
    #[default]
    Auto,
    /// A queue.
    On,
    /// Evaluators of their own.
    Off,
}

impl QueueUse {
    /// All.
    pub const ALL: [Self; 3] = [Self::Auto, Self::On, Self::Off];

    /// The name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::On => "on",
            Self::Off => "off",
        }
    }

    /// Returns whether searches that use `backend` have a queue. Those that ask a server have none here: it has one.
    pub const fn is_on(self, backend: DeepBackend) -> bool {
        match (self, backend) {
            (_, DeepBackend::Remote) | (Self::Off, _) | (Self::Auto, DeepBackend::Native) => false,
            (Self::Auto | Self::On, _) => true,
        }
    }
}

/// What evaluates a network, and with which library and devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeepRuntime {
    /// The kind.
    pub backend: DeepBackend,
    /// The library of ONNX Runtime; `None`: the one that `ORT_DYLIB_PATH` names, or that of the system.
    pub library: Option<PathBuf>,
    /// The numbers of the devices, from 0; the first one when empty.
    pub devices: Vec<u32>,
    /// Whether all evaluators of the network have one queue.
    pub queue: QueueUse,
    /// Most positions that the queue has evaluated at once.
    pub queue_batch: usize,
    /// `HOST:PORT` of the server, for [`DeepBackend::Remote`].
    pub server: String,
    /// Time within which the server has to answer.
    pub server_timeout: Duration,
    /// The file of the secret that the server has to know too; `None`: that of the environment variable
    /// [`Secret::VARIABLE`](yane_io::secret::Secret::VARIABLE), if there is one.
    pub secret_file: Option<PathBuf>,
}

impl DeepRuntime {
    /// Most positions that a queue has evaluated at once, unless another number is asked for.
    pub const QUEUE_BATCH: usize = 256;
    /// Time within which a server has to answer, unless another one is asked for.
    pub const SERVER_TIMEOUT: Duration = Duration::from_secs(2);
}

impl Default for DeepRuntime {
    fn default() -> Self {
        Self {
            backend: DeepBackend::default(),
            library: None,
            devices: Vec::new(),
            queue: QueueUse::default(),
            queue_batch: Self::QUEUE_BATCH,
            server: String::new(),
            server_timeout: Self::SERVER_TIMEOUT,
            secret_file: None,
        }
    }
}
