//! Jobs and runs on the page.

use crate::story::{START, db, story_with};

#[test]
fn a_run_that_is_followed_is_shown_with_its_end() {
    let files = [
        ("a.db", db(&[(START, "7g7f 3c3d 60 32 12")])),
        ("games.sfen", "startpos moves 7g7f 3c3d 2g2f\n".to_owned()),
        ("think.jsonl", String::new()),
    ];
    story_with(&files, &["a.db", "--watch", "think.jsonl"], |page| {
        page.click("#tab-runs");
        page.run("think games.sfen grown.db --depth 2 --threads 1 --quiet --events think.jsonl")
            .succeeded();
        page.wait("document.querySelector('table.runs')?.textContent.includes('makebook')");
        page.click("table.runs tbody tr button");
        page.wait("document.querySelector('#panel dl.facts')?.textContent.includes('position')");
        page.wait("document.querySelector('#panel h2').textContent.includes('complete')");
    });
}

#[test]
fn a_job_of_a_form_writes_what_its_command_writes() {
    let other = db(&[(START, "2g2f 8c8d 10 20 3")]);
    let files = [
        ("a.db", db(&[(START, "7g7f 3c3d 60 32 12")])),
        ("b.db", other),
    ];
    story_with(&files, &["a.db", "b.db"], |page| {
        page.click("#tab-jobs");
        page.press("makebook sort");
        page.wait("document.querySelector('dialog .key-chip')?.textContent.includes('a.db')");
        page.fill("dialog [name=output]", "sorted.db");
        page.press("Start");
        page.wait("document.querySelector('#panel .job')?.textContent.includes('complete')");
        page.run("sort a.db expected.db").succeeded();
        let folder = page.server().folder();
        assert!(folder.read("expected.db") == folder.read("sorted.db"));
    });
}
