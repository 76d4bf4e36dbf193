//! `cargo xtask dist`: what people download. An archive of all programs with documents, licences, manual pages, completions and a list of
//! what is inside (SBOM), a Debian package, and checksums. The archive is unpacked elsewhere and tried out.
//!
//! The workspace builds for the local CPU (`.cargo/config.toml`). Here `RUSTFLAGS` from the
//! environment takes the place of that setting, and naming the target keeps it away from build
//! scripts, which must run on this machine whatever it can do.

mod archive;
mod build;
mod debian;
mod licences;
mod release;
mod sbom;
mod shell_files;
mod tryout;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use self::build::Level;
use self::release::{Release, hex};
use crate::outcome::Outcome;
use crate::package::LICENCES;
use crate::packages::Inventory;
use crate::workspace;

pub(crate) use self::tryout::try_out;

const EXAMPLES: &str = "\
Examples:
  cargo xtask dist                                  everything for machines like this one
  cargo xtask dist --levels v2,v3,v4                besides it engines that need more of a processor
  cargo xtask dist --programs arena --no-archive    one program, as dist/PROGRAM

cargo-auditable (a list of dependencies inside the programs) and dpkg-deb (the Debian package) are
used where they are installed; --complete asks for them.";

/// Build what people download into dist/: an archive of all programs, checksums, a Debian package.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Levels of the x86-64 instruction set to build the engine for. The lowest is the one of all other programs; kernels
    /// for later processors are in each, and chosen when it runs.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Level::V2])]
    levels: Vec<Level>,
    /// Programs to build.
    #[arg(long, value_delimiter = ',', default_values = PROGRAMS)]
    programs: Vec<String>,
    /// System to build for, as Rust calls it [default: this machine's].
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
    /// Folder of the results, relative to the root of the workspace.
    #[arg(long, default_value = "dist")]
    out: PathBuf,
    /// Build the programs, and nothing else.
    #[arg(long)]
    no_archive: bool,
    /// Leave out completions for shells and manual pages.
    #[arg(long)]
    no_shell_files: bool,
    /// Fail where a tool is not installed, rather than leave out its part.
    #[arg(long)]
    complete: bool,
}

/// All programs, the engine first.
const PROGRAMS: [&str; 10] = [
    "yaneura",
    "arena",
    "egbk-mine",
    "gensfen",
    "kifu",
    "makebook",
    "othello",
    "pack2hcpe",
    "startsfens",
    "teacher",
];

/// Documents of the archive, besides `docs`.
const DOCUMENTS: [&str; 5] = [
    "README.md",
    "README.ja.md",
    "CHANGELOG.md",
    "BENCHMARKS.md",
    "SECURITY.md",
];

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let sh = workspace::shell()?;
    let release = Release::new(&sh, args.target.as_deref())?;
    let out = workspace::root().join(&args.out);
    let folder = out.join(release.name());
    sh.remove_path(&folder)?;
    sh.create_dir(&folder)?;
    let programs: Vec<&str> = args.programs.iter().map(String::as_str).collect();
    let built = build::programs(&sh, &release, &programs, &args.levels, args.complete)?;
    if args.no_archive {
        sh.remove_path(&folder)?;
        for path in built {
            let copy = out.join(path.file_name().context("a program has a name")?);
            sh.copy_file(&path, &copy)?;
            report(&sh, &copy, "not tried out")?;
        }
        return Ok(Outcome::Clean);
    }
    for path in &built {
        sh.copy_file(path, &folder)?;
        let name = path.file_name().context("a program has a name")?;
        build::strip(&sh, &release, &folder.join(name))?;
    }
    let inventory = Inventory::read(&sh, &programs, &release.target)?;
    add_documents(&sh, &release, &inventory, &folder)?;
    if !args.no_shell_files {
        shell_files::write(&sh, &release, &folder, &programs)?;
    }
    let archive = archive::pack(&sh, &release, &folder)?;
    let note = tryout::unpacked(&sh, &release, &archive, &programs)?;
    report(&sh, &archive, note)?;
    let mut files = vec![archive];
    if release.target.contains("linux-gnu") {
        files.extend(debian::package(
            &sh,
            &release,
            &folder,
            &programs,
            &out,
            args.complete,
        )?);
    }
    archive::add_checksums(&sh, &out, &files)?;
    let changes = sh.read_file("CHANGELOG.md")?;
    sh.write_file(out.join("NOTES.md"), notes(&changes, &release.version))?;
    Ok(Outcome::Clean)
}

/// Documents, licences and the list of what is inside.
fn add_documents(
    sh: &Shell,
    release: &Release,
    inventory: &Inventory,
    folder: &Path,
) -> Result<()> {
    for name in DOCUMENTS.iter().chain(&LICENCES) {
        sh.copy_file(workspace::root().join(name), folder)?;
    }
    // What git does not have is no document.
    let documents = cmd!(sh, "git ls-files docs").quiet().read()?;
    for name in documents.lines() {
        let copy = folder.join(name);
        sh.create_dir(copy.parent().context("a document has a folder")?)?;
        sh.copy_file(workspace::root().join(name), copy)?;
    }
    let texts = licences::document(inventory)?;
    sh.write_file(folder.join("THIRD-PARTY-LICENSES.txt"), texts)?;
    let lock = sh.read_file("Cargo.lock")?;
    let bom = sbom::document(inventory, &lock, &release.version);
    let name = format!("yaneura-{}.cdx.json", release.version);
    sh.write_file(
        folder.join(name),
        serde_json::to_string_pretty(&bom)? + "\n",
    )?;
    Ok(())
}

/// What is new in a version: its section of the list of changes, without the heading.
fn notes(changes: &str, version: &str) -> String {
    let heading = format!("## [{version}]");
    let lines = changes
        .lines()
        .skip_while(|line| !line.starts_with(&heading));
    let section = lines.skip(1).take_while(|line| !line.starts_with("## "));
    let text: Vec<_> = section.collect();
    text.join("\n").trim().to_owned() + "\n"
}

/// Prints what was built.
pub(crate) fn report(sh: &Shell, program: &Path, note: &str) -> Result<()> {
    let bytes = sh.read_binary_file(program)?;
    println!(
        "{}  {}  {} bytes, {note}",
        hex(&bytes),
        program.display(),
        bytes.len()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_programs_are_in_the_archive() {
        let sh = workspace::shell().unwrap();
        let packages = crate::packages::members(&sh).unwrap();
        let published = packages.iter().filter(|package| package.is_published());
        let mut programs: Vec<_> = published
            .flat_map(|package| package.targets("bin"))
            .collect();
        programs.sort_unstable();
        let mut expected = PROGRAMS;
        expected.sort_unstable();
        assert_eq!(programs, expected);
    }

    #[test]
    fn notes_are_of_the_version() {
        let changes = "# Changes\n\n## Unreleased\n\n- c\n\n## [0.2.0] - a day\n\n- b\n### d\n\n## [0.1.0]\n\n- a\n";
        assert_eq!(notes(changes, "0.2.0"), "- b\n### d\n");
        assert_eq!(notes(changes, "0.1.0"), "- a\n");
        let own = std::fs::read_to_string(workspace::root().join("CHANGELOG.md")).unwrap();
        assert!(notes(&own, env!("CARGO_PKG_VERSION")).len() > 100);
    }

    #[test]
    fn all_documents_are_there() {
        for name in DOCUMENTS.iter().chain(&LICENCES) {
            assert!(workspace::root().join(name).is_file(), "{name}");
        }
    }
}
