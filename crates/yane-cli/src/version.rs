//! What `--version` says: the version, the commit, and what the program was built for and found.

use std::sync::LazyLock;

/// The text of `--version`, behind the name of the program: version and commit, the system and the instruction sets that are compiled in
/// (those besides are chosen at run time), and the instruction sets that this processor has.
///
/// The commit comes from the variable `YANEURA_COMMIT` at build time, which `cargo xtask dist` sets. Other builds
/// name none: to look for it at each of them would compile all programs anew after each commit.
pub fn long_version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "{}{}\nbuilt for {}-{} with {}\nprocessor has {}",
            env!("CARGO_PKG_VERSION"),
            commit_suffix(option_env!("YANEURA_COMMIT")),
            std::env::consts::ARCH,
            std::env::consts::OS,
            listed(|set| set.is_built_in),
            listed(|set| set.is_here),
        )
    });
    &TEXT
}

fn commit_suffix(commit: Option<&str>) -> String {
    match commit {
        Some(commit) if !commit.is_empty() => format!(" ({commit})"),
        _ => String::new(),
    }
}

/// An instruction set that makes a difference to one of the programs.
struct InstructionSet {
    name: &'static str,
    /// Whether code that is not chosen at run time uses it.
    is_built_in: bool,
    /// Whether this processor has it.
    is_here: bool,
}

/// A line for each name, in order.
macro_rules! instruction_sets {
    ($detected:ident, $($name:tt),+ $(,)?) => {
        vec![$(InstructionSet {
            name: $name,
            is_built_in: cfg!(target_feature = $name),
            is_here: $detected!($name),
        }),+]
    };
}

#[cfg(target_arch = "x86_64")]
fn instruction_sets() -> Vec<InstructionSet> {
    use std::arch::is_x86_feature_detected;
    instruction_sets!(
        is_x86_feature_detected,
        "sse4.2",
        "popcnt",
        "avx2",
        "bmi2",
        "fma",
        "avx512f",
        "avx512bw",
        "avx512vl",
        "avx512vbmi2",
        "avx512vnni",
        "gfni",
    )
}

#[cfg(target_arch = "aarch64")]
fn instruction_sets() -> Vec<InstructionSet> {
    use std::arch::is_aarch64_feature_detected;
    instruction_sets!(is_aarch64_feature_detected, "neon", "dotprod")
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn instruction_sets() -> Vec<InstructionSet> {
    Vec::new()
}

/// The names of those that `is_listed` says; `no instruction set that counts` when there is none.
fn listed(is_listed: impl Fn(&InstructionSet) -> bool) -> String {
    let sets = instruction_sets().into_iter().filter(is_listed);
    let names: Vec<&str> = sets.map(|set| set.name).collect();
    if names.is_empty() {
        return "no instruction set that counts".to_owned();
    }
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_stands_first() {
        let lines: Vec<_> = long_version().lines().collect();
        assert!(lines[0].starts_with(env!("CARGO_PKG_VERSION")), "{lines:?}");
        assert!(lines[1].starts_with(&format!("built for {}-", std::env::consts::ARCH)));
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn a_commit_is_named_if_there_is_one() {
        assert_eq!(commit_suffix(Some("1af3b7dc")), " (1af3b7dc)");
        assert_eq!(commit_suffix(Some("")), "");
        assert_eq!(commit_suffix(None), "");
    }

    #[test]
    fn what_is_built_in_is_here() {
        for set in instruction_sets() {
            assert!(set.is_here || !set.is_built_in, "{}", set.name);
        }
    }
}
