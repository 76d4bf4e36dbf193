//! Writing files.

use std::io::{self, Write};
use std::path::Path;

use yane_io::AtomicFile;

use super::{LEB128_MAGIC, leb128};
use crate::nnue::aligned::Aligned;
use crate::nnue::arch::{Architecture, FILE_VERSION, PROGRESS_HASH};
use crate::nnue::network::{AffineLayers, FeatureWeights, Network};
use crate::nnue::progress::GameProgress;

/// Writes a network's file from its parts. `rows` are read twice for SFNN files, which have the size of the
/// compressed weights before them.
///
/// # Errors
/// `out` cannot be written, or a part is larger than a file can say.
pub fn write_network(
    description: &[u8],
    rows: &impl FeatureWeights,
    layers: &AffineLayers,
    out: impl Write,
) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    let architecture = *layers.architecture();
    let u32 = |out: &mut dyn Write, number: u32| out.write_all(&number.to_le_bytes());
    u32(&mut out, FILE_VERSION)?;
    u32(&mut out, architecture.file_hash())?;
    u32(&mut out, size(description.len())?)?;
    out.write_all(description)?;
    u32(&mut out, architecture.transformer_hash())?;
    match architecture {
        Architecture::Classic(_) => write_plain(&architecture, rows, &mut out)?,
        Architecture::Sfnn(_) => write_compressed(&architecture, rows, &mut out)?,
    }
    if let Some(progress) = layers.progress() {
        u32(&mut out, PROGRESS_HASH)?;
        for number in std::iter::once(&progress.bias()).chain(progress.weights()) {
            out.write_all(&number.to_le_bytes())?;
        }
    }
    for stack in 0..architecture.stack_count() {
        u32(&mut out, architecture.network_hash())?;
        for layer in layers.layers() {
            let layer = layer.stack(stack);
            for bias in layer.biases {
                out.write_all(&bias.to_le_bytes())?;
            }
            for weight in layer.weights {
                out.write_all(&weight.to_le_bytes())?;
            }
        }
    }
    out.flush()
}

/// A size that files keep in 32 bits.
fn size(bytes: usize) -> io::Result<u32> {
    u32::try_from(bytes).map_err(|_| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{bytes} bytes are more than the size of a part can say (4 GiB)"),
        )
    })
}

/// Calls `f` with every row of weights.
fn for_each_row(
    architecture: &Architecture,
    rows: &impl FeatureWeights,
    mut f: impl FnMut(&[i16]) -> io::Result<()>,
) -> io::Result<()> {
    let mut row = vec![0; architecture.width()];
    for feature in 0..architecture.features().dimensions() {
        rows.read_weights(feature, &mut row);
        f(&row)?;
    }
    Ok(())
}

fn write_plain(
    architecture: &Architecture,
    rows: &impl FeatureWeights,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    let mut write = |row: &[i16]| {
        bytes.clear();
        bytes.extend(row.iter().flat_map(|number| number.to_le_bytes()));
        out.write_all(&bytes)
    };
    write(rows.biases())?;
    for_each_row(architecture, rows, write)
}

fn write_compressed(
    architecture: &Architecture,
    rows: &impl FeatureWeights,
    out: &mut impl Write,
) -> io::Result<()> {
    let bytes_of = |numbers: &[i16]| numbers.iter().map(|&n| leb128::len(n)).sum::<usize>();
    let begin = |out: &mut dyn Write, bytes: usize| {
        out.write_all(LEB128_MAGIC)?;
        out.write_all(&size(bytes)?.to_le_bytes())
    };
    begin(out, bytes_of(rows.biases()))?;
    for &number in rows.biases() {
        leb128::write(number, out)?;
    }
    let mut bytes = 0;
    for_each_row(architecture, rows, |row| {
        bytes += bytes_of(row);
        Ok(())
    })?;
    begin(out, bytes)?;
    for_each_row(architecture, rows, |row| {
        row.iter()
            .try_for_each(|&number| leb128::write(number, out))
    })
}

impl Network {
    /// Makes the network the file `path`, as [`Network::write`] writes it, whole or not at all.
    ///
    /// # Errors
    /// When the folder cannot be written to or the disk is full. An old file is untouched then.
    pub fn save(&self, path: &Path) -> yane_io::Result<()> {
        let mut file = AtomicFile::create(path)?;
        self.write(&mut file).map_err(yane_io::Error::io(path))?;
        file.commit()
    }
}

/// Makes a network of `architecture` in which every number is 0 the file `path`, whole or not at all.
/// Every position is worth 0 to it.
///
/// # Errors
/// When the folder cannot be written to or the disk is full. An old file is untouched then.
pub fn save_zeros(architecture: Architecture, path: &Path) -> yane_io::Result<()> {
    let progress = architecture
        .has_progress()
        .then(|| GameProgress::new(0, Aligned::zeros(GameProgress::WEIGHTS)));
    let layers = AffineLayers::zeros(architecture, progress);
    let rows = ZeroRows(vec![0; architecture.width()]);
    let mut file = AtomicFile::create(path)?;
    write_network(
        architecture.description().as_bytes(),
        &rows,
        &layers,
        &mut file,
    )
    .map_err(yane_io::Error::io(path))?;
    file.commit()
}

/// A feature transformer of zeros: the biases.
struct ZeroRows(Vec<i16>);

impl FeatureWeights for ZeroRows {
    fn biases(&self) -> &[i16] {
        &self.0
    }

    fn read_weights(&self, _: usize, row: &mut [i16]) {
        row.fill(0);
    }
}
