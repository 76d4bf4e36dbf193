//! Balanced start positions: a file of openings whose last positions are even by a search.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::path::Path;

use farm::{
    Backlog, Finished, Next, Recorder, RunCompletion, RunControl, RunKind, RunLog, SharedBacklog,
    WorkError,
};
use shogi_core::{Game, Position};
use shogi_farm::{EnginePool, EngineWorkers, Work, WorkerContext, with_contents};
use yane_base::random::stream;
use yane_io::{AtomicFile, Error, Flush, Journal, RunIdentity, folder_of};

use crate::game::{GameRules, balanced_start};
use crate::run::{game_seed, retry_policy};
use crate::{Result, SelfplayError, SelfplaySettings, Starts};

/// Runs that make start positions.
#[derive(Clone, Copy, Debug)]
pub struct StartRun;

impl RunKind for StartRun {
    type Report<'a> = StartReport;
    type Totals = StartTotals;
}

/// An event of a run that makes start positions.
pub type StartEvent<'a> = farm::Event<'a, StartRun>;

/// A run that makes start positions in numbers.
pub type StartSummary = farm::Summary<StartTotals>;

/// A report of a run that makes start positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartReport {
    /// The run starts; earlier ones found so many positions.
    Started(u64),
    /// A new position was found.
    Found,
}

/// Counters of a run that makes start positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartTotals {
    /// Openings that led to a known position.
    pub duplicates: u64,
}

/// The start positions to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartPlan {
    /// Number of positions.
    pub count: u64,
    /// Least and greatest number of moves of an opening.
    pub plies: RangeInclusive<u32>,
}

/// Makes different start positions by the opening rules of `settings` (sampling of moves, filter), each some moves
/// after one of `starts`, and writes them to the file `path`, one a line. Resumes a run that was interrupted. The same
/// settings give the same file, however many engines work on it.
///
/// # Errors
/// When files cannot be read or written, no engine is left, or too few positions are balanced.
pub fn make_starts(
    plan: &StartPlan,
    settings: &SelfplaySettings,
    starts: &Starts,
    pool: &EnginePool,
    path: &Path,
    control: &RunControl,
    observer: &farm::RunObserver<'_, StartRun>,
) -> Result<StartSummary> {
    let rules = GameRules {
        random_plies: plan.plies.clone(),
        ..GameRules::from(settings)
    };
    let engines = settings.engines.iter();
    let engines: Vec<_> = engines
        .map(|it| (&it.name, &it.path, &it.options))
        .collect();
    let description = format!(
        "{} openings {:?} seed {} starts {:016x} multi-PV {:?} filter {:?} engines {engines:?}",
        plan.count,
        plan.plies,
        settings.seed,
        starts.fingerprint(),
        rules.multi_pv,
        rules.start_filter,
    );
    let identity = with_contents(RunIdentity::new(description), &pool.contents()?);
    let mut recorder = StartRecorder::open(path, &identity, plan.count, observer)?;
    let backlog = recorder.backlog()?;
    recorder
        .log
        .report(StartReport::Started(recorder.keys.len() as u64));
    let work = Openings {
        starts,
        seed: settings.seed,
        rules,
    };
    let policy = retry_policy(settings);
    let mut recorder = Linked {
        recorder,
        backlog: &backlog,
    };
    let workers = EngineWorkers::new(pool, &work);
    farm::run(&workers, &backlog, control, policy, &mut recorder)?;
    recorder.recorder.finish()
}

/// An opening: its moves, and the key of its last position.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Opening {
    key: u128,
    line: String,
}

impl Opening {
    fn of(game: Game) -> Self {
        let key = game.position().key128();
        let moves: Vec<String> = game.moves().map(|m| m.to_string()).collect();
        let mut start = game;
        while start.undo().is_some() {}
        let start = start.position();
        let mut line = if *start == Position::startpos() {
            "startpos".to_owned()
        } else {
            format!("sfen {}", start.to_sfen())
        };
        if !moves.is_empty() {
            line += " moves ";
            line += &moves.join(" ");
        }
        Self { key, line }
    }

    fn encode(&self) -> Vec<u8> {
        [&self.key.to_le_bytes(), self.line.as_bytes()].concat()
    }

