//! Text in pages and pictures.

use std::fmt::{self, Write as _};

/// What it displays, as text that means itself in HTML and SVG.
///
/// Control characters, which neither has a place for but names of files may have, become U+FFFD.
///
/// ```
/// assert_eq!(report::Escaped("a<b>&\n").to_string(), "a&lt;b&gt;&amp;\u{fffd}");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Escaped<T>(pub T);

impl<T: fmt::Display> fmt::Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaping(f), "{}", self.0)
    }
}

/// Escapes what is written to it.
struct Escaping<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl fmt::Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for letter in text.chars() {
            match letter {
                '&' => self.0.write_str("&amp;")?,
                '<' => self.0.write_str("&lt;")?,
                '>' => self.0.write_str("&gt;")?,
                '"' => self.0.write_str("&quot;")?,
                '\'' => self.0.write_str("&#39;")?,
                letter if letter.is_control() => self.0.write_char('\u{fffd}')?,
                letter => self.0.write_char(letter)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_become_elements_or_end_attributes() {
        let name = "a<script>&'\"\n.pack";
        let escaped = "a&lt;script&gt;&amp;&#39;&quot;\u{fffd}.pack";
        assert_eq!(Escaped(name).to_string(), escaped);
        // Also in parts.
        assert_eq!(
            Escaped(format_args!("{}{}", '<', "/b>")).to_string(),
            "&lt;/b&gt;"
        );
    }
}
