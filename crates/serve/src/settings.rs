//! The settings of the page: one JSON object in a file of the user's.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use page_messages::PageFailure;
use serde_json::{Map, Value};
use yane_io::{AtomicFile, Error, ReadLimit};

/// Bytes of the file at most.
const MOST: usize = 256 << 10;

/// The file of the settings.
#[derive(Debug)]
pub(crate) struct PageSettings {
    path: PathBuf,
    values: Mutex<Map<String, Value>>,
}

impl PageSettings {
    /// The settings of a file, which need not be there.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is no JSON object.
    pub(crate) fn load(path: PathBuf) -> Result<Self, Error> {
        let values = match ReadLimit::Settings.read_if_there(&path)? {
            Some(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| Error::file(&path, format!("no JSON object: {error}")))?,
            None => Map::new(),
        };
        Ok(Self {
            path,
            values: Mutex::new(values),
        })
    }

    /// The settings.
    pub(crate) fn get(&self) -> Value {
        let values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        Value::Object(values.clone())
    }

    /// Replaces the settings, and writes the file.
    pub(crate) fn put(&self, settings: Value) -> Result<(), PageFailure> {
        let Value::Object(new) = settings else {
            return Err(PageFailure::new("settings: an object was expected"));
        };
        let text = format!("{:#}\n", Value::Object(new.clone()));
        if text.len() > MOST {
            let (size, most) = (text.len(), MOST);
            let text = format!("settings of {size} bytes are more than the {most} that are kept");
            return Err(PageFailure::new(text));
        }
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let write = || {
            let mut file = AtomicFile::create(&self.path)?;
            file.put(text.as_bytes())?;
            file.commit()
        };
        write().map_err(|error: Error| PageFailure::of(&error))?;
        *values = new;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    #[test]
    fn settings_outlive_the_server() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("web.json");
        let settings = PageSettings::load(path.clone()).unwrap();
        assert_eq!(settings.get(), json!({}));
        settings
            .put(json!({ "lang": "ja", "number": 1.5 }))
            .unwrap();
        assert_eq!(
            PageSettings::load(path.clone()).unwrap().get(),
            settings.get()
        );
        assert!(settings.put(json!([1])).is_err());
        let large = json!({ "a": "x".repeat(MOST) });
        assert!(settings.put(large).unwrap_err().text.contains("more than"));
        assert_eq!(settings.get()["lang"], "ja");
        fs::write(&path, "[").unwrap();
        let error = PageSettings::load(path).unwrap_err().to_string();
        assert!(error.contains("no JSON object"), "{error}");
    }
}
