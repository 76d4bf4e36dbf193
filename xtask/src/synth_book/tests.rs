use std::collections::HashSet;

use shogi_core::Position;
use shogi_core::movegen::LegalAll;
use shogi_packed::PackedSfen;

use super::*;

fn args() -> Args {
    Args {
        out: PathBuf::new(),
        positions: 3000,
        seed: 7,
        max_ply: 32,
        moves_per_position: 2.8,
        shuffle: false,
        all_moves: false,
        cyclic: 0,
        crlf: false,
    }
}

fn book(args: &Args) -> String {
    let book = walk::collect(args).expect("positions enough");
    let mut bytes = Vec::new();
    write_book(args, &book, &mut bytes).expect("a book in memory");
    String::from_utf8(bytes).expect("ASCII")
}

/// The entries of a book: the position and the fields of its moves.
fn entries(text: &str) -> Vec<(Position, Vec<Vec<&str>>)> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("#YANEURAOU-DB2016 1.00"));
    let mut entries = Vec::new();
    for line in lines {
        if let Some(sfen) = line.strip_prefix("sfen ") {
            let position = Position::from_sfen(sfen).expect("a legal position");
            assert_eq!(position.to_sfen(), sfen, "in the canonical form");
            entries.push((position, Vec::new()));
        } else {
            let (_, moves) = entries.last_mut().expect("a position before its moves");
            moves.push(line.split(' ').collect());
        }
    }
    entries
}

fn packed(position: &Position) -> PackedSfen {
    PackedSfen::encode(position).expect("a position of a game")
}

#[test]
fn every_move_and_every_ponder_move_is_legal_and_in_range() {
    let text = book(&args());
    let entries = entries(&text);
    assert_eq!(entries.len(), 3000);
    let mut no_ponder = 0;
    for (position, moves) in &entries {
        assert!((1..=32).contains(&position.ply()));
        assert!(!moves.is_empty());
        for fields in moves {
            let [m, ponder, eval, depth, count] = fields[..] else {
                panic!("five fields: {fields:?}");
            };
            let mut after = position.clone();
            let _ = after.do_move_unchecked(position.move_from_usi(m).expect("a legal move"));
            if ponder == "none" {
                no_ponder += 1;
            } else {
                after.move_from_usi(ponder).expect("a legal ponder move");
            }
            assert!((-300..=300).contains(&eval.parse::<i32>().expect("an evaluation")));
            assert!((0..=40).contains(&depth.parse::<u32>().expect("a depth")));
            assert!((1..=40).contains(&count.parse::<u32>().expect("a count")));
        }
        let order: Vec<(u32, i32)> = moves
            .iter()
            .map(|f| {
                (
                    f[4].parse().expect("a count"),
                    f[2].parse().expect("an evaluation"),
                )
            })
            .collect();
        assert!(order.is_sorted_by(|a, b| a >= b), "best first: {moves:?}");
    }
    assert!(no_ponder > 100);
}

#[test]
fn positions_are_distinct_and_sorted_by_their_lines() {
    let text = book(&args());
    let lines: Vec<&str> = text.lines().filter(|l| l.starts_with("sfen ")).collect();
    assert!(lines.is_sorted_by(|a, b| a.as_bytes() < b.as_bytes()));
    let distinct: HashSet<PackedSfen> = entries(&text).iter().map(|(p, _)| packed(p)).collect();
    assert_eq!(distinct.len(), lines.len());
}

#[test]
fn the_average_number_of_moves_is_as_asked() {
    for average in [1.0, 2.8, 5.0] {
        let text = book(&Args {
            moves_per_position: average,
            ..args()
        });
        let entries = entries(&text);
        let moves: usize = entries.iter().map(|(_, moves)| moves.len()).sum();
        let found = moves as f64 / entries.len() as f64;
        assert!(
            (found - average).abs() < 0.15,
            "{found} instead of {average}"
        );
    }
}

#[test]
fn a_book_depends_on_its_seed_alone() {
    let text = book(&args());
    assert_eq!(text, book(&args()));
    let other = book(&Args { seed: 8, ..args() });
    assert_ne!(text, other);
    let shared: HashSet<PackedSfen> = entries(&other).iter().map(|(p, _)| packed(p)).collect();
    let shared = entries(&text)
        .iter()
        .filter(|(p, _)| shared.contains(&packed(p)))
        .count();
    assert!((100..2900).contains(&shared), "{shared} shared positions");
}

