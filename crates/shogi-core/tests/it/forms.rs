//! Text and moves of 16 bits: what is written can be read, and nothing that is read makes the crate
//! panic.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use shogi_core::movegen::LegalAll;
use shogi_core::{
    AperyMove16, Game, LenientPosition, Move16, MoveText, Position, Shown, parse_position_line,
};

use crate::positions::{STARTS, choices, config, setup, start};

/// Reading what was written gives the position back.
fn check_forms(position: &Position) {
    let sfen = position.to_sfen();
    assert_eq!(Position::from_sfen(&sfen).as_ref(), Ok(position));
    assert_eq!(position.to_string(), sfen);
    assert_eq!(
        format!("{position:#}").lines().last(),
        Some(format!("sfen {sfen}").as_str())
    );
    for m in position.moves::<LegalAll>() {
        assert_eq!(position.move_from_usi(&m.to_string()), Ok(m), "{sfen}");
        assert_eq!(MoveText::from_usi(&m.to_string()), Some(m.into()));
        assert_eq!(position.move_from_16(Move16::from(m)), Some(m), "{sfen}");
        assert_eq!(
            position.move_from_apery_16(AperyMove16::from(m)),
            Some(m),
            "{sfen}"
        );
        assert_eq!(m.bits() as u16, Move16::from(m).0);
    }
}

/// The texts that make up position lines, right and wrong.
fn word() -> impl Strategy<Value = String> {
    let known = select(
        [
            STARTS.as_slice(),
            &[
                "startpos",
                "sfen",
                "moves",
                "b",
                "w",
                "-",
                "1",
                "4294967295",
                "4294967296",
                "0",
                "-1",
                "B",
                "gote",
                "STARTPOS",
                "Moves",
            ],
            &[
                "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL",
                "9/9/9/9/9/9/9/9/9",
            ],
            &[
                "7g7f",
                "3c3d",
                "8h2b+",
                "P*5e",
                "2h2h",
                "position",
                "7G7F",
                "10P",
                "2R2B4G4S4N4L18P",
                "++P",
            ],
        ]
        .concat(),
    );
    prop_oneof![6 => known.prop_map(str::to_owned), 1 => ".{0,12}", 1 => "[0-9a-z+*/-]{0,20}"]
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn playouts_come_back(start in start(), choices in choices(150)) {
        let mut game = Game::new(start.clone());
        for choice in choices {
            check_forms(game.position());
            let Some(m) = choice.of(game.position()) else { break };
            game.play_unchecked(m);
        }
        let moves: Vec<String> = game.moves().map(|m| m.to_string()).collect();
        let line = format!("sfen {start} moves {}", moves.join(" "));
        let read = parse_position_line(&line).expect("a game that was played");
        prop_assert_eq!(read.position(), game.position());
        prop_assert!(read.moves().eq(game.moves()));
        prop_assert_eq!(read.repetition(), game.repetition());
    }
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn setups_come_back(position in setup(), ply in any::<u32>()) {
        check_forms(&position.with_ply(ply));
    }

    #[test]
    fn any_line_is_a_game_or_an_error(words in vec(word(), 0..12)) {
        let line = words.join(" ");
        let lenient = LenientPosition::parse(&line);
        if let Ok(game) = parse_position_line(&line) {
            check_forms(game.position());
            prop_assert!(lenient.as_ref().is_ok_and(|line| line.corrections.is_empty()));
        }
        match lenient.map(|line| line.shown) {
            Ok(Shown::Game(game)) => check_forms(game.position()),
            Ok(Shown::Diagram(diagram)) => prop_assert_eq!(diagram.position(), None),
            Err(_) => {}
        }
        if let Ok(position) = Position::from_sfen(&line) {
            check_forms(&position);
        }
    }

    #[test]
    fn damaged_sfens_are_a_position_or_an_error(
        position in setup(),
        at in any::<prop::sample::Index>(),
        c in any::<char>(),
        ascii in "[ -~]",
    ) {
        let sfen: Vec<char> = position.to_sfen().chars().collect();
        for c in [c, ascii.chars().next().expect("one character")] {
            let mut damaged = sfen.clone();
            damaged[at.index(sfen.len())] = c;
            let damaged: String = damaged.into_iter().collect();
            if let Ok(position) = Position::from_sfen(&damaged) {
                prop_assert_eq!(Position::from_sfen(&position.to_sfen()), Ok(position));
            }
        }
    }

    #[test]
    fn forms_of_the_field_are_the_same_position(position in setup(), number in 0..5u32) {
        let board_side_hands = position.to_sfen_without_ply();
        let fields: Vec<&str> = board_side_hands.split(' ').collect();
        let [board, side, hands] = fields[..] else { panic!("{board_side_hands}") };
        let hands_or_zero = if hands == "-" { "0" } else { hands };
        for line in [
            format!("{board}_{side}_{hands}_{number}"),
            format!("\"sfen {board} {side} {hands} {number}\""),
            format!("SFEN {board} {} {hands} {number}", side.to_uppercase()),
            format!("{board} {side} {hands_or_zero}0P0r -1"),
            format!("sfen\u{3000}{board}\u{3000}{side}\u{3000}{hands_or_zero}"),
        ] {
            let read = LenientPosition::parse(&line);
            let Ok(Shown::Game(game)) = read.map(|line| line.shown) else { panic!("{line}") };
            prop_assert_eq!(game.position().to_sfen_without_ply(), &board_side_hands[..], "{}", line);
        }
    }

    #[test]
    fn any_text_is_a_move_or_not(text in ".{0,8}") {
        if let Some(parsed) = MoveText::from_usi(&text) {
            prop_assert_eq!(parsed.to_string(), text);
        }
    }
}
