//! The curves of a training as a page of HTML: losses and the learning rate by epoch.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use shogi_learn::{EpochReport, LearnOptions};
use yane_io::AtomicFile;

/// Why writing into a text cannot fail.
const APPENDS: &str = "text can be appended to";

/// A page that is written anew after each epoch.
pub(super) struct Curves {
    path: PathBuf,
    title: String,
    epochs: Vec<EpochReport>,
}

impl Curves {
    /// A page in the file `path`, about a training of `kind` with `options`.
    pub(super) fn new(path: &Path, kind: &str, options: &LearnOptions) -> Self {
        let files: Vec<_> = options
            .sources
            .iter()
            .map(|source| source.path.display().to_string())
            .collect();
        Self {
            path: path.to_owned(),
            title: format!("{kind}, learnt from {}", files.join(", ")),
            epochs: Vec::new(),
        }
    }

    /// Adds an epoch and writes the page.
    pub(super) fn add(&mut self, report: &EpochReport) -> yane_io::Result<()> {
        self.epochs.retain(|old| old.epoch < report.epoch);
        self.epochs.push(report.clone());
        let mut file = AtomicFile::create(&self.path)?;
        file.put(self.page().as_bytes())?;
        file.commit()
    }

    fn page(&self) -> String {
        let title = escape(&self.title);
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n\
             <style>body{{font:15px system-ui,sans-serif;margin:2em auto;max-width:46em;color:#222}}\
             svg{{width:100%;height:auto}}text{{font-size:12px;fill:#555}}\
             td,th{{padding:2px 10px;text-align:right}}</style></head>\n<body><h1>{title}</h1>\n"
        );
        let losses = |loss: fn(&EpochReport) -> Option<f64>| -> Vec<(f64, f64)> {
            let point = |epoch: &EpochReport| Some((f64::from(epoch.epoch), loss(epoch)?));
            self.epochs.iter().filter_map(point).collect()
        };
        let train = losses(|epoch| (epoch.epoch > 0).then_some(epoch.train_loss));
        let valid = losses(|epoch| epoch.validation_loss);
        let rate = losses(|epoch| (epoch.epoch > 0).then_some(epoch.rate));
        page += "<h2>Excess cross entropy</h2>\n";
        page += &chart(&[
            ChartLine {
                name: "training",
                colour: "#2b6cb0",
                points: &train,
            },
            ChartLine {
                name: "validation",
                colour: "#c05621",
                points: &valid,
            },
        ]);
        page += "<h2>Learning rate</h2>\n";
        page += &chart(&[ChartLine {
            name: "rate",
            colour: "#2f855a",
            points: &rate,
        }]);
        page += "<table><tr><th>epoch</th><th>training</th><th>validation</th><th>rate</th><th>positions/s</th></tr>\n";
        for epoch in &self.epochs {
            let valid = epoch
                .validation_loss
                .map_or_else(String::new, |loss| format!("{loss:.5}"));
            let EpochReport {
                epoch,
                train_loss,
                rate,
                speed,
                ..
            } = epoch;
            writeln!(
                page,
                "<tr><td>{epoch}</td><td>{train_loss:.5}</td><td>{valid}</td><td>{rate:.2e}</td><td>{speed:.0}</td></tr>"
            )
            .expect(APPENDS);
        }
        page + "</table></body></html>\n"
    }
}

/// A line of a chart.
struct ChartLine<'a> {
    name: &'a str,
    colour: &'a str,
    points: &'a [(f64, f64)],
}

/// A line chart over epochs.
fn chart(lines: &[ChartLine<'_>]) -> String {
    const WIDTH: f64 = 720.0;
    const HEIGHT: f64 = 260.0;
    const LEFT: f64 = 70.0;
    const BOTTOM: f64 = 30.0;
    let points = || lines.iter().flat_map(|line| line.points.iter().copied());
    let last = points().map(|point| point.0).fold(1.0, f64::max);
    let top = points()
        .map(|point| point.1)
        .fold(f64::MIN_POSITIVE, f64::max)
        * 1.05;
    let x = |epoch: f64| LEFT + epoch / last * (WIDTH - LEFT - 10.0);
    let y = |value: f64| 10.0 + (1.0 - value / top) * (HEIGHT - BOTTOM - 10.0);
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n");
    for step in 0..=4 {
        let value = top * f64::from(step) / 4.0;
        let at = y(value);
        let label = if top < 0.01 {
            format!("{value:.1e}")
        } else {
            format!("{value:.3}")
        };
        writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            LEFT - 6.0,
            at + 4.0
        )
        .expect(APPENDS);
    }
    for (
        index,
        ChartLine {
            name,
            colour,
            points,
        },
    ) in lines.iter().enumerate()
    {
        let path: Vec<_> = points
            .iter()
            .map(|point| format!("{:.1},{:.1}", x(point.0), y(point.1)))
            .collect();
        writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\
             <text x=\"{}\" y=\"{}\" style=\"fill:{colour}\">{name}</text>",
            path.join(" "),
            LEFT + 10.0 + 110.0 * index as f64,
            HEIGHT - 8.0
        )
        .expect(APPENDS);
    }
    let (right, bottom) = (WIDTH - 4.0, HEIGHT - 8.0);
    writeln!(
        svg,
        "<text x=\"{right}\" y=\"{bottom}\" text-anchor=\"end\">epoch {last}</text></svg>"
    )
    .expect(APPENDS);
    svg
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_shows_each_epoch_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("curves.html");
        let options = LearnOptions::new("kp_32x2-8-8".parse().expect("an architecture"), "out");
        let mut curves = Curves::new(&path, "kp_32x2-8-8", &options);
        let epoch = |epoch, loss| EpochReport {
            epoch,
            positions: 100,
            train_loss: loss,
            train_entropy: 0.4,
            validation_loss: Some(loss + 0.01),
            entropy: 0.5,
            rate: 0.001,
            speed: 60_000.0,
            policy: None,
            health: shogi_learn::NetworkHealth::default(),
        };
        for report in [
            epoch(0, 0.2),
            epoch(1, 0.15),
            epoch(2, 0.12),
            epoch(1, 0.14),
        ] {
            curves.add(&report).expect("a file");
        }
        let page = std::fs::read_to_string(&path).expect("the page");
        assert!(
            page.contains("<title>kp_256") || page.contains("kp_32x2-8-8"),
            "{page}"
        );
        assert_eq!(page.matches("<tr><td>").count(), 2, "{page}");
        assert!(page.contains("<td>0.14000</td><td>0.15000</td>"), "{page}");
        assert_eq!(page.matches("<polyline").count(), 3);
    }
}
