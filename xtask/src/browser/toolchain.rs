//! What compiles for WebAssembly: rustup's target, or the packages of Debian.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use xshell::{Cmd, Shell, cmd};

use super::variants::Variant;

/// The target.
pub(super) const TARGET: &str = "wasm32-unknown-unknown";

/// A compiler that makes WebAssembly.
#[derive(Debug)]
pub(super) struct Toolchain {
    /// cargo and rustc of a place of their own; those of the path without it.
    programs: Option<(PathBuf, PathBuf)>,
    /// The linker, if not the one of the toolchain.
    linker: Option<PathBuf>,
    /// True if the standard library for the target is there.
    has_std: bool,
    /// True if its sources are.
    has_sources: bool,
}

/// How to get one.
const ADVICE: &str = "rustup target add wasm32-unknown-unknown; or, on Debian, apt-get install rustc-web cargo-web rust-web-src lld-19";

impl Toolchain {
    /// Looks for one.
    ///
    /// # Errors
    ///
    /// There is none; how to get one.
    pub(super) fn find(sh: &Shell) -> Result<Self> {
        let sysroot = |rustc: &Path| {
            let read = cmd!(sh, "{rustc} --print sysroot").quiet().ignore_stderr();
            read.read().ok().map(PathBuf::from)
        };
        if let Some(root) = sysroot(Path::new("rustc"))
            && root.join("lib/rustlib").join(TARGET).is_dir()
        {
            return Ok(Self {
                programs: None,
                linker: None,
                has_std: true,
                has_sources: has_sources(&root),
            });
        }
        // Debian's have no standard library for the target, but its sources.
        let [cargo, rustc] = ["/usr/bin/cargo", "/usr/bin/rustc"].map(PathBuf::from);
        let linkers = ["wasm-ld", "wasm-ld-19"].map(|name| Path::new("/usr/bin").join(name));
        let linker = linkers.into_iter().find(|linker| linker.is_file());
        if let (Some(linker), Some(root)) = (linker, sysroot(&rustc))
            && cargo.is_file()
            && has_sources(&root)
        {
            return Ok(Self {
                programs: Some((cargo, rustc)),
                linker: Some(linker),
                has_std: root.join("lib/rustlib").join(TARGET).is_dir(),
                has_sources: true,
            });
        }
        bail!("{ADVICE}")
    }

    /// Returns whether it can build a variant.
    ///
    /// # Errors
    ///
    /// What is missing.
    pub(super) fn can_build(&self, variant: Variant) -> Result<()> {
        if self.needs_sources(variant) && !self.has_sources {
            bail!("the sources of the standard library are missing: rustup component add rust-src");
        }
        Ok(())
    }

    /// The standard library of the target knows no threads: with them it is built anew.
    fn needs_sources(&self, variant: Variant) -> bool {
        !self.has_std || variant == Variant::Threads
    }

    /// The command that compiles the library of a package as a module.
    pub(super) fn command<'a>(&self, sh: &'a Shell, variant: Variant) -> Cmd<'a> {
        let cargo = match &self.programs {
            Some((cargo, _)) => cargo.clone(),
            None => "cargo".into(),
        };
        let mut command = cmd!(sh, "{cargo} rustc --target {TARGET}")
            // Of the features only those that the module asks for.
            .env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env("RUSTFLAGS", self.flags(variant));
        if let Some((_, rustc)) = &self.programs {
            command = command.env("RUSTC", rustc);
        }
        if self.needs_sources(variant) {
            command = command
                .env("RUSTC_BOOTSTRAP", "1")
                .arg("-Zbuild-std=std,panic_abort");
        }
        command
    }

    fn flags(&self, variant: Variant) -> String {
        let mut flags = variant.flags();
        if let Some(linker) = &self.linker {
            flags.push_str(" -C linker=");
            flags.push_str(&linker.to_string_lossy());
        }
        flags
    }
}

/// Returns whether a toolchain has the sources of the standard library.
fn has_sources(sysroot: &Path) -> bool {
    let file = "lib/rustlib/src/rust/library/std/Cargo.toml";
    sysroot.join(file).is_file()
}
