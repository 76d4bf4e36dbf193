//! Games with visits.

use pack_format::hcpe3::{
    Ending, Flags, Hcpe3Builder, Hcpe3Candidate, Hcpe3Error, Hcpe3Frame, Hcpe3Game, Hcpe3Part,
    Hcpe3Problem, Hcpe3Reader, Hcpe3Replayer, Hcpe3Writer, frame, frames_len, games,
};
use pack_format::record::TeacherRecord;
use pack_format::{Hcpe, Psv, TeacherResult, TeacherScore};
use proptest::prelude::*;
use shogi_core::movegen::LegalAll;
use shogi_core::{AperyMove16, Move, Move16, Position};
use shogi_packed::{Hcp, PackedSfen};

use super::util::{json_lines, names, path, read};

fn frames(bytes: &[u8]) -> Vec<Hcpe3Frame<'_>> {
    let mut frames = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        frames.push(frame(&bytes[at..]).unwrap());
        at += frames.last().unwrap().len;
    }
    frames
}

#[test]
fn games_are_as_listed() {
    for name in names("hcpe3", ".hcpe3") {
        let bytes = read(&name);
        let listed = json_lines(&name.replace(".hcpe3", ".jsonl"));
        let games: Vec<_> = games(&bytes).map(Result::unwrap).collect();
        assert_eq!(games.len(), listed.len(), "{name}");
        assert_eq!(frames_len(&bytes), (games.len(), bytes.len()));
        for (game, listed) in games.iter().zip(listed) {
            assert_eq!(game.start().to_string(), listed["start_sfen"]);
            assert_eq!(game.ending().bits(), listed["result"]);
            assert_eq!(game.opponent(), listed["gameInfo"]);
            let moves: Vec<_> = game.plies().iter().map(|ply| ply.mv.to_string()).collect();
            assert_eq!(moves.join(" "), listed["moves"]);
            let scores: Vec<_> = game.plies().iter().map(|ply| ply.score.0).collect();
            assert_eq!(serde_json::json!(scores), listed["evals"]);
            let candidates: Vec<Vec<_>> = (0..moves.len())
                .map(|ply| game.candidates(ply).iter())
                .map(|of_ply| of_ply.map(|it| (it.mv.to_string(), it.visits)).collect())
                .collect();
            assert_eq!(serde_json::json!(candidates), listed["candidates"]);
        }
    }
}

#[test]
fn converted_records_are_those_of_the_public_tool() {
    for name in names("hcpe3", ".hcpe3") {
        let bytes = read(&name);
        let (mut hcpe, mut psv) = (Vec::new(), Vec::new());
        let mut replayer = Hcpe3Replayer::default();
        for frame in frames(&bytes) {
            let mut ply_number = 0;
            let visit = |position: &Position, ply: pack_format::pack::Ply, _: &_, result| {
                let record = Hcpe {
                    position: Hcp::encode(position).unwrap(),
                    score: ply.score,
                    mv: AperyMove16::from(ply.mv),
                    result,
                };
                record.write_to(&mut hcpe);
                let record = Psv {
                    position: PackedSfen::encode(position).unwrap(),
                    score: ply.score,
                    mv: Move16::from(ply.mv),
                    // That tool counts from 0.
                    ply: ply_number,
                    outcome: result.seen_by(position.side_to_move()),
                };
                record.write_to(&mut psv);
                assert_eq!(position.ply(), u32::from(ply_number) + 1);
                ply_number += 1;
            };
            replayer.replay(&frame, visit).unwrap();
        }
        assert!(hcpe == read(&name.replace(".hcpe3", ".hcpe")), "{name}");
        assert!(psv == read(&name.replace(".hcpe3", ".psv")), "{name}");
    }
}

