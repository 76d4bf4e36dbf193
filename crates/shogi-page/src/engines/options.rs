//! Options of engines, as far as a page may see and set them: none that names files or programs.

use std::collections::BTreeMap;

use page_messages::PageFailure;
use serde_json::{Value, json};
use shogi_usi::{OptionKind, OptionSpec, nearest};

/// Parts of the names of options whose values are files, folders, programs or addresses.
const OUTSIDE: [&str; 17] = [
    "dir", "file", "path", "folder", "book", "model", "eval", "net", "weight", "library", "server",
    "secret", "log", "command", "script", "engine", "root",
];

/// Options that requests set themselves.
const BY_REQUESTS: [&str; 8] = [
    "MultiPV",
    "ConsiderationMode",
    "SkillLevel",
    "PlayAs",
    "HumanTime",
    "USI_Ponder",
    "Ponder",
    "Stochastic_Ponder",
];

/// Characters of a value at most.
const MOST_VALUE: usize = 1_000;

/// Options that a request changes: a value, or `None` to press a button or to have the default again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OptionChanges(pub(crate) Vec<(String, Option<String>)>);

impl OptionChanges {
    /// The changes of a JSON object.
    ///
    /// # Errors
    ///
    /// A value that is neither a text, a number, a truth nor `null`.
    pub(crate) fn of(fields: &BTreeMap<String, Value>) -> Result<Self, PageFailure> {
        let change = |(name, value): (&String, &Value)| {
            let value = match value {
                Value::Null => None,
                Value::String(text) => Some(text.clone()),
                Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
                Value::Array(_) | Value::Object(_) => {
                    let name = name.escape_debug();
                    let text = format!("option '{name}': a text or a number was expected");
                    return Err(PageFailure::new(text));
                }
            };
            Ok((name.clone(), value))
        };
        fields
            .iter()
            .map(change)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

/// Returns whether a page may see and set an option.
pub(crate) fn is_offered(spec: &OptionSpec) -> bool {
    let lower = spec.name.to_ascii_lowercase();
    let by_request = BY_REQUESTS
        .iter()
        .any(|name| name.eq_ignore_ascii_case(&spec.name));
    let is_outside = || OUTSIDE.iter().any(|part| lower.contains(part));
    if by_request {
        return false;
    }
    match &spec.kind {
        OptionKind::Filename { .. } => false,
        // What a button does nobody knows: those that write or read files have such names.
        OptionKind::String { .. } | OptionKind::Suggestions { .. } | OptionKind::Button => {
            !is_outside()
        }
        OptionKind::Check { .. } | OptionKind::Spin { .. } | OptionKind::Combo { .. } => true,
    }
}

/// An option in messages.
pub(crate) fn option_value(spec: &OptionSpec, value: &str) -> Value {
    let none: [&str; 0] = [];
    let (kind, least, most, choices) = match &spec.kind {
        OptionKind::Check { .. } => ("check", None, None, json!(none)),
        OptionKind::Spin { min, max, .. } => ("spin", Some(*min), Some(*max), json!(none)),
        OptionKind::Combo { vars, .. } => ("combo", None, None, json!(vars)),
        OptionKind::Suggestions { vars, .. } => ("string", None, None, json!(vars)),
        OptionKind::String { .. } | OptionKind::Filename { .. } => {
            ("string", None, None, json!(none))
        }
        OptionKind::Button => ("button", None, None, json!(none)),
    };
    json!({
        "name": spec.name,
        "type": kind,
        "default": text_of(&spec.kind.default_value().to_string()),
        "value": text_of(value),
        "min": least,
        "max": most,
        "choices": choices,
    })
}

/// The text of a value.
fn text_of(value: &str) -> &str {
    if value == "<empty>" { "" } else { value }
}

/// Checks a change against the options of an engine; returns the option and its value.
///
/// # Errors
///
/// An option that is not offered, or a value that does not fit.
pub(crate) fn checked<'a>(
    specs: &'a [OptionSpec],
    name: &str,
    value: Option<&str>,
) -> Result<(&'a OptionSpec, String), PageFailure> {
    let offered = || specs.iter().filter(|spec| is_offered(spec));
    let shown = name.escape_debug();
    let spec = offered().find(|spec| spec.name.eq_ignore_ascii_case(name));
    let spec = spec.ok_or_else(|| {
        let names = offered().map(|spec| spec.name.as_str());
        let meant = shogi_usi::did_you_mean(nearest(name, names));
        PageFailure::new(format!("there is no option '{shown}' here{meant}"))
    })?;
    let default = spec.kind.default_value().to_string();
    let value = value.unwrap_or_else(|| text_of(&default));
    let is_free = matches!(
        spec.kind,
        OptionKind::String { .. } | OptionKind::Suggestions { .. }
    );
    let is_path = |value: &str| value.contains(['/', '\\']) || value.contains("..");
    let wrong =
        |expected: &str| PageFailure::new(format!("option '{shown}': {expected} was expected"));
    if value.len() > MOST_VALUE || value.chars().any(char::is_control) {
        return Err(wrong("a line of text"));
    }
    if is_free && value != text_of(&default) && is_path(value) {
        return Err(wrong("a text that is no path"));
    }
    let read = spec.kind.read(value);
    let read = read.map_err(|unfit| wrong(&unfit.0))?;
    Ok((spec, read.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specs() -> Vec<OptionSpec> {
        vec![
            OptionSpec::spin("USI_Hash", 256, 1, 1024),
            OptionSpec::filename("Settings", ""),
            OptionSpec::string("EvalDir", "eval"),
            OptionSpec::string("DebugLogFile", ""),
            OptionSpec::string("Style", "calm"),
            OptionSpec::combo("Rule", "a", &["a", "b"]),
            OptionSpec::button("Clear_Hash"),
            OptionSpec::button("Save_Book"),
            OptionSpec::spin("MultiPV", 1, 1, 10),
        ]
    }

    #[test]
    fn what_names_files_is_not_offered() {
        let specs = specs();
        let offered: Vec<_> = specs
            .iter()
            .filter(|spec| is_offered(spec))
            .map(|spec| spec.name.as_str())
            .collect();
        assert_eq!(offered, ["USI_Hash", "Style", "Rule", "Clear_Hash"]);
        for (name, value) in [
            ("EvalDir", "/etc"),
            ("Settings", "x"),
            ("DebugLogFile", "x"),
            ("MultiPV", "2"),
            ("USI_Hash", "0"),
            ("USI_Hash", "x"),
            ("Style", "../x"),
            ("Style", "C:\\x"),
            ("Style", "a\nquit"),
            ("Rule", "c"),
            ("nothing", "1"),
        ] {
            assert!(
                checked(&specs, name, Some(value)).is_err(),
                "{name} {value}"
            );
        }
        let value = |name, value| checked(&specs, name, value).unwrap().1;
        assert_eq!(value("usi_hash", Some("64")), "64");
        assert_eq!(value("USI_Hash", None), "256");
        assert_eq!(value("Style", Some("wild")), "wild");
        assert_eq!(value("Clear_Hash", None), "");
        let error = checked(&specs, "USI_Hahs", Some("1")).unwrap_err();
        assert!(error.text.ends_with("did you mean USI_Hash?"), "{error}");
    }

    #[test]
    fn options_are_told_with_their_ranges() {
        let specs = specs();
        let told = option_value(&specs[0], "512");
        let expected = json!({ "name": "USI_Hash", "type": "spin", "default": "256", "value": "512",
            "min": 1, "max": 1024, "choices": [] });
        assert_eq!(told, expected);
        assert_eq!(option_value(&specs[5], "b")["choices"], json!(["a", "b"]));
    }
}
