//! A network in ONNX Runtime: the form in which the library takes it, the devices that evaluate it, and their evaluators.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ort::session::Session;

use super::devices::choose;
use super::evaluator::{BatchCounts, Batches, DeviceEvaluator};
use super::library::load_library;
use super::provider::{Profile, ProviderRequest, card_name, providers};
use super::session::{BoundBatch, OpenBatch, Transfer, refused};
use super::sizes::{few_sizes, label_places};
use crate::backend::{DeepBackend, DeepRuntime, Precision};
use crate::compile::Interface;
use crate::graph::{
    BITS, PLANES, PLANES_STATE, WANTED, packed_bytes, packed_graph, planes_graph, with_numbers,
};
use crate::onnx::{FLOAT, FLOAT16};
use crate::tensors::input_shapes;
use crate::{BatchEvaluator, EvaluationError, LabelledPosition, PolicyValue, RuntimeError};

/// Evaluations that are on their way at a time on a card: while one is evaluated, another is copied there or back.
const STREAMS_OF_CARD: usize = 2;

/// A network in ONNX Runtime, on one or several devices. Clones share it.
#[derive(Clone)]
pub(crate) struct OnnxRuntimeNetwork(Arc<Shared>);

struct Shared {
    source: Source,
    form: Form,
    /// The devices that evaluate.
    devices: Vec<u32>,
    /// Evaluators that nobody has, each with the place of its device.
    spare: Mutex<Vec<(usize, DeviceEvaluator)>>,
    counts: Arc<BatchCounts>,
    notices: Mutex<Vec<String>>,
}

/// What evaluators are made from.
struct Source {
    runtime: DeepRuntime,
    interface: Interface,
    /// The folder for engines of `TensorRT`, and the beginning of their names.
    engines: Option<(PathBuf, String)>,
}

/// How the runtime takes the network.
#[derive(Clone)]
struct Form {
    /// The model, with the numbers with which it is evaluated.
    model: Arc<Vec<u8>>,
    /// The type of its inputs.
    numbers: i32,
    transfer: Transfer,
    channels_last: bool,
    /// Sizes of batches, ascending; any up to [`DeepRuntime::batch`] when empty.
    sizes: Vec<usize>,
}

/// Why an evaluator cannot be made.
enum OpenError {
    /// The device or its provider is not there.
    Device(RuntimeError),
    /// It does not take the network in this form.
    Form(RuntimeError),
}

impl OpenError {
    fn into_reason(self) -> RuntimeError {
        match self {
            Self::Device(reason) | Self::Form(reason) => reason,
        }
    }
}

impl OnnxRuntimeNetwork {
    /// Loads the library, unless it is loaded, and has it evaluate an ONNX file on each device. Devices that do not are left out, which
    /// [`Self::take_notices`] tells.
    ///
    /// # Errors
    /// When the library, the provider or all devices are missing, or refuse the network.
    pub(crate) fn open(
        bytes: &[u8],
        interface: Interface,
        runtime: &DeepRuntime,
        engines: Option<(PathBuf, String)>,
    ) -> Result<Self, RuntimeError> {
        load_library(runtime.library.as_deref())?;
        let mut notices = Vec::new();
        let is_kept = runtime.backend == DeepBackend::TensorRt;
        let engines = engines.filter(|(folder, _)| is_kept && can_write(folder, &mut notices));
        let source = Source {
            runtime: runtime.clone(),
            interface,
            engines,
        };
        let forms = source.forms(bytes, &mut notices)?;
        let numbers = if runtime.devices.is_empty() {
            &[0]
        } else {
            &runtime.devices[..]
        };
        let counts = Arc::new(BatchCounts::default());
        let chosen = choose(
            numbers,
            &forms,
            |device| source.device_name(device),
            |forms, device| source.first_form(forms, device, &counts),
        )?;
        notices.extend(chosen.notices);
        let network = Self(Arc::new(Shared {
            source,
            form: chosen.form,
            devices: chosen.devices,
            spare: Mutex::new(chosen.evaluators),
            counts,
            notices: Mutex::new(notices),
        }));
        network.open_more();
        Ok(network)
    }

