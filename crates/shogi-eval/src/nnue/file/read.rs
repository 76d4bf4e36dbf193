//! Reading files: a cursor over bytes that checks every step.

use super::detect::{Beginning, Tail};
use super::{FileError, LEB128_MAGIC, Loaded, NetworkReadOptions, Note, detect, write};
use crate::nnue::aligned::Aligned;
use crate::nnue::arch::{
    Architecture, FILE_VERSION, MAX_WIDTH, PROGRESS_HASH, SFNN_FILE_HASH, SFNN_NETWORK_HASH,
};
use crate::nnue::features::FeatureSet;
use crate::nnue::file::cursor::{Cursor, i16s, i32s};

use crate::nnue::file::write::write_network;
use crate::nnue::header::Header;
use crate::nnue::network::{AffineLayers, GameProgress, Network, Transformer};
use std::io;
use std::io::{Read, Write};

const THE_FILE: &str = "the file";
const THE_TRANSFORMER: &str = "the feature transformer";
const THE_PROGRESS: &str = "the weights of the progress";
const THE_LAYERS: &str = "the affine layers";

/// Everything that a [`Note::Hash`] may be about.
pub(in crate::nnue) const HASHED: [&str; 4] = [THE_FILE, THE_TRANSFORMER, THE_PROGRESS, THE_LAYERS];

pub(super) fn read(bytes: &[u8], options: &NetworkReadOptions) -> Result<Loaded, FileError> {
    let mut cursor = Cursor::new(bytes);
    let found = cursor.u32("the version")?;
    if found != FILE_VERSION {
        return Err(FileError::Version { found });
    }
    let hash = cursor.u32("the hash")?;
    let len = cursor.u32("the size of the text")?;
    let text = cursor.take(Some(len as usize), "the text")?;
    let transformer_offset = cursor.offset();
    let beginning = Beginning {
        header: Header { hash, text },
        transformer_hash: cursor.u32("the hash of the feature transformer")?,
        transformer_offset,
        bytes: bytes.len(),
    };
    let mut notes = Vec::new();
    let is_sfnn = cursor.rest().starts_with(LEB128_MAGIC)
        || beginning.header.hash == SFNN_FILE_HASH
        || beginning.header.hash == SFNN_FILE_HASH ^ PROGRESS_HASH;
    let (transformer, layers) = if is_sfnn {
        sfnn(&beginning, cursor, options, &mut notes)?
    } else {
        classic(&beginning, cursor, options, &mut notes)?
    };
    beginning.check_hashes(layers.architecture(), &mut notes);
    Ok(Loaded {
        network: Network::new(text.to_vec(), transformer, layers),
        notes,
    })
}

impl Beginning<'_> {
    fn check_hashes(&self, architecture: &Architecture, notes: &mut Vec<Note>) {
        check_hash(
            THE_FILE,
            4,
            self.header.hash,
            architecture.file_hash(),
            notes,
        );
        check_hash(
            THE_TRANSFORMER,
            self.transformer_offset,
            self.transformer_hash,
            architecture.transformer_hash(),
            notes,
        );
    }
}

fn check_hash(what: &'static str, offset: usize, found: u32, expected: u32, notes: &mut Vec<Note>) {
    if found != expected {
        notes.push(Note::Hash {
            what,
            offset,
            found,
            expected,
        });
    }
}

fn classic(
    beginning: &Beginning<'_>,
    mut cursor: Cursor<'_>,
    options: &NetworkReadOptions,
    notes: &mut Vec<Note>,
) -> Result<(Transformer, AffineLayers), FileError> {
    let architecture = detect::classic(beginning, &cursor, options, notes)?;
    let width = architecture.width();
    let numbers = |bytes: &[u8]| {
        let mut numbers = Aligned::zeros(bytes.len() / 2);
        for (number, value) in numbers.iter_mut().zip(i16s(bytes)) {
            *number = value;
        }
        numbers
    };
    let biases = numbers(cursor.take(Some(2 * width), BIASES)?);
    let weights = width
        .checked_mul(2)
        .and_then(|bytes| bytes.checked_mul(architecture.features().dimensions()));
    let weights = numbers(cursor.take(weights, WEIGHTS)?);
    let layers = affine_layers(architecture, None, cursor, notes)?;
    Ok((Transformer::new(biases, weights), layers))
}

const BIASES: &str = "the feature transformer's biases";
const WEIGHTS: &str = "the feature transformer's weights";

