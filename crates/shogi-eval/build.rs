//! Embeds a network into the library when there is one: the file that `SHOGI_EVAL_EMBED` names, else
//! `embedded/nn.bin`. See `embedded/README.md`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Names the file to embed; empty: none.
const VARIABLE: &str = "SHOGI_EVAL_EMBED";

fn main() {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    // The folder, not the file: cargo would run this for ever if what it watches were missing.
    println!("cargo::rerun-if-changed=embedded");
    println!("cargo::rerun-if-changed=build.rs");
    let expression = expression();
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("embedded.rs"), expression).expect("OUT_DIR can be written");
}

/// The expression for the bytes of the network, if there is one.
fn expression() -> String {
    if let Some(path) = env::var_os(VARIABLE) {
        if path.is_empty() {
            return "None".to_owned();
        }
        let path = PathBuf::from(path);
        println!("cargo::rerun-if-changed={}", path.display());
        let path = fs::canonicalize(&path).unwrap_or_else(|error| {
            panic!(
                "{VARIABLE} names {}: {error}; give the full path of a network, or nothing",
                path.display()
            )
        });
        let path = path.to_str().expect("the path of the network is UTF-8");
        return format!("Some(include_bytes!({path:?}))");
    }
    let folder = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    if Path::new(&folder).join("embedded").join("nn.bin").is_file() {
        // Not the full path: what was built must still compile when the sources are moved.
        r#"Some(include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/embedded/nn.bin")))"#
            .to_owned()
    } else {
        "None".to_owned()
    }
}
