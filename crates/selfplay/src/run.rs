//! Many games side by side, on this machine or over a queue.

use std::collections::HashSet;
use std::path::PathBuf;

use farm::queue::{Queue, RefusedResult, Server};
use farm::{
    Finished, InOrder, Recorder, RetryPolicy, RunCompletion, RunControl, RunLog, SharedBacklog,
    WorkError,
};
use shogi_farm::{
    EngineContents, EnginePool, EngineWorkers, SentContents, SharedContents, Work, WorkerContext,
    with_contents,
};
use yane_base::random::{GOLDEN_GAMMA, stream};
use yane_io::{RunIdentity, Shard};

use crate::files::{GameFiles, Plan};
use crate::game::{GameRules, play};
use crate::received::received;
use crate::report::{GameEvent, GameObserver, GameReport, GameRun, GameSummary, Outline};
use crate::{
    GameFormat, MultiPvSampling, Result, SelfplayError, SelfplaySettings, StartFilter, Starts,
    VisitSampling,
};

/// The number of tries before a game is given up.
const TRIES: u32 = 3;

/// Plays the games of `settings` that belong to `shard`, into the file `path` and those that follow it, until
/// all are played or `control` ends the run. Resumes a run that was interrupted.
///
/// # Errors
/// When files cannot be read or written, or no engine is left. Finished games are safe.
pub fn run(
    settings: &SelfplaySettings,
    starts: &Starts,
    pool: &EnginePool,
    shard: Shard,
    path: PathBuf,
    control: &RunControl,
    observer: &GameObserver<'_>,
) -> Result<GameSummary> {
    let identity = identity(settings, starts, shard, &pool.contents()?);
    let mut recorder = GameRecorder::open(settings, identity, shard, path, observer)?;
    let work = Games::new(settings, starts, shard);
    let games = SharedBacklog::new(recorder.backlog());
    recorder.start(pool.workers());
    let policy = retry_policy(settings);
    let workers = EngineWorkers::new(pool, &work);
    let played = farm::run(&workers, &games, control, policy, &mut recorder);
    let summary = recorder.finish(RunCompletion::of_result(&played))?;
    played?;
    Ok(summary)
}

/// The queue at the server `url` by which machines share the games of `settings`. Their engines may be in
/// different places.
pub fn queue(settings: &SelfplaySettings, starts: &Starts, url: &str) -> Queue {
    let mut common = settings.clone();
    for engine in &mut common.engines {
        engine.path.clear();
    }
    let description = description(&common, starts, Shard::WHOLE);
    Queue::new(url, &format!("games 2 {:?} {description}", settings.games))
}

/// Has the games of `settings` played by the workers of `queue` ([`work`]), into the file `path` and those that
/// follow it, which become the same as those of [`run`]. Resumes a run that was interrupted. `contents` are those of the engines, as far as
/// they are on this machine; games of engines with other ones are refused.
///
/// # Errors
/// When files cannot be read or written, or the address of the queue is invalid. Finished games are safe.
pub fn serve(
    settings: &SelfplaySettings,
    starts: &Starts,
    path: PathBuf,
    contents: &[EngineContents],
    queue: &Queue,
    control: &RunControl,
    observer: &GameObserver<'_>,
) -> Result<GameSummary> {
    let identity = identity(settings, starts, Shard::WHOLE, contents);
    let mut recorder = GameRecorder::open(settings, identity, Shard::WHOLE, path, observer)?;
    let games = SharedBacklog::new(recorder.backlog());
    recorder.start(0);
    let server = Server::new(queue, control);
    let shared = SharedContents::new(contents);
    let decode = |_: &u64, message: &[u8]| {
        shared.read(message, RefusedResult::new, |bytes| {
            let (outline, bytes) = received(&settings.format, bytes)?;
            let bytes = bytes.to_vec();
            Ok(EncodedGame { outline, bytes })
        })
    };
    let mut served = server.round(usize::MAX, &games, decode, &mut recorder);
    if let Ok(true) = served {
        let on_error = |reason: &str| observer(&GameEvent::TransientError { reason });
        served = server.close(on_error).map_err(SelfplayError::from);
    }
    let summary = recorder.finish(RunCompletion::of_result(&served))?;
    served?;
    Ok(summary)
}

/// Plays games of `settings` for the process that serves `queue`, until there are none left or `control` ends
/// the run.
///
/// # Errors
/// When no engine is left, or the address of the queue is invalid.
pub fn work(
    settings: &SelfplaySettings,
    starts: &Starts,
    pool: &EnginePool,
    queue: &Queue,
    control: &RunControl,
    observer: &GameObserver<'_>,
) -> Result<GameSummary> {
    let mut recorder = GameRecorder::without_files(settings, Shard::WHOLE, observer);
    let games = Games::new(settings, starts, Shard::WHOLE);
    let contents = SentContents::of_pool(pool)?;
    let encode = |_: &u64, game: &EncodedGame| contents.seal(&game.outline.encode(&game.bytes));
    let policy = retry_policy(settings);
    let workers = EngineWorkers::new(pool, &games);
    farm::queue::work(queue, &workers, encode, control, policy, &mut recorder)?;
    Ok(recorder.log.finish(RunCompletion::of_control(control)))
}

