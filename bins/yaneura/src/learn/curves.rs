//! The curves of a training as a page of HTML: losses and the learning rate by epoch.

use std::path::{Path, PathBuf};

use report::{LineChart, Page, Series};
use shogi_learn::{EpochReport, LearnOptions};
use yane_io::AtomicFile;

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
        let mut page = Page::new(self.title.as_str());
        let values = |value: fn(&EpochReport) -> Option<f64>| -> Vec<(f64, f64)> {
            let point = |epoch: &EpochReport| Some((f64::from(epoch.epoch), value(epoch)?));
            self.epochs.iter().filter_map(point).collect()
        };
        let train = values(|epoch| (epoch.epoch > 0).then_some(epoch.train_loss));
        let valid = values(|epoch| epoch.validation_loss);
        let rate = values(|epoch| (epoch.epoch > 0).then_some(epoch.rate));
        page.section("Excess cross entropy");
        page.markup(chart(
            "Excess cross entropy",
            &[("training", &train), ("validation", &valid)],
        ));
        page.section("Learning rate");
        page.markup(chart("Learning rate", &[("rate", &rate)]));
        page.table(
            &["epoch", "training", "validation", "rate", "positions/s"],
            self.epochs.iter().map(row),
        );
        page.finish()
    }
}

fn row(report: &EpochReport) -> Vec<String> {
    let valid = report.validation_loss;
    vec![
        report.epoch.to_string(),
        format!("{:.5}", report.train_loss),
        valid.map_or_else(String::new, |loss| format!("{loss:.5}")),
        format!("{:.2e}", report.rate),
        format!("{:.0}", report.speed),
    ]
}

/// A line chart over epochs.
fn chart(title: &str, lines: &[(&str, &[(f64, f64)])]) -> String {
    let points = || lines.iter().flat_map(|(_, points)| points.iter().copied());
    let last = points().map(|point| point.0).fold(1.0, f64::max);
    let top = points()
        .map(|point| point.1)
        .fold(f64::MIN_POSITIVE, f64::max)
        * 1.05;
    let series: Vec<_> = lines
        .iter()
        .map(|&(name, points)| Series { name, points })
        .collect();
    LineChart {
        title,
        axis: "epochs",
        last,
        range: (0.0, top),
        mark: None,
        series: &series,
    }
    .to_string()
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
            gradients: None,
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
        assert_eq!(page.matches("\n<tr><th>").count(), 2, "{page}");
        assert!(
            page.contains("<tr><th>1</th><td>0.14000</td><td>0.15000</td>"),
            "{page}"
        );
        assert_eq!(page.matches("<polyline").count(), 3);
    }
}
