//! `import`: any text that people paste, with the format that was recognised.

use page_messages::PageFailure;
use serde::{Deserialize, Serialize};
use shogi_core::{Game, LenientPosition, Move, Shown};
use shogi_kifu::{
    ArchiveGame, GameRecord, KifuError, KifuFormat, RecordBuilder, decode_record, read_games,
    read_typed_moves,
};

use crate::base64::from_base64;
use crate::fields::{NamesChoice, usi_moves};
use crate::game_fields::RecordFields;
use crate::line::LineFields;

/// Items that are returned at most.
const MOST_ITEMS: usize = 1_000;

/// Bytes of items that are returned, about: what does not fit into a message is only counted.
const MOST_BYTES: usize = 700_000;

/// Failures that are told at most.
const MOST_FAILURES: usize = 20;

/// Characters of a text that a failure shows.
const SHOWN: usize = 200;

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ImportRequest {
    #[serde(default)]
    text: Option<String>,
    /// The same as bytes, in base64.
    #[serde(default)]
    bytes: Option<String>,
    /// The line on the page, from whose end moves may go on.
    #[serde(default)]
    line: Option<LineFields>,
    #[serde(default)]
    names: NamesChoice,
}

/// What was recognised.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ImportFields {
    items: Vec<ImportItem>,
    failures: Vec<ImportFailure>,
    total: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct ImportItem {
    line: u64,
    kind: &'static str,
    kind_text: &'static str,
    sfen: String,
    moves: Vec<String>,
    game: RecordFields,
    note: Option<String>,
    end: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct ImportFailure {
    line: u64,
    text: String,
    error: String,
}

/// A kind of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Record(KifuFormat),
    Sfen,
    Bod,
    Moves,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Record(format) => format.name(),
            Self::Sfen => "sfen",
            Self::Bod => "bod",
            Self::Moves => "moves",
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Record(KifuFormat::Kif) => "KIF",
            Self::Record(KifuFormat::Ki2) => "KI2",
            Self::Record(KifuFormat::Csa) => "CSA",
            Self::Record(KifuFormat::Jkf) => "JKF",
            Self::Record(KifuFormat::Usi) => "USI",
            Self::Sfen => "SFEN",
            Self::Bod => "BOD",
            Self::Moves => "moves",
        }
    }
}

/// Answers `import`.
pub(crate) fn import(request: &ImportRequest) -> Result<ImportFields, PageFailure> {
    let bytes = match (&request.text, &request.bytes) {
        (Some(text), _) => text.clone().into_bytes(),
        (None, Some(text)) => from_base64(text)
            .ok_or_else(|| PageFailure::new("bytes: a text in base64 was expected"))?,
        (None, None) => return Err(PageFailure::new("import: text or bytes were expected")),
    };
    let here = match &request.line {
        Some(line) => Some(line.game()?),
        None => None,
    };
    Ok(imported(&bytes, here.as_ref(), request.names))
}

/// What was recognised in the bytes of a text; moves alone may go on from the end of a game.
pub(crate) fn imported(bytes: &[u8], here: Option<&Game>, names: NamesChoice) -> ImportFields {
    let mut fields = ImportFields::default();
    let text = decode_record(bytes);
    if let Ok(text) = &text
        && let Some(item) = position_alone(text, names).or_else(|| moves_alone(text, here, names))
    {
        fields.items.push(item);
        fields.total = 1;
        return fields;
    }
    let mut size = 0;
    match read_games(bytes) {
        Err(error) => fields.fail(&error, text.as_deref().unwrap_or_default()),
        Ok((format, games)) => {
            for game in games {
                match game {
                    Ok(game) => fields.add(&game, format, &mut size, names),
                    Err(error) => fields.fail(&error, text.as_deref().unwrap_or_default()),
                }
            }
        }
    }
    fields
}