/// Time limit and number of tries of an item.
pub(crate) fn retry_policy(settings: &SelfplaySettings) -> RetryPolicy {
    RetryPolicy {
        time_limit: settings.move_timeout,
        tries: TRIES,
        ..RetryPolicy::default()
    }
}

/// The seed of the random choices of a game.
pub(crate) const fn game_seed(seed: u64, number: u64) -> u64 {
    seed ^ number.wrapping_mul(GOLDEN_GAMMA)
}

/// All that the games depend on, with the contents of the engines.
fn identity(
    settings: &SelfplaySettings,
    starts: &Starts,
    shard: Shard,
    contents: &[EngineContents],
) -> RunIdentity {
    let description = description(settings, starts, shard);
    with_contents(RunIdentity::new(description), contents)
}

/// Returns the description of all that the games depend on, but for contents.
fn description(settings: &SelfplaySettings, starts: &Starts, shard: Shard) -> String {
    let engines: Vec<_> = settings
        .engines
        .iter()
        .map(|it| (&it.name, &it.path, &it.options))
        .collect();
    let mut opening = Vec::new();
    if let Some(MultiPvSampling {
        lines,
        spread,
        nodes,
    }) = settings.random_multi_pv
    {
        opening.push(format!(" random multi-PV {lines} {spread} {nodes}"));
    }
    if let Some(StartFilter { max_score, nodes }) = settings.start_filter {
        opening.push(format!(" start filter {max_score} {nodes}"));
    }
    if settings.nodes_jitter > 0.0 {
        opening.push(format!(" jitter {}", settings.nodes_jitter));
    }
    if let Some(VisitSampling {
        plies,
        temperature,
        temperature_drop,
        cutoff,
        cutoff_drop,
    }) = settings.random_visits
    {
        opening.push(format!(
            " by visits {plies} {temperature} {temperature_drop} {cutoff} {cutoff_drop}"
        ));
    }
    let opening = opening.concat();
    format!(
        "shard {shard} seed {} nodes {} plies {} random {} starts {:016x} format {:?} rule {} {:?} dedup {} \
         engines {engines:?}{}{opening}",
        settings.seed,
        settings.nodes,
        settings.max_game_ply,
        settings.random_plies,
        starts.fingerprint(),
        settings.format,
        settings.entering_king_rule.name(),
        settings.adjudication,
        settings.dedup_games,
        if settings.forget { "" } else { " remembering" },
    )
}

/// The work of playing games by number.
struct Games<'a> {
    starts: &'a Starts,
    seed: u64,
    shard: Shard,
    rules: GameRules,
    format: GameFormat,
}

/// A game that was played, as files have it.
struct EncodedGame {
    outline: Outline,
    bytes: Vec<u8>,
}

impl<'a> Games<'a> {
    fn new(settings: &SelfplaySettings, starts: &'a Starts, shard: Shard) -> Self {
        Self {
            starts,
            seed: settings.seed,
            shard,
            rules: GameRules::from(settings),
            format: settings.format.clone(),
        }
    }
}

impl Work for Games<'_> {
    type Item = u64;
    type Output = EncodedGame;

    fn work(
        &self,
        &number: &u64,
        context: &mut WorkerContext<'_>,
    ) -> std::result::Result<Finished<EncodedGame>, WorkError> {
        let number = self.shard.unit(number);
        let start = |attempt| self.starts.attempt(self.seed, number, attempt);
        let mut random = stream(game_seed(self.seed, number));
        let played = play(&start, &self.rules, &mut random, context)?;
        Ok(Finished {
            output: EncodedGame {
                outline: played.outline(),
                bytes: played.encode(&self.format),
            },
            violation: played.violation,
        })
    }
}

/// Writes the games of a run to files, counts and reports them.
struct GameRecorder<'a> {
    settings: &'a SelfplaySettings,
    shard: Shard,
    /// `None` where another machine writes them.
    files: Option<GameFiles>,
    log: RunLog<'a, GameRun>,
}

impl<'a> GameRecorder<'a> {
    const fn files(&self) -> &GameFiles {
        self.files.as_ref().expect("a run that writes files")
    }

    fn without_files(
        settings: &'a SelfplaySettings,
        shard: Shard,
        observer: &'a GameObserver<'a>,
    ) -> Self {
        Self {
            settings,
            shard,
            files: None,
            log: RunLog::new(observer),
        }
    }

