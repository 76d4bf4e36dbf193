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

/// When this fails because arrays are laid out in another way or the form is another one, raise
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

/// A file that is not mapped, and so does not begin on a line, is copied.
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
