//! What there are modules for: games, and variants of browsers.

use clap::ValueEnum;

/// A game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Game {
    Shogi,
    Othello,
}

impl Game {
    pub(crate) const ALL: [Self; 2] = [Self::Shogi, Self::Othello];

    /// Its name in files and features.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Shogi => "shogi",
            Self::Othello => "othello",
        }
    }
}

/// What a browser must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Variant {
    /// Vectors of 16 bytes: browsers since 2021 to 2023.
    Simd,
    /// Vectors with relaxed rules: Chrome since 114.
    Relaxed,
    /// The same with shared memory, in pages that are isolated from others.
    Threads,
}

impl Variant {
    pub(crate) const ALL: [Self; 3] = [Self::Simd, Self::Relaxed, Self::Threads];

    /// Its name in files.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Simd => "simd",
            Self::Relaxed => "relaxed",
            Self::Threads => "threads",
        }
    }

    /// The flags of the compiler.
    pub(super) fn flags(self) -> String {
        // Dependencies that ask for random numbers of the system get an error where there are none.
        let mut flags = "--cfg getrandom_backend=\"unsupported\" -C link-arg=-zstack-size=8388608 \
             -C target-feature=+simd128"
            .to_owned();
        if self != Self::Simd {
            flags.push_str(",+relaxed-simd");
        }
        if self == Self::Threads {
            flags.push_str(
                ",+atomics,+bulk-memory -C link-arg=--shared-memory -C link-arg=--import-memory \
                 -C link-arg=--max-memory=1073741824 -C link-arg=--export=__wasm_init_tls \
                 -C link-arg=--export=__tls_size -C link-arg=--export=__tls_align \
                 -C link-arg=--export=__stack_pointer",
            );
        }
        flags
    }
}
