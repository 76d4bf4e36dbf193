//! Any text is JSON lines and CSV rows, each good or faulty; good ones come back from their text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pack_format::text::{TextLine, csv, jsonl};

fuzz_target!(|text: &[u8]| {
    for line in jsonl::JsonlReader::new(text) {
        match line {
            Err(error) => assert!(!error.to_string().is_empty()),
            Ok(line) => {
                let mut written = Vec::new();
                match &line {
                    TextLine::Game(game) => jsonl::write_game(&mut written, 0, 0, game),
                    TextLine::Hcpe3(game) => jsonl::write_hcpe3(&mut written, 0, 0, game),
                    TextLine::Sample(sample) => jsonl::write_sample(&mut written, sample),
                }
                let written = std::str::from_utf8(&written).expect("text");
                assert_eq!(jsonl::parse_line(written), Ok(line));
            }
        }
    }
    for line in csv::CsvReader::new(text) {
        match line {
            Err(error) => assert!(!error.to_string().is_empty()),
            Ok(line) => {
                let mut written = csv::HEADER.as_bytes().to_vec();
                match &line {
                    TextLine::Game(game) => drop(csv::write_game(&mut written, 0, game)),
                    TextLine::Hcpe3(_) => unreachable!("CSV holds no candidates"),
                    TextLine::Sample(sample) => csv::write_sample(&mut written, sample),
                }
                let again = csv::CsvReader::new(&written[..]).next();
                assert_eq!(again.expect("a row").expect("its own"), line);
            }
        }
    }
});
