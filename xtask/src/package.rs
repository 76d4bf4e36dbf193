//! `cargo xtask package`: the packages as they go to a registry, with everything that must hold for that.

use std::path::Path;

use anyhow::{Result, ensure};
use xshell::{Shell, cmd};

use crate::outcome::Outcome;
use crate::packages::{Dependency, Package, members};
use crate::workspace;

/// Make the packages for a registry into target/package, in the order in which they depend on each other.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Compile each from what is in its package alone (slow).
    #[arg(long)]
    verify: bool,
}

/// What names of packages begin with: short names are taken, or say too little outside of the workspace.
const PREFIX: &str = "yane";

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let sh = workspace::shell()?;
    let findings = findings(&sh)?;
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        return Ok(Outcome::Findings);
    }
    let packages = members(&sh)?;
    let private = packages.iter().filter(|package| !package.is_published());
    let private = private.flat_map(|package| ["--exclude", &package.name]);
    // Nothing is published by this, so that a changed file is no reason to stop.
    let command = cmd!(sh, "cargo package --workspace --allow-dirty").args(private);
    // Their tests stay in the workspace, and cargo warns of each that it leaves out.
    let command = command.args(["--offline", "--quiet"]);
    if args.verify {
        // Cargo compiles for this processor, as everything here.
        command.run()?;
    } else {
        command.arg("--no-verify").run()?;
    }
    let folder = workspace::target_dir().join("package");
    for package in packages.iter().filter(|package| package.is_published()) {
        let file = folder.join(format!("{}-{}.crate", package.name, package.version));
        let bytes = sh.read_binary_file(&file)?.len();
        ensure!(
            bytes < MAX_BYTES,
            "{}: {bytes} bytes, a registry takes {MAX_BYTES}",
            file.display()
        );
        println!("{bytes:>9}  {}", file.display());
    }
    Ok(Outcome::Clean)
}

/// The largest package that crates.io takes.
const MAX_BYTES: usize = 10 << 20;

/// Returns what keeps packages from a registry, a line each.
pub(crate) fn findings(sh: &Shell) -> Result<Vec<String>> {
    let packages = members(sh)?;
    let published = packages.iter().filter(|package| package.is_published());
    let repository = packages.iter().find_map(|one| one.repository.clone());
    Ok(published
        .flat_map(|package| {
            let mut wrong = wrong_metadata(package, repository.as_deref());
            wrong.extend(wrong_dependencies(package, &packages));
            let name = &package.name;
            let told = wrong.into_iter().map(move |text| format!("{name}: {text}"));
            told.collect::<Vec<_>>()
        })
        .collect())
}

fn wrong_metadata(package: &Package, repository: Option<&str>) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut need = |holds: bool, text: &str| {
        if !holds {
            wrong.push(text.to_owned());
        }
    };
    let folder = package.folder();
    let folder_name = folder.file_name().unwrap_or_default().to_string_lossy();
    let own_name = package.name.strip_prefix("yane-").unwrap_or(&package.name);
    need(
        package.name.starts_with(PREFIX),
        "its name does not begin with yane",
    );
    need(
        own_name == folder_name || package.name == folder_name,
        "its folder has another name",
    );
    let library = folder_name.replace('-', "_");
    need(
        package.targets("lib").all(|name| name == library),
        "its library is not called as its folder: [lib] name",
    );
    need(package.license.is_some(), "no license");
    need(package.description.is_some(), "no description");
    need(package.readme.is_some(), "no readme");
    need(!package.categories.is_empty(), "no categories");
    need((1..=5).contains(&package.keywords.len()), "1 to 5 keywords");
    need(
        package.keywords.iter().all(|word| word.len() <= 20),
        "a keyword of more than 20 letters",
    );
    need(
        package.targets("lib").next().is_none() || package.documentation.is_some(),
        "no documentation",
    );
    need(
        package.repository.as_deref() == repository,
        "another package has a repository: repository.workspace = true",
    );
    for file in LICENCES {
        need(
            is_same(&folder.join(file), &workspace::root().join(file)),
            &format!("{file} is not the workspace's"),
        );
    }
    wrong
}

/// Each package has them, as a package alone is what people get.
pub(crate) const LICENCES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

/// Returns whether two files have the same contents. A link that the system cannot have is a file with its target.
fn is_same(one: &Path, other: &Path) -> bool {
    match (std::fs::read(one), std::fs::read(other)) {
        (Ok(one), Ok(other)) => one == other || one.starts_with(b"../../LICENSE"),
        _ => false,
    }
}

/// What a registry has must be asked for by version; what it has not may serve tests only, and is then named without one.
fn wrong_dependencies(package: &Package, packages: &[Package]) -> Vec<String> {
    let own = package.dependencies.iter();
    own.filter_map(|dependency| {
        dependency.path.as_ref()?;
        let found = packages.iter().find(|one| one.name == dependency.name)?;
        wrong_dependency(dependency, found.is_published())
    })
    .collect()
}

fn wrong_dependency(dependency: &Dependency, is_published: bool) -> Option<String> {
    let name = &dependency.name;
    let is_dev = dependency.kind.as_deref() == Some("dev");
    let has_version = dependency.req != "*";
    if !is_published && !is_dev {
        return Some(format!("stands on {name}, which is not published"));
    }
    if !is_published && has_version {
        return Some(format!(
            "{name} is not published: name it without a version"
        ));
    }
    (is_published && !is_dev && !has_version).then(|| format!("asks for no version of {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packages_can_be_published() {
        let sh = workspace::shell().unwrap();
        assert_eq!(findings(&sh).unwrap(), [""; 0]);
    }

    #[test]
    fn what_is_not_published_serves_tests_only() {
        let dependency = |kind: Option<&str>, req: &str| Dependency {
            name: "other".to_owned(),
            req: req.to_owned(),
            kind: kind.map(str::to_owned),
            path: None,
        };
        for (kind, req, is_published, is_wrong) in [
            (None, "^0.1.0", true, false),
            (None, "*", true, true),
            (None, "^0.1.0", false, true),
            (Some("dev"), "*", false, false),
            (Some("dev"), "^0.1.0", false, true),
            // Of one that stands on the package itself.
            (Some("dev"), "*", true, false),
        ] {
            let wrong = wrong_dependency(&dependency(kind, req), is_published);
            assert_eq!(wrong.is_some(), is_wrong, "{kind:?} {req} {is_published}");
        }
    }

    #[test]
    fn metadata_that_is_missing_is_told() {
        let package = crate::packages::tests::package("farm", "lib", None);
        let package: Package = serde_json::from_value(package).unwrap();
        let wrong = wrong_metadata(&package, Some("https://example.org/games"));
        for text in [
            "begin with yane",
            "readme",
            "categories",
            "keywords",
            "repository",
            "LICENSE-MIT",
        ] {
            assert!(
                wrong.iter().any(|line| line.contains(text)),
                "{text}: {wrong:?}"
            );
        }
    }
}
