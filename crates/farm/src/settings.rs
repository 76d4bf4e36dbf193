//! Engines in files of settings, and keys that nobody knows.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::Engine;

/// The keys of an engine.
const ENGINE_KEYS: &[&str] = &["path", "name", "multi", "options"];

/// An engine as it is written: `{path: "…", name: "…", multi: 2, options: {USI_Hash: 64}}`, of which
/// everything but the path may be missing.
#[derive(Clone, Debug, Deserialize)]
pub struct EngineEntry {
    path: String,
    name: Option<String>,
    multi: Option<usize>,
    #[serde(default)]
    options: BTreeMap<String, Value>,
}

impl EngineEntry {
    /// The engine. An empty path stands for the one in this process, which has a seat on every processor if
    /// nothing is said; others have one.
    ///
    /// # Errors
    /// Says which option has a value that is none.
    pub fn engine(&self) -> Result<Engine, String> {
        let path = match self.path.trim() {
            "" => Engine::EMBEDDED,
            path => path,
        };
        let text = |(name, value): (&String, &Value)| {
            let value = match value {
                Value::String(text) => text.clone(),
                Value::Bool(_) | Value::Number(_) => value.to_string(),
                _ => {
                    return Err(format!(
                        "options.{name}: expected a text, a number, true or false, found {value}"
                    ));
                }
            };
            Ok((name.clone(), value))
        };
        Ok(Engine {
            path: path.to_owned(),
            name: self.name.clone().unwrap_or_else(|| path.to_owned()),
            multi: self.multi.unwrap_or(usize::from(path != Engine::EMBEDDED)),
            options: self.options.iter().map(text).collect::<Result<_, _>>()?,
        })
    }
}

/// Says so when `value`, which stands at `place`, has a key that is not `known`, and which one may be meant.
///
/// # Errors
/// That is the error.
pub fn check_keys(value: &Value, known: &[&str], place: &str) -> Result<(), String> {
    let Value::Object(entries) = value else {
        return Err(format!("{place}expected an object {{ … }}"));
    };
    let unknown = entries.keys().find(|key| !known.contains(&key.as_str()));
    unknown.map_or(Ok(()), |key| {
        let alike = |name: &&&str| strsim::jaro_winkler(&key.to_uppercase(), &name.to_uppercase());
        let best = known.iter().max_by(|a, b| alike(a).total_cmp(&alike(b)));
        let hint = best.filter(|name| alike(name) > 0.8);
        let hint = hint.map_or_else(
            || format!("expected one of {}", known.join(", ")),
            |name| format!("did you mean {name:?}?"),
        );
        Err(format!("{place}unknown key {key:?}; {hint}"))
    })
}

/// [`check_keys`] for the engines of the list under `key`, if there is one.
///
/// # Errors
/// See [`check_keys`].
pub fn check_engine_keys(settings: &Value, key: &str) -> Result<(), String> {
    if let Some(Value::Array(engines)) = settings.get(key) {
        for (number, engine) in engines.iter().enumerate() {
            check_keys(engine, ENGINE_KEYS, &format!("{key}[{number}]: "))?;
        }
    }
    Ok(())
}

/// The engines of the list under `key`.
///
/// # Errors
/// When it is empty, or an engine is wrong.
pub fn engines(entries: &[EngineEntry], key: &str) -> Result<Vec<Engine>, String> {
    if entries.is_empty() {
        return Err(format!("{key}: expected at least one engine"));
    }
    entries.iter().map(EngineEntry::engine).collect()
}
