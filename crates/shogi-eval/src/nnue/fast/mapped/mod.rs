//! Networks in files as evaluation needs them, to be mapped by any number of processes.
//!
//! Such a file belongs to the machine that wrote it: it is made of an evaluation file and can be made
//! again at any time. So whatever is odd about it is an error, and there is one version.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0 | `YaneEval` |
//! | 8 | version, 4 bytes |
//! | 12 | the number 0x01020304, 4 bytes: the byte order of all numbers |
//! | 16 | the [key](MappedKey), 16 bytes |
//! | 32 | bytes of the file, 8 bytes |
//! | 40 | XXH3 of everything from byte 4096 on, 8 bytes |
//! | 48 | for each section its place and its bytes, 8 bytes each |
//! | 4088 | XXH3 of the bytes before, 8 bytes |
//! | 4096 | the sections: the properties ([`header`]), the text of the evaluation file, the arrays |
//!
//! Sections begin at multiples of 4096 bytes. Everything between is 0.

mod header;
mod key;

use std::io;
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};
use yane_io::Map;

use crate::nnue::aligned::Aligned;
use crate::nnue::arch::Architecture;
use crate::nnue::fast::affine::{AffineLayer, BLOCK};
use crate::nnue::fast::prepared::{Padding, PreparedNetwork};
use crate::nnue::fast::weights::{ByteWeights, Weights, are_lens};
use crate::nnue::file::Note;
use crate::nnue::network::GameProgress;

use header::{ARRAYS, Facts, MappedHeader, SECTIONS};
pub(crate) use key::EXTENSION;
pub use key::{MappedError, MappedKey};
use key::{PAGE, VERSION};

// Writing mapped files, and mapping them with a check of every byte.

/// A network prepared for evaluation, with what was odd about the file it was made of.
///
/// Written to a file ([`Self::save`]) it can be mapped by any number of processes, whose memory it
/// takes once.
///
/// ```
/// use std::sync::Arc;
/// use shogi_eval::nnue::file::NetworkReadOptions;
/// use test_networks::RandomNetwork;
/// use shogi_eval::nnue::{MappedNetwork, MappedKey, Network, PreparedNetwork};
/// use yane_io::Map;
///
/// let mut file = Vec::new();
/// RandomNetwork::new("kp_32x2-8-8".parse()?, 1).write(&mut file)?;
/// let options = NetworkReadOptions::default();
/// let loaded = Network::from_bytes(&file, &options)?;
/// let mapped = MappedNetwork {
///     network: PreparedNetwork::new(loaded.network),
///     notes: loaded.notes,
/// };
/// let key = MappedKey::new(&file, &options);
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join(key.file_name());
/// mapped.save(key, &path)?;
/// let shared = MappedNetwork::of_map(&Arc::new(Map::open(&path)?), key)?;
/// assert_eq!(shared.network.architecture().to_string(), "kp_32x2-8-8");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct MappedNetwork {
    /// The network.
    pub network: PreparedNetwork,
    /// Oddities of the evaluation file.
    pub notes: Vec<Note>,
}

impl MappedNetwork {
    /// The network in a mapped file that must have this `key`. Reads every byte once, to compare check
    /// values: some 10 GB a second when the file is in the system's cache.
    ///
    /// # Errors
    /// When anything in the file is not as it was written.
    pub fn of_map(map: &Arc<Map>, key: MappedKey) -> Result<Self, MappedError> {
        let header = MappedHeader::from_bytes(map)?;
        if header.key != key {
            return Err(MappedError::Key);
        }
        if xxh3_64(&map[PAGE..]) != header.check {
            let part = "the sections";
            return Err(MappedError::Check { part });
        }
        let wrong = |section| MappedError::Section { section };
        let places = header.places().ok_or(wrong(SECTIONS))?;
        for (section, place) in places.iter().enumerate() {
            let behind = map.get(place.end..place.end.next_multiple_of(PAGE));
            if behind.is_none_or(|bytes| bytes.iter().any(|&byte| byte != 0)) {
                return Err(wrong(section));
            }
        }
        let bytes = |section: usize| map.get(places[section].clone()).ok_or(wrong(section));
        let facts = Facts::from_bytes(bytes(0)?)?;
        let [_, _, lens @ ..] = &header.lens;
        if let Some(array) = wrong_array(&facts.architecture, lens) {
            return Err(wrong(2 + array));
        }
        let [_, _, arrays @ ..] = &places;
        let network = network_of_arrays(
            facts.architecture,
            bytes(1)?.to_vec(),
            facts.progress_bias,
            facts.dense,
            map,
            arrays,
        );
        Ok(Self {
            network: network.ok_or(wrong(SECTIONS))?,
            notes: facts.notes,
        })
    }

