//! A program that is killed, a disk that is full, a reader that goes away: the old file is left, or the complete new one is there.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use test_support::{LongJob, ProgramRun, SplitMix64, TestFolder, one_of_two_runs_wins};

use crate::util::{MAKEBOOK, Refused, RunMakebook, random_book, random_records};

/// Positions of the books.
const POSITIONS: usize = 20_000;
const OLD: &[u8] = b"#YANEURAOU-DB2016 1.00\nthe old file\n";

/// Two books and an old output.
fn two_books() -> TestFolder {
    let two_books = TestFolder::new();
    two_books.write("a.db", random_book(1, POSITIONS));
    two_books.write("b.db", random_book(2, POSITIONS));
    two_books.write("out.db", OLD);
    two_books
}

/// Kills `line`, which writes `out.db`, `times` times at random moments.
fn kill(line: &str, times: u64) {
    let two_books = two_books();
    let begin = Instant::now();
    assert!(two_books.start(line).wait().unwrap().success());
    let duration = begin.elapsed();
    let new = two_books.read("out.db");
    assert!(new.len() > 100_000);
    two_books.write("out.db", OLD);
    let mut numbers = SplitMix64::new(times);
    let (mut killed, mut completed) = (0, 0);
    for _ in 0..times {
        let mut child = two_books.start(line);
        let share = numbers.remainder(1200) as u32;
        std::thread::sleep(duration * share / 1000);
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());
        let found = two_books.read("out.db");
        if found == new {
            completed += 1;
            two_books.write("out.db", OLD);
        } else {
            assert!(
                found == OLD,
                "{line}: a damaged file of {} bytes",
                found.len()
            );
        }
    }
    assert!(killed > 0, "{line}: {completed} of {times} completed");
    // The next run clears up what the killed ones left.
    two_books.write(".out.db.dead.tmp", "half a book");
    assert!(two_books.start(line).wait().unwrap().success());
    assert!(two_books.read("out.db") == new);
    assert_eq!(two_books.names(), ["a.db", "b.db", "out.db"]);
}

#[test]
fn merge_is_killed() {
    kill("merge a.db b.db out.db", 35);
}

#[test]
fn sort_is_killed() {
    // With so little memory there are temporary files.
    kill("sort a.db out.db --memory 64K", 35);
}

#[test]
fn peta_shock_is_killed() {
    kill("peta_shock a.db out.db", 30);
}

/// Runs that search and resume.
#[test]
fn runs_that_search_are_killed() {
    for (line, outputs) in [
        (
            "think games.sfen book.db moves 11 depth 9 nodes 500 multipv 2 --multi 1 --hash 1 -q",
            &["book.db"][..],
        ),
        (
            "endless_extend_tree book.db roots.txt think.txt depth 1 moves 6 multipv 3 nodes 200 \
             black_eval_limit -9999 white_eval_limit -9999 --multi 1 --hash 1 -q",
            &["book.db", "think.txt"],
        ),
        (
            "mine book.db --roots roots.txt --positions 60 --batch 16 --nodes 60 --eval-diff 40 --multipv 3 \
             --multi 1 --hash 1 -q",
            &["book.db", "book-peta.db"],
        ),
        (
            "s_tera write_book book.db root_sfens_name roots.txt kif_sfens_name games.sfen nodes_limit 60 \
             think_limit 70 book_save_interval 9 search_delta 40 --multi 1 --hash 1 -q",
            &["book.db"],
        ),
    ] {
        LongJob::new(Path::new(MAKEBOOK), line, outputs).survives_kills(|folder| {
            folder.write("games.sfen", random_records(24));
            folder.write("roots.txt", "startpos moves 7g7f\nstartpos moves 2g2f\n");
        });
    }
}

#[test]
fn one_of_two_runs_on_an_output_wins() {
    for line in [
        "merge a.db b.db -o out.db -q",
        "from_sfen games.sfen -o out.db moves 8 -q",
    ] {
        one_of_two_runs_wins(Path::new(MAKEBOOK), line, |folder| {
            for (name, seed) in [("a.db", 1), ("b.db", 2)] {
                folder.write(name, random_book(seed, 500));
            }
            folder.write("games.sfen", random_records(24));
        });
    }
}

