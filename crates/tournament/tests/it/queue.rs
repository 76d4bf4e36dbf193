//! Results that nobody can have had, and items that are none.

use std::sync::Mutex;

use farm::queue::{ItemQueue, Server};
use farm::{Event, FarmError, InOrder, Recorder, RunControl, RunKind, SharedBacklog, Source as _};
use test_support::{Nats, TestFolder};
use tournament::{
    EngineSpec, GameName, GameTask, LoggedGame, MatchEvent, MatchPlan, MoveLimit, Openings,
    Pairing, ParameterValue, PartDesign, Place, RoundRotation, RunNote, ShogiRules, TuneMethod,
    TunePlan, TunedParameter, play_match, read_log, work,
};

use crate::peers::{conditions, team, walker};

fn plan(folder: &TestFolder, games: u64) -> MatchPlan {
    MatchPlan {
        game: GameName::Shogi,
        pairing: Pairing::Match,
        engines: ["a", "b"].map(|name| walker(folder, name)).into(),
        tuned: None,
        games,
        limit: MoveLimit::Nodes(1),
        rotation: RoundRotation::default(),
        parts: PartDesign::default(),
        openings: Openings::Listed(vec!["startpos".into(), "startpos moves 7g7f 3c3d".into()]),
        openings_text: "two".to_owned(),
        conditions: conditions(),
        sprt: None,
    }
}

/// The games of a log in their order, without times.
fn games(folder: &TestFolder, log: &str) -> Vec<LoggedGame> {
    let (_, mut games) = read_log(&folder.path(log), &mut |note| panic!("{note}")).expect("a log");
    games.sort_by_key(|game| game.number);
    for game in &mut games {
        game.played.usage = Default::default();
        game.played.thoughts.iter_mut().for_each(|it| it.ms = 0);
    }
    games
}

#[test]
fn results_that_cannot_be_are_told_and_handed_out_again() {
    let folder = TestFolder::new();
    let Some((_server, url)) = Nats::running(&folder) else {
        return;
    };
    let plan = plan(&folder, 12);
    let team = team(&plan.engines);
    let control = RunControl::default();
    let here = Place::Here {
        team: &team,
        workers: 2,
    };
    let log = folder.path("here");
    play_match(&plan, &ShogiRules, Some(&log), here, &control, &|_| ()).expect("a match");
    let expected = games(&folder, "here");

    let queue = plan.queue(&url).expect("a queue");
    let serving = queue.clone();
    let notes = Mutex::new(Vec::new());
    let usage =
        r#"{"moves":0,"total_ms":0,"slowest_ms":0,"least_left_ms":null,"nodes":0,"depths":0}"#;
    let game = |reason: &str, position: &str| {
        format!(
            r#"{{"winner":"black","reason":"{reason}","position":"{position}","plies":0,"usage":[{usage},{usage}]}}"#
        )
    };
    let results = [
        "garbage".to_owned(),
        game("mate", "startpos"),
        game("resign", "startpos moves 7g7e"),
        game("counted", "no position at all"),
        game("crash", "startpos"),
    ];
    std::thread::scope(|scope| {
        let served = scope.spawn(|| {
            let observer = |event: &MatchEvent<'_>| {
                if let MatchEvent::Note(RunNote::TransientError(text)) = event {
                    notes.lock().expect("no panic").push((*text).to_owned());
                }
            };
            let log = folder.path("served");
            let place = Place::Queue(&serving);
            play_match(&plan, &ShogiRules, Some(&log), place, &control, &observer)
        });
        let cheat = ItemQueue::<GameTask>::new(&queue).expect("a queue");
        for result in results {
            let task = cheat.next(&|| false).expect("a game");
            cheat.put(task.number, result.into_bytes()).expect("short");
        }
        cheat.finish(&|| false);
        let played = work(&queue, &team, &plan, 2, &control, &|_, _| (), &|_| ());
        assert!(played.expect("games") >= 12);
        let result = served.join().expect("no panic").expect("a match");
        assert!(result.is_complete);
    });
    assert_eq!(games(&folder, "served"), expected);
    let notes = notes.into_inner().expect("no panic");
    assert!(
        notes.iter().any(|note| note.contains("refused")),
        "{notes:?}"
    );
}

