use super::*;
use crate::history::{PlayedMatch, StageFigures, StageOutput, StageRecord};

fn places() -> EvolvePlaces {
    EvolvePlaces {
        programs: "/bin".into(),
        settings: "/home/me".into(),
    }
}

fn record(generation: u32, stage: &str, figures: StageFigures) -> StageRecord {
    StageRecord {
        generation,
        stage: stage.parse().unwrap(),
        command: String::new(),
        started: String::new(),
        ended: String::new(),
        output: Some(StageOutput {
            path: String::new(),
            bytes: 1_000_000_000,
            checksum: String::new(),
        }),
        figures,
    }
}

fn gate(generation: u32, candidate: &str, games: [u32; 3], passed: bool) -> StageRecord {
    let played = PlayedMatch {
        players: [network_name(generation, candidate), "start".to_owned()],
        games,
        pairs: [0; 5],
        passed: Some(passed),
    };
    let figures = StageFigures {
        played: Some(played),
        ..StageFigures::default()
    };
    record(generation, &format!("gate {candidate}"), figures)
}

fn promote(generation: u32, network: Option<&str>) -> StageRecord {
    let figures = StageFigures {
        promoted: network.map(str::to_owned),
        ..StageFigures::default()
    };
    record(generation, "promote", figures)
}

fn plain(generation: u32, stage: &str) -> StageRecord {
    record(generation, stage, StageFigures::default())
}

/// The next step as text: the generation, the stage, and the command line or what else is done.
fn next(settings: &str, records: &[StageRecord]) -> String {
    let file = EvolveFile::parse(settings).unwrap();
    let history = EvolveHistory::new(records.to_vec());
    let Some(step) = next_step(&file, &history, &places()).unwrap() else {
        return "done".to_owned();
    };
    let work = match step.work {
        StageWork::Command(command) => format!("{} {}", command.program, command.words.join(" ")),
        StageWork::CopyNetwork { from, to } => format!("copy {} {to}", from.display()),
        StageWork::Interleave { from, to } => {
            let from: Vec<_> = from.iter().map(|path| path.display().to_string()).collect();
            format!("lines of {} {to}", from.join(" "))
        }
        StageWork::Promote(network) => network.unwrap_or_else(|| "nothing".to_owned()),
        StageWork::Remove { games, networks } => format!("{games:?} {}", networks.join(" ")),
    };
    format!("{} {}: {work}", step.generation, step.stage)
}

/// Checks that the next step begins so, and has all of the words.
#[track_caller]
fn expect(settings: &str, records: &[StageRecord], start: &str, words: &[&str]) {
    let text = next(settings, records);
    assert!(text.starts_with(start), "{text}\ninstead of\n{start}");
    for word in words {
        assert!(text.contains(word), "{text}\nhas not {word}");
    }
}

const NNUE: &str = "{ kind: 'nnue', threads: 2, generations: 3, ladder: { games: 10 }, training: [
    { name: 'a', from: 'best', arch: 'x', lr: 0.5, epochs: 2, lambda: 0.7, options: ['--ahead', '3'] },
    { name: 'b', from: 'nothing', arch: 'x', options: [] }] }";

