//! Lengths as composers count them, and verification of lines.

use std::sync::atomic::AtomicBool;

use shogi_core::{MoveText, Position};
use shogi_mate::composer::{ComposerLength, composer_length};
use shogi_mate::verify::{LengthVerdict, MateLineError, judge_length, replay};
use shogi_mate::{Answer, CheckedRoot, Length, MateLimits, MateLine, Reason, Role};

use crate::support::{Truth, small_problems, truth};

fn length(sfen: &str, bound: u32, limits: &MateLimits) -> ComposerLength {
    let position = Position::from_sfen(sfen).unwrap();
    let role = Role::of(&position, CheckedRoot::Attacks);
    composer_length(
        &position.into(),
        role,
        bound,
        limits,
        &AtomicBool::new(false),
    )
}

/// The length and the line.
fn known(sfen: &str, bound: u32) -> (u32, String) {
    match length(sfen, bound, &MateLimits::default()) {
        ComposerLength::Known(mate) => {
            assert!(mate.length.is_exact());
            assert_eq!(mate.length.plies() as usize, mate.moves.len());
            let words: Vec<String> = mate.moves.iter().map(ToString::to_string).collect();
            (mate.length.plies(), words.join(" "))
        }
        other @ ComposerLength::Unknown { .. } => panic!("{sfen}: {other:?}"),
    }
}

/// Three positions of which users have asked why programs count more than books: the plain lengths are 5, 7
/// and 15.
#[test]
fn published_lengths() {
    let (plies, line) = known("5pk2/7P1/4+R1+P1+b/8b/6R2/9/9/9/9 b 4g4s4n4l15p 1", 5);
    assert_eq!((plies, line.as_str()), (3, "3c2c 1c3e 5c3c"));
    let (plies, line) = known("9/5g1s1/8k/6+R2/9/6R1S/5B3/9/9 b b3g2s4n4l18p 1", 7);
    assert_eq!((plies, line.as_str()), (3, "3d1d 1c1d 3f3c+"));
    // The drop beside the king is not futile: taken by the rook it lets the king out.
    let (plies, line) = known("9/9/6Bnl/8k/R6p1/9/9/9/9 b rb4g4s3n3l17p 1", 15);
    assert_eq!(plies, 3);
    let words: Vec<&str> = line.split(' ').collect();
    assert_eq!(
        (words[0], &words[1][1..], words[2]),
        ("9e9d", "*2d", "3c2d+")
    );
}

/// The rook checks along the first rank, one square from the king; whatever comes between it takes with mate.
const DISTANT_CHECK: &str = "6R1k/8p/6NG1/9/9/9/9/9/9 w r2b3g4s3n4l17p 1";

#[test]
fn a_drop_that_the_slider_takes_with_mate_is_futile() {
    assert_eq!(known(DISTANT_CHECK, 2), (0, String::new()));
}

#[test]
fn moves_between_are_never_futile() {
    // A bishop can come between. Drops are protected by it, but taking them takes no longer.
    let with_bishop = "5RR1k/8p/5bNG1/9/9/9/9/9/9 w b3g4s3n4l17p 1";
    assert_eq!(known(with_bishop, 2), (2, "4c2a 3c2a+".to_owned()));
}

#[test]
fn the_length_is_never_above_the_plain_one() {
    let (mut same, mut shorter) = (0, 0);
    for position in small_problems(21, 3000) {
        let attacker = position.side_to_move();
        let Some(Truth::Mate(plain)) = truth(&position) else {
            continue;
        };
        let sfen = position.to_sfen();
        let (plies, line) = known(&sfen, plain);
        assert!(plies <= plain && plies % 2 == plain % 2, "{sfen}");
        // Without drops in the defender's hand there is nothing to leave out.
        if position.hand(attacker.flip()).is_empty() && !line.contains('*') && plain == 1 {
            assert_eq!(plies, plain, "{sfen}");
        }
        let mut position = position;
        for word in line.split(' ').filter(|word| !word.is_empty()) {
            let text = MoveText::from_usi(word).unwrap();
            let m = position.move_from_text(text).expect(&sfen);
            let _undo = position.do_move_unchecked(m);
            assert!(m.color() != attacker || position.in_check(), "{sfen}");
        }
        if plies == plain {
            // The line is a plain one: it ends in mate.
            same += 1;
        } else {
            shorter += 1;
        }
    }
    assert!(same > 100 && shorter >= 3, "{same} {shorter}");
}

