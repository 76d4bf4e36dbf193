//! Charts below each other.

use std::fmt::{self, Write as _};

use crate::Escaped;
use crate::chart::{HEIGHT, WIDTH};

/// Height of the line above each chart.
const TITLE: f64 = 28.0;

/// Plain colours, which every program that shows SVG knows.
const STYLE: &str = "text { fill: #555c66; font: 11px sans-serif; } \
.title { fill: #1f2328; font-size: 15px; } .bar { fill: #4a78b5; } .axis { stroke: #d8dade; } \
.curve { fill: none; stroke: #c2410c; stroke-width: 2; } .dot { fill: #1d4f91; }";

/// Charts below each other, as one SVG picture.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    body: String,
    count: u32,
}

impl Sheet {
    /// Adds a chart below its title.
    pub fn add(&mut self, title: &str, chart: impl fmt::Display) {
        let top = self.bottom();
        write!(
            self.body,
            "<text class=\"title\" x=\"12\" y=\"{}\">{}</text>\n\
             <svg y=\"{}\" width=\"{WIDTH}\" height=\"{HEIGHT}\">\n{chart}</svg>\n",
            top + 20.0,
            Escaped(title),
            top + TITLE
        )
        .expect("a String takes everything, and what is written has no errors");
        self.count += 1;
    }

    /// The picture, with the title `title`.
    pub fn finish(&self, title: &str) -> String {
        let height = self.bottom() + 4.0;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
             height=\"{height}\" role=\"img\">\n<title>{}</title>\n<style>{STYLE}</style>\n\
             <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fdfdfb\"/>\n{}</svg>\n",
            Escaped(title),
            self.body
        )
    }

    /// The vertical place of the next chart.
    fn bottom(&self) -> f64 {
        f64::from(self.count) * (TITLE + HEIGHT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_stand_below_each_other() {
        let mut sheet = Sheet::default();
        sheet.add("One", "<svg></svg>\n");
        sheet.add("<Two>", "<svg></svg>\n");
        let text = sheet.finish("T");
        assert!(text.contains("height=\"580\""));
        assert!(text.contains(">&lt;Two&gt;</text>\n<svg y=\"316\" width=\"900\" height=\"260\">"));
        assert_eq!(text.matches("<svg").count(), text.matches("</svg>").count());
    }
}
