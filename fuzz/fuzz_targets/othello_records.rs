//! Any bytes are records or errors with a place; what is read is written in every format, and read again as what was written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use othello_record::{
    OpeningNames, OthelloFormat, RecordLoss, RecordLosses, WthorFile, WthorNames, WthorWriter, read_records,
};

fuzz_target!(|bytes: &[u8]| {
    let mut names = WthorNames::default();
    if let Some(file) = WthorFile::new(bytes) {
        file.add_names(&mut names);
    }
    let records = read_records(bytes, &names);
    let mut writer = WthorWriter::default();
    let mut tournament = 0;
    for read in records.into_iter().take(20).filter_map(Result::ok) {
        let record = read.record;
        let _ = OpeningNames::built_in().longest(&record.game());
        tournament += usize::from(writer.add(&record, &mut RecordLosses::default()).is_ok());
        for format in OthelloFormat::all() {
            let (text, losses) = format.write(&record);
            if format == OthelloFormat::Wthor || losses.count(RecordLoss::Starts) > 0 {
                continue;
            }
            let mut again = read_records(text.as_bytes(), &names);
            assert_eq!(again.len(), 1, "{format}: {text}");
            let again = again.remove(0).expect("what is written is read").record;
            if format.is_of_positions() {
                let last = record.node(record.last()).position();
                assert_eq!(again.start().board(), last.board(), "{format}: {text}");
                continue;
            }
            assert_eq!(again.game().to_string(), record.game().to_string(), "{format}: {text}");
            assert_eq!(format.write(&again).0, text, "{format}");
        }
    }
    let files = writer.finish([2026, 1, 1]);
    if tournament > 0 {
        let games = read_records(&files.games, &names);
        assert_eq!(games.iter().filter(|game| game.is_ok()).count(), tournament);
    }
});