    /// Makes the other evaluators of each device.
    fn open_more(&self) {
        let shared = &*self.0;
        for (place, &device) in shared.devices.iter().enumerate() {
            for _ in 1..self.streams() {
                match shared
                    .source
                    .evaluator(&shared.form, device, &shared.counts)
                {
                    Ok(evaluator) => lock(&shared.spare).push((place, evaluator)),
                    Err(error) => {
                        let (name, reason) =
                            (shared.source.device_name(device), error.into_reason());
                        let text = format!("{name}: {reason} : fewer evaluations at a time");
                        lock(&shared.notices).push(text);
                        break;
                    }
                }
            }
        }
    }

    /// Evaluations that are on their way at a time on each device.
    pub(crate) fn streams(&self) -> usize {
        let runtime = &self.0.source.runtime;
        let usual = if runtime.backend.is_card() {
            STREAMS_OF_CARD
        } else {
            1
        };
        runtime.streams.unwrap_or(usual).max(1)
    }

    /// An evaluator on the device with this place among [`Self::devices`], for one thread. It comes back here when it is dropped.
    ///
    /// # Errors
    /// When the device has no room for one more.
    pub(crate) fn evaluator(&self, place: usize) -> Result<PooledEvaluator, RuntimeError> {
        let shared = &self.0;
        let place = place % shared.devices.len();
        let mut spare = lock(&shared.spare);
        let found = spare.iter().position(|(of, _)| *of == place);
        let known = found.map(|number| spare.swap_remove(number).1);
        drop(spare);
        let evaluator = match known {
            Some(evaluator) => evaluator,
            None => {
                let device = shared.devices[place];
                let made = shared
                    .source
                    .evaluator(&shared.form, device, &shared.counts);
                made.map_err(OpenError::into_reason)?
            }
        };
        Ok(PooledEvaluator {
            network: Arc::clone(shared),
            place,
            evaluator: Some(evaluator),
            has_failed: false,
        })
    }

    /// Number of devices.
    pub(crate) fn devices(&self) -> usize {
        self.0.devices.len()
    }

    /// Returns whether both have the same sessions.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Sizes of the batches so far, and their numbers.
    pub(crate) fn batch_counts(&self) -> Vec<(usize, u64)> {
        self.0.counts.list()
    }

    /// Takes what was wrong with devices, as lines for people.
    pub(crate) fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.0.notices))
    }

    /// The provider, the cards, the width of numbers and the batches, for people.
    pub(crate) fn description(&self) -> String {
        let Shared {
            source,
            form,
            devices,
            ..
        } = &*self.0;
        let runtime = &source.runtime;
        let backend = runtime.backend;
        let mut parts = vec![format!("ONNX Runtime, {}", backend.name())];
        if backend.is_card() {
            let name = card_name(backend).unwrap_or_else(|| "card".to_owned());
            let numbers: Vec<String> = devices
                .iter()
                .map(|device| (device + 1).to_string())
                .collect();
            parts.push(format!("{name} {}", numbers.join("+")));
        }
        let is_half = source.is_half(form.numbers);
        parts.push(if is_half { "fp16" } else { "fp32" }.to_owned());
        let sizes: Vec<String> = form.sizes.iter().map(ToString::to_string).collect();
        parts.push(if sizes.is_empty() {
            format!("batch up to {}", runtime.batch)
        } else {
            format!("batch {}", sizes.join("/"))
        });
        if form.transfer == Transfer::Planes {
            parts.push("planes not packed".to_owned());
        }
        parts.join(", ")
    }
}

