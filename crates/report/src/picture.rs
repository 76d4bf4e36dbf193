//! The shapes of pictures that are no charts.

use std::fmt;

use crate::Escaped;

/// A place or a size: horizontally and vertically.
pub type At = (f64, f64);

/// How text looks, where it differs from the rest of the picture.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextStyle<'a> {
    /// The size of the font.
    pub size: Option<f64>,
    /// What of the text is at its place: `start`, `middle` or `end`.
    pub anchor: Option<&'a str>,
    /// The colour.
    pub fill: Option<&'a str>,
}

/// Writes an SVG picture, shape by shape, those written last on top.
#[derive(Debug)]
pub struct Picture<'a, W> {
    out: &'a mut W,
    size: At,
}

impl<'a, W: fmt::Write> Picture<'a, W> {
    /// Begins a picture; `attributes` go for all of it, such as `font-family="serif"`.
    ///
    /// # Errors
    /// Those of `out`, here and everywhere.
    pub fn begin(
        out: &'a mut W,
        size: At,
        attributes: fmt::Arguments<'_>,
    ) -> Result<Self, fmt::Error> {
        let (width, height) = size;
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" {attributes} role=\"img\">"
        )?;
        Ok(Self { out, size })
    }

    /// What the picture shows, for those who cannot see it.
    ///
    /// # Errors
    /// Those of the output.
    pub fn title(&mut self, title: impl fmt::Display) -> fmt::Result {
        writeln!(self.out, "<title>{}</title>", Escaped(title))
    }

    /// The colour behind everything.
    ///
    /// # Errors
    /// Those of the output.
    pub fn background(&mut self, fill: &str) -> fmt::Result {
        let (width, height) = self.size;
        writeln!(
            self.out,
            "<rect width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>"
        )
    }

    /// A rectangle.
    ///
    /// # Errors
    /// Those of the output.
    pub fn rect(&mut self, (x, y): At, (width, height): At, fill: &str) -> fmt::Result {
        writeln!(
            self.out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>"
        )
    }

    /// A circle, with an edge of the colour `stroke` if there is one.
    ///
    /// # Errors
    /// Those of the output.
    pub fn circle(
        &mut self,
        (x, y): At,
        radius: f64,
        fill: &str,
        stroke: Option<&str>,
    ) -> fmt::Result {
        write!(
            self.out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\""
        )?;
        if let Some(stroke) = stroke {
            write!(self.out, " stroke=\"{stroke}\"")?;
        }
        writeln!(self.out, "/>")
    }

    /// The lines of a board: `count` fields each way, `cell` wide, from the corner `(left, top)`.
    ///
    /// # Errors
    /// Those of the output.
    pub fn grid(&mut self, (left, top): At, count: u8, cell: f64, stroke: &str) -> fmt::Result {
        let side = cell * f64::from(count);
        write!(self.out, "<path d=\"")?;
        for line in 0..=count {
            let at = cell * f64::from(line);
            let (x, y) = (left + at, top + at);
            write!(self.out, "M{x} {top}v{side}M{left} {y}h{side}")?;
        }
        writeln!(self.out, "\" stroke=\"{stroke}\" fill=\"none\"/>")
    }

    /// A line of text.
    ///
    /// # Errors
    /// Those of the output.
    pub fn text(
        &mut self,
        (x, y): At,
        text: impl fmt::Display,
        style: TextStyle<'_>,
    ) -> fmt::Result {
        write!(self.out, "<text x=\"{x}\" y=\"{y}\"")?;
        if let Some(size) = style.size {
            write!(self.out, " font-size=\"{size}\"")?;
        }
        if let Some(anchor) = style.anchor {
            write!(self.out, " text-anchor=\"{anchor}\"")?;
        }
        if let Some(fill) = style.fill {
            write!(self.out, " fill=\"{fill}\"")?;
        }
        writeln!(self.out, ">{}</text>", Escaped(text))
    }

    /// An arrow between two places, `half` as wide as its shaft. Between a place and itself there is none.
    ///
    /// # Errors
    /// Those of the output.
    pub fn arrow(&mut self, from: At, to: At, half: f64, fill: &str) -> fmt::Result {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = (dx * dx + dy * dy).sqrt();
        if length == 0.0 {
            return Ok(());
        }
        let (dx, dy) = (dx / length, dy / length);
        // A point `along` the arrow and `aside` of it.
        let at = |along: f64, aside: f64| {
            let (x, y) = (
                from.0 + dx * along - dy * aside,
                from.1 + dy * along + dx * aside,
            );
            format!("{x:.1},{y:.1}")
        };
        let (head, tip) = (length - 18.0, length - 4.0);
        let points = [
            at(6.0, half),
            at(head, half),
            at(head, half * 2.6),
            at(tip, 0.0),
            at(head, -half * 2.6),
            at(head, -half),
            at(6.0, -half),
        ];
        writeln!(
            self.out,
            "<polygon points=\"{}\" fill=\"{fill}\" fill-opacity=\"0.75\"/>",
            points.join(" ")
        )
    }

    /// A shape that no other method draws, as markup.
    ///
    /// # Errors
    /// Those of the output.
    pub fn shape(&mut self, markup: fmt::Arguments<'_>) -> fmt::Result {
        self.out.write_fmt(markup)?;
        self.out.write_char('\n')
    }

    /// Ends the picture.
    ///
    /// # Errors
    /// Those of the output.
    pub fn end(self) -> fmt::Result {
        writeln!(self.out, "</svg>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_elements() {
        let mut text = String::new();
        let attributes = format_args!("lang=\"ja\"");
        let mut picture = Picture::begin(&mut text, (20.0, 10.5), attributes).unwrap();
        picture.title("<t>").unwrap();
        picture.background("#fff").unwrap();
        picture.rect((1.0, 2.0), (3.0, 4.0), "#abc").unwrap();
        picture.circle((1.0, 2.0), 3.0, "#abc", None).unwrap();
        picture.grid((0.0, 1.0), 1, 2.0, "#000").unwrap();
        let style = TextStyle {
            fill: Some("#111"),
            ..TextStyle::default()
        };
        picture.text((1.0, 2.0), "a&b", style).unwrap();
        picture.arrow((1.0, 1.0), (1.0, 1.0), 2.0, "#f00").unwrap();
        picture
            .arrow((0.0, 0.0), (100.0, 0.0), 2.0, "#f00")
            .unwrap();
        picture.end().unwrap();
        assert_eq!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 20 10.5\" width=\"20\" height=\"10.5\" lang=\"ja\" role=\"img\">\n\
             <title>&lt;t&gt;</title>\n<rect width=\"20\" height=\"10.5\" fill=\"#fff\"/>\n\
             <rect x=\"1\" y=\"2\" width=\"3\" height=\"4\" fill=\"#abc\"/>\n<circle cx=\"1\" cy=\"2\" r=\"3\" fill=\"#abc\"/>\n\
             <path d=\"M0 1v2M0 1h2M2 1v2M0 3h2\" stroke=\"#000\" fill=\"none\"/>\n\
             <text x=\"1\" y=\"2\" fill=\"#111\">a&amp;b</text>\n\
             <polygon points=\"6.0,2.0 82.0,2.0 82.0,5.2 96.0,0.0 82.0,-5.2 82.0,-2.0 6.0,-2.0\" fill=\"#f00\" fill-opacity=\"0.75\"/>\n\
             </svg>\n"
        );
    }
}