#[test]
fn limits_are_reported() {
    let sfen = "9/9/6Bnl/8k/R6p1/9/9/9/9 b rb4g4s3n3l17p 1";
    let few = MateLimits {
        nodes: Some(20),
        ..MateLimits::default()
    };
    match length(sfen, 15, &few) {
        ComposerLength::Unknown { more_than, reason } => {
            assert!(more_than < 3 && reason == Reason::Nodes);
        }
        other @ ComposerLength::Known(_) => panic!("{other:?}"),
    }
    let stop = AtomicBool::new(true);
    let position =
        Position::from_sfen("1pG1B4/Gs+P6/pP7/n1ls5/3k5/nL4+r1b/1+p1p+R4/1S7/2N6 b SP2gn2l11p 1");
    let stopped = composer_length(
        &position.unwrap().into(),
        Role::Attacker,
        79,
        &MateLimits::default(),
        &stop,
    );
    assert!(matches!(
        stopped,
        ComposerLength::Unknown {
            reason: Reason::Stopped,
            ..
        }
    ));
}

// Verification of lines.

fn error(sfen: &str, role: Role, line: &str) -> Option<MateLineError> {
    let position = Position::from_sfen(sfen).unwrap();
    let texts: Option<Vec<MoveText>> = line
        .split_ascii_whitespace()
        .map(MoveText::from_usi)
        .collect();
    replay(&position.into(), role, &texts.unwrap()).err()
}

#[test]
fn errors_have_the_ply() {
    let sfen = "4k4/9/4P4/9/9/9/9/9/9 b 2G 1";
    let of = |line| error(sfen, Role::Attacker, line);
    let text = |word| MoveText::from_usi(word).unwrap();
    assert_eq!(of("G*5b"), None);
    assert_eq!(of("G*4b 5a6a G*6b"), Some(MateLineError::NotMate));
    assert_eq!(of("G*4b"), Some(MateLineError::NotMate));
    assert_eq!(of(""), Some(MateLineError::NotMate));
    let (ply, bad) = (1, text("G*9i"));
    assert_eq!(
        of("G*9i 5a4a G*4b"),
        Some(MateLineError::NoCheck { ply, text: bad })
    );
    let (ply, bad) = (2, text("5a5b"));
    assert_eq!(
        of("G*4b 5a5b"),
        Some(MateLineError::Illegal { ply, text: bad })
    );
    let (ply, bad) = (2, text("5a4a"));
    assert_eq!(
        of("G*5b 5a4a"),
        Some(MateLineError::Illegal { ply, text: bad })
    );
}

#[test]
fn defenders_may_move_first() {
    let sfen = "4k4/9/4P4/9/4L4/9/9/9/9 w G 1";
    let checked = "k8/1G7/9/1N7/9/9/9/9/9 w G 1";
    assert_eq!(
        error(checked, Role::Defender, "9a8b G*8c"),
        Some(MateLineError::NotMate)
    );
    assert_eq!(
        error(sfen, Role::Defender, "5a4a G*4b"),
        Some(MateLineError::NotMate)
    );
    assert_eq!(
        error("4k4/4G4/4P4/9/9/9/9/9/9 w - 1", Role::Defender, ""),
        None
    );
    // The mated side must be the defender.
    let mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
    assert_eq!(
        error(mated, Role::Attacker, ""),
        Some(MateLineError::NotMate)
    );
}

#[test]
fn lengths_are_judged() {
    let mate = |length| {
        Answer::Mate(MateLine {
            moves: Vec::new(),
            length,
        })
    };
    let judge = |plies, answer: &Answer| judge_length(plies, answer);
    let exact = mate(Length::Exact(7));
    assert_eq!(judge(7, &exact), LengthVerdict::Shortest);
    assert_eq!(judge(9, &exact), LengthVerdict::TooLong(7));
    assert_eq!(judge(5, &exact), LengthVerdict::WeakDefence(7));
    let bound = mate(Length::UpperBound(7));
    assert_eq!(judge(9, &bound), LengthVerdict::TooLong(7));
    let unknown = LengthVerdict::Unknown {
        reason: None,
        bound: Some(7),
    };
    assert_eq!(judge(7, &bound), unknown);
    assert_eq!(judge(5, &bound), unknown);
    assert_eq!(judge(5, &Answer::NoMate), LengthVerdict::NoMate);
    assert_eq!(
        judge(5, &Answer::Unknown(Reason::Time)),
        LengthVerdict::Unknown {
            reason: Some(Reason::Time),
            bound: None
        }
    );
}
