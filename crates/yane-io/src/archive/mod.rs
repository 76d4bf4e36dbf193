//! Files with any number of records of games, read in pieces on many threads, and which of the records are wanted.
//!
//! A game is a plug-in: its [`ArchiveFormats`] tell formats apart by content, find where records begin and read them. All that is the
//! same for every game is here: small files are read by the workers, several at once, large ones in pieces that end where a record
//! ends, and what was made of the pieces comes in the order of the files. Memory is bounded by the pieces in flight, whatever the
//! length of the files. What [`SelectableRecord`]s tell of every game, a [`RecordSelection`] may ask for.
//! [`WrittenFormat`] and [`LossCounts`] are what is known of the formats that they are written in.

mod select;
mod written;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use select::{RecordDate, RecordSelection, SelectableRecord};
pub use written::{LossCounts, WrittenFormat};

use crate::sniff::Head;
use crate::{
    ChunkReader, Error, Job, Map, OrderedParallelMap, Result, TextFile, Unit, decode_text,
};

/// The length in bytes of the pieces that a large file is read in. Smaller files are pieces, and as many of them as this
/// are read at once.
pub const PIECE: usize = 1 << 20;

/// What opening a file costs, in bytes of text.
const OPENING: usize = 2 << 10;

/// The formats that the records of a game are written in.
pub trait ArchiveFormats {
    /// What the content of a file says of it: its format, and what reading it needs to know.
    type Kind: Copy + Send + 'static;
    /// A record that was read, with its place.
    type Record;
    /// The reason why a record cannot be read, with its place.
    type Error;

    /// Tells what a file is by its first bytes; `path` is `None` for what came from elsewhere.
    ///
    /// # Errors
    /// For a file that cannot be one of records, which is named.
    fn detect(&self, path: Option<&Path>, head: &Head) -> Result<Self::Kind>;

    /// Returns whether files of a kind are text, which is decoded and may be cut. Others are read whole.
    fn is_text(&self, kind: Self::Kind) -> bool;

    /// The last place in `bytes`, which begin a record, where a piece may begin; `None`, 0: there is none.
    fn last_border(&self, kind: Self::Kind, bytes: &[u8]) -> Option<usize>;

    /// The line ends in `bytes`, as the format counts lines.
    fn count_lines(&self, bytes: &[u8]) -> u64 {
        count_lines(bytes)
    }

    /// Calls `take` with each record of a piece, or the reason why it is none, in order.
    fn read(&self, piece: &ArchivePiece<'_, Self::Kind>, take: Take<'_, Self::Record, Self::Error>);
}

/// Takes records, or why they cannot be read, in order.
pub type Take<'t, R, E> = &'t mut dyn FnMut(std::result::Result<R, E>);

/// Number of line ends: LF, CR LF, CR.
pub fn count_lines(bytes: &[u8]) -> u64 {
    if memchr::memchr(b'\r', bytes).is_none() {
        return memchr::memchr_iter(b'\n', bytes).count() as u64;
    }
    let mut count = 0;
    for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
        let second = bytes[at] == b'\n' && at > 0 && bytes[at - 1] == b'\r';
        count += u64::from(!second);
    }
    count
}

/// Whether a piece is all of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The whole file.
    Whole,
    /// Records of it.
    Part,
}

/// A piece of a file, with whole records.
#[derive(Clone, Copy, Debug)]
pub struct ArchivePiece<'a, K> {
    /// The file, if it is one.
    pub path: Option<&'a Path>,
    /// What the file is.
    pub kind: K,
    /// Whether that is all of it.
    pub extent: Extent,
    /// The bytes; text in UTF-16 as UTF-8, without a byte order mark.
    pub bytes: &'a [u8],
    /// The place of the first byte in the file or the decoded text.
    pub offset: u64,
    /// The number of the first line, from 1.
    pub line: u64,
}

/// Reads the records of bytes in memory.
///
/// # Errors
/// When they cannot be records.
pub fn read_bytes<F: ArchiveFormats>(
    formats: &F,
    bytes: &[u8],
    take: Take<'_, F::Record, F::Error>,
) -> Result<F::Kind> {
    let kind = formats.detect(None, &Head::of(bytes))?;
    let decoded = formats.is_text(kind).then(|| decode_text(bytes));
    let bytes = decoded.as_deref().unwrap_or(bytes);
    formats.read(&ArchivePiece::whole(None, kind, bytes), take);
    Ok(kind)
}