fn sfnn(
    beginning: &Beginning<'_>,
    mut cursor: Cursor<'_>,
    options: &NetworkReadOptions,
    notes: &mut Vec<Note>,
) -> Result<(Transformer, AffineLayers), FileError> {
    let offset = cursor.offset();
    let biases = compressed(&mut cursor, BIASES)?;
    let width = write::count(biases.1);
    if !(2..=MAX_WIDTH).contains(&width) || !width.is_multiple_of(2) {
        let max = MAX_WIDTH;
        return Err(FileError::Width { offset, width, max });
    }
    let offset = cursor.offset();
    let weights = compressed(&mut cursor, WEIGHTS)?;
    let count = write::count(weights.1);
    let features = FeatureSet::ALL
        .into_iter()
        .find(|set| set.dimensions() * width == count)
        .ok_or(FileError::Features {
            offset,
            weights: count,
            width,
        })?;
    let has_progress = match cursor.peek_u32() {
        Some(SFNN_NETWORK_HASH) => false,
        Some(PROGRESS_HASH) => true,
        _ => beginning.header.hash == SFNN_FILE_HASH ^ PROGRESS_HASH,
    };
    let progress = if has_progress {
        Some(progress(&mut cursor, notes)?)
    } else {
        None
    };
    let tail = Tail {
        features,
        width,
        has_progress,
    };
    let architecture = detect::sfnn(beginning, &tail, &cursor, options, notes)?;
    // Decoded last: what does not fit is refused before the work.
    let transformer = Transformer::new(decode(biases, BIASES)?, decode(weights, WEIGHTS)?);
    let layers = affine_layers(architecture, progress, cursor, notes)?;
    Ok((transformer, layers))
}

/// The next compressed array: where its numbers begin, and their bytes.
fn compressed<'a>(
    cursor: &mut Cursor<'a>,
    what: &'static str,
) -> Result<(usize, &'a [u8]), FileError> {
    let offset = cursor.offset();
    if cursor.take(Some(LEB128_MAGIC.len()), what)? != LEB128_MAGIC {
        return Err(FileError::NotCompressed { offset, what });
    }
    let len = cursor.u32(what)?;
    let offset = cursor.offset();
    Ok((offset, cursor.take(Some(len as usize), what)?))
}

fn decode((offset, bytes): (usize, &[u8]), what: &'static str) -> Result<Aligned<i16>, FileError> {
    write::decode(bytes).map_err(|(at, fault)| FileError::Compressed {
        offset: offset + at,
        what,
        fault,
    })
}

fn progress(cursor: &mut Cursor<'_>, notes: &mut Vec<Note>) -> Result<GameProgress, FileError> {
    const WHAT: &str = THE_PROGRESS;
    let offset = cursor.offset();
    let found = cursor.u32(WHAT)?;
    check_hash(WHAT, offset, found, PROGRESS_HASH, notes);
    let bias = cursor.u32(WHAT)? as i32;
    let weights = cursor.take(Some(4 * GameProgress::WEIGHTS), WHAT)?;
    let weights: Vec<i32> = i32s(weights).collect();
    Ok(GameProgress::new(bias, Aligned::copy_of(&weights)))
}

/// The affine layers of all stacks, to the file's end.
fn affine_layers(
    architecture: Architecture,
    progress: Option<GameProgress>,
    mut cursor: Cursor<'_>,
    notes: &mut Vec<Note>,
) -> Result<AffineLayers, FileError> {
    const WHAT: &str = THE_LAYERS;
    let stacks = architecture.stack_count();
    // Checked before anything is allocated.
    let bytes = architecture.stack_bytes().checked_mul(stacks);
    cursor.clone().take(bytes, WHAT)?;
    let mut layers = AffineLayers::zeros(architecture, progress);
    let mut wrong_hashes = Vec::new();
    for stack in 0..stacks {
        let offset = cursor.offset();
        let found = cursor.u32(WHAT)?;
        check_hash(
            WHAT,
            offset,
            found,
            architecture.network_hash(),
            &mut wrong_hashes,
        );
        for layer in layers.layers_mut() {
            let (biases, weights) = layer.stack_mut(stack);
            let bytes = cursor.take(Some(4 * biases.len()), WHAT)?;
            for (bias, value) in biases.iter_mut().zip(i32s(bytes)) {
                *bias = value;
            }
            let bytes = cursor.take(Some(weights.len()), WHAT)?;
            for (weight, &value) in weights.iter_mut().zip(bytes) {
                *weight = value as i8;
            }
        }
    }
    // One for all stacks: a program that writes another hash writes it everywhere.
    notes.extend(wrong_hashes.into_iter().next());
    debug_assert!(cursor.rest().is_empty(), "the shape was chosen by its size");
    Ok(layers)
}

impl Network {
    /// Returns whether the bytes begin as those of a network do; they may be damaged.
    pub fn is_in(bytes: &[u8]) -> bool {
        bytes.starts_with(&FILE_VERSION.to_le_bytes())
    }

    /// Reads a file that is in memory (or mapped into it).
    ///
    /// Allocates no more than twice what the file holds.
    ///
    /// # Errors
    /// The file is not one: wrong version, cut off, too long, or of no known shape.
    pub fn from_bytes(bytes: &[u8], options: &NetworkReadOptions) -> Result<Loaded, FileError> {
        read(bytes, options)
    }

    /// Reads a file from a stream to its end. The whole file is in memory meanwhile; use
    /// [`Self::from_bytes`] with a memory map where that matters.
    ///
    /// # Errors
    /// The stream cannot be read, or as [`Self::from_bytes`].
    pub fn read(mut stream: impl Read, options: &NetworkReadOptions) -> Result<Loaded, FileError> {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        Self::from_bytes(&bytes, options)
    }

    /// Writes the network as a file. A file that was read and had the usual hashes is written byte for
    /// byte as it was.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        write_network(self.description(), self.transformer(), self.layers(), out)
    }
}
