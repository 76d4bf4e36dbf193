//! Files at the edge of the format, good and bad.

use pack_format::pack::{
    Contradictions, Game, InvalidPackGame, PackPart, PackProblem, decode, games,
};

use super::util::{json_lines, names, read};

/// All good games of a file, and the problem behind them.
fn read_all(name: &str) -> (Vec<Game>, Option<InvalidPackGame>) {
    let bytes = read(name);
    let mut problem = None;
    let games = games(&bytes)
        .map_while(|game| game.inspect_err(|&error| problem = Some(error)).ok())
        .collect();
    (games, problem)
}

fn positions(games: &[Game]) -> u64 {
    games.iter().map(|game| game.plies().len() as u64).sum()
}

#[test]
fn complete_games_and_faults_are_as_documented() {
    let mut files = 0;
    for line in json_lines("edge/expected.jsonl") {
        let name = line["file"].as_str().unwrap();
        let (games, problem) = read_all(&format!("edge/{name}"));
        let decoded = &line["strict_decode"];
        assert_eq!(
            problem.is_some(),
            name.starts_with("bad/"),
            "{name}: {problem:?}"
        );
        files += 1;
        assert_eq!(games.len() as u64, decoded["complete_games"], "{name}");
        assert_eq!(positions(&games), decoded["positions"], "{name}");
        if let Some(problem) = problem {
            assert_eq!(
                problem.offset, decoded["error"]["offset_of_bad_game"],
                "{name}"
            );
            assert_eq!(problem.game, games.len() as u64 + 1);
            let message = decoded["error"]["message"].as_str().unwrap();
            if let Some((_, offset)) = message.rsplit_once("offset ") {
                let offset = offset.split(',').next().unwrap();
                assert_eq!(problem.byte().to_string(), offset, "{name}: {problem}");
            }
        }
    }
    assert_eq!(
        files + 1,
        names("edge/good", ".pack").len() + names("edge/bad", ".pack").len()
    );
}

#[test]
fn each_kind_of_damage_has_its_fault() {
    let kind = |name: &str| match read_all(&format!("edge/bad/{name}.pack"))
        .1
        .unwrap()
        .problem
    {
        PackProblem::StartKind { .. } => "start kind",
        PackProblem::Truncated {
            part: PackPart::Hcp,
            ..
        } => "cut in hcp",
        PackProblem::Truncated {
            part: PackPart::StartPly,
            ..
        } => "cut in ply",
        PackProblem::Truncated {
            part: PackPart::Move,
            ..
        } => "cut in move",
        PackProblem::Truncated {
            part: PackPart::Score,
            ..
        } => "cut in score",
        PackProblem::Truncated {
            part: PackPart::Reason,
            ..
        } => "cut in reason",
        PackProblem::Start(_) => "start",
        PackProblem::IllegalMove { .. } => "illegal move",
        PackProblem::Terminator { .. } => "terminator",
        other => panic!("{other:?}"),
    };
    for (name, expected) in [
        ("bad_hcp_all_ff", "start"),
        ("bad_hcp_altered_king_bits", "start"),
        ("bad_start_kind_2", "start kind"),
        ("bad_start_kind_255", "start kind"),
        ("drop_without_piece_in_hand", "illegal move"),
        ("illegal_move_in_middle_game", "illegal move"),
        ("illegal_promotion_flag", "illegal move"),
        ("move_with_bit15", "illegal move"),
        ("real_gensfen_with_illegal_engine", "start"),
        ("start_record_without_game_ply", "illegal move"),
        ("terminator_result_3", "terminator"),
        ("terminator_same_square_59", "terminator"),
        ("terminator_with_promote_bit", "terminator"),
        ("to_square_out_of_board", "illegal move"),
        ("truncated_before_first_move", "cut in move"),
        ("truncated_before_reason", "cut in reason"),
        ("truncated_in_eval", "cut in score"),
        ("truncated_in_game_ply", "cut in ply"),
        ("truncated_in_hcp", "cut in hcp"),
        ("truncated_in_move", "cut in move"),
        ("truncated_in_terminator", "cut in move"),
        ("truncated_on_move_boundary", "cut in move"),
        ("zero_move_from_illegal_bestmove", "start"),
    ] {
        assert_eq!(kind(name), expected, "{name}");
    }
}

#[test]
fn contradictions_are_found_when_asked_for() {
    let first_problem = |name: &str| {
        let bytes = read(name);
        let mut games = games(&bytes).with_contradictions(Contradictions::Refuse);
        games.find_map(Result::err)
    };
    // A zero move looks like a draw; the byte behind it is then no reason for a draw.
    let problem = first_problem("edge/bad/zero_move_from_illegal_bestmove.pack").unwrap();
    assert!(
        matches!(problem.problem, PackProblem::Contradiction { .. }),
        "{problem}"
    );
    assert_eq!((problem.game, problem.offset, problem.byte()), (2, 12, 19));
    assert!(first_problem("edge/good/handicap_starts.pack").is_some());
    assert!(first_problem("edge/good/all_end_reasons.pack").is_none());
}

#[test]
fn a_real_damaged_file_has_its_good_prefix() {
    let (games, problem) = read_all("edge/bad/real_gensfen_with_illegal_engine.pack");
    assert_eq!((games.len(), positions(&games)), (4, 38));
    assert_eq!(problem.unwrap().offset, 168);
}

#[test]
fn decoding_on_all_cores_finds_the_same() {
    for name in names("edge/good", ".pack")
        .into_iter()
        .chain(names("edge/bad", ".pack"))
    {
        let bytes = read(&name);
        let (expected, problem) = read_all(&name);
        match decode(&bytes, Contradictions::Accept) {
            Ok(games) => assert_eq!((games, None), (expected, problem), "{name}"),
            Err((games, found)) => {
                assert_eq!((games, Some(found)), (expected, problem), "{name}");
            }
        }
    }
}