    /// Gives the bytes of a file that was changed the check values that they should have: for tests of
    /// what is behind them. Anything too short for a header stays as it is.
    pub fn seal(bytes: &mut [u8]) {
        header::seal(bytes);
    }
}

impl MappedNetwork {
    /// Writes the network as a file that is known by `key`.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn write(&self, key: MappedKey, mut out: impl Write) -> io::Result<()> {
        let network = &self.network;
        let facts = Facts {
            architecture: network.architecture,
            progress_bias: network.progress.as_ref().map_or(0, GameProgress::bias),
            dense: network.dense,
            notes: self.notes.clone(),
        };
        let facts = facts.to_text();
        let arrays = arrays(network);
        debug_assert_eq!(
            wrong_array(
                &network.architecture,
                &arrays.map(|array| array.len() as u64)
            ),
            None
        );
        let mut sections: [&[u8]; SECTIONS] = [&[]; SECTIONS];
        sections[0] = facts.as_bytes();
        sections[1] = &network.description;
        sections[2..].copy_from_slice(&arrays);

        let mut check = Xxh3::new();
        each_part(&sections, |part| {
            check.update(part);
            Ok(())
        })?;
        let header = MappedHeader {
            key,
            lens: sections.map(|section| section.len() as u64),
            check: check.digest(),
        };
        let page = header.to_bytes().ok_or(io::ErrorKind::FileTooLarge)?;
        out.write_all(&page)?;
        each_part(&sections, |part| out.write_all(part))
    }
}

/// The sections and the zeros behind them.
fn each_part(
    sections: &[&[u8]; SECTIONS],
    mut part: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    for section in sections {
        part(section)?;
        let spare = section.len().next_multiple_of(PAGE) - section.len();
        part(&[0; PAGE][..spare])?;
    }
    Ok(())
}

/// The byte ranges of the arrays in a file.
type ArrayPlaces = [Range<usize>; ARRAYS];

/// The bytes of the arrays of `network`.
fn arrays(network: &PreparedNetwork) -> [&[u8]; ARRAYS] {
    let progress = network.progress.as_ref();
    let [first, second] = &network.hidden;
    let last = &network.last;
    let [weights, starts, notes] = network.weights.arrays();
    [
        bytemuck::cast_slice(&network.biases),
        weights,
        progress.map_or(&[], |progress| bytemuck::cast_slice(progress.weights())),
        bytemuck::cast_slice(&first.biases),
        bytemuck::cast_slice(&first.weights),
        bytemuck::cast_slice(&second.biases),
        bytemuck::cast_slice(&second.weights),
        bytemuck::cast_slice(&last.biases),
        bytemuck::cast_slice(&last.weights),
        starts,
        notes,
    ]
}

/// The inputs of the affine layers with padding.
fn padded_inputs(architecture: &Architecture) -> [usize; 3] {
    let [_, second, last] = architecture.layers();
    [
        Padding::new(architecture).padded_inputs(),
        second.inputs.next_multiple_of(BLOCK),
        last.inputs.next_multiple_of(BLOCK),
    ]
}

/// The first array that cannot have so many bytes in a network of this architecture.
fn wrong_array(architecture: &Architecture, lens: &[u64; ARRAYS]) -> Option<usize> {
    let row = Padding::new(architecture).padded() as u64;
    let features = architecture.features().dimensions() as u64;
    let [_, weights, .., starts, notes] = *lens;
    let expected = other_array_bytes(architecture, 2 * row);
    let other = (0..expected.len()).find(|&array| array != 1 && lens[array] != expected[array]);
    other.or_else(|| {
        let may_be = are_lens([weights, starts, notes], row * features, features);
        (!may_be).then_some(1)
    })
}

