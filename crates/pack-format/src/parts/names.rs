//! Names of parts.

use std::path::{Path, PathBuf};

/// The path of part `number` (from 1) of `output`: `train.psv` gives `train.0001.psv`.
pub fn part_path(output: &Path, number: u64) -> PathBuf {
    let mut name = output.file_stem().unwrap_or_default().to_owned();
    name.push(format!(".{number:04}"));
    if let Some(extension) = output.extension() {
        name.push(".");
        name.push(extension);
    }
    output.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_stands_before_the_extension() {
        for (output, number, expected) in [
            ("a/train.psv", 1, "a/train.0001.psv"),
            ("train", 12, "train.0012"),
            ("kifu.2026.pack", 12345, "kifu.2026.12345.pack"),
            (".hidden", 2, ".hidden.0002"),
        ] {
            assert_eq!(part_path(output.as_ref(), number), Path::new(expected));
        }
    }
}
