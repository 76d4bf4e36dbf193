//! Any bytes are an Edax book or an error; records that are read are written back byte for byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use othello_book::edax::EdaxBook;
use othello_book::text;

fuzz_target!(|bytes: &[u8]| {
    let book = match EdaxBook::new(bytes) {
        Ok(book) => book,
        Err(error) => {
            assert!(error.offset <= bytes.len() as u64);
            return;
        }
    };
    assert_eq!(book.header.to_bytes()[..], bytes[..42]);
    for record in book.records() {
        match record {
            Ok(view) => {
                let start = view.offset() as usize;
                let record = view.to_record();
                let mut written = Vec::new();
                record.write_to(&mut written);
                assert_eq!(written, bytes[start..start + view.len()]);
                assert!(text::edax_line(&record).ends_with('\n'));
                for edge in view.links().chain([view.leaf()]) {
                    let _ = edge.legal_on(view.board());
                }
            }
            Err(error) => assert!(error.offset <= bytes.len() as u64 && !error.reason.is_empty()),
        }
    }
});