#[test]
fn a_run_goes_from_stage_to_stage() {
    let mut done = Vec::new();
    expect(
        NNUE,
        &done,
        "0 start: yaneura nn export embedded",
        &["-o start/nn.bin"],
    );
    done.push(plain(0, "start"));
    expect(
        NNUE,
        &done,
        "0 openings: gensfen starts --count 400",
        &["-o openings.txt"],
    );
    done.push(plain(0, "openings"));
    let words = [
        "--games 20000 --nodes 600 --seed 1000001",
        "--option EvalDir=start",
        "--multi 2",
        "-o 0001/games.pack",
    ];
    expect(
        NNUE,
        &done,
        "1 self-play: gensfen 0001/selfplay.json5 --run",
        &words,
    );
    done.push(plain(1, "self-play"));
    expect(NNUE, &done, "1 count: teacher stats 0001/games.pack", &[]);
    done.push(plain(1, "count"));
    let words = [
        "--arch x --lr 0.5 --epochs 2 --lambda 0.7 --init start/nn.bin",
        "--ahead 3",
        "-o 0001/a",
    ];
    expect(
        NNUE,
        &done,
        "1 train a: yaneura learn --train 0001/games.pack --arch",
        &words,
    );
    done.push(plain(1, "train a"));
    assert!(!next(NNUE, &done).contains("--init"));
    done.push(plain(1, "train b"));
    let words = [
        "/bin/yaneura,name=0001-a,EvalDir=networks/0001-a /bin/yaneura,name=start,EvalDir=start",
        "--games 2000 --elo0 0 --elo1 8",
        "--nodes 2000",
        "--openings openings.txt",
        "--concurrency 2",
        "--log 0001/gate-a.jsonl",
    ];
    expect(NNUE, &done, "1 gate a: arena match", &words);
    done.push(gate(1, "a", [10, 0, 5], true));
    done.push(gate(1, "b", [20, 0, 5], false));
    // The one that did not pass is not shipped, whatever its score.
    expect(NNUE, &done, "1 promote: 0001-a", &[]);
    done.push(promote(1, Some("0001-a")));
    let words = [
        "name=0001-a",
        "name=start",
        "--games 10",
        "--log 0001/ladder-start.jsonl",
    ];
    expect(NNUE, &done, "1 ladder start: arena match", &words);
    done.push(plain(1, "ladder start"));
    // The best network before was that of the beginning.
    expect(NNUE, &done, "1 remove: []", &[]);
    done.push(plain(1, "remove"));
    assert_eq!(done, first_generation());
}

/// The finished stages of the first generation of [`NNUE`].
fn first_generation() -> Vec<StageRecord> {
    let mut done = vec![plain(0, "start"), plain(0, "openings")];
    for stage in ["self-play", "count", "train a", "train b"] {
        done.push(plain(1, stage));
    }
    done.push(gate(1, "a", [10, 0, 5], true));
    done.push(gate(1, "b", [20, 0, 5], false));
    done.push(promote(1, Some("0001-a")));
    done.extend([plain(1, "ladder start"), plain(1, "remove")]);
    done
}

#[test]
fn later_generations_begin_with_the_best_so_far() {
    let mut done = first_generation();
    let words = ["--seed 1000002", "--option EvalDir=networks/0001-a"];
    expect(NNUE, &done, "2 self-play: gensfen", &words);
    done.extend([plain(2, "self-play"), plain(2, "count")]);
    let words = ["--init networks/0001-a/nn.bin"];
    let start = "2 train a: yaneura learn --train 0002/games.pack 0001/games.pack*0.8 --arch";
    expect(NNUE, &done, start, &words);
    done.extend([plain(2, "train a"), plain(2, "train b")]);
    done.extend([
        gate(2, "a", [5, 0, 5], false),
        gate(2, "b", [5, 0, 6], false),
    ]);
    expect(NNUE, &done, "2 promote: nothing", &[]);
    done.push(promote(2, None));
    // No new best network, no ladder.
    // The candidate that was not promoted is not needed beside its newer one.
    expect(NNUE, &done, "2 remove: [] 0001-b", &[]);
    done.push(plain(2, "remove"));
    expect(
        NNUE,
        &done,
        "3 self-play: gensfen",
        &["EvalDir=networks/0001-a"],
    );
    for stage in ["self-play", "count", "train a", "train b"] {
        done.push(plain(3, stage));
    }
    done.extend([gate(3, "a", [6, 0, 5], true), gate(3, "b", [9, 0, 5], true)]);
    expect(NNUE, &done, "3 promote: 0003-b", &[]);
    done.push(promote(3, Some("0003-b")));
    done.push(plain(3, "ladder start"));
    let words = [
        "name=0003-b",
        "name=0001-a",
        "--log 0003/ladder-before.jsonl",
    ];
    expect(NNUE, &done, "3 ladder before: arena match", &words);
    done.push(plain(3, "ladder before"));
    done.push(plain(3, "remove"));
    assert_eq!(next(NNUE, &done), "done");
}

