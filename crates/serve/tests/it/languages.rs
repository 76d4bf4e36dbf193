//! The texts of the pages: all languages have the same keys, and every key that a module asks for exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// The folder of the pages.
fn ui() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("ui")
}

/// The texts of a language file below `ui/lang`.
fn language(file: &str) -> Map<String, Value> {
    let path = ui().join("lang").join(file);
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    match serde_json::from_str(&text) {
        Ok(Value::Object(texts)) => texts,
        other => panic!("{}: not an object of texts: {other:?}", path.display()),
    }
}

/// The names in braces of a text, which values are put in for.
fn places(text: &str) -> BTreeSet<&str> {
    text.split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
        .collect()
}

/// Folders of `ui/lang`: the texts that pages share, and those of a page of its own.
const PARTS: [&str; 2] = ["", "shogi/"];

#[test]
fn languages_have_the_same_keys_and_places() {
    for part in PARTS {
        let english = language(&format!("{part}en.json"));
        for file in ["ja.json", "zh-cn.json", "zh-tw.json"] {
            let other = language(&format!("{part}{file}"));
            let keys = |texts: &Map<String, Value>| texts.keys().cloned().collect::<BTreeSet<_>>();
            assert_eq!(keys(&other), keys(&english), "{part}{file}");
            for (key, text) in &english {
                let (text, translated) = (text.as_str().unwrap(), other[key].as_str().unwrap());
                assert!(!translated.is_empty(), "{part}{file}: {key}");
                assert_eq!(places(translated), places(text), "{part}{file}: {key}");
            }
        }
    }
}

/// The modules of folders of the pages without their tests: name and text.
fn modules(folders: &[&str]) -> Vec<(String, String)> {
    let mut modules = Vec::new();
    for folder in folders {
        for entry in fs::read_dir(ui().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let is_module = path.extension().is_some_and(|extension| extension == "js");
            if is_module && !name.contains(".test.") {
                modules.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    modules
}

/// What stands in the brackets of each call of `t`.
fn arguments(module: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in module.match_indices("t(") {
        let before = module[..at].chars().next_back();
        if before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_' || letter == '.') {
            continue;
        }
        let rest = &module[at + 2..];
        let mut depth = 1;
        let end = rest.char_indices().find(|&(_, letter)| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            depth == 0
        });
        if let Some((end, _)) = end {
            found.push(&rest[..end]);
        }
    }
    found
}

/// The texts in single quotes that look like keys.
fn literals(argument: &str) -> Vec<&str> {
    let parts: Vec<&str> = argument.split('\'').collect();
    parts
        .into_iter()
        .skip(1)
        .step_by(2)
        .filter(|text| is_key(text))
        .collect()
}

/// Whether a text has the form of a key: words with dots between.
fn is_key(text: &str) -> bool {
    text.contains('.')
        && text.split('.').all(|word| {
            !word.is_empty()
                && word
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
        })
}

#[test]
fn every_text_that_is_asked_for_exists() {
    let shared = language("en.json");
    assert!(texts_asked_for(&["common", "othello"], &shared) > 200);
    let mut shogi = shared;
    shogi.extend(language("shogi/en.json"));
    assert!(texts_asked_for(&["common", "shogi"], &shogi) > 200);
}

/// How many texts the modules of folders ask for, all of which have to be in a language.
fn texts_asked_for(folders: &[&str], english: &Map<String, Value>) -> usize {
    let mut asked = 0;
    for (name, module) in modules(folders) {
        for argument in arguments(&module) {
            for key in literals(argument) {
                assert!(english.contains_key(key), "{name}: t('{key}')");
                asked += 1;
            }
            for start in argument.split('`').skip(1).step_by(2) {
                let prefix = start.split("${").next().unwrap_or_default();
                assert!(
                    english.keys().any(|key| key.starts_with(prefix)),
                    "{name}: no text begins with {prefix}"
                );
            }
        }
    }
    asked
}
