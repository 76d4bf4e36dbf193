//! The annotated records.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use shogi_kifu::{CsaVersion, KifuFormat};
use shogi_review::annotate;
use yane_cli::records::{RecordSink, format_of_output};
use yane_cli::{UsageError, is_standard};
use yane_io::Overwrite;

use super::cli::ResultArgs;
use super::games::InputGames;
use super::store::Store;

/// A file of annotated records: its format, and the numbers of its games.
type Planned = (PathBuf, KifuFormat, Vec<usize>);

/// The files of annotated records.
pub(super) struct Records(Vec<Planned>);

impl Records {
    /// The files that are asked for. Nothing is written yet.
    pub(super) fn plan(
        args: &ResultArgs,
        overwrite: Overwrite,
        input: &InputGames,
    ) -> anyhow::Result<Self> {
        let all = 0..input.games.len();
        if let Some(output) = &args.output {
            let format = format_of_output(args.format(), output)?;
            return Ok(Self(vec![(output.clone(), format, all.collect())]));
        }
        let Some(folder) = &args.out_dir else {
            return Ok(Self(Vec::new()));
        };
        std::fs::create_dir_all(folder).map_err(yane_io::Error::io(folder))?;
        let mut files: BTreeMap<PathBuf, (&Path, Planned)> = BTreeMap::new();
        for number in all {
            let game = &input.games[number];
            let format = args.format().unwrap_or(game.format);
            let path = folder.join(name_of(&game.path, format));
            let (from, planned) = files
                .entry(path.clone())
                .or_insert_with(|| (&game.path, (path, format, Vec::new())));
            if *from != game.path {
                let text = format!(
                    "{} and {} would both be written to {}",
                    from.display(),
                    game.path.display(),
                    planned.0.display()
                );
                return Err(UsageError(text).into());
            }
            planned.2.push(number);
        }
        for path in files.keys() {
            overwrite.check(path, &input.paths)?;
        }
        Ok(Self(
            files.into_values().map(|(_, planned)| planned).collect(),
        ))
    }

    /// Writes them.
    pub(super) fn write(
        &self,
        args: &ResultArgs,
        input: &InputGames,
        store: &mut Store,
    ) -> anyhow::Result<()> {
        for (path, format, games) in &self.0 {
            // What may be replaced was checked before the analysis.
            let mut sink = RecordSink::replacing(path)?;
            for &game in games {
                let Some(review) = store.get(game)? else {
                    continue;
                };
                let annotated =
                    annotate(&input.games[game].record, &review, args.annotation(*format));
                let (text, _) = format.write(&annotated, CsaVersion::V22);
                sink.put(text.as_bytes(), format.separator().as_bytes())?;
            }
            sink.commit()?;
        }
        Ok(())
    }
}

/// The name of the output for an input.
fn name_of(input: &Path, format: KifuFormat) -> PathBuf {
    let stem = if is_standard(input) {
        Path::new("games")
    } else {
        input
    };
    let mut name = PathBuf::from(stem.file_name().unwrap_or(stem.as_os_str()));
    let is_same = name
        .extension()
        .and_then(|own| KifuFormat::of_extension(own.to_str()?))
        == Some(format);
    if !is_same {
        name.set_extension(format.extension());
    }
    name
}
