//! What evaluators are made from: the model in the forms in which a runtime may take it, and the sessions of each.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ort::session::Session;

use super::evaluator::{BatchCounts, Batches, DeviceEvaluator};
use super::provider::{Profile, ProviderRequest, providers};
use super::session::{BoundBatch, OpenBatch, Transfer, refused};
use super::sizes::{few_sizes, label_places};
use crate::RuntimeError;
use crate::backend::{DeepBackend, DeepRuntime, Precision};
use crate::compile::Interface;
use crate::graph::{
    BITS, PLANES, PLANES_STATE, WANTED, packed_bytes, packed_graph, planes_graph, with_numbers,
};
use crate::onnx::{FLOAT, FLOAT16};
use crate::tensors::input_shapes;

/// What evaluators are made from.
pub(super) struct Source {
    pub(super) runtime: DeepRuntime,
    pub(super) interface: Interface,
    /// The folder for engines of `TensorRT`, and the beginning of their names.
    pub(super) engines: Option<(PathBuf, String)>,
}

/// How the runtime takes the network.
#[derive(Clone)]
pub(super) struct Form {
    /// The model, with the numbers with which it is evaluated.
    model: Arc<Vec<u8>>,
    /// The type of its inputs.
    pub(super) numbers: i32,
    pub(super) transfer: Transfer,
    channels_last: bool,
    /// Sizes of batches, ascending; any up to [`DeepRuntime::batch`] when empty.
    pub(super) sizes: Vec<usize>,
}

/// Why an evaluator cannot be made.
pub(super) enum OpenError {
    /// The device or its provider is not there.
    Device(RuntimeError),
    /// It does not take the network in this form.
    Form(RuntimeError),
}

impl OpenError {
    pub(super) fn into_reason(self) -> RuntimeError {
        match self {
            Self::Device(reason) | Self::Form(reason) => reason,
        }
    }
}

impl Source {
    /// The forms in which the network may be taken, the best first.
    pub(super) fn forms(
        &self,
        bytes: &[u8],
        notices: &mut Vec<String>,
    ) -> Result<Vec<Form>, RuntimeError> {
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
    pub(super) fn is_half(&self, numbers: i32) -> bool {
        let Self { runtime, .. } = self;
        numbers == FLOAT16
            || runtime.backend == DeepBackend::TensorRt
                && runtime.precision.is_half(runtime.backend)
    }

    /// The name of a device, for people.
    pub(super) fn device_name(&self, device: u32) -> String {
        let backend = self.runtime.backend;
        if backend.is_card() {
            format!("{} card {}", backend.name(), device + 1)
        } else {
            backend.name().to_owned()
        }
    }

    /// The first form that a device takes, and an evaluator; the reason is that against the first form.
    pub(super) fn first_form(
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
    pub(super) fn evaluator(
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
pub(super) fn can_write(folder: &Path, notices: &mut Vec<String>) -> bool {
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
