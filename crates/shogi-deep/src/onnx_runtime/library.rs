//! The library: found and loaded once for a process.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ort::LoadDynamicError;
use ort::environment::Environment;
use ort::logging::LogLevel;

use super::problem::plain_reason;
use crate::RuntimeError;

/// The library as systems name it.
const LIBRARY: &str = if cfg!(windows) {
    "onnxruntime.dll"
} else if cfg!(target_os = "macos") {
    "libonnxruntime.dylib"
} else {
    "libonnxruntime.so"
};

/// What came of loading the library. A process loads one, once: after an attempt that failed `ort` must not be used again.
static LOADED: OnceLock<Result<(), LoadFailure>> = OnceLock::new();

/// Why there is no library, in one line.
#[derive(Clone, Debug)]
struct LoadFailure(String);

/// Loads the library that is named, or that `ORT_DYLIB_PATH` names, or the one of the system; beside the program first.
///
/// # Errors
/// When it is not there, or lacks another library.
pub(super) fn load_library(path: Option<&Path>) -> Result<(), RuntimeError> {
    let loaded = LOADED.get_or_init(|| {
        let named = || std::env::var_os("ORT_DYLIB_PATH").map(PathBuf::from);
        let path = path.map(Path::to_owned).or_else(named);
        let path = path.unwrap_or_else(|| LIBRARY.into());
        let environment = ort::init_from(&path);
        environment
            .map_err(|error| LoadFailure(plain_reason(&loading_text(&error))))?
            .commit();
        // What it says goes into one line here; its own log has the places of its source too.
        if std::env::var_os("ORT_LOG").is_none()
            && let Ok(environment) = Environment::current()
        {
            environment.set_log_level(LogLevel::Fatal);
        }
        Ok(())
    });
    let failure = |LoadFailure(reason)| RuntimeError::Library(reason);
    loaded.clone().map_err(failure)
}

/// What the loader of the system says, where it says something.
fn loading_text(error: &LoadDynamicError) -> String {
    let source = match error {
        LoadDynamicError::Dlopen { error, .. } => std::error::Error::source(error),
        _ => None,
    };
    source.map_or_else(|| error.to_string(), ToString::to_string)
}
