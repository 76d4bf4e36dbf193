//! The packages of the workspace and those that they stand on, as `cargo metadata` tells.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;
use xshell::{Shell, cmd};

/// A package: of the workspace, or of a registry.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    /// Where it comes from; `None` for the workspace's own.
    pub(crate) source: Option<String>,
    /// An SPDX expression.
    pub(crate) license: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) documentation: Option<String>,
    pub(crate) repository: Option<String>,
    pub(crate) readme: Option<PathBuf>,
    pub(crate) categories: Vec<String>,
    pub(crate) keywords: Vec<String>,
    pub(crate) manifest_path: PathBuf,
    /// The registries that it may go to; an empty list for none, `None` for all.
    pub(crate) publish: Option<Vec<String>>,
    pub(crate) targets: Vec<Target>,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A library, program, example or test of a package.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) kind: Vec<String>,
}

/// A line of a package's table of dependencies.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// The version that is asked for; `*` where none is.
    pub(crate) req: String,
    /// `dev` and `build`; `None` for what the package itself needs.
    pub(crate) kind: Option<String>,
    /// The folder of a package of the workspace.
    pub(crate) path: Option<PathBuf>,
}

impl Package {
    pub(crate) fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new(""))
    }

    pub(crate) fn is_published(&self) -> bool {
        self.publish.as_ref().is_none_or(|names| !names.is_empty())
    }

    /// The names of its targets of a kind, such as `bin` or `lib`.
    pub(crate) fn targets(&self, kind: &str) -> impl Iterator<Item = &str> {
        let is_one = move |target: &&Target| target.kind.iter().any(|one| one == kind);
        self.targets
            .iter()
            .filter(is_one)
            .map(|target| target.name.as_str())
    }
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Option<Resolve>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    pkg: String,
    dep_kinds: Vec<EdgeKind>,
}

#[derive(Deserialize)]
struct EdgeKind {
    kind: Option<String>,
}

/// The packages of the workspace.
pub(crate) fn members(sh: &Shell) -> Result<Vec<Package>> {
    let text = cmd!(sh, "cargo metadata --no-deps --format-version 1 --offline")
        .quiet()
        .ignore_stderr()
        .read()
        .context("cargo metadata")?;
    let metadata: Metadata = serde_json::from_str(&text).context("the output of cargo metadata")?;
    Ok(metadata.packages)
}

/// Features of what people download: ONNX Runtime, whose library is loaded when an option asks for it, so that it costs nothing.
pub(crate) const RELEASE_FEATURES: &str =
    "yaneura/ort,yane-gensfen/ort,yane-makebook/ort,yane-teacher/ort";

/// What programs for a target are made of.
#[derive(Debug)]
pub(crate) struct Inventory {
    /// By identifier.
    pub(crate) packages: BTreeMap<String, Package>,
    /// For each package those that it stands on.
    pub(crate) stands_on: BTreeMap<String, BTreeSet<String>>,
}

impl Inventory {
    /// Everything that goes into these programs of the workspace when they are built for `target`. Packages that only
    /// tests or build scripts need are left out.
    pub(crate) fn read(sh: &Shell, programs: &[&str], target: &str) -> Result<Self> {
        let text = cmd!(
            sh,
            "cargo metadata --format-version 1 --locked --filter-platform {target} --features {RELEASE_FEATURES}"
        )
        .quiet()
        .ignore_stderr()
        .read()
        .context("cargo metadata")?;
        let metadata: Metadata =
            serde_json::from_str(&text).context("the output of cargo metadata")?;
        Self::of(metadata, programs)
    }

    fn of(metadata: Metadata, programs: &[&str]) -> Result<Self> {
        let nodes = metadata
            .resolve
            .context("cargo metadata resolves nothing")?;
        let edges: BTreeMap<String, BTreeSet<String>> = nodes
            .nodes
            .into_iter()
            .map(|node| (node.id, needed(node.deps)))
            .collect();
        let has_program = |package: &&Package| {
            package.source.is_none() && package.targets("bin").any(|name| programs.contains(&name))
        };
        let roots = metadata.packages.iter().filter(has_program);
        let mut left: Vec<String> = roots.map(|package| package.id.clone()).collect();
        let mut found = BTreeSet::new();
        while let Some(id) = left.pop() {
            if let Some(below) = edges.get(&id)
                && found.insert(id)
            {
                left.extend(below.iter().cloned());
            }
        }
        let packages = metadata.packages.into_iter();
        Ok(Self {
            packages: packages
                .filter(|package| found.contains(&package.id))
                .map(|package| (package.id.clone(), package))
                .collect(),
            stands_on: edges
                .into_iter()
                .filter(|(id, _)| found.contains(id))
                .collect(),
        })
    }

    /// Those that come from elsewhere, by name.
    pub(crate) fn foreign(&self) -> Vec<&Package> {
        let foreign = self.packages.values();
        let mut foreign: Vec<_> = foreign.filter(|one| one.source.is_some()).collect();
        foreign.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
        foreign
    }
}

/// The packages of the edges that lead to code in the program.
fn needed(edges: Vec<Edge>) -> BTreeSet<String> {
    let is_needed = |edge: &Edge| edge.dep_kinds.iter().any(|kind| kind.kind.is_none());
    let edges = edges.into_iter().filter(is_needed);
    edges.map(|edge| edge.pkg).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::{Value, json};

    use super::*;

    pub(crate) fn package(name: &str, kind: &str, source: Option<&str>) -> Value {
        json!({
            "id": name, "name": name, "version": "1.0.0", "source": source, "license": "MIT/Apache-2.0",
            "description": "what it is", "documentation": null, "repository": null, "readme": null,
            "categories": [], "keywords": [], "manifest_path": format!("/nowhere/{name}/Cargo.toml"),
            "publish": null, "targets": [{ "name": name, "kind": [kind] }], "dependencies": [],
        })
    }

    /// A program on a library of its own and one from elsewhere; what else there is serves tests.
    pub(crate) fn inventory() -> Inventory {
        let edge = |name: &str, kind: Option<&str>| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let registry = Some("registry+https://example.org/index");
        let metadata = json!({
            "packages": [
                package("play", "bin", None), package("rules", "lib", None), package("chore", "bin", None),
                package("far", "lib", registry), package("checks", "lib", registry),
            ],
            "resolve": { "nodes": [
                { "id": "play", "deps": [edge("rules", None), edge("checks", Some("dev"))] },
                { "id": "rules", "deps": [edge("far", None)] },
                { "id": "chore", "deps": [edge("checks", None)] },
                { "id": "far", "deps": [] },
                { "id": "checks", "deps": [] },
            ]},
        });
        Inventory::of(serde_json::from_value(metadata).unwrap(), &["play"]).unwrap()
    }

    #[test]
    fn what_goes_into_a_program_is_found() {
        let inventory = inventory();
        let names: Vec<_> = inventory.packages.keys().collect();
        assert_eq!(names, ["far", "play", "rules"]);
        let foreign: Vec<_> = inventory.foreign().iter().map(|one| &one.name).collect();
        assert_eq!(foreign, ["far"]);
        assert!(inventory.stands_on["play"].contains("rules"));
        assert!(!inventory.stands_on["play"].contains("checks"));
    }
}