/// The digest was taken on x86-64 Linux: a change of it means that books of older figures cannot be
/// made again.
#[test]
fn the_bytes_are_those_of_other_machines() {
    use sha2::{Digest, Sha256};
    let text = book(&Args {
        positions: 500,
        cyclic: 20,
        ..args()
    });
    let digest = Sha256::digest(text.as_bytes());
    assert_eq!(digest[..4], [125, 158, 99, 139]);
}

#[test]
fn shuffling_and_line_ends_change_nothing_else() {
    let text = book(&args());
    let shuffled = book(&Args {
        shuffle: true,
        ..args()
    });
    let in_order = |text: &str| -> Vec<String> {
        let mut blocks: Vec<String> = text.split("sfen ").skip(1).map(str::to_owned).collect();
        assert_eq!(blocks.len(), 3000);
        blocks.sort();
        blocks
    };
    assert_ne!(text, shuffled);
    assert_eq!(in_order(&text), in_order(&shuffled));
    let crlf = book(&Args {
        crlf: true,
        ..args()
    });
    assert_eq!(crlf, text.replace('\n', "\r\n"));
}

#[test]
fn all_moves_means_every_legal_move() {
    let text = book(&Args {
        positions: 300,
        all_moves: true,
        ..args()
    });
    for (position, moves) in entries(&text) {
        let mut registered: Vec<&str> = moves.iter().map(|fields| fields[0]).collect();
        registered.sort_unstable();
        let mut legal: Vec<String> = position
            .moves::<LegalAll>()
            .iter()
            .map(ToString::to_string)
            .collect();
        legal.sort_unstable();
        assert_eq!(registered, legal);
    }
}

#[test]
fn cyclic_books_lead_back_to_where_they_were() {
    let text = book(&Args {
        cyclic: 50,
        ..args()
    });
    let entries = entries(&text);
    let known: HashSet<PackedSfen> = entries.iter().map(|(p, _)| packed(p)).collect();
    let in_circle = entries
        .iter()
        .filter(|(p, _)| returns_within(&mut p.clone(), &packed(p), &known, 4))
        .count();
    assert!(in_circle > 300, "{in_circle} positions in circles");
}

/// Returns whether some `plies` moves through positions of the book lead to `home`.
fn returns_within(
    position: &mut Position,
    home: &PackedSfen,
    known: &HashSet<PackedSfen>,
    plies: u32,
) -> bool {
    for m in position.moves::<LegalAll>() {
        let undo = position.do_move_unchecked(m);
        let here = packed(position);
        let found = if plies == 1 {
            here == *home
        } else {
            known.contains(&here) && returns_within(position, home, known, plies - 1)
        };
        position.undo_move(m, &undo);
        if found {
            return true;
        }
    }
    false
}

#[test]
fn a_perpetual_check_is_found_and_comes_back() {
    let position = Position::from_sfen("4k4/9/9/9/9/9/9/8+R/4K4 b - 1").expect("a position");
    let circle = walk::perpetual_check(&position);
    assert_eq!(circle.len(), 4);
    for (index, position) in circle.iter().enumerate() {
        assert_eq!(position.in_check(), index % 2 == 0);
    }
    let known: HashSet<u128> = circle.iter().map(Position::key128).collect();
    let last = &circle[3];
    let closed = last.moves::<LegalAll>().iter().any(|&m| {
        let mut after = last.clone();
        let _ = after.do_move_unchecked(m);
        after.key128() == circle[0].key128()
    });
    assert!(closed && known.len() == 4);
}

#[test]
fn impossible_numbers_of_positions_are_an_error() {
    let error = walk::collect(&Args {
        max_ply: 2,
        ..args()
    })
    .expect_err("31 positions at most");
    assert!(error.to_string().contains("only 31 positions"), "{error}");
}

#[test]
fn a_book_that_cannot_be_written_leaves_the_old_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book.db");
    fs::write(&path, "old").expect("a file");
    replace_file(&path, |out| {
        out.write_all(b"half")?;
        anyhow::bail!("stop")
    })
    .expect_err("a failed write");
    assert_eq!(fs::read_to_string(&path).expect("the old file"), "old");
    replace_file(&path, |out| Ok(out.write_all(b"new")?)).expect("a write");
    assert_eq!(fs::read_to_string(&path).expect("the new file"), "new");
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
}
