//! What evaluates a network: runtimes, the width of numbers, the sizes of batches, and when searches share a queue.

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

    /// Returns whether it evaluates on graphics cards (or another processor for networks).
    pub const fn is_card(self) -> bool {
        matches!(
            self,
            Self::Cuda | Self::TensorRt | Self::DirectMl | Self::CoreMl
        )
    }

    /// Returns whether ONNX Runtime evaluates.
    pub const fn is_onnx_runtime(self) -> bool {
        self.is_card() || matches!(self, Self::OnnxRuntime)
    }
}

/// The width of the numbers with which a network is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 16 bits on NVIDIA's cards, where the runtime takes the network so; else those of the file.
    #[default]
    Auto,
    /// Those of the file, on cards at least.
    Single,
    /// 16 bits, with ONNX Runtime.
    Half,
    /// Factors of 16 bits (bfloat16) with this program's own kernel.
    Narrow,
}

impl Precision {
    /// All.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Single, Self::Half, Self::Narrow];

    /// The name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Single => "fp32",
            Self::Half => "fp16",
            Self::Narrow => "bf16",
        }
    }

    /// Returns whether a network is evaluated with numbers of 16 bits by `backend`.
    pub const fn is_half(self, backend: DeepBackend) -> bool {
        match self {
            Self::Auto => matches!(backend, DeepBackend::Cuda | DeepBackend::TensorRt),
            Self::Single | Self::Narrow => false,
            Self::Half => backend.is_onnx_runtime(),
        }
    }
}

/// The sizes of the batches that a runtime is given. Each change of it makes ONNX Runtime plan all convolutions again on a card, for a quarter of a
/// second and more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BatchSizes {
    /// Few on cards, any on the processor.
    #[default]
    Auto,
    /// One, a quarter of [`DeepRuntime::batch`], and all of it; batches are filled up to the next.
    Few,
    /// As many as there are positions.
    Any,
}

impl BatchSizes {
    /// Returns whether batches are filled up with `backend`.
    pub const fn are_few(self, backend: DeepBackend) -> bool {
        match self {
            Self::Auto => backend.is_card(),
            Self::Few => backend.is_onnx_runtime(),
            Self::Any => false,
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
    /// Most positions that are evaluated at once, by the queue or for a thread.
    pub batch: usize,
    /// The sizes of batches.
    pub sizes: BatchSizes,
    /// The width of the network's numbers.
    pub precision: Precision,
    /// Evaluations that can be on their way at a time on each device, at least one; `None`: as many as suit.
    pub streams: Option<usize>,
    /// MiB of memory for evaluations that are known, which all evaluators share; 0: none.
    pub cache_mib: usize,
    /// `HOST:PORT` of the server, for [`DeepBackend::Remote`].
    pub server: String,
    /// Time within which the server has to answer.
    pub server_timeout: Duration,
    /// The file of the secret that the server has to know too; `None`: that of the environment variable
    /// [`Secret::VARIABLE`](yane_io::secret::Secret::VARIABLE), if there is one.
    pub secret_file: Option<PathBuf>,
}

impl DeepRuntime {
    /// Most positions that are evaluated at once, unless another number is asked for.
    pub const BATCH: usize = 256;
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
            batch: Self::BATCH,
            sizes: BatchSizes::default(),
            precision: Precision::default(),
            streams: None,
            cache_mib: 0,
            server: String::new(),
            server_timeout: Self::SERVER_TIMEOUT,
            secret_file: None,
        }
    }
}
