//! Networks shared by processes: the folder they lie in, and the memory they take.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, SystemTime};

use shogi_core::Position;
use shogi_eval::Evaluator;
use shogi_eval::loader::{EvalFiles, EvalOpenOptions};
use shogi_eval::nnue::file::{NetworkReadOptions, Note};
use shogi_eval::nnue::shared::{SharedNetwork, SharedNetworks, Sharing};
use shogi_eval::nnue::{FvScale, NnueEvaluator, reference};
use tempfile::TempDir;
use test_networks::RandomNetwork;

const SFEN: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";

/// Evaluation files beside a folder for shared networks.
struct Place {
    folder: TempDir,
    shared: SharedNetworks,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let shared = SharedNetworks::new(folder.path().join("cache").join("eval"));
        Self { folder, shared }
    }

    /// Writes a network, and tells what it makes of the position.
    fn write(&self, name: &str, seed: u64) -> (PathBuf, i32) {
        let path = self.folder.path().join(name);
        let random = RandomNetwork::new("kp_256x2-32-32".parse().unwrap(), seed);
        let file = BufWriter::new(File::create(&path).unwrap());
        random.write(file).unwrap();
        let position = Position::from_sfen(SFEN).unwrap();
        let value = reference::evaluate(&random.network(), &position, FvScale::DEFAULT);
        (path, value)
    }

    fn open(&self, path: &Path) -> SharedNetwork {
        self.shared
            .open(path, &NetworkReadOptions::default())
            .unwrap()
    }

    /// The files in the folder but for the lock, sorted.
    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.shared.folder()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = paths
            .filter(|path| path.file_name() != Some(OsStr::new("lock")))
            .collect();
        files.sort();
        files
    }
}

fn value(shared: SharedNetwork) -> i32 {
    let position = Position::from_sfen(SFEN).unwrap();
    let mut evaluator = NnueEvaluator::new(Arc::new(shared.network), FvScale::DEFAULT);
    evaluator.reset(&position);
    evaluator.evaluate(&position)
}

#[test]
fn made_once_and_found_then() {
    let place = Place::new();
    let (path, expected) = place.write("nn.bin", 1);
    let made = place.open(&path);
    let Sharing::Made(file) = &made.sharing else {
        panic!("{:?}", made.sharing)
    };
    assert_eq!(place.files(), std::slice::from_ref(file));
    let found = place.open(&path);
    assert!(matches!(&found.sharing, Sharing::Found(found) if found == file));
    assert_eq!(value(made), expected);
    assert_eq!(value(found), expected);
    // Another name for the same bytes, and other bytes under the same name.
    let (copy, _) = place.write("copy.bin", 1);
    assert!(matches!(place.open(&copy).sharing, Sharing::Found(_)));
    let (path, other) = place.write("nn.bin", 2);
    assert_ne!(other, expected);
    let made = place.open(&path);
    assert!(matches!(made.sharing, Sharing::Made(_)));
    assert_eq!(value(made), other);
    assert_eq!(place.files().len(), 2);
}

#[test]
fn through_the_choice_of_evaluations() {
    let place = Place::new();
    let (path, expected) = place.write("nn.bin", 1);
    // A hash that is not the usual one is told each time.
    let mut bytes = fs::read(&path).unwrap();
    bytes[4] ^= 1;
    fs::write(&path, bytes).unwrap();
    let options = EvalOpenOptions {
        shared: Some(place.shared.clone()),
        ..EvalOpenOptions::default()
    };
    for made in [true, false] {
        let files = EvalFiles::find(place.folder.path()).unwrap();
        let opened = files.open(&options).unwrap();
        assert_eq!(
            matches!(opened.sharing, Some(Sharing::Made(_))),
            made,
            "{:?}",
            opened.sharing
        );
        assert!(matches!(opened.notes[..], [Note::Hash { offset: 4, .. }]));
        assert_eq!(opened.bytes, fs::metadata(&path).unwrap().len());
        let position = Position::from_sfen(SFEN).unwrap();
        let mut evaluator = opened.evaluation.evaluator(None);
        evaluator.reset(&position);
        assert_eq!(evaluator.evaluate(&position), expected);
    }
}