impl<'a, K> ArchivePiece<'a, K> {
    const fn whole(path: Option<&'a Path>, kind: K, bytes: &'a [u8]) -> Self {
        Self {
            path,
            kind,
            extent: Extent::Whole,
            bytes,
            offset: 0,
            line: 1,
        }
    }
}

/// What was made of a piece of a file.
#[derive(Clone, Debug)]
pub struct ArchiveBatch<T> {
    /// The file, by its number among those that are read.
    pub file: usize,
    /// Length of the piece in bytes.
    pub bytes: u64,
    /// What the work made of the piece.
    pub items: T,
}

/// Reads the records of files on several threads: an iterator over [`ArchiveBatch`]es in the order of the files and their records.
pub struct ArchiveReader<T> {
    len: u64,
    batches: OrderedParallelMap<Vec<ArchiveBatch<T>>, Error>,
    ready: std::vec::IntoIter<ArchiveBatch<T>>,
}

impl<T: Send + 'static> ArchiveReader<T> {
    /// Reads `files`, one after the other, in pieces of about `piece` bytes ([`PIECE`]); `work` is called on `threads` threads, once
    /// for each piece. Errors in reading come in their place.
    pub fn new<F: ArchiveFormats + Send + Sync + 'static>(
        formats: F,
        files: Vec<PathBuf>,
        threads: usize,
        piece: usize,
        work: impl Fn(&F, &ArchivePiece<'_, F::Kind>) -> T + Send + Sync + 'static,
    ) -> Self {
        let lens = files.iter().filter_map(|path| path.metadata().ok());
        let len = lens.map(|data| data.len()).sum::<u64>();
        let count = files.len();
        let files: Arc<[PathBuf]> = files.into();
        let formats = Arc::new(formats);
        let mut cutter = Cutter {
            formats: Arc::clone(&formats),
            files: Arc::clone(&files),
            next: 0,
            size: piece,
            open: None,
        };
        let source = move || cutter.next_tasks();
        let work = move |tasks: Vec<Task<F::Kind>>| {
            let batch = |task: Task<F::Kind>| {
                let file = task.file();
                let made = |piece: &ArchivePiece<'_, F::Kind>| ArchiveBatch {
                    file,
                    bytes: piece.bytes.len() as u64,
                    items: work(&formats, piece),
                };
                task.read(&*formats, &files[file], made)
            };
            tasks.into_iter().map(batch).collect()
        };
        // One small file is not worth a thread.
        let batches = if threads <= 1 || (count == 1 && len < piece as u64) {
            OrderedParallelMap::in_place(source, work)
        } else {
            OrderedParallelMap::new(threads, source, work)
        };
        Self {
            len,
            batches,
            ready: Vec::new().into_iter(),
        }
    }

    /// Calls `take` with every batch. The work is a stage of `job` with that name.
    ///
    /// # Errors
    /// When a file cannot be read, the job is cancelled, or `take` fails.
    pub fn for_each_batch<E: From<Error>>(
        self,
        stage: &str,
        job: &Job,
        mut take: impl FnMut(ArchiveBatch<T>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        job.progress.stage(stage, Some(self.len), Unit::Bytes);
        for batch in self {
            job.check()?;
            let batch = batch?;
            let bytes = batch.bytes;
            take(batch)?;
            job.progress.advance(bytes);
        }
        Ok(())
    }

    /// Length of all files in bytes, as far as the system knows.
    pub const fn total_len(&self) -> u64 {
        self.len
    }
}

