//! The crates of the workspace as their `Cargo.toml` describe them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use xshell::cmd;

use crate::workspace;

/// The floors, from the ground up. A crate stands on crates of its own floor and of those below.
pub(super) const FLOORS: [&str; 8] = [
    "ground", "records", "games", "engines", "work", "pages", "programs", "chores",
];

/// What a crate is about, in the order of the columns of the picture.
pub(super) const SUBJECTS: [&str; 3] = ["shogi", "any", "othello"];

/// A crate of the workspace.
#[derive(Debug)]
pub(super) struct Member {
    /// The name of its folder, which is that of the library; the package has a prefix besides.
    pub(super) name: String,
    /// What it is, in a sentence.
    pub(super) description: String,
    /// Its folder, below the root of the workspace.
    pub(super) folder: PathBuf,
    /// Number of its floor in [`FLOORS`].
    pub(super) floor: usize,
    /// Number of its subject in [`SUBJECTS`].
    pub(super) subject: usize,
    /// What it never knows about.
    pub(super) never: String,
    /// What its unsafe code is for.
    pub(super) unsafe_for: Option<String>,
    /// The crates of the workspace that it stands on, in order.
    pub(super) stands_on: Vec<String>,
}

/// `[package.metadata.map]` of a `Cargo.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct MapTable {
    floor: String,
    subject: Option<String>,
    never: String,
    unsafe_for: Option<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    description: Option<String>,
    manifest_path: PathBuf,
    dependencies: Vec<Dependency>,
    metadata: Option<PackageMetadata>,
}

#[derive(Deserialize)]
struct PackageMetadata {
    map: Option<MapTable>,
}

#[derive(Deserialize)]
struct Dependency {
    /// `dev` and `build`; `None` for what the crate itself needs.
    kind: Option<String>,
    /// The folder of a crate of the workspace.
    path: Option<PathBuf>,
}

/// Reads the crates of the workspace, by floor and name.
pub(super) fn read() -> Result<Vec<Member>> {
    let sh = workspace::shell()?;
    let text = cmd!(sh, "cargo metadata --no-deps --format-version 1 --offline")
        .quiet()
        .ignore_stderr()
        .read()
        .context("cargo metadata")?;
    let metadata: Metadata = serde_json::from_str(&text).context("the output of cargo metadata")?;
    let mut members = Vec::new();
    for package in metadata.packages {
        members.push(member(package)?);
    }
    members.sort_by(|one, other| (one.floor, &one.name).cmp(&(other.floor, &other.name)));
    Ok(members)
}

fn member(package: Package) -> Result<Member> {
    let folder = package.manifest_path.parent().unwrap_or(Path::new(""));
    let name = folder_name(folder).unwrap_or(package.name);
    let table = package.metadata.and_then(|metadata| metadata.map);
    let table =
        table.with_context(|| format!("{name}: Cargo.toml has no [package.metadata.map]"))?;
    let find = |names: &[&str], wanted: &str| {
        let place = names.iter().position(|&one| one == wanted);
        place.with_context(|| format!("{name}: {wanted} is none of {}", names.join(", ")))
    };
    let subject = table.subject.as_deref().unwrap_or("any");
    let (floor, subject) = (find(&FLOORS, &table.floor)?, find(&SUBJECTS, subject)?);
    let folder = folder.strip_prefix(workspace::root()).unwrap_or(folder);
    ensure!(!table.never.contains('|'), "{name}: `never` has a |");
    let mut stands_on: Vec<String> = package
        .dependencies
        .into_iter()
        .filter(|dependency| dependency.kind.is_none())
        .filter_map(|dependency| folder_name(&dependency.path?))
        .collect();
    stands_on.sort();
    stands_on.dedup();
    Ok(Member {
        description: package
            .description
            .with_context(|| format!("{name}: Cargo.toml has no description"))?,
        folder: folder.to_owned(),
        floor,
        subject,
        never: table.never,
        unsafe_for: table.unsafe_for,
        stands_on,
        name,
    })
}

/// The last part of a path.
fn folder_name(folder: &Path) -> Option<String> {
    Some(folder.file_name()?.to_str()?.to_owned())
}

/// Returns which crates stand on a higher floor, or on one of the other game, a line each.
pub(super) fn findings(members: &[Member]) -> Vec<String> {
    let by_name = |name: &str| members.iter().find(|member| member.name == name);
    let mut findings = Vec::new();
    for member in members {
        for below in member.stands_on.iter().filter_map(|name| by_name(name)) {
            if below.floor > member.floor {
                findings.push(format!(
                    "{} ({}) stands on {}, which is on a higher floor ({})",
                    member.name, FLOORS[member.floor], below.name, FLOORS[below.floor]
                ));
            }
            let games = [member.subject, below.subject];
            if games == [0, 2] || games == [2, 0] {
                findings.push(format!(
                    "{} is about {} and stands on {}, which is about {}",
                    member.name, SUBJECTS[member.subject], below.name, SUBJECTS[below.subject]
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, floor: usize, subject: usize, stands_on: &[&str]) -> Member {
        Member {
            name: name.to_owned(),
            description: String::new(),
            folder: PathBuf::from(name),
            floor,
            subject,
            never: String::new(),
            unsafe_for: None,
            stands_on: stands_on.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    #[test]
    fn what_points_up_or_to_the_other_game_is_found() {
        let members = [
            member("rules", 0, 0, &["search"]),
            member("search", 2, 0, &["rules"]),
            member("discs", 2, 2, &["rules"]),
            member("program", 5, 1, &["search", "discs"]),
        ];
        assert_eq!(
            findings(&members),
            [
                "rules (ground) stands on search, which is on a higher floor (games)",
                "discs is about othello and stands on rules, which is about shogi",
            ]
        );
    }
}
