//! Results from files: logs of matches, and games in PGN as other programs write them.

use std::io::BufReader;
use std::path::Path;

use yane_io::{BoundedLines, Error, LineError};

use crate::error::Result;
use crate::log::read_log;
use crate::rating::ResultTable;
use crate::score::GamePoints;
use crate::standings::Standings;

/// Reads the results of files of either kind. Engines of the same name are the same. `note` gets a sentence about what is
/// left out of a damaged log.
///
/// # Errors
/// When a file cannot be read, or is of neither kind.
pub fn read_results<P: AsRef<Path>>(
    paths: &[P],
    note: &mut dyn FnMut(&str),
) -> Result<ResultTable> {
    let mut results = ResultTable::default();
    for path in paths {
        let path = path.as_ref();
        if is_pgn(path)? {
            add_pgn(path, &mut results)?;
        } else {
            let (header, games) = read_log(path, note)?;
            let names: Vec<_> = header.engines.into_iter().map(|it| it.name).collect();
            let mut standings = Standings::new(names.len());
            for game in &games {
                standings.add(game);
            }
            results.add_standings(&names, &standings);
        }
    }
    Ok(results)
}

/// Returns whether a file begins with a tag of PGN.
fn is_pgn(path: &Path) -> Result<bool> {
    let file = std::fs::File::open(path).map_err(Error::io(path))?;
    let mut lines = BoundedLines::new(BufReader::new(file));
    loop {
        let line = lines.next_text().map_err(LineError::into_io);
        let Some(line) = line.map_err(Error::io(path))? else {
            return Ok(false);
        };
        if !line.trim_ascii().is_empty() {
            return Ok(line.trim_start_matches('\u{feff}').starts_with('['));
        }
    }
}

/// Adds the games of a PGN file: each has the tags `White`, `Black` and `Result`. Games without a result (`*`) do not
/// count.
fn add_pgn(path: &Path, results: &mut ResultTable) -> Result<()> {
    let file = std::fs::File::open(path).map_err(Error::io(path))?;
    let mut tags = Tags::default();
    let mut in_tags = false;
    let mut lines = BoundedLines::new(BufReader::new(file));
    let lines = std::iter::from_fn(|| lines.next_text().transpose());
    for (index, line) in lines.enumerate() {
        let line = line.map_err(LineError::into_io).map_err(Error::io(path))?;
        let line = line.trim_start_matches('\u{feff}').trim();
        if !line.starts_with('[') {
            in_tags = in_tags && line.is_empty();
            continue;
        }
        if !in_tags {
            tags = Tags::default();
            in_tags = true;
        }
        let Some((name, value)) = tag(line) else {
            continue;
        };
        match name {
            "White" => tags.white = Some(value),
            "Black" => tags.black = Some(value),
            "Result" => tags.result = Some(value),
            _ => continue,
        }
        if let Tags {
            white: Some(white),
            black: Some(black),
            result: Some(result),
        } = &tags
        {
            let points = match result.as_str() {
                "1-0" => Some(GamePoints::Win),
                "0-1" => Some(GamePoints::Loss),
                "1/2-1/2" => Some(GamePoints::Draw),
                "*" => None,
                other => {
                    let reason = format!(
                        "line {}: {other:?} is no result; expected 1-0, 0-1, 1/2-1/2 or *",
                        index + 1
                    );
                    return Err(Error::file(path, reason).into());
                }
            };
            if let Some(points) = points {
                results.add_game([white, black], points);
            }
            tags = Tags::default();
        }
    }
    Ok(())
}

/// The tags of a game that are needed.
#[derive(Default)]
struct Tags {
    white: Option<String>,
    black: Option<String>,
    result: Option<String>,
}

/// Name and value of a line such as `[White "name"]`.
fn tag(line: &str) -> Option<(&str, String)> {
    let (name, value) = line.strip_prefix('[')?.split_once(' ')?;
    let value = value.trim().strip_suffix(']')?.trim();
    let value = value.strip_prefix('"')?.strip_suffix('"')?;
    Some((name, value.replace("\\\"", "\"").replace("\\\\", "\\")))
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;

    #[test]
    fn games_in_pgn_are_rated() {
        let folder = TestFolder::new();
        let game = |white: &str, black: &str, result: &str| {
            format!(
                "[Event \"x\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n1. e4 e5 {{[%eval 1]}}\n[x {result}\n\n"
            )
        };
        let text = [
            game("a", "b", "1-0"),
            game("b", "a", "1-0"),
            game("a", "b", "1/2-1/2"),
            game("a", "b", "*"),
            game("b", "a", "0-1"),
        ];
        folder.write("games.pgn", text.concat());
        let results =
            read_results(&[folder.path("games.pgn")], &mut |note| panic!("{note}")).unwrap();
        let ratings = results.rate(None, None).unwrap().sorted();
        assert_eq!(ratings[0].name, "a");
        let counts = (ratings[0].wins, ratings[0].draws, ratings[0].losses);
        assert_eq!(counts, (2, 1, 1));
        folder.write("bad.pgn", game("a", "b", "2-0"));
        let error =
            read_results(&[folder.path("bad.pgn")], &mut |note| panic!("{note}")).unwrap_err();
        assert!(error.to_string().contains("line 4"), "{error}");
    }

    #[test]
    fn other_files_are_refused() {
        let folder = TestFolder::new();
        folder.write("x", "nonsense\n");
        let error = read_results(&[folder.path("x")], &mut |note| panic!("{note}"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("line 1"), "{error}");
        assert!(read_results(&[folder.path("none")], &mut |note| panic!("{note}")).is_err());
    }
}
