//! The checks of any position that a parser lets through.

pub mod othello;
pub mod session;

use shogi_core::movegen::LegalAll;
use shogi_core::{Color, Game, HandKind, MoveText, Origin, Position, Square};
use shogi_packed::{Hcp, PackedSfen};

/// Text and packed forms give the position back, and every legal move can be made and taken back.
///
/// # Panics
/// When they do not.
pub fn check_position(position: &Position) {
    let sfen = position.to_sfen();
    assert_eq!(Position::from_sfen(&sfen).as_ref(), Ok(position));
    if Color::ALL
        .into_iter()
        .all(|color| position.king(color).is_some())
    {
        let packed = PackedSfen::encode(position).expect("both kings are there");
        assert_eq!(
            packed.decode().map(|p| p.with_ply(position.ply())).as_ref(),
            Ok(position)
        );
        let packed = Hcp::encode(position).expect("both kings are there");
        assert_eq!(
            packed.decode().map(|p| p.with_ply(position.ply())).as_ref(),
            Ok(position)
        );
    }
    assert_eq!(&position.flip().flip(), position);

    let mut played = position.clone();
    for m in position.moves::<LegalAll>() {
        assert!(position.is_legal(m), "{m} in {sfen}");
        let undo = played.do_move_unchecked(m);
        assert_eq!(
            Position::from_setup(&played.to_setup()).as_ref(),
            Ok(&played),
            "{m} in {sfen}"
        );
        played.undo_move(m, &undo);
        assert_eq!(&played, position, "{m} in {sfen}");
    }
}

/// The generated moves are exactly those that are legal when asked for one by one.
///
/// # Panics
/// When they are not.
pub fn check_legal_set(position: &Position) {
    let generated = position.moves::<LegalAll>();
    let origins = Square::ALL.into_iter().map(Origin::Board);
    let origins = origins.chain(HandKind::ALL.into_iter().map(Origin::Hand));
    let mut legal = 0;
    for origin in origins {
        for to in Square::ALL {
            for promote in [false, true] {
                if promote && matches!(origin, Origin::Hand(_)) {
                    continue;
                }
                let Some(m) = position.move_from_text(MoveText {
                    origin,
                    to,
                    promote,
                }) else {
                    continue;
                };
                assert!(generated.contains(&m), "{m} in {position}");
                legal += 1;
            }
        }
    }
    assert_eq!(legal, generated.len(), "{position}");
}

/// Taking back the whole game leads to the position at its start.
///
/// # Panics
/// When it does not.
pub fn check_taken_back(mut game: Game, start: &Position) {
    while !game.is_empty() {
        game.undo();
    }
    assert_eq!(game.position(), start);
}

/// Reads `text` as a game; a game is checked by [`check_record`].
pub fn check_record_text(format: shogi_kifu::KifuFormat, text: &str) {
    if let Ok(record) = format.read(text) {
        check_record(&record);
    }
}

/// Writes a game in every format and version, reads that, and writes it again: the text is the same.
///
/// # Panics
/// When it is not.
pub fn check_record(record: &shogi_kifu::GameRecord) {
    use shogi_kifu::{CsaVersion, KifuFormat};
    for format in KifuFormat::ALL {
        for version in [CsaVersion::V22, CsaVersion::V3] {
            let (text, losses) = format.write(record, version);
            let read = format.read(&text).expect("what is written is read");
            assert_eq!(format.write(&read, version).0, text);
            if losses.is_empty() && matches!(format, KifuFormat::Kif | KifuFormat::Jkf) {
                assert!(read == *record, "{text}");
            }
        }
    }
}
