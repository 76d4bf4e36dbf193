//! Work on any book ends, and the written result is an equal book.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use othello_book::BookFormat;
use othello_book::convert::{self, LeafImport, LeafPolicy};
use othello_book::egaroucid::EgaroucidVersion;
use othello_book::files::{self, BookInput, BookReadOptions, BookWriteOptions};
use othello_book::ops::{self, Accuracies, LeafValues, ReduceLimits};
use othello_book::store::{
    DiskBook, MemoryBook, OnDamage, PositionLookup as _, PositionStore as _,
};
use othello_core::Board;
use yane_io::{Job, Map};

fuzz_target!(|bytes: &[u8]| {
    let map = Map::from_bytes(Path::new("book"), bytes.to_vec());
    let Ok(input) = BookInput::of(map) else {
        return;
    };
    let job = Job {
        threads: 1,
        memory: 1 << 20,
        ..Job::default()
    };
    for leaf_import in [LeafImport::Keep, LeafImport::AsPosition] {
        let reading = BookReadOptions {
            leaf_import,
            damage: OnDamage::Skip,
            ..BookReadOptions::default()
        };
        let loaded = files::load(&input, reading, &job).expect("damage is left out");
        let mut table = loaded.book;
        let start = table
            .iter()
            .map(|(board, _)| board)
            .min()
            .unwrap_or(Board::START);
        for leaves in [LeafPolicy::Keep, LeafPolicy::Complete] {
            for record in convert::to_edax(&table, None, leaves) {
                let known = record
                    .links
                    .iter()
                    .all(|link| link.legal_on(record.board).is_some());
                assert!(known && record.board.is_canonical());
            }
        }
        // The same book to be worked on outside of memory.
        let folder = std::env::temp_dir();
        let opened = files::open(&input, reading, &folder, &job).expect("damage is left out");
        let mut rows = opened.book;
        assert_eq!(opened.damaged, loaded.damaged);
        let same = |rows: &DiskBook, table: &MemoryBook| {
            assert_eq!(rows.count(), table.count());
            for (board, known) in table.iter() {
                assert_eq!(rows.look_up(board).as_ref(), Some(known));
            }
        };
        same(&rows, &table);
        let asked =
            files::open_for_lookup(&input, reading, &folder, &job).expect("damage is left out");
        for (board, known) in table.iter() {
            assert_eq!(asked.look_up(board).as_ref(), Some(known));
        }
        assert_eq!(
            Accuracies::new(&rows).count(),
            Accuracies::new(&table).count()
        );
        let _ = ops::book_losses(&table, start);
        let header = table.header.unwrap_or_default();
        ops::negamax_edax(&mut table, start, &header);
        ops::negamax_edax(&mut rows, start, &header);
        ops::fix(&mut table, start);
        ops::fix(&mut rows, start);
        ops::negamax(&mut table, start, LeafValues::Count);
        let limits = ReduceLimits {
            depth: 3,
            error: 4,
            sum: 6,
        };
        ops::reduce(&mut table, start, limits);
        ops::negamax(&mut rows, start, LeafValues::Count);
        ops::reduce(&mut rows, start, limits);
        same(&rows, &table);
        ops::prune_edax(&mut table, start, &header);
        ops::prune_edax(&mut rows, start, &header);
        ops::remove_isolated(&mut table, start);
        ops::remove_isolated(&mut rows, start);
        same(&rows, &table);
        let writing = BookWriteOptions::new(BookFormat::Egaroucid(EgaroucidVersion::Egbk3));
        let output = Path::new("fuzz-output.egbk3");
        let inputs = std::slice::from_ref(&input);
        let report = files::convert(inputs, output, files::BookOutputMode::DryRun, reading, writing, &job);
        let report = report.expect("damage is left out");
        assert!(leaf_import == LeafImport::AsPosition || report.damaged == loaded.damaged);
    }
});
