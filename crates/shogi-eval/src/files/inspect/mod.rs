//! Inspection of evaluation files: for people who were given one.
//!
//! [`inspect`] takes a file or a folder of any kind and tells its shape, size and hashes, the ranges
//! of the parameters of every part, and what is odd about it. The whole file is read.
//!
//! ```
//! use shogi_eval::inspect::{Inspection, inspect};
//! use test_networks::RandomNetwork;
//! use yane_io::{AtomicFile, Job};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("nn.bin");
//! let mut file = AtomicFile::create(&path)?;
//! RandomNetwork::new("kp_32x2-8-8".parse()?, 1).write(&mut file)?;
//! file.commit()?;
//!
//! let found = inspect(&path, None, &Job::default())?;
//! println!("{found}");
//! assert!(matches!(found, Inspection::Network(file) if file.notes.is_empty()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod tables;

use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use yane_io::{Job, Map, Unit};

use crate::kppt::{KpptLayout, KpptTable};
use crate::loader::NETWORK_FILE;
use crate::nnue::arch::{Architecture, FILE_VERSION};
use crate::nnue::file::{Loaded, NetworkReadOptions, Note, OpenError};
use crate::nnue::{Description, Network};

pub use error::InspectError;
pub use tables::{TableFile, TableFiles, TableNote};

/// The result of an inspection.
#[derive(Clone, Debug)]
pub enum Inspection {
    /// A neural network.
    Network(Box<NetworkFile>),
    /// Three-piece tables: all three, or one of them.
    Tables(TableFiles),
}

/// Tells what `path` is: the file of a network, one of three-piece tables, or a folder with either
/// (the network, if it has both). `architecture` is for networks that do not name theirs, see
/// [`NetworkReadOptions`](crate::nnue::file::NetworkReadOptions).
///
/// # Errors
/// The file cannot be read or is none of these, or the job is cancelled.
pub fn inspect(
    path: &Path,
    architecture: Option<Architecture>,
    job: &Job,
) -> Result<Inspection, InspectError> {
    let network = |path: &Path| {
        NetworkFile::inspect(path, architecture, job)
            .map(|file| Inspection::Network(Box::new(file)))
    };
    if path.is_dir() {
        let file = path.join(NETWORK_FILE);
        if file.exists() {
            return network(&file);
        }
        if !KpptTable::ALL.iter().any(|table| table.path(path).exists()) {
            return Err(InspectError::Empty(path.to_owned()));
        }
        return Ok(Inspection::Tables(TableFiles::of_folder(path, job)?));
    }
    match table_of(path)? {
        Some(table) => Ok(Inspection::Tables(TableFiles::of_file(path, table, job)?)),
        None => network(path),
    }
}

/// The table in the file `path`: told by its size, or by its name if the size is wrong. `None` for
/// everything else.
fn table_of(path: &Path) -> Result<Option<KpptTable>, InspectError> {
    let mut file = File::open(path).map_err(yane_io::Error::io(path))?;
    let len = file.metadata().map_err(yane_io::Error::io(path))?.len();
    let mut version = [0; 4];
    match file.read_exact(&mut version) {
        Ok(()) if u32::from_le_bytes(version) == FILE_VERSION => return Ok(None),
        Err(error) if error.kind() != ErrorKind::UnexpectedEof => {
            return Err(yane_io::Error::io(path)(error).into());
        }
        _ => {}
    }
    let named = |table: &KpptTable| path.file_name().is_some_and(|n| n == table.file_name());
    let by_size = |table: &KpptTable| tables::kinds_by_size(*table, len).next().is_some();
    let mut tables = KpptTable::ALL.into_iter();
    let by_name = tables.clone().find(named);
    Ok(by_name.or_else(|| tables.find(by_size)))
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(file) => file.fmt(f),
            Self::Tables(files) => files.fmt(f),
        }
    }
}

impl fmt::Display for NetworkFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "file          {}", self.path.display())?;
        writeln!(f, "size          {} bytes", self.bytes)?;
        writeln!(f, "sha256        {}", self.sha256)?;
        self.description.fmt(f)?;
        for note in &self.notes {
            writeln!(f, "note          {note}")?;
        }
        Ok(())
    }
}

