//! `cargo xtask api`: the public names of all libraries, compared with those of the last release.
//!
//! `docs/api.txt` has a line for each name: its kind and its path. What is no longer there breaks programs that use it. Signatures are
//! not compared: `cargo semver-checks` does that where it is installed.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value};
use xshell::cmd;

use crate::outcome::Outcome;
use crate::{packages, workspace};

/// Compare the public names of the libraries with docs/api.txt (slow: documents the workspace apart).
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write the file anew.
    #[arg(long)]
    write: bool,
}

const LISTING: &str = "docs/api.txt";

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let sh = workspace::shell()?;
    let packages = packages::members(&sh)?;
    let published = packages.iter().filter(|one| one.is_published());
    let libraries: Vec<_> = published
        .filter_map(|one| Some((&one.name, one.targets("lib").next()?)))
        .collect();
    // What rustdoc writes for programs is for nightly Rust, or one that acts as it; a folder apart, as build scripts look at that.
    let target = workspace::target_dir().join("api");
    let names = libraries.iter().flat_map(|(name, _)| ["-p", name]);
    cmd!(
        sh,
        "cargo doc --no-deps --lib --locked --target-dir {target} {names...}"
    )
    .env("RUSTC_BOOTSTRAP", "1")
    .env("RUSTDOCFLAGS", "-Z unstable-options --output-format json")
    .run()?;
    let mut lines = BTreeSet::new();
    for (_, library) in libraries {
        let path = target.join("doc").join(format!("{library}.json"));
        let document: Value = serde_json::from_str(&sh.read_file(&path)?)
            .with_context(|| path.display().to_string())?;
        let found = Crate::of(&document).with_context(|| path.display().to_string())?;
        lines.append(&mut found.lines(library));
    }
    if args.write {
        let listed: Vec<&str> = lines.iter().map(String::as_str).collect();
        sh.write_file(LISTING, listed.join("\n") + "\n")?;
    }
    let old = sh.read_file(LISTING)?;
    let old: BTreeSet<String> = old.lines().map(str::to_owned).collect();
    let (gone, new): (Vec<_>, Vec<_>) = (
        old.difference(&lines).collect(),
        lines.difference(&old).collect(),
    );
    for line in &gone {
        println!("- {line}");
    }
    for line in &new {
        println!("+ {line}");
    }
    println!(
        "{} public names, {} gone, {} new",
        lines.len(),
        gone.len(),
        new.len()
    );
    Ok(Outcome::from_found(!gone.is_empty()))
}

/// The items of a library, as rustdoc describes them.
struct Crate<'a> {
    root: &'a Value,
    items: &'a Map<String, Value>,
}

impl<'a> Crate<'a> {
    fn of(document: &'a Value) -> Result<Self> {
        let items = document["index"].as_object();
        let items = items.context("rustdoc lists no items: another form than expected")?;
        let found = Self {
            root: &document["root"],
            items,
        };
        ensure!(found.item(found.root).is_some(), "rustdoc names no root");
        Ok(found)
    }

