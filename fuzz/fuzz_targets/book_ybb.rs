//! Any bytes are a `.ybb` book or an error; a book that was verified finds its own positions.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use shogi_packed::PackedSfen;
use yane_book::io::Map;
use yane_book::ybb::Ybb;
use yaneura_fuzz::check_position;

fuzz_target!(|bytes: &[u8]| {
    let map = Map::from_bytes(Path::new("book.ybb"), bytes.to_vec());
    let book = match Ybb::from_map(map) {
        Ok(book) => book,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let verified = book.verify();
    assert!(book.get(book.len()).is_ok_and(|entry| entry.is_none()));
    // Nothing certain is found in an unsorted book, but looking must be safe.
    let _ = book.find(&PackedSfen([0x55; 32]));
    for (index, entry) in book.entries().enumerate() {
        let Ok(entry) = entry else {
            assert!(verified.is_err());
            continue;
        };
        assert_eq!(entry.index, index as u64);
        assert_eq!(entry.moves().count(), entry.moves().len());
        if verified.is_ok() {
            let found = book.find(&entry.packed).expect("the book is sound");
            assert_eq!(found.map(|found| found.index), Some(entry.index));
        }
        if let Ok(position) = entry.position() {
            check_position(&position);
        }
    }
});