/// A position in SFEN, however it is spelt.
fn position_alone(text: &str, names: NamesChoice) -> Option<ImportItem> {
    let text = text.trim();
    let line = text.strip_prefix("position").unwrap_or(text).trim();
    if line.lines().count() != 1 || !line.contains('/') && !line.starts_with("startpos") {
        return None;
    }
    let read = LenientPosition::parse(line).ok()?;
    let Shown::Game(game) = read.shown else {
        return None;
    };
    let mut start = game.clone();
    while start.undo().is_some() {}
    let mut builder = RecordBuilder::new(start.position().clone());
    let moves: Vec<Move> = game.moves().collect();
    for &m in &moves {
        builder.play(m);
    }
    let kind = if moves.is_empty() {
        Kind::Sfen
    } else {
        Kind::Record(KifuFormat::Usi)
    };
    let corrections: Vec<_> = read.corrections.iter().map(ToString::to_string).collect();
    let note = (!corrections.is_empty()).then(|| corrections.join("; "));
    Some(ImportItem::of(&builder.finish(), kind, 1, note, names))
}

/// Moves without anything around them, from the start or else from the end of the line on the page.
fn moves_alone(text: &str, here: Option<&Game>, names: NamesChoice) -> Option<ImportItem> {
    let start = Game::new(shogi_core::Position::startpos());
    let format = KifuFormat::detect(text);
    // Records say more than their moves.
    let is_record = format.is_some();
    if !matches!(format, None | Some(KifuFormat::Usi | KifuFormat::Ki2)) {
        return None;
    }
    let (from, moves) = match read_typed_moves(&start, text) {
        Ok(_) if is_record => return None,
        Ok(moves) => (&start, moves),
        Err(_) => {
            let here = here?;
            (here, read_typed_moves(here, text).ok()?)
        }
    };
    let mut builder = RecordBuilder::new(from.position().clone());
    for &m in &moves {
        builder.play(m);
    }
    let is_from_here = !std::ptr::eq(from, &raw const start);
    let note = is_from_here.then(|| "from the position on the board".to_owned());
    Some(ImportItem::of(
        &builder.finish(),
        Kind::Moves,
        1,
        note,
        names,
    ))
}

impl ImportFields {
    fn add(
        &mut self,
        game: &ArchiveGame,
        format: KifuFormat,
        size: &mut usize,
        names: NamesChoice,
    ) {
        self.total += 1;
        if self.items.len() >= MOST_ITEMS || *size >= MOST_BYTES {
            return;
        }
        let record = &game.record;
        let is_board = record.node_count() == 1 && record.handicap().is_none();
        let kind = match format {
            KifuFormat::Kif | KifuFormat::Ki2 if is_board => Kind::Bod,
            KifuFormat::Usi if record.node_count() == 1 => Kind::Sfen,
            format => Kind::Record(format),
        };
        let note = foul_note(record);
        let item = ImportItem::of(record, kind, game.line, note, names);
        *size += serde_json::to_string(&item).map_or(0, |text| text.len());
        if *size < MOST_BYTES || self.items.is_empty() {
            self.items.push(item);
        }
    }

    fn fail(&mut self, error: &KifuError, text: &str) {
        if self.failures.len() >= MOST_FAILURES {
            return;
        }
        let line = text.lines().nth(error.line.saturating_sub(1) as usize);
        self.failures.push(ImportFailure {
            line: error.line,
            text: line.unwrap_or_default().chars().take(SHOWN).collect(),
            error: error.problem.to_string(),
        });
    }
}

/// What is left out behind a move against the rules.
fn foul_note(record: &GameRecord) -> Option<String> {
    let (number, _, foul) = record.fouls().into_iter().next()?;
    let behind = record.played_moves().count() - number;
    let name = foul.name();
    Some(match behind {
        0 => format!("move {number} breaks a rule: {name}"),
        behind => {
            format!("move {number} breaks a rule: {name}; {behind} moves behind it are left out")
        }
    })
}

impl ImportItem {
    fn of(
        record: &GameRecord,
        kind: Kind,
        line: u64,
        note: Option<String>,
        names: NamesChoice,
    ) -> Self {
        let moves: Vec<Move> = record.moves().collect();
        let (end, _) = record.position_at(moves.len());
        Self {
            line,
            kind: kind.name(),
            kind_text: kind.text(),
            sfen: record.start().to_sfen(),
            moves: usi_moves(&moves),
            game: RecordFields::of(record, names),
            note,
            end: end.to_sfen(),
        }
    }
}
