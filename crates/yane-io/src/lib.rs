//! Files and long jobs, whatever the files contain.
//!
//! * [`Map`], [`ChunkReader`]: a file as memory, or in pieces; [`Pool`]: buffers that are used again.
//! * [`MemoryFiles`], [`InputFile`]: files in memory, where the system has none, and whoever reads one or the other;
//!   [`SlicedFile`]: files that are too large for it, read slice by slice.
//! * [`TextFile`], [`read_text`]: text in UTF-8 or UTF-16, with or without a byte order mark; [`sniff`]: what a
//!   file is, for errors that name it.
//! * [`text_of_name`], [`path_of_text`]: names of files that are no UTF-8, carried in text.
//! * [`ReadLimit`]: how large a file may be that is read as a whole.
//! * [`BoundedLines`]: lines that take no more memory than they should; [`escaped`]: foreign text for terminals.
//! * [`AtomicFile`], [`Overwrite`]: files that appear whole or not at all. [`BulkFile`],
//!   [`BulkWriter`]: large files, written past the system's cache.
//! * [`RunLock`], [`Claim`]: one writer for each output, log, state and folder.
//! * [`archive`]: files with any number of records of games, in pieces on many threads.
//! * [`OrderedParallelMap`]: work on all threads, results in order.
//! * [`external`]: sorting more than memory holds; [`Scratch`]: changing it; [`TempFolder`]: where they put it.
//! * [`Journal`]: finished units of a long job, so that it can go on after a crash; [`Snapshot`]: the state of one
//!   that has no units; [`RunIdentity`]: all that decides the result of a run, which both belong to; [`Shard`]: whose
//!   units are whose when many processes share a job.
//! * [`child`]: child processes that talk in lines, with limits, ended as groups.
//! * [`secret`]: a secret that machines share, and whom a program believes that speaks over a network.
//! * [`Job`]: threads, memory, progress and cancellation of long work; [`JobMonitor`](job::JobMonitor): the same job as others
//!   see it, with requests to pause and to stop.
//!
//! ```
//! use yane_io::external::Sorter;
//! use yane_io::{AtomicFile, Job};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let job = Job { memory: 64 << 20, ..Job::default() };
//! let mut sorter = Sorter::new(&job, folder.path());
//! for word in ["b", "c", "a"] {
//!     sorter.push(word.as_bytes(), b"")?;
//! }
//! let target = folder.path().join("sorted");
//! let mut file = AtomicFile::create(&target)?;
//! let mut sorted = sorter.finish()?;
//! while let Some((_, word, _)) = sorted.current() {
//!     file.put(word)?;
//!     sorted.advance()?;
//! }
//! file.commit()?;
//! assert_eq!(std::fs::read(&target).unwrap(), b"abc");
//! # Ok::<(), yane_io::Error>(())
//! ```

#![deny(unsafe_code)]

mod any_name;
pub mod archive;
mod atomic;
mod bulk;
pub mod child;
mod chunks;
mod command_text;
mod error;
pub mod external;
mod folder;
mod identity;
mod in_memory;
pub mod job;
mod journal;
mod limit;
mod lock;
mod machine;
mod map;
mod names;
mod overwrite;
mod parallel_map;
mod scratch;
pub mod secret;
mod shard;
mod slices;
mod snapshot;
pub mod sniff;
mod text;

pub use any_name::{bytes_of_text, path_of_text, shown_text, text_of_bytes, text_of_name};
pub use atomic::{AtomicFile, SealedFile};
pub use bulk::{BulkFile, BulkWriter};
pub use chunks::{Chunk, ChunkReader};
pub use command_text::command_text;
pub use error::{Error, Result};
pub use folder::folder_of;
pub use identity::{
    Checksum, Hasher, IdentityDifference, NamedContents, PartDifference, RunIdentity,
};
pub use in_memory::{FileState, InputFile, MemoryFiles, PathKind, SharedBytes, real_path};
pub use job::{Job, Progress, Silent, TempFolder, Unit};
pub use journal::{DamagedPlace, Flush, Journal, JournalReport, OpenedJournal, keep_damaged};
pub use limit::{ReadLimit, read_text};
pub use lock::RunLock;
pub use machine::host_name;
pub use map::Map;
pub use names::beside;
pub use overwrite::{Claim, Overwrite};
pub use parallel_map::{OrderedParallelMap, Pool};
pub use scratch::{Scratch, ScratchWriter};
pub use shard::{Shard, ShardError};
pub use slices::{SliceSource, SlicedFile};
pub use snapshot::{OpenedSnapshot, Snapshot, SnapshotReport, SnapshotWriter};
pub use text::{
    BoundedLines, LONGEST_LINE, LineError, TextEncoding, TextFile, TextReader, decode_euc_jp,
    decode_shift_jis, decode_text, encode_shift_jis, escaped, escaped_lines, hexadecimal,
};

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
