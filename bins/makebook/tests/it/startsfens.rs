//! The program does what the command of `makebook` does.

use std::path::Path;

use assert_cmd::Command;

fn startsfens(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("startsfens").unwrap();
    command.current_dir(folder);
    command
}

#[test]
fn a_golden_list() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/book/startsfens");
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(fixtures.join("book_a.db"), folder.path().join("book_a.db")).unwrap();
    startsfens(folder.path())
        .arg("book_a.db")
        .assert()
        .success()
        .stderr("");
    let name = "book_a.db-startsfens.txt";
    let made = std::fs::read(folder.path().join(name)).unwrap();
    assert!(made == std::fs::read(fixtures.join(name)).unwrap());
}

#[test]
fn wrong_usage_and_missing_books() {
    let folder = tempfile::tempdir().unwrap();
    startsfens(folder.path()).assert().code(2);
    startsfens(folder.path()).arg("absent.db").assert().code(1);
    let help = startsfens(folder.path()).arg("--help").output().unwrap();
    assert!(String::from_utf8_lossy(&help.stdout).contains("startsfens user_book1.db"));
    let version = startsfens(folder.path())
        .arg("--version")
        .assert()
        .success();
    let version = String::from_utf8_lossy(&version.get_output().stdout).into_owned();
    assert!(version.contains(env!("CARGO_PKG_VERSION")), "{version}");
}
