//! The shape of a file: found from the header's text, hashes and sizes.

use super::{FileError, NamedBy, NetworkReadOptions, Note};
use crate::nnue::arch::{
    Architecture, Classic, INPUT_PADDING, MAX_HIDDEN, MAX_WIDTH, ProgressUse, SFNN_NETWORK_HASH,
    Sfnn, Stacks, TransformerKind,
};
use crate::nnue::features::FeatureSet;
use crate::nnue::file::cursor::Cursor;
use crate::nnue::header::{Declared, Header};

/// A file's header and the number before its feature transformer.
pub(super) struct Beginning<'a> {
    pub(super) header: Header<'a>,
    pub(super) transformer_hash: u32,
    /// The offset of that number.
    pub(super) transformer_offset: usize,
    /// Size of the file.
    pub(super) bytes: usize,
}

/// The shape of a classic file. `cursor` is behind the feature transformer's hash.
pub(super) fn classic(
    beginning: &Beginning<'_>,
    cursor: &Cursor<'_>,
    options: &NetworkReadOptions,
    notes: &mut Vec<Note>,
) -> Result<Architecture, FileError> {
    let fits = |architecture: &Architecture| {
        architecture.file_bytes(beginning.header.text.len()) == Some(beginning.bytes as u64)
    };
    let wrong_size = |architecture: Architecture, named_by| FileError::Size {
        expected: architecture
            .file_bytes(beginning.header.text.len())
            .unwrap_or(u64::MAX),
        architecture: Box::new(architecture),
        offset: 0,
        found: beginning.bytes as u64,
        named_by,
    };
    if let Some(asked) = options.architecture {
        return match asked {
            Architecture::Classic(_) if fits(&asked) => Ok(asked),
            Architecture::Classic(_) => Err(wrong_size(asked, NamedBy::User)),
            Architecture::Sfnn(_) => Err(not_asked(
                asked,
                "an uncompressed feature transformer, \
                 which is classic"
                    .to_owned(),
            )),
        };
    }
    let declared = beginning.header.declared();
    let named = declared
        .architecture
        .filter(|named| matches!(named, Architecture::Classic(_)));
    if let Some(named) = named.filter(fits) {
        return Ok(named);
    }
    let mut found = classic_by_size(beginning, &declared, cursor);
    found.retain(fits);
    if found.is_empty() {
        return Err(match named {
            Some(named) => wrong_size(named, NamedBy::Header),
            None => unknown(beginning, "classic"),
        });
    }
    notes.extend(declared.architecture.map(|named| Note::Header { named }));
    Ok(choose(found, &declared, notes))
}

/// Classic shapes that have the header's sizes with another feature set, or that have the file's
/// hashes. Sets that have the same hash differ in size.
fn classic_by_size(
    beginning: &Beginning<'_>,
    declared: &Declared,
    cursor: &Cursor<'_>,
) -> Vec<Architecture> {
    let mut found = Vec::new();
    for features in FeatureSet::ALL {
        let shape = |width: usize, hidden: [usize; 2]| {
            Classic::new(features, width, hidden)
                .ok()
                .map(Architecture::Classic)
        };
        if let Some(named @ Architecture::Classic(_)) = declared.architecture {
            found.extend(shape(named.width(), named.hidden()));
            continue;
        }
        let doubled = (beginning.transformer_hash ^ features.hash()) as usize;
        if !doubled.is_multiple_of(2) || !(2..=2 * MAX_WIDTH).contains(&doubled) {
            continue;
        }
        let width = doubled / 2;
        let Some(hash) = hash_behind_transformer(cursor, features, width) else {
            continue;
        };
        let hidden = (0..MAX_HIDDEN).step_by(8).map(|n| n + 8);
        for hidden1 in hidden.clone() {
            found.extend(hidden.clone().filter_map(|hidden2| {
                shape(width, [hidden1, hidden2]).filter(|a| a.network_hash() == hash)
            }));
        }
    }
    found
}

/// The number before the affine layers, if the feature transformer has these sizes.
fn hash_behind_transformer(cursor: &Cursor<'_>, features: FeatureSet, width: usize) -> Option<u32> {
    let bytes = (1 + features.dimensions()).checked_mul(2 * width)?;
    let rest = cursor.rest().get(bytes..)?;
    Cursor::new(rest).peek_u32()
}

/// The facts known of an SFNN file when its affine layers begin.
pub(super) struct Tail {
    pub(super) features: FeatureSet,
    pub(super) width: usize,
    pub(super) has_progress: bool,
}

/// The shape of an SFNN file. `cursor` is at the first stack.
pub(super) fn sfnn(
    beginning: &Beginning<'_>,
    tail: &Tail,
    cursor: &Cursor<'_>,
    options: &NetworkReadOptions,
    notes: &mut Vec<Note>,
) -> Result<Architecture, FileError> {
    let bytes = cursor.rest().len();
    let fits = |architecture: &Architecture| {
        architecture
            .stack_bytes()
            .checked_mul(architecture.stack_count())
            == Some(bytes)
    };
    if let Some(asked) = options.architecture {
        return match tail.difference(&asked) {
            Some(found) => Err(not_asked(asked, found)),
            None if fits(&asked) => Ok(asked),
            None => Err(size_error(asked, cursor, NamedBy::User)),
        };
    }
    let declared = beginning.header.declared();
    let named = declared.architecture;
    if let Some(named) = named.filter(|named| tail.difference(named).is_none() && fits(named)) {
        return Ok(named);
    }
    let found = tail.by_size(&declared, cursor.rest());
    match (named, found.is_empty()) {
        (Some(named), true) if tail.difference(&named).is_none() => {
            Err(size_error(named, cursor, NamedBy::Header))
        }
        (_, true) => Err(unknown(beginning, "SFNN")),
        (named, false) => {
            notes.extend(named.map(|named| Note::Header { named }));
            Ok(choose(found, &declared, notes))
        }
    }
}

