//! Any bytes are lines and positions of a text book; each is understood or is an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shogi_core::Position;
use yane_book::db::{MoveLine, Records, canonical_sfen, push_move_line};

fuzz_target!(|text: &[u8]| {
    let mut buffer = Vec::new();
    let mut end = 0;
    for record in Records::new(text, 0) {
        let start = record.offset as usize;
        assert!(start >= end && text[start..].starts_with(b"sfen "));
        end = record.body_offset as usize + record.body.len();
        assert!(text[..end].ends_with(record.body));
        check_sfen(record.sfen, &mut buffer);
        for (offset, line) in record.lines() {
            assert!(text[offset as usize..].starts_with(line));
            check_line(line);
        }
    }
});

/// The quick way of reading a position agrees with the thorough one.
fn check_sfen(text: &[u8], buffer: &mut Vec<u8>) {
    let Ok(line) = canonical_sfen(text, buffer) else {
        return;
    };
    let text = String::from_utf8_lossy(text);
    if let Ok(position) = Position::from_sfen(&text) {
        assert_eq!(line.position, position.to_sfen_without_ply().as_bytes());
        assert_eq!(line.ply, position.ply());
        assert_eq!(line.side_to_move(), position.side_to_move());
    }
}

/// A move that was read is written so that it is read as itself.
fn check_line(line: &[u8]) {
    match MoveLine::parse(line) {
        Ok(parsed) => {
            let mut written = Vec::new();
            push_move_line(&mut written, &parsed.book_move);
            assert!(!parsed.canonical || written == line);
            let again = MoveLine::parse(&written).expect("what is written can be read");
            assert_eq!(again.book_move, parsed.book_move);
        }
        Err(fault) => assert!(!fault.to_string().is_empty()),
    }
}
