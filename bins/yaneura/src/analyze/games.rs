//! The games that are analysed.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use shogi_kifu::{ArchiveGame, GameRecord, KifuError, KifuFormat, KifuFormats, record_files};
use yane_cli::input_files;
use yane_cli::records::{OnBadRecord, RecordSource, RecordTally, for_each_record};
use yane_io::{Checksum, Hasher, Job};

use super::cli::AnalyzeArgs;

/// Records of shogi as inputs.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnalyzedGames;

impl RecordSource for AnalyzedGames {
    type Record = ArchiveGame;
    type Error = KifuError;
    type Formats = KifuFormats;

    const PROGRAM: &'static str = "analyze";

    fn formats(&self, _: &[PathBuf]) -> anyhow::Result<KifuFormats> {
        Ok(KifuFormats)
    }

    fn problem(error: &KifuError) -> Value {
        let path = error.path.as_ref().map(|path| path.display().to_string());
        json!({ "file": path, "line": error.line, "problem": error.problem.to_string() })
    }
}

/// A game with its place.
pub(super) struct InputGame {
    /// The file.
    pub(super) path: PathBuf,
    /// The number of the game in the file, from 1.
    pub(super) number: usize,
    /// The format that it was read from.
    pub(super) format: KifuFormat,
    /// The game.
    pub(super) record: GameRecord,
}

impl InputGame {
    /// Where it is from, for people.
    pub(super) fn place(&self) -> String {
        format!("{}:{}", self.path.display(), self.number)
    }
}

/// The games of a run.
pub(super) struct InputGames {
    /// The games in their order.
    pub(super) games: Vec<InputGame>,
    /// The files.
    pub(super) paths: Vec<PathBuf>,
    /// What could not be read.
    pub(super) tally: RecordTally<KifuError>,
}

impl InputGames {
    /// Reads all games.
    pub(super) fn read(args: &AnalyzeArgs, job: &Job) -> anyhow::Result<Self> {
        let paths = input_files(&args.games, record_files)?;
        let on_bad = if args.skip_bad {
            OnBadRecord::Skip
        } else {
            OnBadRecord::Stop
        };
        let mut tally = RecordTally::new::<AnalyzedGames>();
        let mut games: Vec<InputGame> = Vec::new();
        let work = |game: ArchiveGame| (game.format, game.record);
        let take = |path: &Path, (format, record): (KifuFormat, GameRecord)| {
            let number = games
                .last()
                .filter(|last| last.path == path)
                .map_or(1, |last| last.number + 1);
            games.push(InputGame {
                path: path.to_owned(),
                number,
                format,
                record,
            });
            Ok(None)
        };
        for_each_record(&AnalyzedGames, &paths, on_bad, job, &mut tally, work, take)?;
        Ok(Self {
            games,
            paths,
            tally,
        })
    }

    /// What decides the analysis of the games: their starts, moves and variations.
    pub(super) fn checksum(&self) -> Checksum {
        let mut hasher = Hasher::default();
        for game in &self.games {
            let record = &game.record;
            hasher.update(record.start().to_sfen().as_bytes());
            // Parents are numbered before their children, so that this text is the tree.
            for (number, node) in record.nodes().enumerate() {
                let parent = node.parent();
                hasher.update(
                    format!("{number} {parent:?} {:?} {:?}\n", node.step(), node.time).as_bytes(),
                );
            }
            hasher.update(format!("{:?}", record.headers).as_bytes());
        }
        hasher.finish()
    }
}