/// Runs of the hostile server.
#[derive(Debug)]
struct Any;

impl RunKind for Any {
    type Report<'a> = ();
    type Totals = ();
}

/// Takes what comes.
#[derive(Default)]
struct Taken {
    played: Vec<u64>,
    given_up: Vec<u64>,
}

impl Recorder for Taken {
    type Kind = Any;
    type Item = GameTask;
    type Output = Vec<u8>;
    type Error = FarmError;

    fn record(&mut self, _: Option<usize>, task: &GameTask, _: Vec<u8>) -> Result<(), FarmError> {
        self.played.push(task.number);
        Ok(())
    }

    fn give_up(&mut self, task: &GameTask) -> Result<(), FarmError> {
        self.given_up.push(task.number);
        Ok(())
    }

    fn on_event(&mut self, _: &Event<'_, Any>) {}
}

#[test]
fn a_worker_takes_nothing_but_numbers_within_bounds() {
    let folder = TestFolder::new();
    let Some((_server, url)) = Nats::running(&folder) else {
        return;
    };
    let engine = walker(&folder, "tuned");
    let plan = TunePlan {
        engine: engine.clone(),
        parameters: vec![TunedParameter::parse("Quality, int, 5, 0, 20, 3, 0.05").expect("one")],
        base: None,
        iterations: 10,
        pairs: 1,
        method: TuneMethod::Spsa,
        seed: 1,
        limit: MoveLimit::Nodes(1),
        rotation: RoundRotation::default(),
        openings: Openings::Listed(vec!["startpos".into()]),
        openings_text: "one".to_owned(),
        conditions: conditions(),
        ahead: 32,
    };
    let task = |number: u64, values: [&[f64]; 2]| GameTask {
        number,
        values: values.map(|values| {
            let values = values.iter().map(|&value| ParameterValue::finite(value));
            values.collect::<Option<_>>().expect("finite")
        }),
    };
    let tasks = vec![
        task(0, [&[7.0], &[3.0]]),
        // There are twenty games.
        task(20, [&[7.0], &[3.0]]),
        task(u64::MAX, [&[7.0], &[3.0]]),
        task(2, [&[21.0], &[3.0]]),
        task(3, [&[6.0], &[-1.0]]),
        task(4, [&[6.5], &[3.0]]),
        task(5, [&[], &[]]),
        task(6, [&[6.0, 6.0], &[3.0, 3.0]]),
        task(19, [&[2.0], &[4.0]]),
    ];
    let [queue, _] = plan.queues(&url);
    let start = EngineSpec {
        name: Some("start".to_owned()),
        ..engine.clone()
    };
    let team = team(&[engine, start]);
    std::fs::remove_file(folder.path("tuned.input")).expect("what it was told");
    let control = RunControl::default();
    let mut taken = Taken::default();
    std::thread::scope(|scope| {
        let worker = {
            let queue = queue.clone();
            let (team, plan, control) = (&team, &plan, &control);
            scope.spawn(move || work(&queue, team, plan, 1, control, &|_, _| (), &|_| ()))
        };
        let backlog = SharedBacklog::new(InOrder::new(tasks.into_iter()));
        let server = Server::new(&queue, &control);
        let decode = |_: &GameTask, bytes: &[u8]| Ok(bytes.to_vec());
        let all = server.round(32, &backlog, decode, &mut taken);
        assert!(all.expect("served"));
        server.close(|_| ()).expect("closed");
        assert_eq!(worker.join().expect("no panic").expect("worked"), 2);
    });
    taken.played.sort_unstable();
    taken.given_up.sort_unstable();
    assert_eq!(taken.played, [0, 19]);
    assert_eq!(taken.given_up, [2, 3, 4, 5, 6, 20, u64::MAX]);
    let input = String::from_utf8(folder.read("tuned.input")).expect("text");
    let mut options: Vec<_> = input
        .lines()
        .filter(|it| it.starts_with("setoption"))
        .collect();
    options.sort_unstable();
    options.dedup();
    let value = |value: u32| format!("setoption name Quality value {value}");
    assert_eq!(options, [2, 3, 4, 7].map(value));
}
