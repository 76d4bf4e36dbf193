//! The one file: both pages with their modules, scripts, styles and words in one HTML document, which also works without a host.
//!
//! Scripts stay modules. Each is an entry of an import map, under its name in the folder, with the text as a `data:` address; words, modules
//! and the script of workers are in a table that the page reads.

use std::collections::BTreeMap;
use std::io::Write as _;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::endings::has_ending;
use super::folder::Folder;
use super::modules::file_name;
use super::variants::{Game, Variant};
use crate::workspace;

/// The beginning of names in the import map.
const SCHEME: &str = "app:/";

/// The document.
pub(super) fn page(folder: &Folder, games: &[Game]) -> Result<String> {
    let path = workspace::root().join("crates/browser/page/single.html");
    let frame = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let mut imports = BTreeMap::new();
    let mut files = BTreeMap::new();
    let mut styles = BTreeMap::new();
    for (name, bytes) in folder.files() {
        let text = || std::str::from_utf8(bytes).with_context(|| name.to_owned());
        if name == "engine/worker.js" {
            files.insert(name.to_owned(), base64(bytes));
        } else if has_ending(name, "js") {
            let script = with_absolute_imports(text()?, name);
            let address = format!("data:text/javascript;base64,{}", base64(script.as_bytes()));
            imports.insert(format!("{SCHEME}{name}"), address);
        } else if name.starts_with("lang/") {
            files.insert(name.to_owned(), base64(bytes));
        } else if has_ending(name, "css") {
            styles.insert(name.to_owned(), text()?.to_owned());
        }
    }
    for &game in games {
        for variant in [Variant::Simd, Variant::Relaxed] {
            let name = file_name(game, variant);
            let Some(module) = folder.get(&format!("engine/{name}")) else {
                continue;
            };
            files.insert(name, base64(&gzip(module)?));
        }
    }
    let bodies: BTreeMap<_, _> = games
        .iter()
        .filter_map(|game| {
            let page = folder.get(&format!("{}/index.html", game.name()))?;
            let page = std::str::from_utf8(page).ok()?;
            let body = page.split_once("<body")?.1.split_once('>')?.1;
            let head = page.split_once("</head>")?.0;
            let entry = serde_json::json!({
                "body": body.split_once("</body>")?.0,
                "styles": style_names(head),
                "main": format!("{SCHEME}{}/main.js", game.name()),
            });
            Some((game.name(), entry))
        })
        .collect();
    let build = folder.build();
    let page = frame
        .replace("{{build}}", &build)
        .replace(
            "{{imports}}",
            &script_json(&serde_json::json!({ "imports": imports }))?,
        )
        .replace("{{games}}", &script_json(&serde_json::json!(bodies))?)
        .replace("{{styles}}", &script_json(&serde_json::json!(styles))?)
        .replace("{{files}}", &script_json(&serde_json::json!(files))?);
    Ok(page)
}

/// JSON that can stand in a script element.
fn script_json(value: &serde_json::Value) -> Result<String> {
    Ok(serde_json::to_string(value)?.replace("</", "<\\/"))
}

/// The style sheets of a page, by their names in the folder.
fn style_names(head: &str) -> Vec<String> {
    let links = head.lines().filter_map(|line| {
        let link = line.strip_prefix("<link rel=\"stylesheet\" href=\"../")?;
        link.split_once('"').map(|(name, _)| name.to_owned())
    });
    links.collect()
}

/// A script whose imports are names of the import map.
fn with_absolute_imports(script: &str, name: &str) -> String {
    let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut out = String::with_capacity(script.len());
    let mut rest = script;
    while let Some((at, keyword)) = next_import(rest) {
        let (before, after) = rest.split_at(at + keyword.len());
        out.push_str(before);
        let Some((address, behind)) = after.split_once('\'') else {
            rest = after;
            break;
        };
        out.push_str(SCHEME);
        out.push_str(&resolved(folder, address));
        out.push('\'');
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// The next import of a relative address: where its keyword begins, which ends with the quotation mark.
fn next_import(script: &str) -> Option<(usize, &'static str)> {
    let found = ["from '", "import '", "import('"]
        .into_iter()
        .filter_map(|keyword| {
            let mut at = 0;
            while let Some(next) = script[at..].find(keyword) {
                let begin = at + next;
                if script[begin + keyword.len()..].starts_with('.') && !is_comment(script, begin) {
                    return Some((begin, keyword));
                }
                at = begin + keyword.len();
            }
            None
        });
    found.min()
}

/// Returns whether a place is in a comment, where types are imported.
fn is_comment(script: &str, at: usize) -> bool {
    let line = script[..at].rsplit('\n').next().unwrap_or_default();
    let line = line.trim_start();
    line.starts_with("//") || line.starts_with('*') || line.contains("/**")
}

/// A relative address as a name in the folder.
fn resolved(folder: &str, address: &str) -> String {
    let mut parts: Vec<_> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in address.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

/// Bytes as text in base64.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let mut number = 0u32;
        for i in 0..3 {
            number = number << 8 | u32::from(three.get(i).copied().unwrap_or(0));
        }
        for i in 0..4 {
            let letter = LETTERS[(number >> (18 - 6 * i)) as usize & 63];
            text.push(if i <= three.len() { letter.into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn imports_become_names_of_the_map() {
        let script = "import { a } from './a.js';\nimport '../common/b.js';\n// from './not.js'\n\
                      /** @typedef {import('./c.js').C} C */\nconst d = await import('./d.js');\nconst e = 'from x';\n";
        let expected = "import { a } from 'app:/shogi/a.js';\nimport 'app:/common/b.js';\n// from './not.js'\n\
                        /** @typedef {import('./c.js').C} C */\nconst d = await import('app:/shogi/d.js');\nconst e = 'from x';\n";
        assert_eq!(with_absolute_imports(script, "shogi/main.js"), expected);
    }

    #[test]
    fn styles_are_found() {
        let head = "<title>x</title>\n<link rel=\"stylesheet\" href=\"../common/theme.css\">\n";
        assert_eq!(style_names(head), ["common/theme.css"]);
        assert_eq!(resolved("a/b", "../c/./d.js"), "a/c/d.js");
    }
}
