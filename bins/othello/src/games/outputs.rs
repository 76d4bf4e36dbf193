//! Outputs for games of othello: files of texts, each game once, files of WTHOR, one game with variations.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use othello_record::{
    ArchiveError, OthelloFormat, OthelloRecord, RecordLoss, RecordLosses, RecordPlace,
    SynchroBoard, WthorWriter, canonical_moves,
};
use yane_cli::records::{ArchiveWriter, Put, RecordOutput, RecordSink};
use yane_cli::{Settings, UsageError, is_standard};
use yane_io::{AtomicFile, Claim};

use super::annotate::Annotation;

/// A game as it is written.
pub(super) struct WrittenGame {
    /// Empty where all that counts is the record.
    pub(super) text: String,
    /// What the text does not hold.
    pub(super) losses: RecordLosses,
    pub(super) record: Box<OthelloRecord>,
    pub(super) synchro: Option<SynchroBoard>,
    pub(super) place: RecordPlace,
}

impl WrittenGame {
    /// Returns whether the text has no place for where the game begins, so that it would be another one.
    pub(super) fn loses_start(&self) -> bool {
        self.losses.count(RecordLoss::Starts) > 0
    }
}

/// What writes games for these outputs.
pub(super) trait GameWriter:
    ArchiveWriter<Written = WrittenGame, Losses = RecordLosses, Error = ArchiveError>
{
}

impl<W> GameWriter for W where
    W: ArchiveWriter<Written = WrittenGame, Losses = RecordLosses, Error = ArchiveError>
{
}

type PutGame = anyhow::Result<Put<ArchiveError>>;

/// A game of the file at `path` that an output cannot hold.
fn refused(path: &Path, game: &WrittenGame, reason: String) -> Put<ArchiveError> {
    Put::Refused(ArchiveError {
        path: Some(path.to_owned()),
        place: game.place,
        reason,
    })
}

/// A file of texts.
pub(super) struct Texts {
    sink: RecordSink,
    format: OthelloFormat,
    order: Order,
}

/// Which games a file of texts takes, and how they stand there.
enum Order {
    /// All of them, one after the other.
    Plain,
    /// Those of the boards of a match together.
    Matches(Boards),
    /// Each game once; those that were seen.
    Once(HashSet<Vec<u8>>),
}

impl Texts {
    pub(super) fn create(
        path: &Path,
        inputs: &[PathBuf],
        format: OthelloFormat,
        settings: &Settings,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            sink: RecordSink::create(path, inputs, settings)?,
            format,
            order: match format {
                OthelloFormat::Ggf => Order::Matches(Boards::default()),
                _ => Order::Plain,
            },
        })
    }

    /// A file that has each game once, symmetric ones being the same.
    pub(super) fn once(
        path: &Path,
        inputs: &[PathBuf],
        format: OthelloFormat,
        settings: &Settings,
    ) -> anyhow::Result<Self> {
        if format == OthelloFormat::Wthor {
            let reason = "--unique: filter into another format, then convert to WTHOR";
            return Err(UsageError(reason.to_owned()).into());
        }
        Ok(Self {
            order: Order::Once(HashSet::new()),
            ..Self::create(path, inputs, format, settings)?
        })
    }
}

impl<W: GameWriter> RecordOutput<W> for Texts {
    fn put(&mut self, path: &Path, game: WrittenGame, losses: &mut RecordLosses) -> PutGame {
        let format = self.format;
        if game.loses_start() {
            let reason = format!("{format} has only games from the start position");
            return Ok(refused(path, &game, reason));
        }
        losses.absorb(&game.losses);
        match &mut self.order {
            Order::Matches(boards) => boards.put(game, &mut self.sink)?,
            Order::Plain if format.is_single() && self.sink.records() > 0 => {
                let reason =
                    format!("a file of {format} holds one game; use --out-dir DIR for several");
                return Err(UsageError(reason).into());
            }
            order => {
                if let Order::Once(seen) = order
                    && !seen.insert(canonical_moves(&game.record))
                {
                    return Ok(Put::Repeated);
                }
                let separator = format.separator().as_bytes();
                self.sink.put(game.text.as_bytes(), separator)?;
            }
        }
        Ok(Put::Written)
    }

    fn finish(mut self: Box<Self>, _: &mut RecordLosses) -> anyhow::Result<u64> {
        if let Order::Matches(boards) = &mut self.order {
            boards.finish(&mut self.sink)?;
        }
        self.sink.commit()?;
        Ok(1)
    }
}

/// The boards of a match that are written together, as GGS does: `2 (;…)(;…)`.
#[derive(Default)]
struct Boards(Vec<Board>);

