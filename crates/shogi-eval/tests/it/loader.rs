//! Evaluation files found and opened, and evaluators of every kind behind one type.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

use shogi_core::{Delta, Position};
use shogi_eval::kppt::{KpptLayout, KpptTable};
use shogi_eval::loader::{
    EvalFiles, EvalOpenOptions, Evaluation, OwnScale, candidates, read_weights, write_weights,
};
use shogi_eval::nnue::{FvScale, PreparedNetwork, reference};
use shogi_eval::{
    Evaluator, MaterialLevel, PositionalEvaluator, PositionalTable, PositionalWeights,
};
use test_networks::RandomNetwork;
use yane_io::Job;

fn network(architecture: &str) -> RandomNetwork {
    RandomNetwork::new(architecture.parse().unwrap(), 1)
}

fn write(path: &Path, network: &RandomNetwork) {
    network
        .write(BufWriter::new(File::create(path).unwrap()))
        .unwrap();
}

fn empty_tables(folder: &Path, layout: KpptLayout) {
    for table in KpptTable::ALL {
        let file = File::create(table.path(folder)).unwrap();
        file.set_len(layout.file_len(table)).unwrap();
    }
}

#[test]
fn folders_are_looked_through() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let path = |name: &str| place.join(name);
    assert_eq!(EvalFiles::find(place), None);
    assert_eq!(EvalFiles::find(&path("nowhere")), None);
    fs::write(path("b.bin"), b"").unwrap();
    fs::write(path("a.nnue"), b"").unwrap();
    fs::write(path("read me.txt"), b"").unwrap();
    fs::create_dir(path("folder.bin")).unwrap();
    assert_eq!(EvalFiles::find(place), None);
    assert_eq!(candidates(place), [path("a.nnue"), path("b.bin")]);
    assert!(candidates(&path("nowhere")).is_empty());
    fs::write(path("positional.params"), b"tempo, int, 1").unwrap();
    let weights = EvalFiles::Positional {
        path: path("positional.params"),
    };
    assert_eq!(EvalFiles::find(place), Some(weights.clone()));
    assert_eq!(
        EvalFiles::find(&path("positional.params")),
        Some(weights.clone())
    );
    let error = weights
        .open(&EvalOpenOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("no line for piece_pawn; there must be one for each number"),
        "{error}"
    );
    // One of the three is enough to know what is meant.
    fs::write(KpptTable::Kkp.path(place), b"").unwrap();
    let tables = EvalFiles::Tables {
        folder: place.to_owned(),
    };
    assert_eq!(EvalFiles::find(place), Some(tables.clone()));
    assert_eq!(tables.paths().len(), 3);
    assert!(tables.open(&EvalOpenOptions::default()).is_err());
    fs::write(path("nn.bin"), b"").unwrap();
    let both = EvalFiles::Network {
        path: path("nn.bin"),
        tables_too: true,
    };
    assert_eq!(EvalFiles::find(place), Some(both.clone()));
    assert_eq!(both.paths(), [path("nn.bin")]);
    let named = EvalFiles::Network {
        path: path("b.bin"),
        tables_too: false,
    };
    assert_eq!(EvalFiles::find(&path("b.bin")), Some(named));
}

#[test]
fn numbers_of_the_positional_evaluation_are_saved_as_they_were_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.params");
    let mut weights = PositionalWeights::DEFAULT;
    weights.tempo = 30;
    weights.guard[4][1] = -7;
    write_weights(&path, &weights).unwrap();
    let files = EvalFiles::find(&path).unwrap();
    let to = folder.path().join("saved");
    files
        .save(&to, &EvalOpenOptions::default(), &Job::default())
        .unwrap();
    assert_eq!(
        read_weights(&to.join("positional.params")).unwrap(),
        weights
    );
    let evaluation = files.open(&EvalOpenOptions::default()).unwrap().evaluation;
    assert!(
        evaluation.is_same(&evaluation.clone()) && !evaluation.is_same(&Evaluation::positional())
    );
    let mut evaluator = evaluation.evaluator(None);
    evaluator.reset(&Position::startpos());
    assert_eq!(
        (
            evaluation.name().as_str(),
            evaluator.evaluate(&Position::startpos())
        ),
        ("positional", 30)
    );
    // Moves are followed as well as with the built-in numbers.
    let table = Arc::new(PositionalTable::new(weights));
    let mut followed = PositionalEvaluator::with_table(Arc::clone(&table));
    let mut position = Position::startpos();
    followed.reset(&position);
    for text in ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e", "5a4b"] {
        let mv = position.move_from_usi(text).unwrap();
        let undo = position.do_move_unchecked(mv);
        followed.push(Some(&Delta::new(&position, mv, &undo)));
        let mut fresh = PositionalEvaluator::with_table(Arc::clone(&table));
        fresh.reset(&position);
        assert_eq!(
            followed.evaluate(&position),
            fresh.evaluate(&position),
            "{text}"
        );
    }
}