impl Source {
    /// The forms in which the network may be taken, the best first.
    fn forms(&self, bytes: &[u8], notices: &mut Vec<String>) -> Result<Vec<Form>, RuntimeError> {
        let runtime = &self.runtime;
        let is_wide = self.interface.numbers == FLOAT;
        // TensorRT has an option for it.
        let converts = runtime.precision.is_half(runtime.backend)
            && runtime.backend != DeepBackend::TensorRt
            && is_wide;
        let mut models = Vec::new();
        if converts {
            match with_numbers(bytes, FLOAT, FLOAT16) {
                Ok(half) => models.push((Arc::new(half), FLOAT16)),
                Err(reason) if runtime.precision == Precision::Half => {
                    return Err(RuntimeError::refused(format!(
                        "DNN_Precision fp16: {reason}"
                    )));
                }
                Err(reason) => notices.push(format!("evaluated with fp32: {reason}")),
            }
        }
        if !converts || runtime.precision == Precision::Auto {
            models.push((Arc::new(bytes.to_vec()), self.interface.numbers));
        }
        let sizes = match self.interface.batch {
            Some(size) => vec![size],
            None if runtime.sizes.are_few(runtime.backend) => few_sizes(runtime.batch),
            None => Vec::new(),
        };
        let mut forms = Vec::new();
        for (model, numbers) in models {
            let form = |transfer, channels_last, sizes: &[usize]| Form {
                model: Arc::clone(&model),
                numbers,
                transfer,
                channels_last,
                sizes: sizes.to_vec(),
            };
            if runtime.backend == DeepBackend::Cuda && self.is_half(numbers) {
                forms.push(form(Transfer::Packed, true, &sizes));
            }
            forms.push(form(Transfer::Packed, false, &sizes));
            if !sizes.is_empty() {
                forms.push(form(Transfer::Planes, false, &sizes));
            }
            if self.interface.batch.is_none() {
                // The batch may be open by name alone.
                forms.push(form(Transfer::Packed, false, &[1]));
            }
        }
        Ok(forms)
    }

    /// Returns whether numbers of 16 bits are evaluated, when the network's inputs are of this type.
    fn is_half(&self, numbers: i32) -> bool {
        let Self { runtime, .. } = self;
        numbers == FLOAT16
            || runtime.backend == DeepBackend::TensorRt
                && runtime.precision.is_half(runtime.backend)
    }

    /// The name of a device, for people.
    fn device_name(&self, device: u32) -> String {
        let backend = self.runtime.backend;
        if backend.is_card() {
            format!("{} card {}", backend.name(), device + 1)
        } else {
            backend.name().to_owned()
        }
    }

    /// The first form that a device takes, and an evaluator; the reason is that against the first form.
    fn first_form(
        &self,
        forms: &[Form],
        device: u32,
        counts: &Arc<BatchCounts>,
    ) -> Result<(Form, DeviceEvaluator), RuntimeError> {
        let mut first = None;
        for form in forms {
            match self.evaluator(form, device, counts) {
                Ok(evaluator) => return Ok((form.clone(), evaluator)),
                Err(OpenError::Device(reason)) => return Err(reason),
                Err(OpenError::Form(reason)) => {
                    first.get_or_insert(reason);
                }
            }
        }
        let nothing = || RuntimeError::NoDevice("there is no form".to_owned());
        Err(first.unwrap_or_else(nothing))
    }

    /// An evaluator on a device, ready for batches of all sizes.
    fn evaluator(
        &self,
        form: &Form,
        device: u32,
        counts: &Arc<BatchCounts>,
    ) -> Result<DeviceEvaluator, OpenError> {
        let backend = self.runtime.backend;
        let format = self.interface.format;
        let mut sessions = Vec::new();
        // TensorRT makes one engine for all sizes between the smallest and the largest.
        let has_profile = backend == DeepBackend::TensorRt && form.sizes.len() > 1;
        let batches = if form.sizes.is_empty() {
            sessions.push(self.session(form, None, device)?);
            Batches::Any(OpenBatch::default(), self.runtime.batch)
        } else {
            let mut batches = Vec::new();
            let is_nvidia = matches!(backend, DeepBackend::Cuda | DeepBackend::TensorRt);
            let pinned = is_nvidia.then_some(device);
            for &size in &form.sizes {
                if sessions.is_empty() || !has_profile {
                    let fixed = (!has_profile).then_some(size);
                    sessions.push(self.session(form, fixed, device)?);
                }
                let number = sessions.len() - 1;
                let session = &sessions[number];
                let batch = BoundBatch::new(session, form.transfer, format, size, pinned);
                batches.push((batch.map_err(OpenError::Form)?, number));
            }
            Batches::Few(batches)
        };
        let mut evaluator = DeviceEvaluator {
            format,
            sessions,
            batches,
            counts: Arc::clone(counts),
        };
        evaluator.warm_up().map_err(OpenError::Form)?;
        Ok(evaluator)
    }