impl Boards {
    /// Writes a game, or keeps it until the other boards of its match are there.
    fn put(&mut self, game: WrittenGame, sink: &mut RecordSink) -> anyhow::Result<()> {
        let goes_on = match (self.0.last().and_then(|last| last.synchro), game.synchro) {
            (Some(last), Some(next)) => last.of == next.of && last.number < next.number,
            _ => false,
        };
        if !goes_on {
            self.finish(sink)?;
        }
        let is_last = game.synchro.is_none_or(|board| board.number == board.of);
        self.0.push(Board {
            text: game.text,
            synchro: game.synchro,
        });
        if is_last { self.finish(sink) } else { Ok(()) }
    }

    fn finish(&mut self, sink: &mut RecordSink) -> anyhow::Result<()> {
        let games = std::mem::take(&mut self.0);
        let text = match &games[..] {
            [] => return Ok(()),
            [one] => one.text.clone(),
            several => {
                let texts = several.iter().map(|game| game.text.trim_end());
                format!("{} {}\n", several.len(), texts.collect::<String>())
            }
        };
        sink.put(text.as_bytes(), b"")
    }
}

struct Board {
    text: String,
    synchro: Option<SynchroBoard>,
}

/// A file of WTHOR, with those of its names beside it.
pub(super) struct Tournament {
    /// The files of games, of players and of tournaments.
    outputs: [PathBuf; 3],
    _claims: Vec<Claim>,
    writer: WthorWriter,
}

impl Tournament {
    pub(super) fn create(
        path: &Path,
        inputs: &[PathBuf],
        settings: &Settings,
    ) -> anyhow::Result<Self> {
        if is_standard(path) {
            return Err(UsageError("WTHOR is three files: add -o OUT.wtb".to_owned()).into());
        }
        let outputs = ["wtb", "jou", "trn"].map(|extension| path.with_extension(extension));
        let overwrite = settings.overwrite();
        let claims = outputs.iter().map(|output| overwrite.claim(output, inputs));
        Ok(Self {
            _claims: claims.collect::<yane_io::Result<_>>()?,
            outputs,
            writer: WthorWriter::default(),
        })
    }
}

impl<W: GameWriter> RecordOutput<W> for Tournament {
    fn put(&mut self, path: &Path, game: WrittenGame, losses: &mut RecordLosses) -> PutGame {
        Ok(match self.writer.add(&game.record, losses) {
            Ok(()) => Put::Written,
            Err(error) => refused(path, &game, error.to_string()),
        })
    }

    fn finish(self: Box<Self>, _: &mut RecordLosses) -> anyhow::Result<u64> {
        let files = self.writer.finish(today());
        let contents = [files.games, files.players, files.tournaments];
        // The games last: they need the names.
        for (path, bytes) in self.outputs.iter().zip(&contents).rev() {
            let mut file = AtomicFile::create(path)?;
            file.put(bytes)?;
            file.commit()?;
        }
        Ok(contents.len() as u64)
    }
}

/// One record with variations of all games.
pub(super) struct Tree {
    sink: RecordSink,
    format: OthelloFormat,
    annotation: Annotation,
    /// All games so far.
    merged: Option<OthelloRecord>,
    games: u64,
}

impl Tree {
    pub(super) fn create(
        path: &Path,
        inputs: &[PathBuf],
        format: OthelloFormat,
        annotation: Annotation,
        settings: &Settings,
    ) -> anyhow::Result<Self> {
        if format != OthelloFormat::Sgf {
            return Err(UsageError(format!("--tree: {format} has no variations; SGF has")).into());
        }
        Ok(Self {
            sink: RecordSink::create(path, inputs, settings)?,
            format,
            annotation,
            merged: None,
            games: 0,
        })
    }
}

impl<W: GameWriter> RecordOutput<W> for Tree {
    fn put(&mut self, path: &Path, game: WrittenGame, _: &mut RecordLosses) -> PutGame {
        if let Some(tree) = &mut self.merged {
            if !tree.merge(&game.record) {
                let reason = "it begins at another position than the first game";
                return Ok(refused(path, &game, reason.to_owned()));
            }
        } else {
            self.merged = Some(*game.record);
        }
        self.games += 1;
        Ok(Put::Written)
    }

    fn finish(mut self: Box<Self>, losses: &mut RecordLosses) -> anyhow::Result<u64> {
        if let Some(mut tree) = self.merged.take() {
            if self.games > 1 {
                // What is said of the first game does not hold for all.
                tree.info = othello_record::OthelloInfo::default();
                self.annotation.name(&mut tree);
            }
            let (text, lost) = self.format.write(&tree);
            losses.absorb(&lost);
            self.sink.put(text.as_bytes(), b"")?;
        }
        self.sink.commit()?;
        Ok(1)
    }
}

/// Year, month and day in UTC.
pub(crate) fn today() -> [u16; 3] {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let days = since.map_or(0, |since| since.as_secs() / 86_400);
    // Years that begin in March have the leap day at their end.
    let day = days + 719_468;
    let era = day / 146_097;
    let of_era = day % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    [year as u16, month as u16, day as u16]
}