#[test]
fn networks_are_opened_with_their_own_divisor() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nn.bin");
    for architecture in ["kp_32x2-8-8", "SFNN_ka2_32_8_8_k3k3"] {
        let random = network(architecture);
        write(&path, &random);
        let files = EvalFiles::find(&path).unwrap();
        let opened = files.open(&EvalOpenOptions::default()).unwrap();
        assert_eq!(opened.bytes, fs::metadata(&path).unwrap().len());
        assert!(opened.notes.is_empty(), "{:?}", opened.notes);
        let evaluation = opened.evaluation;
        assert_eq!(evaluation.name(), architecture);
        let own = OwnScale {
            scale: FvScale::DEFAULT,
            stated: false,
        };
        assert_eq!(evaluation.own_scale(), Some(own));
        let position = Position::from_sfen(
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        )
        .unwrap();
        for scale in [None, FvScale::new(3)] {
            let mut evaluator = evaluation.evaluator(scale);
            evaluator.reset(&position);
            let expected =
                reference::evaluate(&random.network(), &position, scale.unwrap_or_default());
            assert_eq!(evaluator.evaluate(&position), expected);
        }
        // Loaded once, shared by clones.
        assert!(evaluation.is_same(&evaluation.clone()));
        let again = files.open(&EvalOpenOptions::default()).unwrap().evaluation;
        assert!(!evaluation.is_same(&again));
        assert!(!evaluation.is_same(&Evaluation::material(MaterialLevel::FIRST)));
        let wrong = EvalOpenOptions {
            architecture: Some("kp_256x2-32-32".parse().unwrap()),
            ..EvalOpenOptions::default()
        };
        let problem = files.open(&wrong).unwrap_err().to_string();
        assert!(
            problem.starts_with(&path.display().to_string()),
            "{problem}"
        );
    }
}

#[test]
fn what_is_embedded_can_be_used() {
    let evaluation = Evaluation::embedded().unwrap().evaluation;
    let position = Position::startpos();
    let mut evaluator = evaluation.evaluator(None);
    evaluator.reset(&position);
    let value = evaluator.evaluate(&position);
    if evaluation.is_same(&Evaluation::positional()) {
        let mut positional = PositionalEvaluator::new();
        positional.reset(&position);
        assert_eq!(value, positional.evaluate(&position));
        assert_eq!(evaluation.own_scale(), None);
    } else {
        assert!(value.abs() < 300, "{value}");
    }
}

/// All kinds, fed with the same moves and passes, agree with themselves from scratch.
#[test]
fn every_kind_follows_moves() {
    let tables = tempfile::tempdir().unwrap();
    let mut all = vec![
        Evaluation::material(MaterialLevel::FIRST),
        Evaluation::material(MaterialLevel::LAST),
        Evaluation::positional(),
        Evaluation::network(Arc::new(PreparedNetwork::new(
            network("kp_32x2-8-8").network(),
        ))),
    ];
    if cfg!(unix) {
        empty_tables(tables.path(), KpptLayout::KppKkpt);
        let files = EvalFiles::find(tables.path()).unwrap();
        all.push(files.open(&EvalOpenOptions::default()).unwrap().evaluation);
    }
    for evaluation in all {
        let mut position = Position::startpos();
        let mut evaluator = evaluation.evaluator(None);
        evaluator.reset(&position);
        let scratch = |position: &Position| {
            let mut fresh = evaluation.evaluator(None);
            fresh.reset(position);
            fresh.evaluate(position)
        };
        let mut line = Vec::new();
        for text in ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e", "5a4b"] {
            let m = position.move_from_usi(text).unwrap();
            let undo = position.do_move_unchecked(m);
            evaluator.push(Some(&Delta::new(&position, m, &undo)));
            line.push((m, undo));
            let value = evaluator.evaluate(&position);
            assert_eq!(value, scratch(&position), "{} {text}", evaluation.name());
        }
        let undo = position.do_null_move();
        evaluator.push(None);
        assert_eq!(evaluator.evaluate(&position), scratch(&position));
        position.undo_null_move(&undo);
        evaluator.pop();
        for (m, undo) in line.into_iter().rev() {
            position.undo_move(m, &undo);
            evaluator.pop();
            assert_eq!(evaluator.evaluate(&position), scratch(&position));
        }
    }
}
