//! Disks that are full and readers that go away.

use std::process::{Command, Stdio};

use crate::books::random_book;
use crate::util::{Folder, Run};

/// Runs with a limit on the size of files, in blocks of 512 bytes or 1 KiB.
fn run_limited(folder: &Folder, blocks: u32, line: &str) -> Run {
    let program = assert_cmd::cargo::cargo_bin("makebook");
    let output = Command::new("sh")
        .current_dir(folder.path("."))
        .args(["-c", &format!("ulimit -f {blocks}; exec \"$0\" \"$@\"")])
        .arg(program)
        .args(line.split(' '))
        .output()
        .unwrap();
    Run::new(&output)
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let folder = Folder::new();
    folder.write("a.db", random_book(3, 3000));
    folder.write("roots.txt", "startpos\n");
    let inputs = folder.names();
    for (line, output) in [
        ("merge a.db a.db out.db", "out.db"),
        ("sort a.db out.db", "out.db"),
        ("unique a.db out.db", "out.db"),
        ("unique a.db out.db flip", "out.db"),
        ("filter a.db out.db", "out.db"),
        ("peta_shock a.db out.db", "out.db"),
        (
            "extract_sfen_from_db read_book a.db write_sfen out.txt",
            "out.txt",
        ),
        ("startsfens a.db out.txt", "out.txt"),
        ("convert a.db out.ybb --smallest-ply", "out.ybb"),
    ] {
        folder.write(output, "old");
        let run = run_limited(&folder, 8, line);
        assert_eq!(run.code, Some(1), "{line}: {run:?}");
        let told = format!("{output}: cannot write ");
        assert!(run.err.contains(&told), "{line}: {run:?}");
        for word in ["File too large", " are needed in one file"] {
            assert!(run.err.contains(word), "{line}: {run:?}");
        }
        assert_eq!(folder.read(output), b"old", "{line}");
        std::fs::remove_file(folder.path(output)).unwrap();
        assert_eq!(folder.names(), inputs, "{line}");
    }
}

#[test]
fn temporary_files_that_do_not_fit_name_their_folder() {
    let folder = Folder::new();
    folder.write("a.db", random_book(4, 3000));
    std::fs::create_dir(folder.path("scratch")).unwrap();
    let run = run_limited(
        &folder,
        8,
        "sort a.db out.db --memory 64K --temp-dir scratch",
    );
    assert_eq!(run.code, Some(1), "{run:?}");
    let told = "out.db: cannot write a temporary file in scratch: File too large";
    assert!(run.err.contains(told), "{run:?}");
    assert!(
        run.err
            .contains("choose another folder for temporary files"),
        "{run:?}"
    );
    assert_eq!(folder.names(), ["a.db", "scratch"]);
}

/// Whether this process may write where the rights say that nobody may, as root.
fn rights_mean_nothing(folder: &Folder) -> bool {
    let probe = folder.path("closed/probe");
    std::fs::write(&probe, "").is_ok() && std::fs::remove_file(&probe).is_ok()
}

#[test]
fn a_folder_that_cannot_be_written_to_is_named() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    folder.write("a.db", random_book(4, 300));
    folder.write("games.sfen", "startpos moves 7g7f 3c3d\n");
    std::fs::create_dir(folder.path("closed")).unwrap();
    let rights = std::fs::Permissions::from_mode(0o555);
    std::fs::set_permissions(folder.path("closed"), rights).unwrap();
    let closed = !rights_mean_nothing(&folder);
    for line in [
        "sort a.db closed/out.db",
        "from_sfen games.sfen closed/out.db",
        "convert a.db closed/out.ybb --smallest-ply",
        "think games.sfen closed/out.db nodes 1",
    ] {
        if closed {
            let words = [
                "closed/out.",
                "cannot write",
                "the right to write in",
                "closed is needed",
            ];
            folder.run(line).failed(1, &words);
        }
        let absent = line.replace("closed/", "absent/");
        let words = [
            "absent/out.",
            "cannot write",
            "the folder absent is needed: make it first",
        ];
        folder.run(&absent).failed(1, &words);
    }
}

#[test]
fn a_device_that_is_full_is_no_place_for_a_book() {
    let folder = Folder::new();
    folder.write("a.db", random_book(4, 300));
    let run = folder
        .run("sort a.db /dev/full")
        .failed(1, &["/dev/full", "device"]);
    assert_eq!(run.err.lines().count(), 1, "{run:?}");
    let run = folder.run("think games.sfen /dev/full/book.db");
    assert_eq!(run.code, Some(1), "{run:?}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    folder.write("a.db", random_book(5, 3000));
    folder.write("b.db", "#YANEURAOU-DB2016 1.00\n");
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("makebook"))
        .current_dir(folder.path("."))
        .args(["diff", "a.db", "b.db", "--list"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
