//! Command lines as people copy them to a shell.

/// A command line to be copied to a shell: the program and its words, of which those with other signs than names of files have are
/// in quotes. What is no UTF-8 in a word is carried ([`text_of_name`](crate::text_of_name)).
///
/// ```
/// let words = ["merge", "my book.egbk3", "-o", "it's.egbk3"].map(str::to_owned);
/// # #[cfg(unix)]
/// assert_eq!(
///     yane_io::command_text("othello", &words),
///     r"othello merge 'my book.egbk3' -o 'it'\''s.egbk3'"
/// );
/// ```
pub fn command_text(program: &str, words: &[String]) -> String {
    let words = words.iter().map(|word| quoted(word));
    std::iter::once(program.to_owned())
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "_@%+=:,./-".contains(sign);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    if cfg!(windows) {
        // Names of files have no quotes there.
        return format!("\"{}\"", word.replace('"', "\\\""));
    }
    let bytes = crate::bytes_of_text(word);
    if let Ok(text) = std::str::from_utf8(&bytes)
        && !text.chars().any(char::is_control)
    {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    let escaped = bytes.iter().map(|byte| format!("\\x{byte:02x}"));
    format!("$'{}'", escaped.collect::<String>())
}