impl<T: Send + 'static> Iterator for ArchiveReader<T> {
    type Item = Result<ArchiveBatch<T>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.ready.next() {
                return Some(Ok(batch));
            }
            match self.batches.next()? {
                Ok(batches) => self.ready = batches.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl<T> std::fmt::Debug for ArchiveReader<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArchiveReader")
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

/// What a worker gets: a file by its number, or a part of one.
enum Task<K> {
    /// A small file, which the worker reads.
    Small(usize),
    /// A large file that is no text, which the worker maps.
    Binary { file: usize, kind: K },
    /// A part of a large file.
    Part {
        file: usize,
        kind: K,
        bytes: Vec<u8>,
        offset: u64,
        line: u64,
    },
}

impl<K: Copy> Task<K> {
    const fn file(&self) -> usize {
        match self {
            Self::Small(file) | Self::Binary { file, .. } | Self::Part { file, .. } => *file,
        }
    }

    /// Calls `work` with the piece.
    fn read<T>(
        self,
        formats: &impl ArchiveFormats<Kind = K>,
        path: &Path,
        work: impl FnOnce(&ArchivePiece<'_, K>) -> T,
    ) -> Result<T> {
        match self {
            Self::Small(_) => {
                let bytes = std::fs::read(path).map_err(Error::io(path))?;
                let kind = formats.detect(Some(path), &Head::of(&bytes))?;
                if formats.is_text(kind) {
                    Ok(work(&ArchivePiece::whole(
                        Some(path),
                        kind,
                        &decode_text(&bytes),
                    )))
                } else {
                    Ok(work(&ArchivePiece::whole(Some(path), kind, &bytes)))
                }
            }
            Self::Binary { kind, .. } => {
                let map = Map::open(path)?;
                Ok(work(&ArchivePiece::whole(Some(path), kind, &map)))
            }
            Self::Part {
                kind,
                bytes,
                offset,
                line,
                ..
            } => Ok(work(&ArchivePiece {
                path: Some(path),
                kind,
                extent: Extent::Part,
                bytes: &bytes,
                offset,
                line,
            })),
        }
    }
}

/// Cuts files into pieces.
struct Cutter<F: ArchiveFormats> {
    formats: Arc<F>,
    files: Arc<[PathBuf]>,
    /// The next file.
    next: usize,
    /// Length of a piece in bytes.
    size: usize,
    open: Option<OpenText<F::Kind>>,
}

struct OpenText<K> {
    file: usize,
    kind: K,
    reader: ChunkReader,
    line: u64,
}

impl<F: ArchiveFormats + Send + Sync + 'static> Cutter<F> {
    fn next_tasks(&mut self) -> Result<Option<Vec<Task<F::Kind>>>> {
        let (mut tasks, mut bytes) = (Vec::new(), 0);
        while bytes < self.size {
            if self.open.is_some() {
                if let Some(task) = self.next_part()? {
                    if let Task::Part { bytes: part, .. } = &task {
                        bytes += part.len();
                    }
                    tasks.push(task);
                }
                continue;
            }
            let Some(path) = self.files.get(self.next) else {
                break;
            };
            let data = path.metadata().map_err(Error::io(path))?;
            let file = self.next;
            self.next += 1;
            if data.is_file() && data.len() < self.size as u64 {
                bytes += data.len() as usize + OPENING;
                tasks.push(Task::Small(file));
                continue;
            }
            let text = TextFile::open_any(path)?;
            let kind = self.formats.detect(Some(path), text.head())?;
            if self.formats.is_text(kind) {
                let formats = Arc::clone(&self.formats);
                let border = move |bytes: &[u8]| formats.last_border(kind, bytes);
                self.open = Some(OpenText {
                    file,
                    kind,
                    reader: ChunkReader::text(text, self.size, border),
                    line: 1,
                });
            } else {
                bytes += self.size;
                tasks.push(Task::Binary { file, kind });
            }
        }
        Ok((!tasks.is_empty()).then_some(tasks))
    }

    /// The next part of the file that is open; `None` at its end, where it is closed.
    fn next_part(&mut self) -> Result<Option<Task<F::Kind>>> {
        let Some(open) = &mut self.open else {
            return Ok(None);
        };
        let Some(chunk) = open.reader.next_chunk()? else {
            self.open = None;
            return Ok(None);
        };
        let line = open.line;
        open.line += self.formats.count_lines(&chunk.bytes);
        Ok(Some(Task::Part {
            file: open.file,
            kind: open.kind,
            bytes: chunk.bytes,
            offset: chunk.offset,
            line,
        }))
    }
}

/// The files of `folder` and below that `is_wanted`, in the order of their names.
///
/// # Errors
/// When a folder cannot be read.
pub fn files_below(folder: &Path, is_wanted: &dyn Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    walk(folder, is_wanted, &mut found)?;
    Ok(found)
}

fn walk(folder: &Path, is_wanted: &dyn Fn(&Path) -> bool, found: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries = std::fs::read_dir(folder)
        .and_then(Iterator::collect::<std::io::Result<Vec<_>>>)
        .map_err(Error::io(folder))?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, is_wanted, found)?;
        } else if is_wanted(&path) {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers on lines, or the bytes of a file that begins with a zero.
    struct Numbers;

    impl ArchiveFormats for Numbers {
        type Kind = bool;
        type Record = (u64, u64, u32);
        type Error = u64;

        fn detect(&self, path: Option<&Path>, head: &Head) -> Result<bool> {
            let refused = head.bytes().starts_with(b"no");
            match path {
                Some(path) if refused => Err(Error::file(path, "has no numbers")),
                _ => Ok(!head.bytes().starts_with(&[0])),
            }
        }

        fn is_text(&self, is_text: bool) -> bool {
            is_text
        }

        fn last_border(&self, _: bool, bytes: &[u8]) -> Option<usize> {
            memchr::memrchr(b'\n', bytes).map(|at| at + 1)
        }

        fn read(&self, piece: &ArchivePiece<'_, bool>, take: Take<'_, (u64, u64, u32), u64>) {
            if !piece.kind {
                take(Ok((0, 0, piece.bytes.len() as u32)));
                return;
            }
            let (mut line, mut at) = (piece.line, piece.offset);
            for text in piece.bytes.split_inclusive(|&byte| byte == b'\n') {
                let number = std::str::from_utf8(text.trim_ascii()).ok();
                match number.and_then(|number| number.parse().ok()) {
                    Some(number) => take(Ok((line, at, number))),
                    None => take(Err(line)),
                }
                line += 1;
                at += text.len() as u64;
            }
        }
    }

    type Read = std::result::Result<(u64, u64, u32), u64>;

    fn read(files: &[PathBuf], threads: usize, piece: usize) -> Result<Vec<Vec<Read>>> {
        let mut read = vec![Vec::new(); files.len()];
        let work = |formats: &Numbers, piece: &ArchivePiece<'_, bool>| {
            let mut records = Vec::new();
            formats.read(piece, &mut |record| records.push(record));
            records
        };
        for batch in ArchiveReader::new(Numbers, files.to_vec(), threads, piece, work) {
            let batch = batch?;
            read[batch.file].extend(batch.items);
        }
        Ok(read)
    }

    #[test]
    fn records_have_the_same_places_in_pieces_of_any_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let lines: Vec<String> = (0..200).map(|n| (n * 7).to_string() + "\n").collect();
        let text = lines.concat();
        let text = text.replace("\n70\n", "\nx\n");
        std::fs::write(path("a"), &text).unwrap();
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        let utf16: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
        std::fs::write(path("b"), utf16).unwrap();
        std::fs::write(path("c"), [0; 300]).unwrap();
        std::fs::write(path("d"), "5").unwrap();
        let mut expected = Vec::new();
        read_bytes(&Numbers, text.as_bytes(), &mut |record| {
            expected.push(record);
        })
        .unwrap();
        assert_eq!(expected[10], Err(11));
        assert_eq!(expected[2], Ok((3, 4, 14)));
        let binary = vec![Ok((0, 0, 300))];
        let expected = [expected.clone(), expected, binary, vec![Ok((1, 0, 5))]];
        let files = ["a", "b", "c", "d"].map(path);
        for threads in [1, 3] {
            for size in [64, 100, 1000, PIECE] {
                let read = read(&files, threads, size).unwrap();
                assert!(read == expected, "{threads} {size}");
            }
        }
    }

    #[test]
    fn errors_come_in_their_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a"), "1\n").unwrap();
        std::fs::write(path("b"), "no\n").unwrap();
        for (files, reason) in [(["a", "b"], "has no numbers"), (["a", "c"], "c")] {
            let error = read(&files.map(path), 2, PIECE).unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
        }
    }

    #[test]
    fn lines_end_in_any_way() {
        assert_eq!(count_lines(b"a\nb\n"), 2);
        assert_eq!(count_lines(b"a\r\nb\rc\n\r"), 4);
    }

    #[test]
    fn folders_are_walked_in_the_order_of_names() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b/2.x", "b/1.x", "b.x", "a.y", "c/d/e.x"] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let is_x = |path: &Path| path.extension().is_some_and(|extension| extension == "x");
        let found = files_below(folder.path(), &is_x).unwrap();
        let names: Vec<_> = found
            .iter()
            .map(|path| path.strip_prefix(folder.path()).unwrap().to_str().unwrap())
            .collect();
        let mut sorted = found.clone();
        sorted.sort();
        assert_eq!(names, ["b/1.x", "b/2.x", "b.x", "c/d/e.x"]);
        assert_eq!(found, sorted);
    }
}
