//! Judging solutions.

use shogi_core::{MoveText, Position};
use shogi_mate::verify::{LengthVerdict, MateLineError, judge_length, replay};
use shogi_mate::{Answer, Length, MateLine, Reason, Role};

fn fault(sfen: &str, role: Role, line: &str) -> Option<MateLineError> {
    let position = Position::from_sfen(sfen).unwrap();
    let texts: Option<Vec<MoveText>> = line
        .split_ascii_whitespace()
        .map(MoveText::from_usi)
        .collect();
    replay(&position.into(), role, &texts.unwrap()).err()
}

#[test]
fn faults_are_told_with_their_ply() {
    let sfen = "4k4/9/4P4/9/9/9/9/9/9 b 2G 1";
    let of = |line| fault(sfen, Role::Attacker, line);
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
        fault(checked, Role::Defender, "9a8b G*8c"),
        Some(MateLineError::NotMate)
    );
    assert_eq!(
        fault(sfen, Role::Defender, "5a4a G*4b"),
        Some(MateLineError::NotMate)
    );
    assert_eq!(
        fault("4k4/4G4/4P4/9/9/9/9/9/9 w - 1", Role::Defender, ""),
        None
    );
    // The mated side must be the defender.
    let mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
    assert_eq!(
        fault(mated, Role::Attacker, ""),
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