impl Tail {
    /// The difference between the file and `architecture`.
    fn difference(&self, architecture: &Architecture) -> Option<String> {
        let Architecture::Sfnn(_) = architecture else {
            return Some("a compressed feature transformer, which is SFNN".to_owned());
        };
        let (features, width) = (self.features.short_name(), self.width);
        let same = architecture.features() == self.features && architecture.width() == width;
        if !same {
            return Some(format!("{features} features and a width of {width}"));
        }
        match (self.has_progress, architecture.has_progress()) {
            (true, false) => Some("weights of the progress".to_owned()),
            (false, true) => Some("no weights of the progress".to_owned()),
            _ => None,
        }
    }

    /// All shapes that the affine layers may have. Shapes with shards have the size of those without,
    /// so only their name tells them.
    fn by_size(&self, declared: &Declared, bytes: &[u8]) -> Vec<Architecture> {
        let Some(stack_bytes) = stack_bytes(declared, bytes) else {
            return Vec::new();
        };
        let progress = if self.has_progress {
            ProgressUse::Chooses
        } else {
            ProgressUse::None
        };
        let mut found = Vec::new();
        for hidden in self.hidden(stack_bytes) {
            let count = bytes.len() / stack_bytes;
            for stacks in Stacks::with_count(count, progress) {
                let full = TransformerKind::Full;
                let sfnn = Sfnn::new(self.features, self.width, hidden, full, stacks);
                found.extend(sfnn.ok().map(Architecture::Sfnn));
            }
        }
        found
    }

    /// Hidden layers with which a stack has this size; likely ones first, with a shortcut before
    /// without.
    fn hidden(&self, stack_bytes: usize) -> Vec<[usize; 2]> {
        let padded = |inputs: usize| inputs.next_multiple_of(INPUT_PADDING);
        let mut found = Vec::new();
        for outputs in (8..=MAX_HIDDEN).step_by(8) {
            // The hash, the feature transformer, the last one's bias.
            let fixed = 4 + outputs * (4 + padded(self.width)) + 4;
            let Some(rest) = stack_bytes.checked_sub(fixed) else {
                break;
            };
            let each = 4 + padded(2 * outputs);
            // Other sizes exist only where they are named.
            let mut sizes = (8..=MAX_HIDDEN.min(rest / each))
                .step_by(8)
                .filter(|hidden2| hidden2 * each + padded(*hidden2) == rest);
            found.extend(sizes.next().map(|hidden2| [outputs, hidden2]));
        }
        found.sort_by_key(|[_, hidden2]| !hidden2.is_multiple_of(32));
        found
            .into_iter()
            .flat_map(|[outputs, hidden2]| [[outputs - 1, hidden2], [outputs, hidden2]])
            .collect()
    }
}

/// The size of one stack. There are as many as the header says, which each begin with the same hash;
/// if it does not say, they begin where the known hash stands in equal distances.
fn stack_bytes(declared: &Declared, bytes: &[u8]) -> Option<usize> {
    let len = bytes.len();
    let begin_with = |hash: &[u8], size: usize| {
        len.is_multiple_of(size)
            && (0..len)
                .step_by(size)
                .all(|at| bytes[at..].starts_with(hash))
    };
    if let Some(count) = declared.stacks {
        let size = len.checked_div(count).filter(|&size| size > 0)?;
        return begin_with(bytes.get(..4)?, size).then_some(size);
    }
    let hash = SFNN_NETWORK_HASH.to_le_bytes();
    (4..=len)
        .step_by(4)
        .filter(|&size| size == len || bytes[size..].starts_with(&hash))
        .find(|&size| begin_with(&hash, size))
}

/// The shape that the header's text speaks for, else the first. A note if that is not certain.
fn choose(
    mut found: Vec<Architecture>,
    declared: &Declared,
    notes: &mut Vec<Note>,
) -> Architecture {
    let evidence = |a: &Architecture| {
        2 * declared.evidence(a) + usize::from(declared.features == Some(a.features()))
    };
    let best = found.iter().map(evidence).max();
    found.retain(|a| Some(evidence(a)) == best);
    let taken = found.remove(0);
    if !found.is_empty() {
        notes.push(Note::Assumed {
            taken,
            others: found,
        });
    }
    taken
}

/// The affine layers of `architecture` are not what is left at `cursor`.
fn size_error(architecture: Architecture, cursor: &Cursor<'_>, named_by: NamedBy) -> FileError {
    FileError::Size {
        expected: architecture.stack_bytes() as u64 * architecture.stack_count() as u64,
        architecture: Box::new(architecture),
        offset: cursor.offset(),
        found: cursor.rest().len() as u64,
        named_by,
    }
}

fn not_asked(asked: Architecture, found: String) -> FileError {
    FileError::NotAsked {
        asked: Box::new(asked),
        found,
    }
}

fn unknown(beginning: &Beginning<'_>, family: &'static str) -> FileError {
    const SHOWN: usize = 200;
    FileError::Unknown {
        family,
        bytes: beginning.bytes,
        file_hash: beginning.header.hash,
        transformer_hash: beginning.transformer_hash,
        text: beginning.header.text_lossy().chars().take(SHOWN).collect(),
    }
}
