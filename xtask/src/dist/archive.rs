//! Archives and their checksums.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use super::release::{Release, hex};

/// Packs a folder into an archive beside it: a `zip` for Windows, a `tar.gz` for other systems.
///
/// The same folder gives the same bytes where `tar` is GNU's: files are in order, and as old as the commit.
pub(super) fn pack(sh: &Shell, release: &Release, folder: &Path) -> Result<PathBuf> {
    let parent = folder.parent().context("the folder lies in another")?;
    let name = folder.file_name().context("the folder has a name")?;
    let name = name.to_string_lossy().into_owned();
    let ending = if release.is_for_windows() {
        "zip"
    } else {
        "tar.gz"
    };
    let archive = parent.join(format!("{name}.{ending}"));
    sh.remove_path(&archive)?;
    let _folder = sh.push_dir(parent);
    if release.is_for_windows() && !cfg!(windows) {
        cmd!(sh, "zip -q -r -X {archive} {name}").run()?;
    } else if release.is_for_windows() {
        // The one of Windows packs by the ending.
        cmd!(sh, "tar -a -c -f {archive} {name}").run()?;
    } else if cmd!(sh, "tar --version").quiet().read()?.contains("GNU") {
        let time = format!("--mtime=@{}", release.time);
        let owner = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner"];
        cmd!(
            sh,
            "tar {owner...} {time} --use-compress-program 'gzip -9n' -c -f {archive} {name}"
        )
        .run()?;
    } else {
        cmd!(sh, "tar -c -z -f {archive} {name}").run()?;
    }
    Ok(archive)
}

/// Unpacks an archive into a folder.
pub(super) fn unpack(sh: &Shell, archive: &Path, into: &Path) -> Result<()> {
    let _folder = sh.push_dir(into);
    if archive.extension().is_some_and(|ending| ending == "zip") && !cfg!(windows) {
        cmd!(sh, "unzip -q {archive}").run()?;
    } else {
        cmd!(sh, "tar -x -f {archive}").run()?;
    }
    Ok(())
}

/// Puts the checksums of files into `SHA256SUMS` of their folder, beside those of other files, in the form of `sha256sum`.
pub(super) fn add_checksums(sh: &Shell, folder: &Path, files: &[PathBuf]) -> Result<()> {
    let list = folder.join("SHA256SUMS");
    let old = sh.read_file(&list).unwrap_or_default();
    let mut new = Vec::new();
    for file in files {
        let name = file.file_name().context("a file has a name")?;
        let name = name.to_string_lossy().into_owned();
        new.push((name, hex(&sh.read_binary_file(file)?)));
    }
    let is_there = |name: &str| folder.join(name).is_file();
    sh.write_file(&list, merged(&old, new, is_there))?;
    Ok(())
}

/// A list of checksums with new ones, by name; those of files that are gone are left out.
fn merged(old: &str, new: Vec<(String, String)>, is_there: impl Fn(&str) -> bool) -> String {
    let old = old.lines().filter_map(|line| line.split_once("  "));
    let mut sums: BTreeMap<String, String> = old
        .filter(|(_, name)| is_there(name))
        .map(|(sum, name)| (name.to_owned(), sum.to_owned()))
        .collect();
    sums.extend(new);
    let lines = sums.iter().map(|(name, sum)| format!("{sum}  {name}\n"));
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_of_other_files_stay() {
        let new = vec![("b.zip".to_owned(), "22".to_owned())];
        let text = merged("11  b.zip\n00  a.zip\n33  gone.zip\n", new, |name| {
            name != "gone.zip"
        });
        assert_eq!(text, "00  a.zip\n22  b.zip\n");
    }
}
