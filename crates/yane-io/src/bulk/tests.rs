use std::io::Read;
use std::path::Path;

use proptest::prelude::*;

use super::{Direct, open_direct, *};

/// Blocks for tests: as small as any disk takes.
const SMALL: usize = 4096;

/// Bytes that differ from those a page, a block or a few of either away.
fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at % 251) as u8).collect()
}

/// Writes `bytes` in pieces of these sizes, repeated, and reads the file.
fn round_trip(folder: &Path, block: usize, cached: u64, pieces: &[usize], bytes: &[u8]) -> Vec<u8> {
    let file = tempfile::tempfile_in(folder).unwrap();
    let mut writer = BulkWriter::with_sizes(file, block, cached).unwrap();
    let mut rest = bytes;
    for &piece in pieces.iter().cycle() {
        let (now, later) = rest.split_at(piece.min(rest.len()));
        writer.put(now).unwrap();
        rest = later;
        assert_eq!(writer.offset(), (bytes.len() - rest.len()) as u64);
        if rest.is_empty() {
            break;
        }
    }
    let mut read = Vec::new();
    writer.finish().unwrap().read_to_end(&mut read).unwrap();
    read
}

/// A folder on a disk, and one in memory where there is one.
fn folders() -> Vec<tempfile::TempDir> {
    let mut folders = vec![tempfile::tempdir().unwrap()];
    folders.extend(tempfile::tempdir_in("/dev/shm"));
    folders
}

#[test]
fn every_size_around_blocks_comes_back() {
    for folder in folders() {
        for blocks in 0..5 {
            for more in [0, 1, 511, 512, SMALL - 1] {
                let bytes = pattern(blocks * SMALL + more);
                for cached in [0, 1, SMALL as u64, 2 * SMALL as u64, u64::MAX] {
                    let read = round_trip(folder.path(), SMALL, cached, &[1000], &bytes);
                    assert!(read == bytes, "{} bytes, {cached} cached", bytes.len());
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn all_bytes_are_written(
        len in 0..100_000_usize,
        blocks in 1..4_usize,
        cached in 0..50_000_u64,
        pieces in prop::collection::vec(1..20_000_usize, 1..8),
    ) {
        let bytes = pattern(len);
        for folder in folders() {
            let read = round_trip(folder.path(), blocks * SMALL, cached, &pieces, &bytes);
            prop_assert!(read == bytes);
        }
    }
}

#[test]
fn partial_blocks_are_written_through_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = pattern(10_000);
    assert!(round_trip(folder.path(), 1000, 0, &[10_000], &bytes) == bytes);
}

/// True if the file system of `folder` supports direct writes.
fn takes_direct(folder: &Path) -> bool {
    let file = tempfile::tempfile_in(folder).unwrap();
    let block = MmapMut::map_anon(SMALL).unwrap();
    open_direct(&file).is_some_and(|direct| write_at(&direct, 0, &block).is_ok())
}

#[test]
fn direct_writing_begins_at_the_first_whole_block() {
    for folder in folders() {
        let file = tempfile::tempfile_in(folder.path()).unwrap();
        let block = MmapMut::map_anon(SMALL).unwrap();
        let mut blocks = Blocks::new(file, 2 * SMALL as u64);
        for _ in 0..2 {
            blocks.append(&block).unwrap();
            assert!(matches!(blocks.direct(), Direct::From(_)));
        }
        blocks.append(&block).unwrap();
        let direct = matches!(blocks.direct(), Direct::Through(_));
        assert_eq!(direct, takes_direct(folder.path()));

        // An odd length is refused, or taken by a file system that only claims to write directly.
        blocks.append(&block[..1000]).unwrap();
        let len = blocks.into_file().metadata().unwrap().len();
        assert_eq!(len, 3 * SMALL as u64 + 1000);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    use std::fs::OpenOptions;
    use std::io::ErrorKind;

    let full = || OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut writer = BulkWriter::with_sizes(full(), SMALL, SMALL as u64).unwrap();
    let error = (0..4).find_map(|_| writer.put(&[1; SMALL]).err()).unwrap();
    assert_eq!(error.kind(), ErrorKind::StorageFull);
    assert!(writer.put(&[1; SMALL]).is_err());
    assert!(writer.finish().is_err());

    let mut writer = BulkWriter::with_sizes(full(), SMALL, 0).unwrap();
    writer.put(&[1; SMALL]).unwrap();
    let error = writer.finish().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageFull);

    let mut writer = BulkWriter::new(full()).unwrap();
    writer.put(b"a little").unwrap();
    let error = writer.finish().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageFull);
}

#[test]
fn a_dropped_writer_writes_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let file = tempfile::tempfile_in(folder.path()).unwrap();
    let mut writer = BulkWriter::with_sizes(file.try_clone().unwrap(), SMALL, 0).unwrap();
    writer.put(&pattern(2 * SMALL + 5)).unwrap();
    drop(writer);
    assert_eq!(file.metadata().unwrap().len(), 2 * SMALL as u64);
}