    /// Opens the files of a run, new or interrupted.
    fn open(
        settings: &'a SelfplaySettings,
        identity: RunIdentity,
        shard: Shard,
        path: PathBuf,
        observer: &'a GameObserver<'a>,
    ) -> Result<Self> {
        let files = GameFiles::open(Plan {
            path,
            identity,
            seed: settings.seed,
            shard,
            total: settings.games.map(|games| shard.share_of(games)),
            rotation: settings.rotation,
            dedup: settings.dedup_games,
        })?;
        files.tell_damage(|text| {
            let name = "journal";
            observer(&GameEvent::Notice { name, text });
        });
        Ok(Self {
            files: Some(files),
            ..Self::without_files(settings, shard, observer)
        })
    }

    /// The numbers of the games that are not finished.
    fn backlog(&self) -> InOrder<impl Iterator<Item = u64> + Send + use<>> {
        let files = self.files();
        let finished: HashSet<u64> = files.numbers().collect();
        // Larger numbers are the journal's own.
        let numbers = files.first()..files.total().unwrap_or(u64::MAX >> 1);
        InOrder::new(numbers.filter(move |number| !finished.contains(number)))
    }

    /// Reports that the run starts.
    fn start(&self, workers: usize) {
        let files = self.files();
        self.log.report(GameReport::Started {
            workers,
            finished: files.finished(),
            total: files.total(),
            lost: files.lost(),
            path: &files.path(),
        });
    }

    /// Brings the files up to date. The journal is removed when all games are there.
    fn finish(self, mut completion: RunCompletion) -> Result<GameSummary> {
        if let Some(files) = self.files {
            // Nobody resumes a run without an end.
            if let Some(total) = files.total() {
                completion = RunCompletion::of_counts(files.finished(), total);
            }
            files.finish(completion)?;
        }
        Ok(self.log.finish(completion))
    }
}

impl Recorder for GameRecorder<'_> {
    type Kind = GameRun;
    type Item = u64;
    type Output = EncodedGame;
    type Error = SelfplayError;

    fn record(&mut self, worker: Option<usize>, &number: &u64, game: EncodedGame) -> Result<()> {
        if let Some(files) = &mut self.files {
            files.put(number, &game.bytes)?;
        }
        self.log.count();
        self.log.summary.totals.count(game.outline);
        self.log.report(GameReport::Game {
            worker,
            number: self.shard.unit(number),
            game: game.outline,
            summary: &self.log.summary,
        });
        Ok(())
    }

    fn give_up(&mut self, &number: &u64) -> Result<()> {
        self.log.summary.given_up += 1;
        self.files
            .as_mut()
            .map_or(Ok(()), |files| files.put(number, &[]))
    }

    fn save_if_due(&mut self) -> Result<()> {
        if let Some(files) = &mut self.files
            && self.log.is_save_due(self.settings.save_interval)
        {
            files.save()?;
            self.log.saved(&files.path(), files.finished());
        }
        Ok(())
    }

    fn on_event(&mut self, event: &GameEvent<'_>) {
        self.log.on_event(event);
    }
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use std::cell::Cell;

    use yane_io::{Checksum, NamedContents};

    use super::*;

    #[test]
    fn a_run_reports_its_workers_and_games() {
        let folder = TestFolder::new();
        let mut settings = SelfplaySettings {
            games: Some(3),
            nodes: 10,
            max_game_ply: 40,
            ..SelfplaySettings::default()
        };
        settings.engines[0].multi = 2;
        let pool = settings.engine_pool(&[]).unwrap();
        let (ticks, games) = (Cell::new(0), Cell::new(0));
        let observer = |event: &GameEvent<'_>| match event {
            GameEvent::Tick { workers } => {
                assert_eq!(workers.len(), 2);
                ticks.set(ticks.get() + 1);
            }
            GameEvent::Report(GameReport::Game { .. }) => games.set(games.get() + 1),
            _ => {}
        };
        let path = folder.path("games.pack");
        let (starts, control) = (Starts::initial(), RunControl::default());
        let summary = run(
            &settings,
            &starts,
            &pool,
            Shard::WHOLE,
            path,
            &control,
            &observer,
        );
        assert!(summary.unwrap().is_complete);
        assert_eq!(games.get(), 3);
        assert!(ticks.get() >= 3);
    }

    #[test]
    fn a_run_belongs_to_the_contents_of_its_engines() {
        let folder = TestFolder::new();
        let settings = SelfplaySettings {
            games: Some(3),
            ..SelfplaySettings::default()
        };
        let open = |network: &[u8]| {
            let contents = [EngineContents {
                engine: "e".to_owned(),
                part: "EvalDir".to_owned(),
                contents: NamedContents::Checksum(Checksum::of_bytes(network)),
            }];
            let identity = identity(&settings, &Starts::initial(), Shard::WHOLE, &contents);
            let path = folder.path("games.pack");
            let opened = GameRecorder::open(&settings, identity, Shard::WHOLE, path, &|_| ());
            opened.map(|_| ())
        };
        open(b"network").unwrap();
        open(b"network").unwrap();
        let error = open(b"other").unwrap_err().to_string();
        assert!(error.contains("e EvalDir differs"), "{error}");
    }
}
