//! Mapped files: values come from the right places, and wrong files are refused.

use std::fs::File;
use std::path::Path;

use shogi_eval::kppt::{FileTables, KpptLayout, KpptTable};

/// Files of the right sizes without any data in them: they take no room on the disk.
fn empty_files(folder: &Path, layout: KpptLayout) {
    for table in KpptTable::ALL {
        let file = File::create(table.path(folder)).unwrap();
        file.set_len(layout.file_len(table)).unwrap();
    }
}

#[test]
#[cfg(unix)]
fn the_sizes_tell_the_kind() {
    for layout in [KpptLayout::Kppt, KpptLayout::KppKkpt] {
        let folder = tempfile::tempdir().unwrap();
        empty_files(folder.path(), layout);
        assert_eq!(FileTables::open(folder.path()).unwrap().layout(), layout);
    }
    let folder = tempfile::tempdir().unwrap();
    empty_files(folder.path(), KpptLayout::Kppt16);
    let problem = FileTables::open(folder.path()).unwrap_err().to_string();
    assert!(problem.contains("convert them to kppt32"), "{problem}");
    // One file of the other kind.
    let file = File::create(KpptTable::Kk.path(folder.path())).unwrap();
    file.set_len(KpptLayout::Kppt.file_len(KpptTable::Kk))
        .unwrap();
    let problem = FileTables::open(folder.path()).unwrap_err().to_string();
    assert!(
        problem.contains("KKP_synthesized.bin: 40625712 bytes, expected 81251424 (kppt32)"),
        "{problem}"
    );
}

/// Values of the synthetic tables are written to the files where the layout says, as far as a few
/// positions need them; then the files give the fixtures' values.
#[cfg(unix)]
mod mapped {
    use std::os::unix::fs::FileExt;

    use shogi_core::{Color, Position};
    use shogi_eval::PieceList;
    use shogi_eval::kppt::{KpptValue, Tables, evaluate};

    use super::super::golden::golden;
    use super::super::synthetic::SyntheticTables;
    use super::*;

    const POSITIONS: usize = 4;

    struct Files {
        layout: KpptLayout,
        files: [File; 3],
    }

    impl Files {
        fn put(&self, table: KpptTable, entry: usize, value: KpptValue) {
            let single = self.layout == KpptLayout::KppKkpt && table == KpptTable::Kpp;
            let mut bytes = Vec::new();
            for part in [value.board, value.turn] {
                if table == KpptTable::Kpp {
                    bytes.extend((part as i16).to_le_bytes());
                } else {
                    bytes.extend(part.to_le_bytes());
                }
            }
            if single {
                bytes.truncate(2);
            }
            let offset = entry as u64 * bytes.len() as u64;
            let file = &self.files[table as usize];
            file.write_all_at(&bytes, offset).unwrap();
        }

        fn put_all(&self, tables: &SyntheticTables, position: &Position) {
            let list = PieceList::new(position);
            let [black, white] = Color::ALL.map(|color| list.king(color));
            let kings = black as usize * 81 + white as usize;
            self.put(KpptTable::Kk, kings, tables.kk(black, white));
            for piece in *list.view(Color::Black) {
                let value = tables.kkp(black, white, piece);
                self.put(KpptTable::Kkp, kings * 1548 + piece.index(), value);
            }
            for color in Color::ALL {
                let king = list.own_king(color);
                for &first in list.view(color) {
                    for &second in list.view(color) {
                        let row = king as usize * 1548 + first.index();
                        let value = tables.kpp(king, first, second);
                        self.put(KpptTable::Kpp, row * 1548 + second.index(), value);
                    }
                }
            }
        }
    }

    fn check(name: &str, layout: KpptLayout) {
        let folder = tempfile::tempdir().unwrap();
        empty_files(folder.path(), layout);
        let open = |table: KpptTable| {
            let path = table.path(folder.path());
            File::options().write(true).open(path).unwrap()
        };
        let files = Files {
            layout,
            files: KpptTable::ALL.map(open),
        };
        let synthetic = SyntheticTables::new(layout);
        // The last lines are handicaps and random placements.
        let rows: Vec<_> = golden(name).into_iter().rev().take(POSITIONS).collect();
        for (position, _) in &rows {
            files.put_all(&synthetic, position);
        }
        let tables = FileTables::open(folder.path()).unwrap();
        for (position, expected) in &rows {
            assert_eq!(evaluate(&tables, position), *expected);
        }
        let list = PieceList::new(&rows[0].0);
        let [black, white] = Color::ALL.map(|color| list.king(color));
        for &piece in list.view(Color::Black) {
            let value = tables.kkp(black, white, piece);
            assert_eq!(value, synthetic.kkp(black, white, piece));
        }
        let view = list.view(Color::White);
        let king = list.own_king(Color::White);
        for first in view {
            for second in view {
                let value = tables.kpp(king, *first, *second);
                assert_eq!(value, synthetic.kpp(king, *first, *second));
                assert_eq!(
                    tables.kpp_change(king, *first, *second, view),
                    synthetic.kpp_change(king, *first, *second, view)
                );
            }
        }
    }

    #[test]
    fn kppt() {
        check("kppt.jsonl", KpptLayout::Kppt);
    }

    #[test]
    fn kpp_kkpt() {
        check("kpp_kkpt.jsonl", KpptLayout::KppKkpt);
    }
}
