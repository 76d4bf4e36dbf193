//! The Debian package, of the folder that the archive is packed of. `dpkg-deb` makes it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use xshell::{Shell, cmd};

use super::release::Release;
use crate::workspace;

/// Where the files of the folder go: a folder there, one in the package.
const PLACES: [(&str, &str); 4] = [
    ("completions/bash", "usr/share/bash-completion/completions"),
    ("completions/zsh", "usr/share/zsh/vendor-completions"),
    ("completions/fish", "usr/share/fish/vendor_completions.d"),
    ("docs", "usr/share/doc/yaneura/docs"),
];

/// Documents of the folder that the package has, too.
const DOCUMENTS: [&str; 4] = ["README.md", "README.ja.md", "BENCHMARKS.md", "SECURITY.md"];

/// The terms of everything, in the one file where Debian looks for them.
const TERMS: [&str; 3] = ["LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-LICENSES.txt"];

const DESCRIPTION: &str = "\
shogi engine and othello program, with what is around them
 An engine for shogi (USI) and one for othello, opening books, teacher data,
 training of evaluations, matches, game records, and pages in the browser.
";

const MAINTAINER: &str = "The yaneura developers <yaneura@localhost>";

/// Makes the package, and returns its path; nothing where there is no `dpkg-deb`.
///
/// # Errors
/// If it cannot be made, or `must` be and there is no `dpkg-deb`.
pub(super) fn package(
    sh: &Shell,
    release: &Release,
    folder: &Path,
    programs: &[&str],
    out: &Path,
    must: bool,
) -> Result<Option<PathBuf>> {
    let found = cmd!(sh, "dpkg-deb --version").quiet().ignore_stdout();
    if found.ignore_stderr().run().is_err() {
        ensure!(!must, "dpkg-deb is not installed: apt-get install dpkg");
        println!("dpkg-deb is not installed: no Debian package");
        return Ok(None);
    }
    let root = workspace::target_dir().join("debian-root");
    sh.remove_path(&root)?;
    let documents = root.join("usr/share/doc/yaneura");
    for (from, to) in PLACES {
        copy_all(sh, &folder.join(from), &root.join(to))?;
    }
    for name in DOCUMENTS {
        sh.copy_file(folder.join(name), &documents)?;
    }
    let terms: Result<Vec<_>, _> = TERMS
        .iter()
        .map(|name| sh.read_file(folder.join(name)))
        .collect();
    sh.write_file(documents.join("copyright"), terms?.join("\n\n"))?;
    sh.copy_file(folder.join("CHANGELOG.md"), documents.join("NEWS"))?;
    compress(sh, &documents.join("NEWS"))?;
    let changes = documents.join("changelog.Debian");
    sh.write_file(&changes, debian_changes(sh, release)?)?;
    compress(sh, &changes)?;
    let (bin, man) = (root.join("usr/bin"), root.join("usr/share/man/man1"));
    copy_all(sh, &folder.join("man/man1"), &man)?;
    for page in sh.read_dir(&man)? {
        compress(sh, &page)?;
    }
    sh.create_dir(&bin)?;
    let mut newest = (2, 17);
    for program in programs {
        let copy = bin.join(program);
        sh.copy_file(folder.join(program), &copy)?;
        newest = newest.max(newest_symbols(&sh.read_binary_file(&copy)?));
    }
    let control = control(release, newest);
    sh.write_file(root.join("DEBIAN/control"), control)?;
    // As old as the commit, as the files of the archive are.
    sh.set_var("SOURCE_DATE_EPOCH", &release.time);
    let name = format!(
        "yaneura_{}-1_{}.deb",
        release.version,
        architecture(release)
    );
    let file = out.join(name);
    cmd!(sh, "chmod -R u=rwX,go=rX {root}").quiet().run()?;
    cmd!(sh, "dpkg-deb --root-owner-group --build {root} {file}")
        .quiet()
        .run()?;
    Ok(Some(file))
}

/// Debian's name for the processors.
fn architecture(release: &Release) -> &'static str {
    if release.is_for_x86() {
        "amd64"
    } else {
        "arm64"
    }
}

/// The changes of the package itself, in Debian's form.
fn debian_changes(sh: &Shell, release: &Release) -> Result<String> {
    let (version, time) = (&release.version, format!("@{}", release.time));
    let day = cmd!(sh, "date --utc --rfc-email --date {time}")
        .quiet()
        .read()?;
    Ok(format!(
        "yaneura ({version}-1) stable; urgency=low\n\n  * Version {version}: see NEWS.gz.\n\n -- {MAINTAINER}  {day}\n"
    ))
}

/// What Debian wants to know of the package, which needs this version of the C library.
fn control(release: &Release, (major, minor): (u32, u32)) -> String {
    format!(
        "Package: yaneura\nVersion: {}-1\nArchitecture: {}\nMaintainer: {MAINTAINER}\n\
         Section: misc\nPriority: optional\nDepends: libc6 (>= {major}.{minor}), libgcc-s1\nDescription: {DESCRIPTION}",
        release.version,
        architecture(release)
    )
}

/// The newest version of the C library whose symbols a program names: `GLIBC_2.34` is (2, 34).
fn newest_symbols(program: &[u8]) -> (u32, u32) {
    const MARK: &[u8] = b"GLIBC_";
    let begins = program.windows(MARK.len()).enumerate();
    let versions = begins
        .filter(|(_, bytes)| *bytes == MARK)
        .filter_map(|(at, _)| {
            let text = &program[at + MARK.len()..];
            let end = text.iter().position(|&byte| byte == 0)?;
            let (major, minor) = std::str::from_utf8(&text[..end]).ok()?.split_once('.')?;
            let minor = minor.split('.').next()?;
            Some((major.parse().ok()?, minor.parse().ok()?))
        });
    versions.max().unwrap_or((0, 0))
}

/// Compresses a file as Debian wants manual pages and changes.
fn compress(sh: &Shell, file: &Path) -> Result<()> {
    Ok(cmd!(sh, "gzip -9n {file}").quiet().run()?)
}

fn copy_all(sh: &Shell, from: &Path, to: &Path) -> Result<()> {
    sh.create_dir(to)?;
    for path in sh.read_dir(from)? {
        let copy = to.join(path.file_name().context("a file has a name")?);
        if path.is_dir() {
            copy_all(sh, &path, &copy)?;
        } else {
            sh.copy_file(&path, &copy)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_the_library_is_found() {
        let program = b"\0GLIBC_2.4\0x GLIBC_2.34\0GLIBC_2.2.5\0GLIBC_PRIVATE\0GLIBC_2.99";
        assert_eq!(newest_symbols(program), (2, 34));
        assert_eq!(newest_symbols(b"static"), (0, 0));
    }
}
