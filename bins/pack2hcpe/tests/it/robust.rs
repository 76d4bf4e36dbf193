//! Kills, Ctrl-C, full disks, readers that go away.

use std::process::Command;

use crate::trouble;
use crate::util::{Folder, golden};

/// A folder with a pack of about 800,000 positions.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write(
        "a.pack",
        golden("selfplay/short_n100_ply80.pack").repeat(100),
    );
    folder
}

#[test]
fn killed_at_any_time() {
    trouble::kill(&folder(), "a.pack out.hcpe", "out.hcpe", 30);
}

#[test]
fn interrupted() {
    trouble::interrupt(&folder(), "a.pack out.hcpe", "out.hcpe");
}

#[test]
fn full_disks() {
    let folder = folder();
    trouble::fill_disk(&folder, "a.pack out.hcpe", "out.hcpe");
    #[cfg(target_os = "linux")]
    trouble::fill_stdout(&folder, "a.pack -");
    // So little that it is all in a buffer until the end.
    folder.write("tiny.pack", golden("edge/good/one_game_resign.pack"));
    #[cfg(target_os = "linux")]
    trouble::fill_stdout(&folder, "tiny.pack -");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    trouble::close_stdout(&folder(), "a.pack -");
}

#[test]
fn a_pipe_with_a_name_is_written_to_and_stays() {
    let folder = Folder::with(&["edge/good/one_game_resign.pack"]);
    let pipe = folder.path("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read(pipe).unwrap()
    });
    folder.run("one_game_resign.pack pipe").succeeded();
    assert!(reader.join().unwrap() == golden("edge/good/one_game_resign.hcpe"));
    assert!(!std::fs::metadata(pipe).unwrap().is_file());
}
