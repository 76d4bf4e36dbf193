//! The providers of ONNX Runtime, each of which evaluates on one kind of device.

use std::path::Path;

use ort::ep::cuda::ConvAlgorithmSearch;
use ort::ep::{ArenaExtendStrategy, CUDA, CoreML, DirectML, ExecutionProviderDispatch, TensorRT};

use crate::DeepBackend;

/// The sizes for which `TensorRT` makes an engine: the text of its options `trt_profile_*_shapes`.
pub(super) struct Profile {
    pub(super) least: String,
    pub(super) most: String,
}

/// What a session wants of its provider.
pub(super) struct ProviderRequest<'a> {
    pub(super) backend: DeepBackend,
    pub(super) device: u32,
    /// The network has 16-bit numbers, or may be evaluated with such.
    pub(super) is_half: bool,
    /// Channels come last in memory, which is faster with 16-bit numbers.
    pub(super) channels_last: bool,
    /// The folder of engines, and the beginning of their names.
    pub(super) engines: Option<(&'a Path, &'a str)>,
    pub(super) profile: Option<Profile>,
}

/// The providers of a session, the first one first; none for the processor.
pub(super) fn providers(request: &ProviderRequest<'_>) -> Vec<ExecutionProviderDispatch> {
    let device = request.device as i32;
    let first = match request.backend {
        DeepBackend::Native | DeepBackend::OnnxRuntime | DeepBackend::Remote => return Vec::new(),
        DeepBackend::Cuda => cuda(request).build(),
        DeepBackend::TensorRt => {
            let others = cuda(request).build().fail_silently();
            let first = tensor_rt(request).build();
            return vec![first.error_on_failure(), others];
        }
        DeepBackend::DirectMl => DirectML::default().with_device_id(device).build(),
        DeepBackend::CoreMl => CoreML::default().build(),
    };
    vec![first.error_on_failure()]
}

fn cuda(request: &ProviderRequest<'_>) -> CUDA {
    let cuda = CUDA::default()
        .with_device_id(request.device as i32)
        .with_arena_extend_strategy(ArenaExtendStrategy::SameAsRequested)
        // As fast as the exhaustive search, and a fifth of its time.
        .with_conv_algorithm_search(ConvAlgorithmSearch::Heuristic);
    if request.channels_last {
        cuda.with_prefer_nhwc(true)
    } else {
        cuda
    }
}

fn tensor_rt(request: &ProviderRequest<'_>) -> TensorRT {
    let mut provider = TensorRT::default()
        .with_device_id(request.device as i32)
        .with_fp16(request.is_half);
    if let Some((folder, prefix)) = request.engines {
        provider = provider
            .with_engine_cache(true)
            .with_engine_cache_path(folder.display())
            .with_engine_cache_prefix(prefix)
            .with_timing_cache(true)
            .with_timing_cache_path(folder.display());
    }
    if let Some(profile) = &request.profile {
        provider = provider
            .with_profile_min_shapes(&profile.least)
            .with_profile_opt_shapes(&profile.most)
            .with_profile_max_shapes(&profile.most);
    }
    provider
}

/// The name of a card, where the system tells it: where there is one, or all have the same name.
pub(super) fn card_name(backend: DeepBackend) -> Option<String> {
    if !matches!(backend, DeepBackend::Cuda | DeepBackend::TensorRt) {
        return None;
    }
    let cards = std::fs::read_dir("/proc/driver/nvidia/gpus").ok()?;
    let name = |card: std::fs::DirEntry| {
        let text = std::fs::read_to_string(card.path().join("information")).ok()?;
        name_in(&text)
    };
    let mut names: Vec<String> = cards.flatten().filter_map(name).collect();
    names.dedup();
    (names.len() == 1).then(|| names.remove(0))
}

/// The name in what the driver says of a card.
fn name_in(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("Model:"))?;
    Some(line.trim().to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_is_named_as_its_driver_says() {
        let text = "Model: \t\t NVIDIA H200\nIRQ:   \t\t 145\n";
        assert_eq!(name_in(text).as_deref(), Some("NVIDIA H200"));
        assert_eq!(name_in("IRQ: 1\n"), None);
        assert_eq!(card_name(DeepBackend::OnnxRuntime), None);
    }
}
