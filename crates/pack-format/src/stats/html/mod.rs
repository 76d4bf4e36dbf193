//! Statistics as an HTML page: one file, nothing loaded from elsewhere, light or dark as the reader
//! prefers.

mod picture;
mod sections;

use std::fmt::{self, Write as _};

use super::Stats;

const STYLE: &str = include_str!("style.css");

impl Stats {
    /// The stats as an HTML page with plots, labelled in English and Japanese.
    pub fn to_html(&self) -> String {
        let mut page = Page(String::new());
        page.put(format_args!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>Teacher data</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             <h1>Teacher data <small lang=\"ja\">教師データ</small></h1>\n"
        ));
        sections::write(&mut page, self);
        page.put(format_args!("</body>\n</html>\n"));
        page.0
    }
}

/// The page so far.
struct Page(String);

impl Page {
    fn put(&mut self, text: fmt::Arguments<'_>) {
        self.0
            .write_fmt(text)
            .expect("a String takes everything, and what is written has no errors");
    }

    /// Begins a section.
    fn begin(&mut self, english: &str, japanese: &str) {
        self.put(format_args!(
            "<section>\n<h2>{english} <small lang=\"ja\">{japanese}</small></h2>\n"
        ));
    }

    fn end(&mut self) {
        self.put(format_args!("</section>\n"));
    }

    /// A table; the first column names the row, the others are figures.
    fn table(&mut self, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
        self.put(format_args!("<table>\n"));
        if !head.is_empty() {
            self.put(format_args!("<thead><tr>"));
            for name in head {
                self.put(format_args!("<th>{}</th>", Escaped(name)));
            }
            self.put(format_args!("</tr></thead>\n"));
        }
        self.put(format_args!("<tbody>\n"));
        for row in rows {
            self.put(format_args!("<tr>"));
            for (index, cell) in row.iter().enumerate() {
                let tag = if index == 0 { "th" } else { "td" };
                self.put(format_args!("<{tag}>{}</{tag}>", Escaped(cell)));
            }
            self.put(format_args!("</tr>\n"));
        }
        self.put(format_args!("</tbody>\n</table>\n"));
    }
}

/// Text that means itself in HTML.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                // Not allowed in HTML, but allowed in file names.
                letter if letter.is_control() => f.write_char('\u{fffd}')?,
                letter => f.write_char(letter)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_become_elements() {
        let name = "a<script>&'\"\n.pack";
        assert_eq!(
            Escaped(name).to_string(),
            "a&lt;script&gt;&amp;&#39;&quot;\u{fffd}.pack"
        );
    }
}
