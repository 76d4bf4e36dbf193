//! The places of policy and value networks.

use std::path::{Path, PathBuf};

/// The file beside a model that sets options.
pub(crate) fn ini_of(model: &Path) -> PathBuf {
    let mut name = model.as_os_str().to_owned();
    name.push(".ini");
    name.into()
}

/// Files in a folder, or beside a file, whose names end like those of models.
pub(crate) fn models_near(place: &Path) -> Vec<PathBuf> {
    let folder = if place.is_dir() {
        Some(place)
    } else {
        place.parent()
    };
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok());
    let paths = entries.into_iter().flatten().flatten();
    let mut models: Vec<_> = paths
        .map(|entry| entry.path())
        .filter(|path| is_model(path))
        .collect();
    models.sort();
    models
}

/// Returns whether a file is named like a policy and value network.
pub(crate) fn is_model(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("onnx"))
}