/// Whatever one run holds, the second one stops before it has done anything.
#[test]
fn one_run_grows_a_book_at_a_time() {
    let folder = TestFolder::new();
    folder.write("games.sfen", random_records(4));
    folder.write("roots.txt", "startpos moves 7g7f\n");
    let mine = "mine book.db --roots roots.txt --positions 8 --nodes 60 --multi 1 --hash 1 -q";
    let endless =
        "endless_extend_tree book.db roots.txt think.txt depth 1 nodes 60 --multi 1 --hash 1 -q";
    for (line, state) in [
        (mine, "book.db.mine.state"),
        (endless, "book.db.endless.state"),
    ] {
        let lock = yane_io::RunLock::file(&folder.path(state)).unwrap();
        let in_use = format!("{state}: is in use by another process");
        folder.run(line).failed(1, &[&in_use]);
        drop(lock);
        assert_eq!(folder.names(), ["games.sfen", "roots.txt"], "{line}");
    }
}

#[test]
fn an_interrupted_run_says_so() {
    let two_books = two_books();
    let line = "sort a.db out.db --memory 64K --threads 1";
    let mut delay = Duration::ZERO;
    let mut interrupted = false;
    // Too early, the program does not listen yet; too late, it is done.
    for _ in 0..200 {
        let child = two_books.start(line);
        std::thread::sleep(delay);
        let pid = child.id().to_string();
        let kill = Command::new("kill").args(["-INT", &pid]).status();
        assert!(kill.unwrap().success());
        let code = child.wait_with_output().unwrap().status.code();
        match code {
            Some(130) => {
                assert!(two_books.read("out.db") == OLD);
                assert_eq!(two_books.names(), ["a.db", "b.db", "out.db"]);
                interrupted = true;
                break;
            }
            Some(0) => {
                two_books.write("out.db", OLD);
                delay = Duration::ZERO;
            }
            other => assert_eq!(other, None, "killed before it listened"),
        }
        delay += Duration::from_millis(1);
    }
    assert!(interrupted);
}

/// Runs with a limit on the size of files, in blocks of 512 bytes or 1 KiB.
fn run_limited(folder: &TestFolder, blocks: u32, line: &str) -> ProgramRun {
    let program = MAKEBOOK;
    let output = Command::new("sh")
        .current_dir(folder.path("."))
        .args(["-c", &format!("ulimit -f {blocks}; exec \"$0\" \"$@\"")])
        .arg(program)
        .args(line.split(' '))
        .output()
        .unwrap();
    ProgramRun::new(output)
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let folder = TestFolder::new();
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
    let folder = TestFolder::new();
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

/// Returns true if this process may write where permissions forbid it, as root may.
fn rights_mean_nothing(folder: &TestFolder) -> bool {
    let probe = folder.path("closed/probe");
    std::fs::write(&probe, "").is_ok() && std::fs::remove_file(&probe).is_ok()
}

#[test]
fn a_folder_that_cannot_be_written_to_is_named() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TestFolder::new();
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
            folder.run(line).refused(1, &words);
        }
        let absent = line.replace("closed/", "absent/");
        let words = [
            "absent/out.",
            "cannot write",
            "the folder absent is needed: make it first",
        ];
        folder.run(&absent).refused(1, &words);
    }
}

#[test]
fn a_device_that_is_full_is_no_place_for_a_book() {
    let folder = TestFolder::new();
    folder.write("a.db", random_book(4, 300));
    let run = folder
        .run("sort a.db /dev/full")
        .refused(1, &["/dev/full", "device"]);
    assert_eq!(run.err.lines().count(), 1, "{run:?}");
    let run = folder.run("think games.sfen /dev/full/book.db");
    assert_eq!(run.code, Some(1), "{run:?}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = TestFolder::new();
    folder.write("a.db", random_book(5, 3000));
    folder.write("b.db", "#YANEURAOU-DB2016 1.00\n");
    let mut child = Command::new(MAKEBOOK)
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