    /// Reads the bytes of [`Self::encode`]. `None` when there is no opening.
    fn decode(bytes: &[u8]) -> Option<Self> {
        let (key, line) = bytes.split_first_chunk()?;
        Some(Self {
            key: u128::from_le_bytes(*key),
            line: String::from_utf8(line.to_vec()).ok()?,
        })
    }
}

/// The work of making openings by number.
struct Openings<'a> {
    starts: &'a Starts,
    seed: u64,
    rules: GameRules,
}

impl Work for Openings<'_> {
    type Item = u64;
    type Output = Opening;

    fn work(
        &self,
        &number: &u64,
        context: &mut WorkerContext<'_>,
    ) -> std::result::Result<Finished<Opening>, WorkError> {
        let start = |attempt| self.starts.attempt(self.seed, number, attempt);
        let mut random = stream(game_seed(self.seed, number));
        let game = balanced_start(&start, &self.rules, &mut random, context)?;
        Ok(Opening::of(game).into())
    }
}

/// The numbers of the openings to make: as many as are wanted, and one more for each duplicate.
#[derive(Debug)]
struct StartBacklog {
    finished: HashSet<u64>,
    returned: Vec<u64>,
    next: u64,
    end: u64,
    in_progress: u64,
}

impl Backlog for StartBacklog {
    type Item = u64;

    fn next(&mut self) -> Next<u64> {
        while self.returned.is_empty() && self.next < self.end {
            if !self.finished.contains(&self.next) {
                self.returned.push(self.next);
            }
            self.next += 1;
        }
        match self.returned.pop() {
            Some(number) => {
                self.in_progress += 1;
                Next::Item(number)
            }
            None if self.in_progress > 0 => Next::Later,
            None => Next::End,
        }
    }

    fn ack(&mut self, _: &u64) {
        self.in_progress -= 1;
    }

    fn nack(&mut self, &number: &u64) {
        self.in_progress -= 1;
        self.returned.push(number);
    }
}

/// Keeps openings in a journal, and writes the file at the end.
struct StartRecorder<'a> {
    path: &'a Path,
    journal: Journal,
    keys: HashSet<u128>,
    count: u64,
    log: RunLog<'a, StartRun>,
}

impl<'a> StartRecorder<'a> {
    fn open(
        path: &'a Path,
        identity: &RunIdentity,
        count: u64,
        observer: &'a farm::RunObserver<'a, StartRun>,
    ) -> Result<Self> {
        if path.exists() {
            return Err(Error::file(path, "is there already; choose another output").into());
        }
        let folder = folder_of(path);
        std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        let opened = Journal::open(&Journal::path_of(path), identity, Flush::Never)?;
        let name = "journal";
        Ok(Self {
            path,
            journal: opened.tell(|text| observer(&farm::Event::Notice { name, text })),
            keys: HashSet::new(),
            count,
            log: RunLog::new(observer),
        })
    }

    /// The openings of the journal, in order.
    fn openings(&mut self) -> Result<Vec<(u64, Option<Opening>)>> {
        let numbers: Vec<u64> = self.journal.numbers().collect();
        let mut openings = Vec::with_capacity(numbers.len());
        for number in numbers {
            let bytes = self.journal.get(number)?.unwrap_or_default();
            openings.push((number, Opening::decode(&bytes)));
        }
        Ok(openings)
    }

    /// The openings that are left to be made.
    fn backlog(&mut self) -> Result<SharedBacklog<StartBacklog>> {
        let known = self.openings()?;
        let mut end = self.count;
        for (_, opening) in &known {
            let is_new = opening.as_ref().is_some_and(|it| self.keys.insert(it.key));
            end += u64::from(!is_new);
        }
        Ok(SharedBacklog::new(StartBacklog {
            finished: known.iter().map(|&(number, _)| number).collect(),
            returned: Vec::new(),
            next: 0,
            end,
            in_progress: 0,
        }))
    }

