use super::*;

fn parse(text: &str) -> EvolveSettings {
    EvolveFile::parse(text).unwrap().at(1).unwrap()
}

#[test]
fn a_kind_is_enough() {
    for kind in EvolveKind::ALL {
        let settings = parse(&format!("{{ kind: '{kind}' }}"));
        assert_eq!((settings.kind, settings.name.as_str()), (kind, kind.name()));
        // The text that is printed is a settings file, and says the same.
        assert_eq!(parse(kind.default_text()), settings);
        assert_eq!(settings.kept() as usize, settings.mix.older.len() + 1);
    }
}

#[test]
fn values_take_the_place_of_defaults_key_by_key() {
    let settings = parse(
        "{ kind: 'nnue', selfplay: { positions: 5000, settings: { DRAW_VALUE: 5 } }, gate: { movetime: 100 },
           training: [{ name: 'a', from: 'nothing', options: [] }] }",
    );
    assert_eq!(
        (settings.selfplay.games, settings.selfplay.positions),
        (None, Some(5000))
    );
    assert_eq!(
        (settings.gate.nodes, settings.gate.movetime),
        (None, Some(100))
    );
    let keys = &settings.selfplay.settings;
    assert_eq!(
        (&keys["DRAW_VALUE"], &keys["PRESET"]),
        (&5.into(), &"teacher".into())
    );
    assert_eq!(settings.training.len(), 1);
    assert_eq!(settings.training[0].arch, None);
}

#[test]
fn changes_hold_from_their_generation_on() {
    let file = EvolveFile::parse(
        "{ kind: 'nnue', selfplay: { nodes: 100 }, at: [
            { from: 3, selfplay: { nodes: 200 }, mix: { older: [0.5] } },
            { from: 5, selfplay: { nodes: 300 }, gate: { undecided: 0.55 } },
        ] }",
    )
    .unwrap();
    let nodes = |generation| file.at(generation).unwrap().selfplay.nodes;
    assert_eq!(
        [1, 2, 3, 4, 5, 99].map(nodes),
        [100, 100, 200, 200, 300, 300].map(Some)
    );
    assert_eq!(file.at(4).unwrap().mix.older, [0.5]);
    assert_eq!(file.at(5).unwrap().gate.undecided, Some(0.55));
}

