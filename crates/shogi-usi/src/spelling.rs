//! Names that are nearly right.

/// The candidate that `word` probably means: one that begins with it, or one that differs by a third of its
/// letters at most; upper and lower case are the same.
///
/// ```
/// use shogi_usi::nearest;
/// assert_eq!(nearest("Thread", ["Threads", "MultiPV"]), Some("Threads"));
/// assert_eq!(nearest("mutlipv", ["Threads", "MultiPV"]), Some("MultiPV"));
/// assert_eq!(nearest("Contempt", ["Threads", "MultiPV"]), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().collect();
    if !(SHORTEST..=LONGEST).contains(&word.len()) {
        return None;
    }
    let rated = candidates.into_iter().filter_map(|candidate| {
        let letters: Vec<char> = candidate.to_lowercase().chars().collect();
        let distance = distance(&word, &letters);
        let is_near = distance <= word.len() / 3 || letters.starts_with(&word);
        is_near.then_some((distance, candidate))
    });
    rated
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Fewest letters of a word that is compared: of two letters everything is near.
const SHORTEST: usize = 3;
/// Most letters of a word that is compared.
const LONGEST: usize = 64;

/// Letters to add, take away, replace or exchange with their neighbour to make `a` of `b` (optimal string
/// alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &letter) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &other) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(letter != other);
            let mut least = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            let crossed = i > 0 && j > 0 && letter == b[j - 1] && a[i - 1] == other;
            if crossed {
                let earlier: &Vec<usize> = &before;
                least = least.min(earlier[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let distance = |a: &str, b: &str| {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            distance(&letters(a), &letters(b))
        };
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("quit", "quit"), 0);
        assert_eq!(distance("quti", "quit"), 1);
        assert_eq!(distance("stpo", "stop"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("ca", "abc"), 3);
    }

    #[test]
    fn the_nearest_wins() {
        let names = ["BookMoves", "BookPvMoves", "BookFile", "USI_Hash"];
        assert_eq!(nearest("bookmove", names), Some("BookMoves"));
        assert_eq!(nearest("BookPVMove", names), Some("BookPvMoves"));
        assert_eq!(nearest("Book", names), Some("BookFile"));
        for other in ["", "Bo", "Skill Level", &"x".repeat(100)] {
            assert_eq!(nearest(other, names), None, "{other}");
        }
    }
}
