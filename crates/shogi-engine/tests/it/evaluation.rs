//! The evaluation of a session.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use shogi_core::{Game, Position};
use shogi_engine::{EvalEvent, EvalOrigin, Listener, SearchOutcome, Session};
use shogi_eval::nnue::shared::{SharedNetworks, Sharing};
use shogi_eval::nnue::{FvScale, reference};
use shogi_search::SearchInfo;
use tempfile::TempDir;
use test_networks::RandomNetwork;

fn network(architecture: &str, seed: u64) -> RandomNetwork {
    RandomNetwork::new(architecture.parse().unwrap(), seed)
}

fn write(path: &Path, network: &RandomNetwork) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let file = BufWriter::new(File::create(path).unwrap());
    network.write(file).unwrap();
}

/// A session that looks for relative folders in two folders of its own.
fn session() -> (Session, [TempDir; 2]) {
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let mut session = Session::new();
    let paths = folders.each_ref().map(|folder| folder.path().to_owned());
    session.set_folders(paths.to_vec());
    session.set_option("USI_Hash", Some("1")).unwrap();
    (session, folders)
}

fn load(session: &mut Session) -> Vec<EvalEvent> {
    let mut report = Vec::new();
    session.load_evaluation(|new| report.push(new));
    report
}

struct Ear(mpsc::Sender<SearchOutcome>);

impl Listener for Ear {
    fn line(&self, _: &SearchInfo) {}

    fn finished(&self, outcome: &SearchOutcome) {
        self.0.send(*outcome).ok();
    }
}

fn search(session: &mut Session) {
    let (sender, receiver) = mpsc::channel();
    let go = "depth 1".parse().unwrap();
    session.go(&go, Arc::new(Ear(sender))).unwrap();
    let outcome = receiver.recv_timeout(Duration::from_secs(60)).unwrap();
    assert!(matches!(outcome, SearchOutcome::Move { .. }), "{outcome:?}");
}

#[test]
fn the_first_folder_with_files_is_taken() {
    let (mut session, folders) = session();
    let good = network("kp_32x2-8-8", 1);
    let path = folders[1].path().join("eval/nn.bin");
    write(&path, &good);
    fs::create_dir(folders[0].path().join("eval")).unwrap();
    assert_eq!(session.eval_place(), Some(folders[1].path().join("eval")));
    let report = load(&mut session);
    let [EvalEvent::Reading(_), EvalEvent::Loaded(report)] = &report[..] else {
        panic!("{report:?}")
    };
    assert_eq!(report.name, "kp_32x2-8-8");
    assert_eq!(report.origin, EvalOrigin::File(path.clone()));
    assert_eq!(report.bytes, fs::metadata(&path).unwrap().len());
    assert_eq!(
        (report.fv_scale, report.fv_scale_is_stated),
        (Some(16), false)
    );
    assert!(load(&mut session).is_empty());
    // One that appears in the first folder goes first.
    write(
        &folders[0].path().join("eval/nn.bin"),
        &network("kp_64x2-8-8", 1),
    );
    let report = load(&mut session);
    let Some(EvalEvent::Loaded(report)) = report.last() else {
        panic!("{report:?}")
    };
    assert_eq!(report.name, "kp_64x2-8-8");
}

#[test]
fn an_evaluation_is_loaded_when_it_is_needed() {
    let (mut session, folders) = session();
    let good = network("kp_32x2-8-8", 1);
    write(&folders[0].path().join("eval/nn.bin"), &good);
    assert!(session.needs_evaluation());
    let position = Position::from_sfen(
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    )
    .unwrap();
    session.set_game(Game::new(position.clone()));
    let expected = |scale| {
        let scale = FvScale::new(scale).unwrap();
        reference::evaluate(&good.network(), &position, scale)
    };
    assert_eq!(session.evaluate(), expected(16));
    assert!(!session.needs_evaluation());
    assert!(load(&mut session).is_empty());
    session.set_option("FV_SCALE", Some("5")).unwrap();
    assert!(!session.needs_evaluation());
    assert_eq!(session.evaluate(), expected(5));
    session.set_option("Evaluation", Some("material")).unwrap();
    assert!(session.needs_evaluation());
    search(&mut session);
    assert!(!session.needs_evaluation());
    assert_eq!(session.evaluate(), -position.material());
    assert_eq!(session.eval_place(), None);
}