#[test]
fn networks_of_another_shape_are_no_beginning() {
    let settings = "{ kind: 'nnue', start: 'none', gate: { made_openings: 0 }, training: [
        { name: 'a', from: 'last', arch: 'x', options: [] }], at: [{ from: 2, training: [
        { name: 'a', from: 'last', arch: 'y', options: [] }] }] }";
    expect(
        settings,
        &[],
        "1 self-play",
        &["--option Evaluation=positional"],
    );
    let mut done = vec![plain(1, "self-play"), plain(1, "count")];
    assert!(!next(settings, &done).contains("--init"));
    let figures = StageFigures {
        arch: Some("x".to_owned()),
        ..StageFigures::default()
    };
    done.push(record(1, "train a", figures));
    let words = ["name=start,Evaluation=positional", "--seed 1"];
    expect(settings, &done, "1 gate a", &words);
    done.extend([
        gate(1, "a", [1, 0, 5], false),
        promote(1, None),
        plain(1, "remove"),
    ]);
    done.extend([plain(2, "self-play"), plain(2, "count")]);
    let text = next(settings, &done);
    assert!(
        text.contains("--arch y") && !text.contains("--init"),
        "{text}"
    );
    let same = settings.replace("'y'", "'x'");
    expect(
        &same,
        &done,
        "2 train a",
        &["--init networks/0001-a/nn.bin"],
    );
}

#[test]
fn the_first_policy_has_nobody_to_play_with() {
    let settings = "{ kind: 'deep', start: 'none', gate: { made_openings: 0 }, training: [
        { name: 'a', from: 'best', options: [] }, { name: 'b', from: 'best', options: [] }] }";
    expect(
        settings,
        &[],
        "1 self-play",
        &["Evaluation=embedded", "-o 0001/games.hcpe3"],
    );
    let mut done = vec![plain(1, "self-play"), plain(1, "count")];
    for (candidate, loss) in [("a", 0.5), ("b", 0.4)] {
        let figures = StageFigures {
            loss: Some(loss),
            ..StageFigures::default()
        };
        done.push(record(1, &format!("train {candidate}"), figures));
    }
    expect(settings, &done, "1 promote: 0001-b", &[]);
    done.push(promote(1, Some("0001-b")));
    expect(settings, &done, "1 remove", &[]);
    done.push(plain(1, "remove"));
    expect(settings, &done, "2 self-play", &["EvalDir=networks/0001-b"]);
}

#[test]
fn othello_has_its_own_programs() {
    let settings =
        "{ kind: 'othello', threads: 3, start: 'none', mix: { files: ['more.olp'] }, training: [
        { name: 'fit', from: 'nothing', epochs: 4, lr: 0.25, options: ['--phase', '4'] }] }";
    expect(
        settings,
        &[],
        "0 openings: arena othello-openings",
        &["--count 400"],
    );
    let mut done = vec![plain(0, "openings")];
    let words = [
        "--games 100000 --depth 6 --seed 1000001 --random 6..30 --eval untrained --threads 3",
        "-o 0001/games.olp",
    ];
    expect(settings, &done, "1 self-play: othello selfplay", &words);
    done.push(plain(1, "self-play"));
    let words = ["--rate 0.25 --epochs 4", "--phase 4", "-o 0001/fit.yev"];
    expect(
        settings,
        &done,
        "1 train fit: othello train 0001/games.olp /home/me/more.olp",
        &words,
    );
    done.push(plain(1, "train fit"));
    let words = [
        "/bin/othello gtp --threads 1 --no-book --hash 16M --level 11 --eval networks/0001-fit/weights.yev,name=0001-fit,dir=.",
        "--eval untrained,name=start,dir=.",
        "--game othello --own-limits",
    ];
    expect(settings, &done, "1 gate fit: arena match", &words);
}

