//! Commands that a word may have meant.

/// Fewest letters of a word that is compared: everything is near to two letters.
const SHORTEST: usize = 3;

/// The name that is nearest to a word, if it is near: a third of its letters may differ. Names may be several with `|`, commas or
/// blanks between them, such as `a|analyze`; what stands behind `<` or `[` is none.
fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().collect();
    if word.len() < SHORTEST {
        return None;
    }
    let single = names.into_iter().flat_map(|name| {
        let names = name.split(['<', '[']).next().unwrap_or_default();
        names.split(['|', ',', ' '])
    });
    let rated = single.filter_map(|name| {
        let letters: Vec<char> = name.chars().collect();
        let distance = distance(&word, &letters);
        let is_begun = letters.starts_with(&word);
        // Of two that are equally near, the one that begins alike.
        let begins_otherwise = letters.first() != word.first();
        let is_near = distance > 0 && (distance <= word.len() / 3 || is_begun);
        is_near.then_some((distance, begins_otherwise, name))
    });
    let best = rated.min_by_key(|&(distance, begins_otherwise, _)| (distance, begins_otherwise));
    best.map(|(.., name)| name)
}

/// The question behind an error about an unknown word: `; did you mean hint?`, or nothing if no name is near. Names may be several
/// with `|` between them.
///
/// ```
/// use othello_engine::did_you_mean;
///
/// assert_eq!(did_you_mean("hnit", &["h|hint", "undo"]), "; did you mean hint?");
/// assert_eq!(did_you_mean("f5", &["h|hint", "undo"]), "");
/// ```
pub fn did_you_mean(word: &str, names: &[&str]) -> String {
    nearest(word, names.iter().copied())
        .map_or(String::new(), |name| format!("; did you mean {name}?"))
}

/// How many letters are to be changed, put in, left out or exchanged with the next one.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut rows = vec![(0..=to.len()).collect::<Vec<usize>>()];
    for (i, letter) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, other) in to.iter().enumerate() {
            let changed = rows[i][j] + usize::from(letter != other);
            let mut least = changed.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *letter == to[j - 1] && from[i - 1] == *other {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found() {
        let names = [
            "a|analyze|analyse [n]",
            "hmirror, vmirror",
            "hint [n]",
            "undo <moves>",
        ];
        for (word, expected) in [
            ("anlyze", Some("analyze")),
            ("hnit", Some("hint")),
            ("vmiror", Some("vmirror")),
            ("und", Some("undo")),
            ("moves", None),
            ("x", None),
            ("f5", None),
            ("something", None),
        ] {
            assert_eq!(nearest(word, names), expected, "{word}");
        }
    }
}