#[test]
fn a_problem_lasts_until_it_is_solved() {
    let (mut session, folders) = session();
    let path = folders[0].path().join("eval/nn.bin");
    fs::create_dir(path.parent().unwrap()).unwrap();
    fs::write(&path, b"nonsense").unwrap();
    let report = load(&mut session);
    let [
        EvalEvent::Reading(_),
        EvalEvent::Failed(problem),
        EvalEvent::Loaded(report),
    ] = &report[..]
    else {
        panic!("{report:?}")
    };
    assert!(
        problem.to_string().contains("nn.bin: byte 0: "),
        "{problem}"
    );
    assert_eq!(report.origin, EvalOrigin::Program);
    search(&mut session);
    assert!(session.eval_problem().is_some());
    assert!(matches!(load(&mut session)[..], [EvalEvent::Failed(_)]));
    write(&path, &network("kp_32x2-8-8", 1));
    let report = load(&mut session);
    assert!(matches!(
        report[..],
        [EvalEvent::Reading(_), EvalEvent::Loaded(_)]
    ));
    assert!(session.eval_problem().is_none());
    search(&mut session);
}

#[test]
fn networks_are_shared_on_request() {
    let (mut session, folders) = session();
    let path = folders[0].path().join("eval/nn.bin");
    let good = network("kp_32x2-8-8", 1);
    write(&path, &good);
    let cache = folders[1].path().join("cache");
    session.set_shared_networks(SharedNetworks::new(cache.clone()));
    let report = load(&mut session);
    assert!(matches!(
        report[..],
        [EvalEvent::Reading(_), EvalEvent::Loaded(_)]
    ));
    assert!(!cache.exists());
    session.set_option("EvalShare", Some("true")).unwrap();
    assert!(session.needs_evaluation());
    let report = load(&mut session);
    let [
        EvalEvent::Reading(_),
        EvalEvent::Sharing(Sharing::Made(file)),
        EvalEvent::Loaded(_),
    ] = &report[..]
    else {
        panic!("{report:?}")
    };
    assert!(file.starts_with(&cache));
    let position = Position::startpos();
    let expected = reference::evaluate(&good.network(), &position, FvScale::DEFAULT);
    assert_eq!(session.evaluate(), expected);
    // Saved is what was read, not what it was made into.
    let saved = folders[1].path().join("saved");
    session.save_evaluation(Some(&saved)).unwrap();
    assert!(fs::read(saved.join("nn.bin")).unwrap() == fs::read(&path).unwrap());
    // If sharing is not possible, the engine plays all the same.
    session.set_option("EvalShare", Some("false")).unwrap();
    load(&mut session);
    session.set_option("EvalShare", Some("true")).unwrap();
    session.set_shared_networks(SharedNetworks::new(path.join("cache")));
    let report = load(&mut session);
    let [
        EvalEvent::Reading(_),
        EvalEvent::Sharing(Sharing::Private(reason)),
        EvalEvent::Loaded(_),
    ] = &report[..]
    else {
        panic!("{report:?}")
    };
    assert!(reason.to_string().contains("cache"), "{reason}");
    assert_eq!(session.evaluate(), expected);
}

#[cfg(unix)]
#[test]
fn folders_may_have_names_that_are_no_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let (mut session, folders) = session();
    // 評価 in Shift JIS.
    let name = OsStr::from_bytes(b"\x95\x5d\x89\xbf");
    let folder = folders[1].path().join(name);
    write(&folder.join("nn.bin"), &network("kp_32x2-8-8", 1));
    let value = yane_io::text_of_name(name);
    session.set_option("EvalDir", Some(&value)).unwrap();
    assert_eq!(session.eval_place(), Some(folder.clone()));
    let report = load(&mut session);
    let Some(EvalEvent::Loaded(report)) = report.last() else {
        panic!("{report:?}")
    };
    assert_eq!(report.origin, EvalOrigin::File(folder.join("nn.bin")));
    session.set_option("EvalSaveDir", Some(&value)).unwrap();
    session.save_evaluation(None).unwrap();
    assert!(folders[0].path().join(name).join("nn.bin").is_file());
}
