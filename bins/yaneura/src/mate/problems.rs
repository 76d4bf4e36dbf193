//! The problems of a file: lines of SFEN or JSON, or game records and boards (KIF, KI2, BOD, CSA, JKF).

use std::path::Path;

use mate_collections::{CollectionEntry, MateProblem, MateProblemError, parse_collection};
use shogi_core::{Diagram, MoveText};
use shogi_kifu::{ArchiveGame, KifuError, KifuFormat, decode_record, read_games};
use yane_cli::is_standard;
use yane_io::{Error as FileError, ReadLimit};

/// Bytes at the beginning of a file by which its format is recognised.
const HEAD: usize = 1 << 16;

/// Reads the problems of a file, of standard input when it is `-`; that there is none is an error.
pub(super) fn read(file: &Path) -> Result<Vec<CollectionEntry>, FileError> {
    let (name, bytes) = if is_standard(file) {
        let name = Path::new("standard input");
        let source = std::io::stdin().lock();
        (name, ReadLimit::Records.read_source(name, source)?)
    } else {
        (file, ReadLimit::Records.read(file)?)
    };
    let entries = parse(name, &bytes)?;
    if entries.is_empty() {
        return Err(FileError::file(
            name,
            "no positions: there is no problem in this file",
        ));
    }
    Ok(entries)
}

fn parse(name: &Path, bytes: &[u8]) -> Result<Vec<CollectionEntry>, FileError> {
    if !is_record(bytes) {
        return parse_collection(name, bytes);
    }
    match read_games(bytes) {
        Ok((_, games)) => Ok(games.into_iter().map(entry).collect()),
        Err(_) => parse_collection(name, bytes),
    }
}

/// Returns whether a file has records of games rather than a problem a line.
fn is_record(bytes: &[u8]) -> bool {
    let text = yane_io::decode_text(bytes);
    let head = &text[..text.len().min(HEAD)];
    let whole = match head.iter().rposition(|&byte| byte == b'\n') {
        Some(end) if head.len() == HEAD => &head[..end],
        _ => head,
    };
    let Ok(text) = decode_record(whole) else {
        return false;
    };
    match KifuFormat::detect(&text) {
        Some(KifuFormat::Kif | KifuFormat::Ki2 | KifuFormat::Csa) => true,
        // A line of a collection has its position under this name.
        Some(KifuFormat::Jkf) => !text.contains("\"sfen\""),
        Some(KifuFormat::Usi) | None => false,
    }
}

/// A problem: the start of a record, whose moves are its solution.
fn entry(game: Result<ArchiveGame, KifuError>) -> CollectionEntry {
    match game {
        Ok(game) => {
            let start = Diagram::from(game.record.start().clone());
            let solution = game.record.moves().map(MoveText::from).collect();
            CollectionEntry {
                line: game.line as usize,
                problem: Ok(MateProblem::new(start, solution)),
            }
        }
        Err(error) => CollectionEntry {
            line: error.line as usize,
            problem: Err(MateProblemError::Record(error.to_string())),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The SFEN and the number of moves of each problem, or its error.
    fn problems(text: &[u8]) -> Vec<String> {
        let entries = parse(Path::new("x"), text).unwrap();
        let told = |entry: CollectionEntry| match entry.problem {
            Ok(problem) => {
                let sfen = problem.start.pieces().to_sfen();
                format!("{}: {sfen} {}", entry.line, problem.moves.len())
            }
            Err(error) => format!("{}: {error}", entry.line),
        };
        entries.into_iter().map(told).collect()
    }

    #[test]
    fn lines_stay_lines() {
        let sfen = "4k4/9/4P4/9/9/9/9/9/9 b G 1";
        for text in [
            format!("{sfen}\n"),
            format!("# problems\nsfen {sfen}\n"),
            format!("{{\"sfen\":\"{sfen}\",\"moves\":3}}\n"),
        ] {
            let found = problems(text.as_bytes());
            assert!(
                found[0].ends_with(&format!(": {sfen} 0")),
                "{text}: {found:?}"
            );
        }
        assert!(problems(b"").is_empty());
        assert!(problems(b"nonsense\n")[0].starts_with("1: "));
    }
}