    fn item(&self, id: &Value) -> Option<&'a Value> {
        self.items.get(&id.to_string())
    }

    /// The kind and path of each public name.
    fn lines(&self, name: &str) -> BTreeSet<String> {
        let mut lines = BTreeSet::new();
        if let Some(root) = self.item(self.root) {
            self.add_members(root, name, &mut lines);
        }
        lines
    }

    /// Adds what lies in a module.
    fn add_members(&self, module: &Value, path: &str, lines: &mut BTreeSet<String>) {
        for item in self.listed(&module["inner"]["module"]["items"]) {
            let used = &item["inner"]["use"];
            if item["visibility"] != "public" {
                continue;
            }
            if used.is_null() {
                let name = item["name"].as_str().unwrap_or_default();
                self.add(item, &format!("{path}::{name}"), lines);
                continue;
            }
            let path = match &used["is_glob"] {
                Value::Bool(true) => path.to_owned(),
                _ => format!("{path}::{}", used["name"].as_str().unwrap_or_default()),
            };
            match self.item(&used["id"]) {
                Some(target) if used["is_glob"] == true => self.add_members(target, &path, lines),
                Some(target) => self.add(target, &path, lines),
                None => {
                    lines.insert(format!("use {path}"));
                }
            }
        }
    }

    /// Adds an item under a path, with what is inside it.
    fn add(&self, item: &Value, path: &str, lines: &mut BTreeSet<String>) {
        let Some((kind, inner)) = item["inner"]
            .as_object()
            .and_then(|inner| inner.iter().next())
        else {
            return;
        };
        if !lines.insert(format!("{} {path}", word(kind))) {
            return;
        }
        if kind == "module" {
            return self.add_members(item, path, lines);
        }
        let mut members: Vec<&Value> = Vec::new();
        for list in [
            &inner["variants"],
            &inner["items"],
            &inner["fields"],
            &inner["kind"]["plain"]["fields"],
        ] {
            members.extend(self.listed(list));
        }
        for block in self.listed(&inner["impls"]) {
            let block = &block["inner"]["impl"];
            if block["trait"].is_null() {
                members.extend(self.listed(&block["items"]));
            }
        }
        for member in members {
            // Variants and what is in traits have no visibility of their own; fields without one are private.
            let is_seen = member["visibility"] == "public"
                || member["visibility"] == "default" && ["enum", "trait"].contains(&kind.as_str());
            if let (true, Some(name)) = (is_seen, member["name"].as_str()) {
                let kind = member["inner"]
                    .as_object()
                    .and_then(|inner| inner.keys().next());
                let kind = word(kind.map_or("item", String::as_str));
                lines.insert(format!("{kind} {path}::{name}"));
            }
        }
    }

    /// The items that a list of numbers names.
    fn listed(&self, ids: &Value) -> Vec<&'a Value> {
        let ids = ids.as_array().map(Vec::as_slice).unwrap_or_default();
        ids.iter().filter_map(|id| self.item(id)).collect()
    }
}

/// The kind of an item as it is written in Rust.
fn word(kind: &str) -> &str {
    match kind {
        "function" => "fn",
        "module" => "mod",
        "struct_field" => "field",
        "constant" | "assoc_const" => "const",
        "type_alias" | "assoc_type" => "type",
        "macro" | "proc_macro" => "macro",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_public_is_listed() {
        let item = |name: &str, visibility: &str, inner: Value| json!({ "name": name, "visibility": visibility, "inner": inner });
        let document = json!({
            "root": 0,
            "index": {
                "0": item("rules", "public", json!({ "module": { "items": [1, 2, 3, 9] } })),
                "1": item("hidden", "crate", json!({ "module": { "items": [4] } })),
                "2": { "name": null, "visibility": "public",
                    "inner": { "use": { "name": "Board", "id": 4, "is_glob": false } } },
                "3": item("perft", "public", json!({ "function": {} })),
                "4": item("Board", "public", json!({ "struct": {
                    "kind": { "plain": { "fields": [5, 6] } }, "impls": [7] } })),
                "5": item("mover", "public", json!({ "struct_field": {} })),
                "6": item("cache", "default", json!({ "struct_field": {} })),
                "7": { "name": null, "visibility": "default",
                    "inner": { "impl": { "trait": null, "items": [8] } } },
                "8": item("flip", "public", json!({ "function": {} })),
                "9": { "name": null, "visibility": "public",
                    "inner": { "use": { "name": "Job", "id": 99, "is_glob": false } } },
            },
        });
        let lines = Crate::of(&document).unwrap().lines("rules");
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        assert_eq!(
            lines,
            [
                "field rules::Board::mover",
                "fn rules::Board::flip",
                "fn rules::perft",
                "struct rules::Board",
                "use rules::Job",
            ]
        );
        assert!(Crate::of(&json!({ "root": 0 })).is_err());
    }
}
