//! Long jobs that are killed again and again: one harness for every program that resumes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::{SplitMix64, TestFolder};

/// Longest time of one run that is left alone.
const LIMIT: Duration = Duration::from_secs(600);
/// The interval of looks at a run.
const POLL: Duration = Duration::from_micros(500);
/// Kills of a job, if `YANE_KILLS` does not say otherwise.
const KILLS: u32 = 15;

/// A job that may be killed at any moment: the same command line resumes it, and what it makes in the end is, byte for byte,
/// what a run that is left alone makes.
#[derive(Clone, Copy, Debug)]
pub struct LongJob<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its command line, words separated by blanks.
    pub line: &'a str,
    /// Names of the files and folders that it makes. Nothing else is in its folder at the end, but what was there before.
    pub outputs: &'a [&'a str],
    /// The part of an output's bytes that has to be equal, where times or orders differ between runs.
    pub essence: fn(&[u8]) -> Vec<u8>,
}

impl<'a> LongJob<'a> {
    /// The job of a program, whose outputs are equal as they are.
    pub fn new(program: &'a Path, line: &'a str, outputs: &'a [&'a str]) -> Self {
        Self {
            program,
            line,
            outputs,
            essence: <[u8]>::to_vec,
        }
    }

    /// Runs the job once undisturbed, and once with a kill (`SIGKILL`) at 15 moments all over the run, or as many as the variable
    /// `YANE_KILLS` says; `prepare` puts the inputs into each folder. A run that ends before it is killed begins anew.
    ///
    /// # Panics
    /// When the results differ, something is left in the folder, or a run fails.
    #[track_caller]
    pub fn survives_kills(&self, prepare: impl Fn(&TestFolder)) {
        let whole = TestFolder::new();
        prepare(&whole);
        let before = names_in(&whole);
        let begin = Instant::now();
        self.complete(&whole);
        let duration = begin.elapsed();
        let expected = self.outputs_of(&whole);
        let names = names_in(&whole);

        let kills = std::env::var("YANE_KILLS").ok();
        let kills = kills.and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
        let mut random = SplitMix64::new(kills.into());
        let mut folder = TestFolder::new();
        prepare(&folder);
        let (mut killed, mut completed) = (0, 0);
        while killed < kills {
            assert!(
                completed <= 4 * kills,
                "{}: ends before it can be killed ({killed} kills)",
                self.line
            );
            let mut child = self.start(&folder);
            if self.kill_somewhere(&mut child, &folder, duration, &mut random) {
                killed += 1;
                continue;
            }
            // Done: the next kills meet a run from the beginning.
            assert_eq!(names_in(&folder), names, "{}", self.line);
            self.compare(&expected, &folder);
            completed += 1;
            folder = TestFolder::new();
            prepare(&folder);
        }
        // Killed when all was done but for the end of the process: there is nothing to resume.
        if names_in(&folder) != names || self.outputs_of(&folder) != expected {
            self.complete(&folder);
        }
        self.compare(&expected, &folder);
        assert_eq!(names_in(&folder), names, "{}: left behind", self.line);
        assert!(before.iter().all(|name| names.contains(name)));
    }

    /// Kills a run at some moment: after a small part of the time that a whole run takes, so that the kills of one run are all
    /// over it, or as soon as a file has grown. Returns false if it ended by itself before.
    fn kill_somewhere(
        &self,
        child: &mut Child,
        folder: &TestFolder,
        duration: Duration,
        random: &mut SplitMix64,
    ) -> bool {
        let waits_for_growth = random.remainder(2) == 0;
        let share = u32::try_from(random.remainder(200)).expect("small");
        let end = Instant::now() + duration * share / 1000;
        let begun = size_of(&folder.path(""));
        let limit = Instant::now() + LIMIT;
        loop {
            if let Some(status) = child.try_wait().expect("a child of this process") {
                assert!(status.success(), "{}: {status}", self.line);
                return false;
            }
            let now = Instant::now();
            assert!(now < limit, "{}: nothing comes", self.line);
            if (waits_for_growth && size_of(&folder.path("")) != begun) || now >= end {
                break;
            }
            thread::sleep(POLL);
        }
        child.kill().expect("a child of this process");
        !child.wait().expect("a child of this process").success()
    }

    fn start(&self, folder: &TestFolder) -> Child {
        Command::new(self.program)
            .args(self.line.split(' '))
            .current_dir(folder.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts")
    }

    #[track_caller]
    fn complete(&self, folder: &TestFolder) {
        let words = self.line.split(' ').map(OsString::from);
        let run = crate::run_program(self.program, &folder.path(""), words, Vec::new(), LIMIT);
        assert_eq!(run.code, Some(0), "{}: {run:?}", self.line);
    }

    /// What has to be equal, by path.
    fn outputs_of(&self, folder: &TestFolder) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        for output in self.outputs {
            for path in files_below(&folder.path(output)) {
                let bytes = fs::read(&path).expect("a file that is there");
                let name = path.strip_prefix(folder.path("")).expect("below");
                files.insert(name.to_owned(), (self.essence)(&bytes));
            }
        }
        files
    }

    #[track_caller]
    fn compare(&self, expected: &BTreeMap<PathBuf, Vec<u8>>, folder: &TestFolder) {
        let found = self.outputs_of(folder);
        let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&found), names(expected), "{}", self.line);
        for (name, bytes) in expected {
            let (name, found) = (name.display(), &found[name]);
            assert!(found == bytes, "{}: {name} is another one", self.line);
        }
    }
}

/// All files of a folder and its folders, or the file itself; none if there is nothing.
fn files_below(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let Ok(entries) = fs::read_dir(path) else {
        return Vec::new();
    };
    let mut files: Vec<_> = entries
        .flatten()
        .flat_map(|entry| files_below(&entry.path()))
        .collect();
    files.sort();
    files
}

/// The bytes of all files of a folder together.
fn size_of(folder: &Path) -> u64 {
    let files = files_below(folder);
    let sizes = files.iter().filter_map(|path| fs::metadata(path).ok());
    sizes.map(|data| data.len()).sum()
}

/// The names in a folder, without files that are there to be locked: that of a run that was killed locks nothing.
fn names_in(folder: &TestFolder) -> Vec<String> {
    let mut names = folder.names();
    let is_lock = |name: &str| Path::new(name).extension().is_some_and(|end| end == "lock");
    names.retain(|name| !(name.starts_with('.') && is_lock(name)));
    names
}