/// The bytes of the arrays whose sizes follow from the architecture; 0 for the weights of the feature transformer.
fn other_array_bytes(architecture: &Architecture, biases: u64) -> [u64; ARRAYS - 2] {
    let progress = if architecture.has_progress() {
        4 * GameProgress::WEIGHTS as u64
    } else {
        0
    };
    let shapes = architecture.layers();
    let inputs = padded_inputs(architecture);
    let [first, second, last] = [0, 1, 2].map(|layer| {
        let stacks = architecture.stack_count();
        let [biases, weights] = AffineLayer::array_lens(shapes[layer], stacks, inputs[layer]);
        [4 * biases, weights]
    });
    [
        biases, 0, progress, first[0], first[1], second[0], second[1], last[0], last[1],
    ]
}

/// The network of this architecture whose arrays are at these `places` of a file; `None` when the file
/// does not have them, or they make no sense. None must be a [`wrong_array`].
fn network_of_arrays(
    architecture: Architecture,
    description: Vec<u8>,
    progress_bias: i32,
    dense: usize,
    map: &Arc<Map>,
    places: &ArrayPlaces,
) -> Option<PreparedNetwork> {
    let shapes = architecture.layers();
    let inputs = padded_inputs(&architecture);
    let layer = |layer: usize| {
        let [biases, weights] = [3 + 2 * layer, 4 + 2 * layer].map(|place| places[place].clone());
        Some(AffineLayer::of_arrays(
            shapes[layer],
            inputs[layer],
            Aligned::part_of(map, biases)?,
            Aligned::part_of(map, weights)?,
        ))
    };
    let progress = if architecture.has_progress() {
        let weights = Aligned::part_of(map, places[2].clone())?;
        Some(GameProgress::new(progress_bias, weights))
    } else {
        None
    };
    let biases: Aligned<i16> = Aligned::part_of(map, places[0].clone())?;
    let features = architecture.features().dimensions();
    let weights = if places[1].len() == features * biases.len() {
        Weights::Bytes(ByteWeights::of_arrays(
            Aligned::part_of(map, places[1].clone())?,
            Aligned::part_of(map, places[9].clone())?,
            Aligned::part_of(map, places[10].clone())?,
            biases.len(),
        )?)
    } else {
        Weights::Whole(Aligned::part_of(map, places[1].clone())?)
    };
    Some(PreparedNetwork {
        description,
        architecture,
        biases,
        weights,
        progress,
        hidden: [layer(0)?, layer(1)?],
        last: layer(2)?,
        dense,
    })
}

#[cfg(test)]
mod tests {
    //! The form as it is in memory; `tests/it/mapped.rs` has files and folders.

    use std::path::Path;
    use std::sync::Arc;

    use xxhash_rust::xxh3::xxh3_64;
    use yane_io::Map;

    use super::*;
    use crate::nnue::fast::PreparedNetwork;
    use crate::nnue::random_network;

    fn bytes(architecture: &str, key: MappedKey) -> Vec<u8> {
        let mapped = MappedNetwork {
            network: PreparedNetwork::new(random_network(architecture, 1)),
            notes: Vec::new(),
        };
        let mut bytes = Vec::new();
        mapped.write(key, &mut bytes).unwrap();
        bytes
    }

    /// When this fails because arrays are stored in another way or the form is another one, raise
    /// [`VERSION`] and change the numbers: files of the old version must not be mapped.
    #[cfg(target_endian = "little")]
    #[test]
    fn the_form_has_not_changed() {
        let check = |architecture| xxh3_64(&bytes(architecture, MappedKey(1)));
        let found = [
            "k_40x2-9-5",
            "SFNN_k_48_15_16_k3k3_progress2",
            "SFNN_k_32_8_8_c0_s16x2",
        ]
        .map(check);
        let expected = [
            0x8b74_ddd7_83a9_9ff6,
            0xa910_a0ff_c51b_e1ad,
            0xfb0a_f8d7_50e4_a081,
        ];
        assert_eq!((VERSION, found), (7, expected));
    }

    /// A file that is not mapped, and so does not begin on a cache line, is copied.
    #[test]
    fn files_in_memory_do_too() {
        let key = MappedKey(2);
        let file = bytes("k_40x2-9-5", key);
        for spare in 0..4 {
            let mut memory = vec![0; spare];
            memory.extend(&file);
            let map = Map::from_bytes(Path::new("memory"), memory.split_off(spare));
            let again = MappedNetwork::of_map(&Arc::new(map), key).unwrap();
            let mut written = Vec::new();
            again.write(key, &mut written).unwrap();
            assert!(written == file);
        }
    }
}
