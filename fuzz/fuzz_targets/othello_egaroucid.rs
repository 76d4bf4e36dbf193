//! Any bytes are an Egaroucid book of one of three versions or an error; what is read is written back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use othello_book::egaroucid::{EgaroucidBook, head};

fuzz_target!(|bytes: &[u8]| {
    let book = match EgaroucidBook::new(bytes) {
        Ok(book) => book,
        Err(error) => {
            assert!(error.offset <= bytes.len() as u64);
            return;
        }
    };
    let mut written = head(book.version, book.count() as u64).expect("a count that was read");
    let mut good = true;
    for entry in book.entries() {
        match entry {
            Ok(entry) => entry.write_to(book.version, &mut written),
            Err(error) => {
                assert!(error.offset <= bytes.len() as u64 && !error.reason.is_empty());
                good = false;
            }
        }
    }
    if good {
        assert_eq!(written, bytes);
    }
});
