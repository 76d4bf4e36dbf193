//! `BulkFile` as a program uses it.

use std::fs;
use std::path::Path;

use yane_io::{AtomicFile, BulkFile, SealedFile};

/// More than goes through the cache, and no whole number of blocks.
const LARGE: usize = (35 << 20) + 12345;

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at % 253) as u8).collect()
}

fn entries(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[test]
fn appears_only_when_committed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.psv");
    fs::write(&path, "old").unwrap();
    let new = bytes(LARGE);
    for commit in [false, true] {
        let mut file = BulkFile::create(&path).unwrap();
        for piece in new.chunks(300_007) {
            file.put(piece).unwrap();
        }
        assert_eq!(entries(folder.path()), 2);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        if commit {
            file.commit().unwrap();
        } else {
            drop(file);
        }
        assert_eq!(entries(folder.path()), 1);
    }
    assert!(fs::read(&path).unwrap() == new);
}

#[test]
fn an_empty_file_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.psv");
    BulkFile::create(&path).unwrap().commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"");
}

#[test]
fn orphaned_files_are_removed_and_open_ones_stay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.psv");
    let orphan = folder.path().join(".out.psv.dead.tmp");
    fs::write(&orphan, "half").unwrap();
    let living = BulkFile::create(&path).unwrap();
    assert!(!orphan.exists());
    let second = AtomicFile::create(&path).unwrap();
    let third = BulkFile::create(&path).unwrap();
    assert_eq!(entries(folder.path()), 3);
    drop((living, second, third));
    assert_eq!(entries(folder.path()), 0);
}

#[test]
fn a_folder_is_no_target() {
    let folder = tempfile::tempdir().unwrap();
    let error = BulkFile::create(folder.path()).unwrap_err();
    assert!(error.to_string().contains("is a folder"), "{error}");
    assert_eq!(entries(folder.path()), 0);
}

#[test]
#[cfg(unix)]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.psv");
    let link = folder.path().join("link.psv");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&path, &link).unwrap();
    let mut file = BulkFile::create(&link).unwrap();
    file.put(b"new").unwrap();
    file.commit().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&path).unwrap(), b"new");
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

/// Tells the program that may not write large files where to write.
#[cfg(target_os = "linux")]
const TARGET: &str = "YANE_IO_TEST_TARGET";

/// Runs itself once more, with a limit for the size of files that stands for a full disk.
#[test]
#[cfg(target_os = "linux")]
fn a_failed_write_leaves_the_old_file() {
    const NAME: &str = "a_failed_write_leaves_the_old_file";
    if let Some(path) = std::env::var_os(TARGET) {
        return write_too_much(Path::new(&path));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.psv");
    fs::write(&path, "old").unwrap();
    // In units of 512 or 1024 bytes: more than goes through the cache in either case.
    let script = "ulimit -f 70000 && trap '' XFSZ && exec \"$0\" \"$@\"";
    let output = std::process::Command::new("sh")
        .args(["-c", script])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", NAME])
        .env(TARGET, &path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("1 passed"), "{told}");
    assert_eq!(entries(folder.path()), 1);
    assert_eq!(fs::read(&path).unwrap(), b"old");
}

#[cfg(target_os = "linux")]
fn write_too_much(path: &Path) {
    let mut file = BulkFile::create(path).unwrap();
    let piece = bytes(1 << 20);
    let error = (0..100).find_map(|_| file.put(&piece).err()).unwrap();
    let yane_io::Error::Write {
        path: named,
        reason,
        ..
    } = &error
    else {
        panic!("{error:?}")
    };
    assert_eq!(named, &fs::canonicalize(path).unwrap());
    assert_eq!(reason.kind(), std::io::ErrorKind::FileTooLarge);
    assert!(file.commit().is_err());
}

#[test]
fn sealed_files_appear_when_committed() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["a", "b", "c"].map(|name| folder.path().join(name));
    let [a, b, c] = names.each_ref().map(|name| {
        let mut file = BulkFile::create(name).unwrap();
        file.put(b"new").unwrap();
        file.seal().unwrap()
    });
    assert!(names.iter().all(|name| !name.exists()));
    assert_eq!(a.target().file_name(), names[0].file_name());
    SealedFile::commit_all(vec![a, b]).unwrap();
    drop(c);
    assert_eq!(fs::read(&names[1]).unwrap(), b"new");
    assert_eq!(entries(folder.path()), 2);
}