#[test]
fn written_games_are_the_same_bytes() {
    for name in names("hcpe3", ".hcpe3") {
        let file = std::fs::File::open(path(&name)).unwrap();
        let mut writer = Hcpe3Writer::new(Vec::new());
        for game in Hcpe3Reader::new(file) {
            writer.write(&game.unwrap()).unwrap();
        }
        assert_eq!(writer.finish().unwrap(), read(&name), "{name}");
    }
}

/// The first two games of a golden file, and where the second begins.
fn two_games() -> (Vec<u8>, usize) {
    let bytes = read("hcpe3/multipv8_visits1000_temp200_nodrop_resign1000.hcpe3");
    let found = frames(&bytes);
    let (first, second) = (found[0].len, found[1].len);
    (bytes[..first + second].to_vec(), first)
}

#[test]
fn each_kind_of_damage_has_its_fault_and_place() {
    let (good, second) = two_games();
    let invalid = |at: usize, with: &[u8]| {
        let mut bytes = good.clone();
        bytes[second + at..second + at + with.len()].copy_from_slice(with);
        let mut found = games(&bytes);
        assert!(found.next().unwrap().is_ok());
        let problem = found.next().unwrap().unwrap_err();
        assert!(found.next().is_none());
        let streamed = Hcpe3Reader::new(bytes.as_slice())
            .last()
            .unwrap()
            .unwrap_err();
        assert_eq!(streamed.to_string(), problem.to_string());
        assert_eq!((problem.game, problem.offset), (2, second as u64));
        (problem.problem, problem.byte() - problem.offset)
    };
    assert!(matches!(
        invalid(0, &[0xff; 32]),
        (Hcpe3Problem::Start(_), 0)
    ));
    for bits in [3, 7, 0x20, 0x81] {
        assert_eq!(invalid(34, &[bits]), (Hcpe3Problem::Ending { bits }, 34));
    }
    assert!(matches!(
        invalid(36, &[0, 0]),
        (Hcpe3Problem::IllegalMove { ply: 1, .. }, 36)
    ));
    assert!(matches!(
        invalid(46, &[0, 0]),
        (Hcpe3Problem::IllegalCandidate { ply: 1, .. }, 46)
    ));
    // The second ply stands behind the first's eight candidates.
    assert!(matches!(
        invalid(74, &[0xff, 0xff]),
        (Hcpe3Problem::IllegalMove { ply: 2, .. }, 74)
    ));
    let count = 594;
    assert_eq!(
        invalid(78, &594u16.to_le_bytes()),
        (
            Hcpe3Problem::TooManyCandidates {
                at: 78,
                ply: 2,
                count
            },
            78
        )
    );
    // A number of plies too large makes the file end in the game.
    assert!(matches!(
        invalid(32, &[0xff, 0xff]),
        (
            Hcpe3Problem::Truncated {
                part: Hcpe3Part::Ply,
                ..
            },
            _
        )
    ));
}

#[test]
fn every_cut_is_found() {
    let (good, second) = two_games();
    for len in second + 1..good.len() {
        let mut found = games(&good[..len]);
        assert!(found.next().unwrap().is_ok());
        let problem = found.next().unwrap().unwrap_err();
        let Hcpe3Problem::Truncated { at, part, .. } = problem.problem else {
            panic!("{len}: {problem}");
        };
        assert_eq!(
            (part == Hcpe3Part::Hcp, part == Hcpe3Part::Header),
            (len < second + 32, (second + 32..second + 36).contains(&len))
        );
        assert!(second + at <= len);
        assert_eq!(frames_len(&good[..len]), (1, second));
    }
}

#[test]
fn what_is_wrong_first_is_said() {
    let (mut bytes, second) = two_games();
    bytes[second + 36] = 0;
    bytes[second + 37] = 0;
    bytes.pop();
    let problem = games(&bytes).find_map(Result::err).unwrap();
    assert!(
        matches!(problem.problem, Hcpe3Problem::IllegalMove { ply: 1, .. }),
        "{problem}"
    );
}