    /// A session for batches of `size` positions, or of any number.
    fn session(&self, form: &Form, size: Option<usize>, device: u32) -> Result<Session, OpenError> {
        let backend = self.runtime.backend;
        let format = self.interface.format;
        let of_device = |error: RuntimeError| OpenError::Device(error);
        let mut builder = Session::builder().map_err(|error| of_device(refused(error)))?;
        if backend.is_card() {
            // What is left for the processor is too little for a pool of threads in each session.
            builder = builder
                .with_intra_threads(1)
                .map_err(|error| of_device(refused(error)))?;
        }
        if backend == DeepBackend::DirectMl {
            builder = builder
                .with_memory_pattern(false)
                .map_err(|error| of_device(refused(error)))?;
        }
        let request = ProviderRequest {
            backend,
            device,
            is_half: self.is_half(form.numbers),
            channels_last: form.channels_last,
            engines: self
                .engines
                .as_ref()
                .map(|(folder, prefix)| (folder.as_path(), prefix.as_str())),
            profile: size.is_none().then(|| self.profile(form)).flatten(),
        };
        let providers = providers(&request);
        if !providers.is_empty() {
            builder = builder
                .with_execution_providers(providers)
                .map_err(|error| of_device(refused(error)))?;
        }
        let graph = match form.transfer {
            Transfer::Packed => {
                let batch = size.map(|size| (size, label_places(size)));
                packed_graph(&form.model, format, form.numbers, batch)
            }
            Transfer::Planes => planes_graph(&form.model, format, form.numbers, size),
        };
        let session = builder.commit_from_memory(&graph);
        session.map_err(|error| OpenError::Form(refused(error)))
    }

    /// The sizes between the smallest and the largest batch.
    fn profile(&self, form: &Form) -> Option<Profile> {
        let format = self.interface.format;
        let shapes = |size: usize| match form.transfer {
            Transfer::Packed => {
                let (bytes, labels) = (packed_bytes(format), label_places(size));
                format!("{BITS}:{size}x{bytes},{WANTED}:{labels}")
            }
            Transfer::Planes => {
                let text = input_shapes(size, format).map(|shape| {
                    let dims: Vec<String> = shape.iter().map(ToString::to_string).collect();
                    dims.join("x")
                });
                format!("{PLANES}:{},{PLANES_STATE}:{}", text[0], text[1])
            }
        };
        Some(Profile {
            least: shapes(*form.sizes.first()?),
            most: shapes(*form.sizes.last()?),
        })
    }
}

/// Returns whether files can be made in a folder; that they cannot is told.
fn can_write(folder: &Path, notices: &mut Vec<String>) -> bool {
    let probe = folder.join(format!(".yaneura-{}", std::process::id()));
    let written = std::fs::File::create_new(&probe);
    std::fs::remove_file(&probe).ok();
    if let Err(reason) = &written {
        let folder = folder.display();
        notices.push(format!(
            "{folder}: {reason} : engines of TensorRT are not kept"
        ));
    }
    written.is_ok()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An evaluator that goes back to its network when it is dropped.
pub(crate) struct PooledEvaluator {
    network: Arc<Shared>,
    place: usize,
    /// Always there until the drop.
    evaluator: Option<DeviceEvaluator>,
    /// One that has failed does not go back.
    has_failed: bool,
}

impl BatchEvaluator for PooledEvaluator {
    fn evaluate_batch(
        &mut self,
        positions: &[LabelledPosition],
        results: &mut [PolicyValue],
    ) -> Result<(), EvaluationError> {
        let Some(evaluator) = &mut self.evaluator else {
            return Err(EvaluationError::Closed);
        };
        let result = evaluator.evaluate_batch(positions, results);
        self.has_failed |= result.is_err();
        result.map_err(|error| {
            let source = &self.network.source;
            let device = self.network.devices[self.place];
            EvaluationError::Failed(format!("{}: {error}", source.device_name(device)))
        })
    }

    fn device(&self) -> usize {
        self.place
    }
}

impl Drop for PooledEvaluator {
    fn drop(&mut self) {
        if let Some(evaluator) = self.evaluator.take()
            && !self.has_failed
        {
            lock(&self.network.spare).push((self.place, evaluator));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_kept_where_files_can_be_made() {
        let folder = test_support::TestFolder::new();
        let mut notices = Vec::new();
        assert!(can_write(&folder.path("."), &mut notices) && notices.is_empty());
        assert_eq!(std::fs::read_dir(folder.path(".")).unwrap().count(), 0);
        assert!(!can_write(&folder.path("nowhere"), &mut notices));
        assert!(
            notices[0].ends_with("engines of TensorRT are not kept"),
            "{notices:?}"
        );
    }
}