    /// Writes the file when all openings are there, and removes the journal.
    fn finish(mut self) -> Result<StartSummary> {
        let completion = RunCompletion::of_counts(self.keys.len() as u64, self.count);
        if completion.is_complete() {
            let mut keys = HashSet::new();
            let mut text = String::new();
            for (_, opening) in self.openings()? {
                if let Some(Opening { key, line }) = opening
                    && (keys.len() as u64) < self.count
                    && keys.insert(key)
                {
                    text += &line;
                    text.push('\n');
                }
            }
            let mut file = AtomicFile::create(self.path)?;
            file.put(text.as_bytes())?;
            file.commit()?;
            self.journal.remove()?;
        }
        Ok(self.log.finish(completion))
    }
}

/// A recorder that asks for another opening in place of each duplicate.
struct Linked<'a, 'b> {
    recorder: StartRecorder<'a>,
    backlog: &'b SharedBacklog<StartBacklog>,
}

impl Recorder for Linked<'_, '_> {
    type Kind = StartRun;
    type Item = u64;
    type Output = Opening;
    type Error = SelfplayError;

    fn record(&mut self, _: Option<usize>, &number: &u64, opening: Opening) -> Result<()> {
        let recorder = &mut self.recorder;
        recorder.journal.put(number, &opening.encode())?;
        if recorder.keys.insert(opening.key) {
            recorder.log.count();
            recorder.log.report(StartReport::Found);
        } else {
            recorder.log.summary.totals.duplicates += 1;
            self.backlog.lock().end += 1;
        }
        Ok(())
    }

    fn give_up(&mut self, &number: &u64) -> Result<()> {
        let recorder = &mut self.recorder;
        recorder.log.summary.given_up += 1;
        recorder.journal.put(number, &[])?;
        self.backlog.lock().end += 1;
        Ok(())
    }

    fn on_event(&mut self, event: &StartEvent<'_>) {
        self.recorder.log.on_event(event);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use test_support::TestFolder;

    use super::*;
    use crate::settings::StartFilter;

    fn settings(workers: usize) -> SelfplaySettings {
        let mut settings = SelfplaySettings {
            start_filter: Some(StartFilter {
                max_score: 400,
                nodes: 20,
            }),
            ..SelfplaySettings::default()
        };
        settings.engines[0].multi = workers;
        settings
    }

    /// Makes 20 positions; ends the run after so many.
    fn make(folder: &TestFolder, name: &str, workers: usize, most: u64) -> Result<StartSummary> {
        let settings = settings(workers);
        let pool = settings.engine_pool(&[]).unwrap();
        let plan = StartPlan {
            count: 20,
            plies: 1..=1,
        };
        let control = RunControl::default();
        let found = Cell::new(0);
        let observer = |event: &StartEvent<'_>| {
            if let StartEvent::Report(StartReport::Found) = event {
                found.set(found.get() + 1);
                if found.get() >= most {
                    control.quit();
                }
            }
        };
        let starts = Starts::initial();
        make_starts(
            &plan,
            &settings,
            &starts,
            &pool,
            &folder.path(name),
            &control,
            &observer,
        )
    }

    #[test]
    fn the_same_positions_come_from_any_number_of_workers_and_runs() {
        let folder = TestFolder::new();
        let summary = make(&folder, "one", 1, u64::MAX).unwrap();
        assert!(summary.is_complete && summary.finished == 20, "{summary:?}");
        assert!(summary.totals.duplicates > 0, "{summary:?}");
        make(&folder, "three", 3, u64::MAX).unwrap();
        assert!(!make(&folder, "cut", 1, 5).unwrap().is_complete);
        assert!(!folder.path("cut").exists());
        let resumed = make(&folder, "cut", 2, u64::MAX).unwrap();
        assert!(resumed.is_complete && resumed.finished < 20, "{resumed:?}");
        let whole = folder.read("one");
        assert_eq!(folder.read("three"), whole);
        assert_eq!(folder.read("cut"), whole);
        assert_eq!(folder.names(), ["cut", "one", "three"]);
        let starts = Starts::read(&folder.path("one"), None).unwrap();
        assert_eq!(starts.len(), 20);
        let keys: HashSet<u128> = (0..20)
            .map(|number| starts.start(1, number).position().key128())
            .collect();
        assert_eq!(keys.len(), 20);
        // What is there is not made again.
        let error = make(&folder, "one", 1, u64::MAX).unwrap_err().to_string();
        assert!(error.contains("is there already"), "{error}");
    }
}