#[test]
fn a_builder_refuses_what_the_rules_do() {
    let mut game = Hcpe3Builder::new(Position::startpos().with_ply(30)).unwrap();
    let pawn = game.position().move_from_usi("7g7f").unwrap();
    let whites =
        Position::from_sfen("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1")
            .unwrap()
            .move_from_usi("3c3d")
            .unwrap();
    let candidate = |mv| Hcpe3Candidate { mv, visits: 1 };
    assert_eq!(
        game.play(pawn, TeacherScore(0), &[candidate(pawn), candidate(whites)]),
        Err(Hcpe3Error::IllegalMove(whites))
    );
    assert_eq!(
        game.play(whites, TeacherScore(0), &[]),
        Err(Hcpe3Error::IllegalMove(whites))
    );
    assert_eq!(
        game.play(pawn, TeacherScore(0), &[candidate(pawn); 594]),
        Err(Hcpe3Error::TooManyCandidates(594))
    );
    game.play(pawn, TeacherScore(9), &[candidate(pawn); 2])
        .unwrap();
    let game = game.finish(TeacherResult::Draw.into(), 0);
    assert_eq!((game.start().ply(), game.plies().len()), (1, 1));
    let kingless = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1").unwrap();
    assert_eq!(
        Hcpe3Builder::new(kingless).unwrap_err(),
        Hcpe3Error::MissingKing
    );
}

/// A game made by choices: each takes a legal move, a score, and candidates from there on.
pub(crate) fn any_game() -> impl Strategy<Value = Hcpe3Game> {
    let choices = (any::<u16>(), any::<i16>(), 0..6usize, any::<u16>());
    let plies = proptest::collection::vec(choices, 0..80);
    let ending = (0..3u8, 0..8u8, any::<u8>());
    (plies, ending).prop_map(|(plies, (result, flags, opponent))| {
        let mut game = Hcpe3Builder::new(Position::startpos()).unwrap();
        for (choice, score, count, visits) in plies {
            let moves: Vec<Move> = game.position().moves::<LegalAll>().into_iter().collect();
            if moves.is_empty() {
                break;
            }
            let mv = moves[choice as usize % moves.len()];
            let candidates: Vec<_> = (0..count)
                .map(|index| Hcpe3Candidate {
                    mv: moves[(choice as usize + index) % moves.len()],
                    visits: visits.wrapping_mul(index as u16),
                })
                .collect();
            game.play(mv, TeacherScore(score), &candidates).unwrap();
        }
        let ending = Ending {
            result: TeacherResult::from_number(result).unwrap(),
            flags: Flags::from_bits(flags << 2).unwrap(),
        };
        game.finish(ending, opponent)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn games_come_back(played in proptest::collection::vec(any_game(), 1..4)) {
        let mut bytes = Vec::new();
        for game in &played {
            game.write_to(&mut bytes);
        }
        let read: Vec<_> = games(&bytes).map(Result::unwrap).collect();
        prop_assert_eq!(&read, &played);
        let streamed: Vec<_> = Hcpe3Reader::new(bytes.as_slice()).map(Result::unwrap).collect();
        prop_assert_eq!(streamed, read);
    }

    #[test]
    fn any_bytes_are_games_or_a_fault(
        (at, with) in (0..2000usize, any::<u8>()),
        noise in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let (mut bytes, _) = two_games();
        let len = bytes.len();
        bytes[at % len] = with;
        bytes.extend_from_slice(&noise);
        for bytes in [&bytes, &noise] {
            let mut good = 0;
            let mut found = games(bytes);
            for game in found.by_ref() {
                match game {
                    Ok(_) => good += 1,
                    Err(problem) => {
                        prop_assert_eq!(problem.game, good + 1);
                        prop_assert!(problem.byte() <= bytes.len() as u64);
                    }
                }
            }
            let streamed = Hcpe3Reader::new(bytes.as_slice()).flatten().count();
            prop_assert_eq!(streamed as u64, good);
        }
    }
}
