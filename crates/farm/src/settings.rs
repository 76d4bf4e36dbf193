//! Engines in files of settings, and checks for unknown keys.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use yane_io::sniff::{Expected, JSON};

use crate::Engine;

/// The keys of an engine.
const ENGINE_KEYS: &[&str] = &["path", "name", "multi", "options", "pin"];

/// An engine as it is written: `{path: "…", name: "…", multi: 2, options: {USI_Hash: 64}}`, of which
/// everything but the path may be missing; also `pin`, see [`Engine::pin`].
#[derive(Clone, Debug, Deserialize)]
pub struct EngineEntry {
    path: String,
    name: Option<String>,
    multi: Option<usize>,
    #[serde(default)]
    options: BTreeMap<String, Value>,
    pin: Option<bool>,
}

impl EngineEntry {
    /// The engine. An empty path stands for the one in this process, which has a worker on every processor
    /// by default; others have one.
    ///
    /// # Errors
    /// Names an option with an invalid value.
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
            pin: self.pin,
        })
    }
}

/// Checks that all keys of `value`, which stands at `place`, are `known`.
///
/// # Errors
/// Names the unknown key, and the known one that may be meant.
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

/// Reads the engines of a file of settings that has nothing else: `{ENGINE_SETTING: [{path: "…"}, …]}` as
/// JSON5.
///
/// # Errors
/// When it cannot be read, is no JSON5, has an unknown key or an invalid value.
pub fn read_engines(path: &Path) -> Result<Vec<Engine>, yane_io::Error> {
    let expected = Expected {
        accepts: &[JSON],
        ..Expected::text("engines as JSON5")
    };
    let text = yane_io::read_text(path, &expected)?;
    parse_engines(&String::from_utf8_lossy(&text))
        .map_err(|reason| yane_io::Error::file(path, reason))
}

fn parse_engines(text: &str) -> Result<Vec<Engine>, String> {
    const KEY: &str = "ENGINE_SETTING";
    let value = parse_json5(text)?;
    check_keys(&value, &[KEY], "")?;
    check_engine_keys(&value, KEY)?;
    let list = value.get(KEY).cloned().unwrap_or(Value::Array(Vec::new()));
    let entries: Vec<EngineEntry> =
        serde_json::from_value(list).map_err(|error| format!("{KEY}: {error}"))?;
    engines(&entries, KEY)
}

/// Reads JSON5, to a depth of brackets that no settings need: text of brackets alone must not exhaust the stack.
///
/// # Errors
/// Names line and column of the error.
pub fn parse_json5(text: &str) -> Result<Value, String> {
    const MAX_DEPTH: u32 = 100;
    let mut depth = 0u32;
    for letter in text.chars() {
        match letter {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} brackets inside each other"));
        }
    }
    json5::from_str(text).map_err(|error| error.to_string())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_of_a_file() {
        let text = "{ENGINE_SETTING: [{path: 'embedded', multi: 2}, {path: 'ssh far engine', \
                    name: 'far', options: {USI_Hash: 64}, pin: true}]}";
        let found = parse_engines(text).unwrap();
        assert_eq!((found[0].is_embedded(), found[0].multi), (true, 2));
        assert_eq!((found[1].name.as_str(), found[1].multi), ("far", 1));
        assert_eq!(found[1].options["USI_Hash"], "64");
        assert_eq!((found[0].pin, found[1].pin), (None, Some(true)));
        for (text, reason) in [
            ("{}", "at least one engine"),
            ("{ENGINE_SETTINGS: []}", "did you mean \"ENGINE_SETTING\"?"),
            ("{ENGINE_SETTING: [{multi: 2}]}", "missing field `path`"),
            ("{ENGINE_SETTING: 5}", "ENGINE_SETTING: "),
            ("[", "EOF"),
            ("{ENGINE_SETTING: [\n{path: }]}", "line 2 column 8"),
        ] {
            let error = parse_engines(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
        let deep = "[".repeat(200_000);
        assert!(parse_engines(&deep).unwrap_err().contains("brackets"));
    }
}
