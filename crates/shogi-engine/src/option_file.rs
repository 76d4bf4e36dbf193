//! Lines of an option file, which fixes options at `isready`.

/// The name and value in a line of an option file: `option name N type T default V ...`, `N V` or
/// `N=V`. The value is one word. `None` for a blank line; a name without a value gets the empty
/// text.
///
/// ```
/// use shogi_engine::parse_option_line;
/// assert_eq!(parse_option_line("option name A type spin default 5 min 1"), Some(("A", "5")));
/// assert_eq!(parse_option_line("A = 5"), Some(("A", "5")));
/// ```
pub fn parse_option_line(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let mut words = line.split_ascii_whitespace();
    if words.next()? == "option" && words.next() == Some("name") {
        let name = words.next()?;
        let mut words = words.skip_while(|word| *word != "default").skip(1);
        return Some((name, words.next().unwrap_or_default()));
    }
    let end = line
        .find(|c: char| c == '=' || c.is_ascii_whitespace())
        .unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    let rest = rest.trim_start();
    let value = rest.strip_prefix('=').unwrap_or(rest);
    Some((
        name,
        value.split_ascii_whitespace().next().unwrap_or_default(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_forms() {
        for (line, expected) in [
            ("", None),
            ("   ", None),
            (
                "option name Dir type string default <empty>",
                Some(("Dir", "<empty>")),
            ),
            ("option name B type button", Some(("B", ""))),
            ("option name", None),
            ("Threads 4", Some(("Threads", "4"))),
            ("  Threads  4  more", Some(("Threads", "4"))),
            ("Threads=4", Some(("Threads", "4"))),
            ("Threads =4\r", Some(("Threads", "4"))),
            ("Threads", Some(("Threads", ""))),
            ("// x", Some(("//", "x"))),
        ] {
            assert_eq!(parse_option_line(line), expected, "{line:?}");
        }
    }
}
