//! Runs that resume, killed again and again.

use test_support::LongJob;

use crate::util::golden;

#[test]
fn rescoring_that_is_killed_gives_the_same_scores() {
    let program = assert_cmd::cargo::cargo_bin("teacher");
    let line = "rescore in.psv -o out.psv --nodes 3000 --threads 2 --option Evaluation=material -q";
    LongJob::new(&program, line, &["out.psv"]).survives_kills(|folder| {
        let records = golden("psv_with_ply/normal_n2000_ply320.psv");
        folder.write("in.psv", &records[..1000 * 40]);
    });
}
