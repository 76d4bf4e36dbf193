//! Properties that hold for the text of every game.

use pack_format::pack::{Game, GameBuilder};
use pack_format::text::{InvalidLine, TextLine, TextReadError, csv, jsonl};
use pack_format::{EndReason, Sample, TeacherResult, TeacherScore};
use proptest::prelude::*;
use shogi_core::Position;
use shogi_core::movegen::LegalAll;

use super::hcpe3::any_game as any_hcpe3_game;
use super::text::{in_csv, read_csv, read_jsonl, sample};

/// A game made by choices of legal moves.
fn any_game() -> impl Strategy<Value = Game> {
    let plies = proptest::collection::vec((any::<u16>(), any::<i16>()), 0..120);
    let ending = (0..3u8, any::<u8>());
    (any::<u16>(), plies, ending).prop_map(|(start_ply, plies, (result, reason))| {
        let start = Position::startpos().with_ply(start_ply.into());
        let mut game = GameBuilder::new(start).unwrap();
        for (choice, score) in plies {
            let moves = game.position().moves::<LegalAll>();
            if moves.is_empty() {
                break;
            }
            let mv = moves[choice as usize % moves.len()];
            game.play(mv, TeacherScore(score)).unwrap();
        }
        let result = TeacherResult::from_number(result).unwrap();
        let reason = EndReason(reason);
        let reason = if reason.allows(result) {
            reason
        } else {
            EndReason(200)
        };
        game.finish(result, reason).unwrap()
    })
}

/// Puts `bytes` into a line at a place that is a border of characters.
fn damaged(line: &str, (at, len): (usize, usize), with: &str) -> String {
    let at = at % line.len();
    let end = (at + len).min(line.len());
    format!("{}{with}{}", &line[..at], &line[end..])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn games_survive_text(games in proptest::collection::vec(any_game(), 1..4)) {
        let mut lines = Vec::new();
        let rows = in_csv(|rows| {
            for (number, game) in games.iter().enumerate() {
                jsonl::write_game(&mut lines, number as u64, 0, game);
                csv::write_game(rows, number as u64, game);
            }
        });
        let games: Vec<_> = games.into_iter().map(TextLine::Game).collect();
        prop_assert_eq!(&read_jsonl(&lines), &games);
        let with_moves = games
            .into_iter()
            .filter(|game| matches!(game, TextLine::Game(game) if !game.plies().is_empty()));
        prop_assert_eq!(read_csv(&rows), with_moves.collect::<Vec<_>>());
    }

    #[test]
    fn hcpe3_games_survive_text(game in any_hcpe3_game()) {
        let mut line = Vec::new();
        jsonl::write_hcpe3(&mut line, 0, 0, &game);
        let rows = in_csv(|rows| {
            csv::write_hcpe3(rows, 0, &game);
        });
        let samples = read_csv(&rows);
        prop_assert_eq!(samples.len(), game.plies().len());
        for (line, (position, ply, _)) in samples.into_iter().zip(game.positions()) {
            let expected = Sample {
                ply: Some(position.ply()),
                position,
                mv: Some(ply.mv),
                score: ply.score,
                result: game.ending().result,
            };
            prop_assert_eq!(line, TextLine::Sample(expected));
        }
        prop_assert_eq!(read_jsonl(&line), [TextLine::Hcpe3(game)]);
    }

    #[test]
    fn damaged_text_never_panics(
        game in any_game(),
        hcpe3_game in any_hcpe3_game(),
        place in (any::<usize>(), 0..4usize),
        with in "[-\"\\[\\]{}, 0-9a-z+*/]{0,4}",
    ) {
        let mut line = Vec::new();
        jsonl::write_game(&mut line, 0, 0, &game);
        jsonl::write_hcpe3(&mut line, 0, 0, &hcpe3_game);
        jsonl::write_sample(&mut line, &sample(Some(3)));
        for line in String::from_utf8(line).unwrap().lines() {
            let _ = jsonl::parse_line(&damaged(line, place, &with));
        }
        let rows = in_csv(|rows| {
            csv::write_game(rows, 0, &game);
        });
        let rows = damaged(&String::from_utf8(rows).unwrap(), place, &with);
        for line in csv::CsvReader::new(rows.as_bytes()) {
            match line {
                Ok(_) | Err(TextReadError::Invalid(InvalidLine { .. })) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}
