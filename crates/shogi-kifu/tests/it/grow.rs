//! Lines that are added to records.

use shogi_core::{Move, Position};
use shogi_kifu::{CsaVersion, GameRecord, KifuFormat};

fn line(record: &GameRecord, ply: usize, moves: &str) -> Vec<Move> {
    let (mut position, _): (Position, _) = record.position_at(ply);
    let play = |text| {
        let m = position.move_from_usi(text).unwrap();
        let _ = position.try_do_move(m).unwrap();
        m
    };
    moves.split(' ').map(play).collect()
}

fn record() -> GameRecord {
    KifuFormat::Usi
        .read("startpos moves 7g7f 3c3d 2g2f resign")
        .unwrap()
}

#[test]
fn lines_become_variations() {
    let mut record = record();
    let first = record.main_line().next().unwrap();
    let added = line(&record, 1, "8c8d 2g2f");
    let id = record.add_line(first, &added).unwrap();
    assert_eq!((record.variations(), record.node_count()), (1, 7));
    // The same line again, and one that goes on where it ends.
    assert_eq!(record.add_line(first, &added), Some(id));
    let longer = line(&record, 1, "8c8d 2g2f 4a3b");
    assert_eq!(record.add_line(first, &longer), Some(id));
    assert_eq!((record.variations(), record.node_count()), (1, 8));
    let (text, losses) = KifuFormat::Kif.write(&record, CsaVersion::V22);
    assert!(
        losses.is_empty()
            && text.contains("変化：2手\n   2 ８四歩(83)\n   3 ２六歩(27)\n   4 ３二金(41)\n"),
        "{text}"
    );
    assert_eq!(KifuFormat::Kif.read(&text).unwrap().variations(), 1);
}

#[test]
fn what_is_not_legal_ends_a_line() {
    let mut record = record();
    let last = record.main_line().nth(2).unwrap();
    let ending = record.main_line().nth(3).unwrap();
    let other = line(&record, 0, "7g7f");
    assert_eq!(record.add_line(last, &other), None);
    assert_eq!(record.add_line(ending, &line(&record, 3, "8c8d")), None);
    assert_eq!(record.node_count(), 5);
    let mut half = line(&record, 3, "8c8d");
    half.extend(other);
    assert!(record.add_line(last, &half).is_some());
    assert_eq!((record.node_count(), record.variations()), (6, 1));
}
