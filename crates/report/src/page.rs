//! HTML pages.

use std::fmt::{self, Write as _};

use crate::Escaped;

const STYLE: &str = include_str!("page.css");

/// A heading in English, or in English and Japanese.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heading<'a> {
    english: &'a str,
    japanese: Option<&'a str>,
}

impl<'a> From<&'a str> for Heading<'a> {
    fn from(english: &'a str) -> Self {
        Self {
            english,
            japanese: None,
        }
    }
}

impl<'a> From<(&'a str, &'a str)> for Heading<'a> {
    fn from((english, japanese): (&'a str, &'a str)) -> Self {
        Self {
            english,
            japanese: Some(japanese),
        }
    }
}

impl fmt::Display for Heading<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Escaped(self.english))?;
        match self.japanese {
            Some(japanese) => write!(f, " <small lang=\"ja\">{}</small>", Escaped(japanese)),
            None => Ok(()),
        }
    }
}

/// An HTML page: one file, nothing loaded from elsewhere, light or dark as the reader prefers. All text that it is given is
/// escaped, but that of [`Page::markup`].
#[derive(Clone, Debug)]
pub struct Page {
    text: String,
    /// A section has begun.
    is_open: bool,
}

impl Page {
    /// A page with a title, which is its first heading, too.
    pub fn new<'a>(title: impl Into<Heading<'a>>) -> Self {
        Self::in_language(title, "en")
    }

    /// A page in a language, named by its code in HTML: `ja`.
    pub fn in_language<'a>(title: impl Into<Heading<'a>>, language: &str) -> Self {
        let (title, language) = (title.into(), Escaped(language));
        let mut page = Self {
            text: String::new(),
            is_open: false,
        };
        page.put(format_args!(
            "<!DOCTYPE html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
            Escaped(title.english)
        ));
        page
    }

    /// Begins a section, and ends the last one.
    pub fn section<'a>(&mut self, heading: impl Into<Heading<'a>>) {
        self.end_section();
        self.put(format_args!("<section>\n<h2>{}</h2>\n", heading.into()));
        self.is_open = true;
    }

    /// A paragraph.
    pub fn paragraph(&mut self, text: impl fmt::Display) {
        self.put(format_args!("<p>{}</p>\n", Escaped(text)));
    }

    /// A list.
    pub fn list<T: fmt::Display>(&mut self, items: impl IntoIterator<Item = T>) {
        self.put(format_args!("<ul>\n"));
        for item in items {
            self.put(format_args!("<li>{}</li>\n", Escaped(item)));
        }
        self.put(format_args!("</ul>\n"));
    }

    /// A table; the first column names the row, the others are figures. `head` may be empty.
    pub fn table(&mut self, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
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

    /// Charts beside each other, each below its caption.
    pub fn figures<'a, T: fmt::Display>(
        &mut self,
        figures: impl IntoIterator<Item = (&'a str, T)>,
    ) {
        self.put(format_args!("<div class=\"figures\">\n"));
        for (caption, chart) in figures {
            let caption = Escaped(caption);
            self.put(format_args!(
                "<figure><figcaption>{caption}</figcaption>\n{chart}</figure>\n"
            ));
        }
        self.put(format_args!("</div>\n"));
    }

    /// Markup as it is: a chart, or what no other method writes. Text in it must be [`Escaped`].
    pub fn markup(&mut self, markup: impl fmt::Display) {
        self.put(format_args!("{markup}"));
    }

    /// The whole page.
    pub fn finish(mut self) -> String {
        self.end_section();
        self.put(format_args!("</body>\n</html>\n"));
        self.text
    }

    fn end_section(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.put(format_args!("</section>\n"));
        }
    }

    fn put(&mut self, text: fmt::Arguments<'_>) {
        self.text
            .write_fmt(text)
            .expect("a String takes everything, and what is written has no errors");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_end_where_the_next_begins() {
        let mut page = Page::new(("A & B", "甲"));
        page.section("One");
        page.paragraph("x < y");
        page.list(["<b>"]);
        page.section(("Two", "二"));
        page.figures([("<c>", "<svg></svg>\n")]);
        let text = page.finish();
        let body = text.split_once("<body>\n").unwrap().1;
        assert_eq!(
            body,
            "<h1>A &amp; B <small lang=\"ja\">甲</small></h1>\n\
             <section>\n<h2>One</h2>\n<p>x &lt; y</p>\n<ul>\n<li>&lt;b&gt;</li>\n</ul>\n</section>\n\
             <section>\n<h2>Two <small lang=\"ja\">二</small></h2>\n<div class=\"figures\">\n\
             <figure><figcaption>&lt;c&gt;</figcaption>\n<svg></svg>\n</figure>\n</div>\n</section>\n\
             </body>\n</html>\n"
        );
        assert!(text.contains("<title>A &amp; B</title>"));
    }

    #[test]
    fn tables_name_their_rows() {
        let mut page = Page::new("T");
        page.table(&["", "n"], [vec!["a".to_owned(), "1".to_owned()]]);
        page.table(&[], [vec!["'".to_owned()]]);
        let text = page.finish();
        assert!(text.contains(
            "<thead><tr><th></th><th>n</th></tr></thead>\n<tbody>\n<tr><th>a</th><td>1</td></tr>\n"
        ));
        assert!(text.contains("<table>\n<tbody>\n<tr><th>&#39;</th></tr>\n</tbody>\n</table>\n"));
    }
}