#[test]
fn damaged_files_are_made_again() {
    let place = Place::new();
    let (path, expected) = place.write("nn.bin", 1);
    place.open(&path);
    let [file] = &place.files()[..] else {
        panic!("one file")
    };
    let good = fs::read(file).unwrap();
    let changed = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 16;
        bytes
    };
    let len = good.len();
    let mut damaged: Vec<_> = [0, 8, 12, 20, 32, 40, 48, 56, 64, 4000, 4095, 4096, 8192]
        .into_iter()
        .chain([len / 2, len - 1])
        .map(changed)
        .collect();
    damaged.extend([0, 100, 4096, len / 2, len - 1].map(|len| good[..len].to_vec()));
    damaged.push([&good[..], &[0]].concat());
    damaged.push(vec![0; len]);
    for bytes in damaged {
        fs::write(file, &bytes).unwrap();
        let opened = place.open(&path);
        assert!(matches!(&opened.sharing, Sharing::Made(made) if made == file));
        assert_eq!(value(opened), expected);
        assert!(fs::read(file).unwrap() == good);
    }
    // The file of another network under this name.
    let (other, value_of_other) = place.write("other.bin", 2);
    place.open(&other);
    let files = place.files();
    let others = files.iter().find(|&path| path != file).unwrap();
    fs::copy(others, file).unwrap();
    let opened = place.open(&path);
    assert!(matches!(opened.sharing, Sharing::Made(_)));
    assert_eq!(value(opened), expected);
    assert_eq!(value(place.open(&other)), value_of_other);
}

#[test]
fn without_a_folder_memory_is_private() {
    let mut place = Place::new();
    let (path, expected) = place.write("nn.bin", 1);
    // A folder cannot be made in a file, whoever one is.
    let shared = SharedNetworks::new(path.join("cache"));
    place.shared = shared;
    let opened = place.open(&path);
    let Sharing::Private(reason) = &opened.sharing else {
        panic!("{:?}", opened.sharing)
    };
    assert!(reason.to_string().contains("nn.bin"), "{reason}");
    assert_eq!(value(opened), expected);
    // A folder in the place of the file cannot be replaced.
    let place = Place::new();
    let (path, expected) = place.write("nn.bin", 1);
    place.open(&path);
    let [file] = &place.files()[..] else {
        panic!("one file")
    };
    fs::remove_file(file).unwrap();
    fs::create_dir(file).unwrap();
    let opened = place.open(&path);
    assert!(matches!(opened.sharing, Sharing::Private(_)));
    assert_eq!(value(opened), expected);
}

#[test]
fn files_that_are_no_networks_are_errors_and_leave_nothing() {
    let place = Place::new();
    let path = place.folder.path().join("nn.bin");
    let options = NetworkReadOptions::default();
    assert!(place.shared.open(&path, &options).is_err());
    fs::write(&path, b"nonsense").unwrap();
    let error = place.shared.open(&path, &options).unwrap_err();
    assert!(error.to_string().contains("nn.bin: byte 0"), "{error}");
    assert!(place.files().is_empty());
}

#[test]
fn the_oldest_files_go() {
    let mut place = Place::new();
    let paths = [1, 2, 3].map(|seed| place.write(&format!("{seed}.bin"), seed).0);
    let made = |place: &Place, at: usize| match place.open(&paths[at]).sharing {
        Sharing::Made(path) => path,
        sharing => panic!("{sharing:?}"),
    };
    let [first, second] = [0, 1].map(|at| {
        let path = made(&place, at);
        let time = SystemTime::now() - Duration::from_secs(3600 - at as u64);
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(time).unwrap();
        path
    });
    // Used again, the first is younger than the second.
    place.open(&paths[0]);
    let stranger = place.shared.folder().join("read me.txt");
    fs::write(&stranger, b"hello").unwrap();
    let orphan = place.shared.folder().join(".0.laidout.dead.tmp");
    fs::write(&orphan, b"half").unwrap();
    let len = fs::metadata(&first).unwrap().len();
    place.shared = place.shared.clone().with_limit(2 * len);
    let mapped = place.open(&paths[1]);
    let file = File::options().write(true).open(&second).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(3600))
        .unwrap();
    drop(file);
    let third = made(&place, 2);
    let mut expected = vec![first, third.clone(), stranger.clone()];
    expected.sort();
    if cfg!(unix) {
        assert_eq!(place.files(), expected);
    }
    // Whoever has it mapped keeps it.
    value(mapped);
    // The new one stays even if it is too large by itself.
    place.shared = place.shared.clone().with_limit(1);
    let second = made(&place, 1);
    let mut expected = vec![second, stranger];
    expected.sort();
    assert_eq!(place.files(), expected);
}

