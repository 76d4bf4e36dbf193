//! Two runs at once on one output.

use test_support::one_of_two_runs_wins;

use crate::util::golden;

#[test]
fn one_of_two_runs_on_an_output_wins() {
    let program = assert_cmd::cargo::cargo_bin("teacher");
    for line in [
        "convert in.psv -o out.hcpe -q",
        "shuffle in.psv -o out.psv --seed 3 -q",
        "dedup in.psv -o out.psv -q",
        "split in.psv -o out.psv --parts 4 -q",
    ] {
        one_of_two_runs_wins(&program, line, |folder| {
            folder.write("in.psv", golden("psv_with_ply/normal_n2000_ply320.psv"));
        });
    }
}
