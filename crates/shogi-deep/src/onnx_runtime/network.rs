//! A network in ONNX Runtime: the form in which the library takes it, the devices that evaluate it, and their evaluators.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::devices::choose;
use super::evaluator::{BatchCounts, DeviceEvaluator};
use super::library::load_library;
use super::provider::card_name;
use super::session::Transfer;
use super::source::{Form, OpenError, Source, can_write};
use crate::backend::{DeepBackend, DeepRuntime};
use crate::compile::Interface;
use crate::{BatchEvaluator, EvaluationError, PolicyValue, PositionQuery, RuntimeError};

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
        let evaluator = if let Some(evaluator) = known {
            evaluator
        } else {
            let (source, device) = (&shared.source, shared.devices[place]);
            let made = source.evaluator(&shared.form, device, &shared.counts);
            made.map_err(OpenError::into_reason)?
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
        positions: &[PositionQuery],
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
