//! Kills, Ctrl-C, full disks, readers that go away.

use crate::trouble;
use crate::util::{Folder, golden};

/// A folder with 800,000 positions.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("a.psv", golden("selfplay/short_n100_ply80.psv").repeat(100));
    folder
}

#[test]
fn killed_at_any_time() {
    trouble::kill(&folder(), "convert a.psv -o out.hcpe", "out.hcpe", 20);
}

#[test]
fn interrupted() {
    trouble::interrupt(&folder(), "convert a.psv -o out.hcpe", "out.hcpe");
}

#[test]
fn full_disks() {
    trouble::fill_disk(&folder(), "convert a.psv -o out.hcpe", "out.hcpe");
    #[cfg(target_os = "linux")]
    trouble::fill_stdout(&folder(), "convert a.psv -o - --to hcpe");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    trouble::close_stdout(&folder(), "convert a.psv -o - --to hcpe");
}