/// Settings that are wrong, and words of the error.
const MISTAKES: &[(&str, &str)] = &[
    ("[]", "expected an object"),
    ("{}", "kind: expected \"nnue\", \"deep\" or \"othello\""),
    ("{ kind: 'go' }", "kind: expected"),
    ("{ kind: 'nnue', ", "line 1"),
    ("{ kind: 'nnue', node: 5 }", "unknown field `node`"),
    (
        "{ kind: 'nnue', selfplay: { node: 5 } }",
        "selfplay.node: unknown field `node`",
    ),
    (
        "{ kind: 'nnue', selfplay: { games: 0 } }",
        "selfplay.games: expected a number from 1 on",
    ),
    (
        "{ kind: 'nnue', selfplay: { games: 5, positions: 5 } }",
        "selfplay.games: expected a number, or null",
    ),
    (
        "{ kind: 'nnue', selfplay: { nodes: 'many' } }",
        "selfplay.nodes: ",
    ),
    (
        "{ kind: 'nnue', selfplay: { depth: 3 } }",
        "selfplay.depth: means nothing for nnue",
    ),
    (
        "{ kind: 'nnue', selfplay: { random_plies: '4..8' } }",
        "selfplay.random_plies: expected a number",
    ),
    (
        "{ kind: 'othello', selfplay: { nodes: 3 } }",
        "selfplay.nodes: means nothing for othello",
    ),
    (
        "{ kind: 'othello', mix: { older: [0.5, 1.5] } }",
        "mix.older: expected shares above 0 and at most 1",
    ),
    (
        "{ kind: 'othello', training: [{ name: 'a', from: 'best' }] }",
        "training[0].from: expected \"nothing\"",
    ),
    (
        "{ kind: 'nnue', generations: 0 }",
        "generations: expected a number from 1 on",
    ),
    (
        "{ kind: 'nnue', hours: -1 }",
        "hours: expected a number above 0",
    ),
    ("{ kind: 'nnue', threads: 0 }", "threads: expected"),
    (
        "{ kind: 'nnue', name: '../x' }",
        "name: expected a name of letters",
    ),
    (
        "{ kind: 'nnue', training: [] }",
        "training: expected at least one candidate",
    ),
    (
        "{ kind: 'nnue', training: [{ name: 'a/b', from: 'best' }] }",
        "training[0].name: expected a name",
    ),
    (
        "{ kind: 'nnue', training: [{ name: 'a', from: 'worst' }] }",
        "training[0].from: ",
    ),
    (
        "{ kind: 'nnue', training: [{ name: 'a', from: 'best' }, { name: 'a', from: 'start' }] }",
        "training[1].name: expected another name",
    ),
    (
        "{ kind: 'nnue', training: [{ name: 'a', from: 'best', lambda: 2 }] }",
        "training[0].lambda",
    ),
    (
        "{ kind: 'nnue', gate: { elo0: 5, elo1: 5 } }",
        "gate: expected elo0 (5) must be less than elo1 (5)",
    ),
    (
        "{ kind: 'nnue', gate: { games: 7 } }",
        "gate.games: expected an even number",
    ),
    (
        "{ kind: 'nnue', gate: { undecided: 53 } }",
        "gate.undecided: expected a score",
    ),
    (
        "{ kind: 'nnue', gate: { level: 3 } }",
        "gate.level: means nothing for nnue",
    ),
    (
        "{ kind: 'nnue', gate: { nodes: 5, movetime: 5 } }",
        "gate.nodes: expected",
    ),
    (
        "{ kind: 'othello', gate: { movetime: 1500 } }",
        "gate.movetime: expected whole seconds",
    ),
    (
        "{ kind: 'nnue', ladder: { games: 3 } }",
        "ladder.games: expected an even number",
    ),
    ("{ kind: 'nnue', keep: 2 }", "keep: expected at least 5"),
    ("{ kind: 'nnue', max_gb: 0 }", "max_gb: expected"),
    (
        "{ kind: 'nnue', queue: { url: 'farm' } }",
        "queue.url: expected an address",
    ),
    ("{ kind: 'nnue', at: 5 }", "at: expected a list"),
    ("{ kind: 'nnue', at: [5] }", "at[0]: expected an object"),
    (
        "{ kind: 'nnue', at: [{ selfplay: {} }] }",
        "at[0].from: expected a generation",
    ),
    (
        "{ kind: 'nnue', at: [{ from: 2, seed: 5 }] }",
        "at[0].seed: expected it for the whole run",
    ),
    (
        "{ kind: 'nnue', at: [{ from: 2, gate: { games: 1 } }] }",
        "at generation 2: gate.games: expected",
    ),
    (
        "{ kind: 'nnue', at: [{ from: 2, gates: {} }] }",
        "at generation 2: ",
    ),
];

#[test]
fn mistakes_are_named_with_their_place() {
    for (text, expected) in MISTAKES {
        let error = EvolveFile::parse(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn places_of_work_and_limits_change_no_result() {
    let parts = |text: &str| parse(text).identity_parts();
    let usual = parts("{ kind: 'nnue' }");
    let other =
        "{ kind: 'nnue', generations: 3, hours: 5, threads: 7, name: 'x', gate: { concurrency: 4 },
                   queue: { url: 'nats://farm:4222' } }";
    assert_eq!(parts(other), usual);
    let nodes = parts("{ kind: 'nnue', selfplay: { nodes: 7 } }");
    let differing: Vec<_> = nodes.iter().filter(|part| !usual.contains(part)).collect();
    assert_eq!(differing, [&("selfplay.nodes".to_owned(), "7".to_owned())]);
}