#[test]
fn othello_networks_go_on_from_the_best_and_weigh_old_games() {
    let settings = "{ kind: 'othello', start: 'none', mix: { older: [0.5] }, gate: { made_openings: 0 }, training: [
        { name: 'net', from: 'best', arch: 'p46_64-16-32' }] }";
    let trained = StageFigures {
        arch: Some("p46_64-16-32".to_owned()),
        ..StageFigures::default()
    };
    let mut done = vec![plain(1, "self-play")];
    // There is none yet.
    let words = ["--arch p46_64-16-32 --seed"];
    expect(
        settings,
        &done,
        "1 train net: othello train 0001/games.olp",
        &words,
    );
    done.push(record(1, "train net", trained));
    done.push(gate(1, "net", [9, 0, 0], true));
    done.push(promote(1, Some("0001-net")));
    done.extend([plain(1, "ladder start"), plain(1, "remove")]);
    done.push(plain(2, "self-play"));
    let words = ["--arch p46_64-16-32 --init networks/0001-net/weights.yev"];
    expect(
        settings,
        &done,
        "2 train net: othello train 0002/games.olp 0001/games.olp*0.5",
        &words,
    );
    // Tables are no beginning for it.
    done[1] = plain(1, "train net");
    expect(
        settings,
        &done,
        "2 train net",
        &["--arch p46_64-16-32 --seed"],
    );
}

#[test]
fn positions_become_games_by_those_that_were_counted() {
    let settings = "{ kind: 'nnue', start: 'none', gate: { made_openings: 0 }, selfplay: { positions: 1000 } }";
    expect(settings, &[], "1 self-play", &["--games 14 "]);
    let counted = StageFigures {
        games: Some(10),
        positions: Some(500),
        ..StageFigures::default()
    };
    let done = [
        plain(1, "self-play"),
        record(1, "count", counted),
        plain(1, "train best"),
        gate(1, "best", [0, 0, 9], false),
        promote(1, None),
        plain(1, "remove"),
    ];
    expect(settings, &done, "2 self-play", &["--games 20 "]);
}

#[test]
fn files_of_the_user_are_copied_and_mixed() {
    let settings = "{ kind: 'nnue', start: 'net/nn.bin', gate: { openings: ['a.sfen', '/b.sfen'] },
        selfplay: { starts: ['c.sfen'] }, queue: { url: 'nats://farm:4222', secret_file: 'secret' } }";
    expect(
        settings,
        &[],
        "0 start: copy /home/me/net/nn.bin start/nn.bin",
        &[],
    );
    let mut done = vec![plain(0, "start")];
    expect(
        settings,
        &done,
        "0 openings: lines of /home/me/a.sfen /b.sfen openings.txt",
        &[],
    );
    done.push(plain(0, "openings"));
    expect(
        settings,
        &done,
        "0 starts: lines of /home/me/c.sfen starts.txt",
        &[],
    );
    done.push(plain(0, "starts"));
    let words = [
        "--starts starts.txt",
        "--queue nats://farm:4222 --serve --secret-file /home/me/secret",
    ];
    expect(settings, &done, "1 self-play", &words);
    assert!(!next(settings, &done).contains("--multi"));
}

#[test]
fn old_games_leave_the_disk() {
    let settings = |more: &str| {
        format!(
            "{{ kind: 'nnue', start: 'none', gate: {{ made_openings: 0 }}, mix: {{ older: [0.5] }}, {more} }}"
        )
    };
    let mut done = Vec::new();
    for generation in 1..=4 {
        done.extend([plain(generation, "self-play"), plain(generation, "count")]);
        done.extend([
            plain(generation, "train best"),
            gate(generation, "best", [0, 0, 9], false),
        ]);
        done.push(promote(generation, None));
        if generation < 4 {
            done.push(plain(generation, "remove"));
        }
    }
    // A gigabyte each.
    for (more, removed) in [
        ("", "[1, 2]"),
        ("keep: 3", "[1]"),
        ("keep: 4", "[]"),
        ("keep: 4, max_gb: 3.5", "[1]"),
        ("keep: 4, max_gb: 0.5", "[1, 2, 3]"),
    ] {
        expect(&settings(more), &done, &format!("4 remove: {removed}"), &[]);
    }
    let figures = StageFigures {
        removed: vec![1, 2, 3],
        ..StageFigures::default()
    };
    done.push(record(4, "remove", figures));
    done.extend([plain(5, "self-play"), plain(5, "count")]);
    expect(
        &settings(""),
        &done,
        "5 train best",
        &["--train 0005/games.pack 0004/games.pack*0.5 --"],
    );
}
