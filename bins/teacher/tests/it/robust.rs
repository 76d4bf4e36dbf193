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
    for line in [
        "convert a.psv -o out.psv --force",
        "filter a.psv -o out.psv --force",
        "shuffle a.psv -o out.psv --force",
        "shuffle a.psv -o out.psv --force --memory 4M",
        "dedup a.psv -o out.psv --force --memory 4M",
        "concat a.psv -o out.psv --force",
    ] {
        trouble::kill(&folder(), line, "out.psv", 8);
    }
}

#[test]
fn interrupted() {
    for line in [
        "convert a.psv -o out.psv --force",
        "filter a.psv -o out.psv --force",
        "shuffle a.psv -o out.psv --force --memory 4M",
        "dedup a.psv -o out.psv --force --memory 4M",
        "concat a.psv -o out.psv --force",
    ] {
        trouble::interrupt(&folder(), line, "out.psv");
    }
}

#[test]
fn full_disks() {
    for line in [
        "convert a.psv -o out.psv --force",
        "repair a.psv out.psv",
        "filter a.psv -o out.psv --force",
        "shuffle a.psv -o out.psv --force",
        "dedup a.psv -o out.psv --force --by record --memory 1G",
        "concat a.psv -o out.psv --force",
    ] {
        trouble::fill_disk(&folder(), line, "out.psv");
    }
    trouble::fill_disk(
        &folder(),
        "split a.psv -o o.psv --parts 2 --force",
        "o.0001.psv",
    );
    trouble::fill_disk(
        &folder(),
        "stats a.psv --html page.html --force",
        "page.html",
    );
    #[cfg(target_os = "linux")]
    for line in [
        "convert a.psv -o - --to hcpe",
        "filter a.psv -o -",
        "shuffle a.psv -o -",
        "dedup a.psv -o -",
        "concat a.psv -o -",
        "head a.psv -n 1000",
        "stats a.psv",
        "check a.psv",
    ] {
        trouble::fill_stdout(&folder(), line);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for line in [
        "convert a.psv -o - --to hcpe --quiet",
        "filter a.psv -o - --quiet",
        "concat a.psv -o - --quiet",
        "head a.psv -n 100000",
    ] {
        trouble::close_stdout(&folder(), line);
    }
}
