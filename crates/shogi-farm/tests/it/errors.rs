//! What cannot be done.

use pack_format::TeacherFormat;
use shogi_farm::rescore::RescoreDepth;
use test_support::{TestFolder, fixture_bytes};
use yane_io::Overwrite;

use crate::{Run, small_files};

#[test]
fn damage_is_told_before_anything_is_searched() {
    let folder = TestFolder::new();
    folder.write("out", "old");
    let whole = small_files();
    let mut psv = whole[3].0.clone();
    psv[5 * 40 + 38] = 7;
    let mut cut = whole[2].0.clone();
    cut.truncate(cut.len() - 3);
    let pack = fixture_bytes("teacher/edge/bad/real_gensfen_with_illegal_engine.pack");
    let hcpe3 = &whole[1].0[..whole[1].0.len() - 1];
    for (bytes, format, expected) in [
        (&psv[..], TeacherFormat::Psv, "in: byte 238: record 6"),
        (&cut, TeacherFormat::Hcpe, "the file ends in a record"),
        (&pack, TeacherFormat::Pack, "in: byte 169: game 5"),
        (hcpe3, TeacherFormat::Hcpe3, "the file ends in"),
        (b"", TeacherFormat::Psv, "this is an empty file"),
        (&psv, TeacherFormat::Hcpe, "this is "),
    ] {
        folder.write("in", bytes);
        // Nobody could wait for this search.
        let run = Run::new(folder.path("in"), folder.path("out"), format, u64::MAX);
        let error = run.run().unwrap_err().to_string();
        assert!(error.contains(expected), "{format}: {error}");
        assert_eq!(folder.read("out"), b"old");
        assert_eq!(folder.names(), ["in", "out"]);
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let (bytes, format) = small_files()[3].clone();
    let folder = TestFolder::new();
    folder.write("in", &bytes);
    folder.write("model.onnx", "no network");
    let run = Run::new(folder.path("in"), folder.path("out"), format, 20);
    let refused = |words: &str, change: &dyn Fn(&mut Run)| {
        let mut wrong = run.clone();
        change(&mut wrong);
        let error = wrong.run().unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert_eq!(folder.names(), ["in", "model.onnx"]);
    };
    refused("is an input", &|run| run.output = folder.path("in"));
    refused("0 nodes", &|run| run.options.depth = RescoreDepth::Nodes(0));
    refused("no best move", &|run| {
        run.options.best_move = true;
        run.options.depth = RescoreDepth::Evaluation;
    });
    refused("the moves of pack", &|run| {
        run.options.best_move = true;
        run.format = TeacherFormat::Pack;
    });
    refused("convert it first", &|run| run.format = TeacherFormat::Jsonl);
    refused("Thread_s", &|run| {
        run.engine = vec![("Thread_s".to_owned(), "1".to_owned())];
    });
    let wrong = folder.path("model.onnx").to_str().unwrap().to_owned();
    refused("model.onnx", &|run| {
        run.engine = vec![("EvalDir".to_owned(), wrong.clone())];
    });
    // With leave an input is replaced when everything is there.
    let mut over = run.clone();
    over.output = folder.path("in");
    over.options.overwrite = Overwrite::Allow;
    assert_eq!(over.run().unwrap().positions, 23);
    assert!(folder.read("in") != bytes);
}