#[test]
fn threads_at_once_make_one_file() {
    let place = Place::new();
    let (path, expected) = place.write("nn.bin", 1);
    let barrier = Barrier::new(8);
    let sharings: Vec<_> = thread::scope(|scope| {
        let run = || {
            barrier.wait();
            let opened = place.open(&path);
            let made = matches!(opened.sharing, Sharing::Made(_));
            assert!(!matches!(opened.sharing, Sharing::Private(_)));
            assert_eq!(value(opened), expected);
            made
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(run)).collect();
        let results = threads.into_iter().map(|thread| thread.join().unwrap());
        results.collect()
    });
    assert_eq!(sharings.iter().filter(|&&made| made).count(), 1);
    assert_eq!(place.files().len(), 1);
}

/// The environment variables that tell a process: the evaluation file, the folder.
const CHILD: [&str; 2] = ["SHARED_NETWORKS_FILE", "SHARED_NETWORKS_FOLDER"];

/// A process of its own, started by the tests below; nothing without them. It opens the network, says
/// how and what it is worth, and waits for a line to say how much memory it takes.
#[test]
fn a_child() {
    let [Some(path), Some(folder)] = CHILD.map(std::env::var_os) else {
        return;
    };
    let shared = SharedNetworks::new(folder.into());
    let opened = shared
        .open(Path::new(&path), &NetworkReadOptions::default())
        .unwrap();
    let (word, file) = match &opened.sharing {
        Sharing::Found(file) => ("found", file.clone()),
        Sharing::Made(file) => ("made", file.clone()),
        Sharing::Private(reason) => panic!("{reason}"),
    };
    let position = Position::from_sfen(SFEN).unwrap();
    let mut evaluator = NnueEvaluator::new(Arc::new(opened.network), FvScale::DEFAULT);
    evaluator.reset(&position);
    println!("\nchild {word} {}", evaluator.evaluate(&position));
    std::io::stdin().read_line(&mut String::new()).unwrap();
    let (rss, pss) = mapped_memory(&file).unwrap_or((0, 0));
    println!("\nchild {rss} {pss}");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    drop(evaluator);
}

/// Resident and proportional kibibytes of this process's maps of `file`.
fn mapped_memory(file: &Path) -> Option<(u64, u64)> {
    let maps = fs::read_to_string("/proc/self/smaps").ok()?;
    let name = file.file_name()?.to_str()?;
    let (mut rss, mut pss, mut inside) = (0, 0, false);
    for line in maps.lines() {
        let mut words = line.split_ascii_whitespace();
        let first = words.next()?;
        let number = words.next().and_then(|number| number.parse::<u64>().ok());
        match first {
            "Rss:" if inside => rss += number?,
            "Pss:" if inside => pss += number?,
            _ if !first.ends_with(':') => inside = line.ends_with(name),
            _ => {}
        }
    }
    Some((rss, pss))
}

struct Process {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Process {
    fn start(place: &Place, path: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "shared_networks::a_child",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(CHILD[0], path)
            .env(CHILD[1], place.shared.folder())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// The two words of the next thing it says.
    fn hear(&mut self) -> [String; 2] {
        for line in (&mut self.lines).lines() {
            let line = line.unwrap();
            if let Some(words) = line.strip_prefix("child ") {
                let (first, second) = words.split_once(' ').unwrap();
                return [first.to_owned(), second.to_owned()];
            }
        }
        panic!("it ended");
    }

    fn go_on(&mut self) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(b"\n").unwrap();
    }

    fn end(mut self) {
        self.go_on();
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn processes_at_once_make_one_file_and_share_its_memory() {
    const COUNT: usize = 4;
    let place = Place::new();
    let (path, expected) = place.write("nn.bin", 1);
    let mut processes: Vec<_> = (0..COUNT).map(|_| Process::start(&place, &path)).collect();
    let mut made = 0;
    for process in &mut processes {
        let [word, value] = process.hear();
        assert_eq!(value, expected.to_string());
        made += usize::from(word == "made");
    }
    assert_eq!(made, 1);
    assert_eq!(place.files().len(), 1);
    let len = fs::metadata(&place.files()[0]).unwrap().len();
    let mut total = 0;
    for process in &mut processes {
        process.go_on();
        let [rss, pss] = process.hear().map(|number| number.parse::<u64>().unwrap());
        if cfg!(target_os = "linux") {
            assert!(1024 * rss >= len / 2, "{rss} of {len}");
            assert!(pss <= rss / 2, "{pss} of {rss}");
        }
        total += pss;
    }
    // All together hold it about once.
    assert!(1024 * total <= len * 3 / 2, "{total} of {len}");
    processes.into_iter().for_each(Process::end);
}