impl fmt::Display for TableFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "file          {}", self.path.display())?;
        let names: Vec<_> = self.kinds.iter().map(|kind| kind.name()).collect();
        writeln!(f, "kind          {}", names.join(" or "))?;
        if self.kinds == [KpptLayout::Kppt16] {
            writeln!(
                f,
                "note          to evaluate with it, convert it to {}",
                KpptLayout::Kppt.name()
            )?;
        }
        writeln!(f, "fv_scale      32, always")?;
        self.files.iter().try_for_each(|file| file.fmt(f))
    }
}

impl fmt::Display for TableFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.table.file_name();
        writeln!(f, "{name:<20}{} bytes", self.bytes)?;
        writeln!(f, "  sha256            {}", self.sha256)?;
        let (low, high) = (self.board.start(), self.board.end());
        write!(f, "  values            board {low} to {high}")?;
        if let Some(turn) = &self.turn {
            write!(f, ", turn {} to {}", turn.start(), turn.end())?;
        }
        writeln!(f)?;
        self.note
            .iter()
            .try_for_each(|note| writeln!(f, "  note              {note}"))
    }
}

impl fmt::Display for TableNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asymmetric { offset, mirror } => write!(
                f,
                "byte {offset}: differs from byte {mirror}, the same pieces the other way round; \
                 programs will not agree about evaluations"
            ),
        }
    }
}

// Files of neural networks.

/// A network's file.
#[derive(Clone, Debug)]
pub struct NetworkFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The SHA-256 of the whole file: 64 hexadecimal digits.
    pub sha256: String,
    /// The number before the whole network.
    pub file_hash: Hash,
    /// The number before the feature transformer.
    pub transformer_hash: Hash,
    /// The number before the affine layers (of the first stack).
    pub layers_hash: Hash,
    /// Shape and ranges.
    pub description: Description,
    /// Oddities of the file.
    pub notes: Vec<Note>,
}

/// One of the numbers by which programs recognize files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash {
    /// The hash in the file.
    pub found: u32,
    /// The usual hash of files of this shape.
    pub usual: u32,
}

impl NetworkFile {
    fn inspect(
        path: &Path,
        architecture: Option<Architecture>,
        job: &Job,
    ) -> Result<Self, InspectError> {
        let map = Map::open(path)?;
        let options = NetworkReadOptions { architecture };
        let Loaded { network, notes } =
            Network::from_bytes(&map, &options).map_err(|fault| OpenError::Format {
                path: path.to_owned(),
                fault,
            })?;
        let found = |offset: usize| {
            let bytes = map.get(offset..).and_then(|rest| rest.first_chunk());
            u32::from_le_bytes(bytes.copied().unwrap_or_default())
        };
        let shape = network.architecture();
        let stacks = shape.stack_bytes() * shape.stack_count();
        let hash = |offset, usual| Hash {
            found: found(offset),
            usual,
        };
        Ok(Self {
            path: path.to_owned(),
            bytes: map.len() as u64,
            sha256: sha256(&map, path, job)?,
            file_hash: hash(4, shape.file_hash()),
            transformer_hash: hash(12 + network.description().len(), shape.transformer_hash()),
            layers_hash: hash(map.len() - stacks, shape.network_hash()),
            description: network.describe(),
            notes,
        })
    }
}

fn sha256(bytes: &[u8], path: &Path, job: &Job) -> yane_io::Result<String> {
    const CHUNK: usize = 1 << 22;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    job.progress
        .stage(&name, Some(bytes.len() as u64), Unit::Bytes);
    let mut hash = Sha256::new();
    for chunk in bytes.chunks(CHUNK) {
        job.check()?;
        hash.update(chunk);
        job.progress.advance(chunk.len() as u64);
    }
    Ok(yane_io::hexadecimal(hash.finalize()))
}

#[cfg(test)]
mod tests {
    use crate::kppt::KpptError;

    use std::fs::OpenOptions;
    use std::io::{Seek, SeekFrom, Write};

    use super::*;
    use crate::kppt::KpptLayout;
    use crate::nnue::Network;
    use crate::nnue::file::{NetworkReadOptions, Note, save_zeros};

    fn look(path: &Path) -> Result<Inspection, InspectError> {
        inspect(path, None, &Job::default())
    }

    fn problem(path: &Path) -> String {
        look(path).unwrap_err().to_string()
    }

    /// The bytes of a small network.
    fn network(name: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        let architecture = name.parse().unwrap();
        test_networks::RandomNetwork::new(architecture, 1)
            .write(&mut bytes)
            .unwrap();
        bytes
    }

    /// A table of zeros; on file systems with holes it takes no space.
    fn zeros(folder: &Path, table: KpptTable, layout: KpptLayout) -> PathBuf {
        let path = table.path(folder);
        let file = File::create(&path).unwrap();
        file.set_len(layout.file_len(table)).unwrap();
        path
    }

    fn put(path: &Path, offset: u64, bytes: &[u8]) {
        let mut file = OpenOptions::new().write(true).open(path).unwrap();
        file.seek(SeekFrom::Start(offset)).unwrap();
        file.write_all(bytes).unwrap();
    }

    /// `text` without the folder's name.
    fn without(folder: &Path, text: &str) -> String {
        text.replace(&folder.display().to_string(), "DIR")
    }

    #[test]
    fn a_network_is_described() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NETWORK_FILE);
        std::fs::write(&path, network("kp_32x2-8-8")).unwrap();
        let text = look(folder.path()).unwrap().to_string();
        insta::assert_snapshot!(without(folder.path(), &text), @r"
        file          DIR/nn.bin
        size          110558 bytes
        sha256        c04d2e1b94090a8ad060b0708ee2a7fd30d43bc2e82ea4a786451aa09a5d4a3a
        architecture  kp_32x2-8-8
        text          Features=K+P[1710->32x2],Network=AffineTransform[1<-8](ClippedReLU[8](AffineTransform[8<-8](ClippedReLU[8](AffineTransformSparseInput[8<-64](InputSlice[64(0:64)])))))
        hashes        file 5C64614F, transformer 3F5717BF, layers 633376F0
        parameters    55353, 0.1 MiB uncompressed
        fv_scale      16 unless its author says otherwise
        transformer   K+P 1710 -> 32 x 2: weights -12 to 12, biases 4 to 80
        layer 1       64 -> 8: weights -6 to 6, biases -1345 to 3604
        layer 2       8 -> 8: weights -32 to 32, biases -828 to 2350
        layer 3       8 -> 1: weights -56 to 45, biases 811 to 811
        ");
    }

    #[test]
    fn a_network_with_stacks_is_described() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.bin");
        std::fs::write(&path, network("SFNN_ka2_16_7_8_hand64z_k3k3_progress2")).unwrap();
        let text = look(&path).unwrap().to_string();
        insta::assert_snapshot!(without(folder.path(), &text), @r"
        file          DIR/other.bin
        size          1240067 bytes
        sha256        91495c3ae1acc3c1e4dbcc32c911ba669fe01c930ee8e0fe820808157155776b
        architecture  SFNN_ka2_16_7_8_hand64z_k3k3_progress2
        text          ModelType=SFNNWithoutPsqt;Features=K+A2[1791->16x2],Network=TEST-sfnn_ka2_16_7_8_hand64z_k3k3_progress2{LayerStack=1152}
        hashes        file 5370697D, transformer 5F134AB8, layers 6333718A
        parameters    333952, 0.7 MiB uncompressed
        fv_scale      16 unless its author says otherwise
        transformer   K+A2 1791 -> 16 x 2: weights -179 to 192, biases 9 to 80
        layer 1       16 -> 8: weights -20 to 20, biases -2000 to 4000
        layer 2       14 -> 8: weights -36 to 36, biases -1000 to 3000
        layer 3       8 -> 1: weights -60 to 60, biases -1983 to 1993
        stacks        1152, by hand64z_k3k3_progress2
        shortcut      yes
        progress      weights -20000 to 20000
        ");
    }

    #[test]
    fn the_divisor_is_that_of_the_text_if_it_states_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nn.bin");
        let bytes = network("kp_32x2-8-8");
        let (begin, rest) = bytes.split_at(12);
        let len = u32::from_le_bytes(begin[8..].try_into().unwrap());
        let stated = b",fv_scale=24";
        let new_len = len + stated.len() as u32;
        let (text, rest) = rest.split_at(len as usize);
        let bytes = [&begin[..8], &new_len.to_le_bytes(), text, stated, rest].concat();
        std::fs::write(&path, bytes).unwrap();
        let text = look(&path).unwrap().to_string();
        assert!(
            text.contains("\nfv_scale      24 stated by the text\n"),
            "{text}"
        );
    }

    #[test]
    fn wrong_hashes_are_told_with_what_was_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nn.bin");
        let mut bytes = network("kp_32x2-8-8");
        bytes[4] ^= 1;
        let text = u32::from_le_bytes(bytes[8..12].try_into().unwrap());
        let transformer = 12 + text as usize;
        bytes[transformer] ^= 2;
        let layers = bytes.len() - "kp_32x2-8-8".parse::<Architecture>().unwrap().stack_bytes();
        bytes[layers] ^= 4;
        std::fs::write(&path, &bytes).unwrap();
        let Inspection::Network(file) = look(&path).unwrap() else {
            panic!("a network")
        };
        for (hash, change) in [
            (file.file_hash, 1),
            (file.transformer_hash, 2),
            (file.layers_hash, 4),
        ] {
            assert_eq!(hash.found, hash.usual ^ change);
        }
        let offsets = file.notes.iter().map(|note| match note {
            Note::Hash { offset, .. } => *offset,
            other => panic!("{other}"),
        });
        let mut offsets: Vec<_> = offsets.collect();
        offsets.sort_unstable();
        assert_eq!(offsets, [4, transformer, layers]);
        assert_eq!(file.to_string().matches("\nnote ").count(), 3);
    }

    #[test]
    fn damaged_networks_are_refused_with_name_and_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nn.bin");
        let good = network("SFNN_ka2_16_7_8_k3k3");
        for (bytes, expected) in [
            (good[..good.len() - 1].to_vec(), "bytes from byte"),
            ([&good[..], &[0]].concat(), "bytes from byte"),
            (good[..20].to_vec(), "nn.bin: byte 12: the text"),
            (b"TFIDF".to_vec(), "nn.bin: byte 0: found version"),
            (Vec::new(), "nn.bin: "),
        ] {
            std::fs::write(&path, &bytes).unwrap();
            let text = problem(&path);
            assert!(text.contains(expected), "{} bytes: {text}", bytes.len());
        }
        assert!(problem(&folder.path().join("nothing")).contains("nothing: "));
    }

    #[test]
    fn a_folder_without_an_evaluation_says_what_was_expected() {
        let folder = tempfile::tempdir().unwrap();
        let text = problem(folder.path());
        assert!(
            text.contains("expected nn.bin, or the three files KK_"),
            "{text}"
        );
        zeros(folder.path(), KpptTable::Kk, KpptLayout::Kppt);
        let text = problem(folder.path());
        assert!(text.contains("KPP_synthesized.bin: not there"), "{text}");
    }

    #[test]
    fn a_single_table_is_known_by_its_size_and_scanned() {
        let folder = tempfile::tempdir().unwrap();
        let path = zeros(folder.path(), KpptTable::Kk, KpptLayout::Kppt);
        put(&path, 16, &(-70_000_i32).to_le_bytes());
        put(&path, 52_488 - 4, &9_i32.to_le_bytes());
        let renamed = folder.path().join("old_kk.bin");
        std::fs::rename(&path, &renamed).unwrap();
        let text = look(&renamed).unwrap().to_string();
        insta::assert_snapshot!(without(folder.path(), &text), @r"
        file          DIR/old_kk.bin
        kind          kppt32 or kpp_kkpt32
        fv_scale      32, always
        KK_synthesized.bin  52488 bytes
          sha256            4654549b1d6ead778a3b2c3ea5722ab0c1d1eb3475885a6217a76790dce641a6
          values            board -70000 to 0, turn 0 to 9
        ");
        let path = zeros(folder.path(), KpptTable::Kk, KpptLayout::Kppt16);
        put(&path, 26_244 - 4, &[0xff, 0x7f, 0, 0x80]);
        let Inspection::Tables(files) = look(&path).unwrap() else {
            panic!("tables")
        };
        assert_eq!(files.kinds, [KpptLayout::Kppt16]);
        let [file] = files.files.as_slice() else {
            panic!("one file")
        };
        assert_eq!(
            (&file.board, &file.turn),
            (&(0..=32_767), &Some(-32_768..=0))
        );
    }

    #[test]
    fn a_table_of_a_wrong_size_is_known_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = KpptTable::Kkp.path(folder.path());
        std::fs::write(&path, [0; 100]).unwrap();
        let text = problem(&path);
        let expected = "KKP_synthesized.bin: 100 bytes, expected 81251424 (kppt32, kpp_kkpt32) or 40625712 (kppt16)";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn tables_of_a_folder_are_scanned_whole() {
        if std::env::var_os("SHOGI_SLOW_TESTS").is_none() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        for table in KpptTable::ALL {
            zeros(folder.path(), table, KpptLayout::Kppt);
        }
        let kpp = KpptTable::Kpp.path(folder.path());
        // The last entry of the last king, the first piece with the second, and nothing in its mirror.
        put(&kpp, 776_402_496 - 4, &[1, 0, 0xfe, 0xff]);
        put(&kpp, 4, &[5, 0, 0, 0]);
        let text = look(folder.path()).unwrap().to_string();
        insta::assert_snapshot!(without(folder.path(), &text), @r"
        file          DIR
        kind          kppt32
        fv_scale      32, always
        KK_synthesized.bin  52488 bytes
          sha256            e69ffd49578704cece158676b75d4498d1be642ab93df05a6875acae94d1ae55
          values            board 0 to 0, turn 0 to 0
        KKP_synthesized.bin 81251424 bytes
          sha256            0361642a3922c9d88d7352237ad7a6474176d1901e87682d7202789cd22544a4
          values            board 0 to 0, turn 0 to 0
        KPP_synthesized.bin 776402496 bytes
          sha256            4bc4fd0d29fb6773735b8139354131298376737fa8d426dd0a87fb798eb22efa
          values            board 0 to 5, turn -2 to 0
          note              byte 4: differs from byte 6192, the same pieces the other way round; programs will not agree about evaluations
        ");
    }

    #[test]
    fn a_cancelled_job_ends_early() {
        let folder = tempfile::tempdir().unwrap();
        let path = zeros(folder.path(), KpptTable::Kpp, KpptLayout::KppKkpt);
        let job = Job::default();
        job.cancel();
        let error = inspect(&path, None, &job).unwrap_err();
        assert!(matches!(
            error,
            InspectError::File(yane_io::Error::Cancelled)
                | InspectError::Tables(KpptError::File(yane_io::Error::Cancelled))
        ));
    }

    #[test]
    fn networks_of_zeros_are_files_of_their_architecture() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nn.bin");
        for name in ["kp_32x2-8-8", "SFNN_ka2_16_7_8_hand4_k3k3_progress4"] {
            save_zeros(name.parse().unwrap(), &path).unwrap();
            let Inspection::Network(file) = look(&path).unwrap() else {
                panic!("a network")
            };
            assert_eq!(file.description.architecture.to_string(), name);
            assert!(file.notes.is_empty());
            let ranges = file.description.layers.iter().map(|(_, ranges)| ranges);
            for ranges in ranges.chain([&file.description.transformer]) {
                assert_eq!((&ranges.weights, &ranges.biases), (&(0..=0), &(0..=0)));
            }
        }
    }

    #[test]
    fn a_saved_network_is_the_file_it_came_from() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nn.bin");
        for name in ["halfkpvm_2x2-8-8", "SFNN_ka2_16_7_8_hand4_k3k3_progress4"] {
            let bytes = network(name);
            let loaded = Network::from_bytes(&bytes, &NetworkReadOptions::default()).unwrap();
            loaded.network.save(&path).unwrap();
            assert!(std::fs::read(&path).unwrap() == bytes, "{name}");
        }
    }
}
