//! Building the programs for other machines, and the check that their kernels are compiled as one piece.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};
use xshell::{Shell, cmd};

use super::release::{Release, has_tool};
use crate::packages::RELEASE_FEATURES;
use crate::workspace;

/// A level of the x86-64 instruction set, as the psABI defines them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(super) enum Level {
    /// SSE4.2 and POPCNT: any PC since about 2010.
    V2,
    /// AVX2 and BMI2: most PCs since about 2014.
    V3,
    /// AVX-512 (F, BW, CD, DQ, VL).
    V4,
}

impl Level {
    /// The compiler's name for the level.
    const fn target_cpu(self) -> &'static str {
        match self {
            Self::V2 => "x86-64-v2",
            Self::V3 => "x86-64-v3",
            Self::V4 => "x86-64-v4",
        }
    }
}

/// The name of the engine.
const ENGINE: &str = "yaneura";

/// Builds `programs` for the lowest of the levels, and the engine for each of the others. Returns the paths of the
/// programs; an engine of a higher level is called after it, as `yaneura-x86-64-v3`.
pub(super) fn programs(
    sh: &Shell,
    release: &Release,
    programs: &[&str],
    levels: &[Level],
    must_be_auditable: bool,
) -> Result<Vec<PathBuf>> {
    let mut levels = levels.to_vec();
    levels.sort_unstable();
    levels.dedup();
    let (lowest, more) = levels.split_first().context("no level")?;
    let is_auditable = has_tool(sh, "auditable", must_be_auditable)?;
    let cpu = if release.is_for_x86() {
        lowest.target_cpu()
    } else {
        "generic"
    };
    let mut built = compile(sh, release, programs, cpu, is_auditable)?;
    if !release.is_for_x86() || !programs.contains(&ENGINE) {
        return Ok(built);
    }
    // The next build takes the place of this one.
    let kept = built_folder(release).with_file_name("dist-levels");
    sh.create_dir(&kept)?;
    for path in &mut built {
        let copy = kept.join(path.file_name().context("a program has a name")?);
        sh.copy_file(&*path, &copy)?;
        *path = copy;
    }
    for level in more {
        let cpu = level.target_cpu();
        let paths = compile(sh, release, &[ENGINE], cpu, is_auditable)?;
        let copy = kept.join(format!("{ENGINE}-{cpu}{}", release.suffix()));
        sh.copy_file(&paths[0], &copy)?;
        built.push(copy);
    }
    Ok(built)
}

fn built_folder(release: &Release) -> PathBuf {
    workspace::target_dir().join(&release.target).join("dist")
}

fn compile(
    sh: &Shell,
    release: &Release,
    programs: &[&str],
    cpu: &str,
    is_auditable: bool,
) -> Result<Vec<PathBuf>> {
    let mut flags = format!("-C target-cpu={cpu}");
    if release.target.ends_with("msvc") {
        // No library of Microsoft's compiler has to be installed.
        flags += " -C target-feature=+crt-static";
    }
    if let Some((variable, linker)) = cross_linker(release) {
        sh.set_var(variable, linker);
    }
    let auditable = is_auditable.then_some("auditable");
    let target = &release.target;
    let names = programs.iter().flat_map(|program| ["--bin", program]);
    // Built as everywhere else: alone, a package has other features of its dependencies.
    cmd!(
        sh,
        "cargo {auditable...} build --profile dist --locked --target {target} --features {RELEASE_FEATURES} {names...}"
    )
    .env("RUSTFLAGS", flags)
    .env("YANEURA_COMMIT", &release.commit)
    .run()?;
    let mut built = Vec::new();
    for program in programs {
        let path = built_folder(release).join(format!("{program}{}", release.suffix()));
        ensure_inlined(&sh.read_binary_file(&path)?)
            .with_context(|| format!("{program} for {cpu}"))?;
        built.push(path);
    }
    Ok(built)
}

/// The linker of Debian's cross compiler, which Rust does not look for by itself, with the variable that names it to cargo.
fn cross_linker(release: &Release) -> Option<(&'static str, &'static str)> {
    let variable = "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER";
    let is_needed = !release.runs_here && release.target == "aarch64-unknown-linux-gnu";
    let is_chosen = std::env::var_os(variable).is_some();
    (is_needed && !is_chosen).then_some((variable, "aarch64-linux-gnu-gcc"))
}

/// Takes the names of functions out of a program, which only the check of its kernels needs: a fifth of its size.
pub(super) fn strip(sh: &Shell, release: &Release, program: &Path) -> Result<()> {
    if release.is_for_windows() {
        // They lie beside the program there, or a debugger of their own reads them.
        return Ok(());
    }
    let tool = match cross_linker(release) {
        Some(_) => "aarch64-linux-gnu-strip",
        None => "strip",
    };
    cmd!(sh, "{tool} {program}")
        .quiet()
        .run()
        .with_context(|| format!("{tool}, which comes with the linker, does not strip the program"))
}

/// Crates of others whose kernels are not as they should be, which is theirs to mend: rten evaluates graphs that our own kernels do
/// not have, and calls some instructions on bytes.
const OTHERS: [&str; 1] = ["rten_simd"];

/// Fails if a vector instruction is a function of its own that a kernel of ours calls: then the kernel has not been compiled as
/// one piece for the processor whose instructions it uses, and takes several times as long.
fn ensure_inlined(program: &[u8]) -> Result<()> {
    let file = object::File::parse(program)?;
    ensure!(
        file.format() == object::BinaryFormat::Pe || file.symbols().next().is_some(),
        "no symbols to look at"
    );
    let symbols = file.symbols();
    let functions: BTreeMap<u64, &str> = symbols
        .filter(|symbol| symbol.kind() == object::SymbolKind::Text)
        .filter_map(|symbol| Some((symbol.address(), symbol.name().ok()?)))
        .collect();
    let mut called = BTreeSet::new();
    for section in file.sections() {
        if section.kind() == object::SectionKind::Text {
            called.extend(called_instructions(
                section.data()?,
                section.address(),
                &functions,
            ));
        }
    }
    ensure!(
        called.is_empty(),
        "instructions that are called, not inlined: {}",
        called.into_iter().collect::<Vec<_>>().join(", ")
    );
    Ok(())
}

/// The instructions on vectors that code calls or jumps to, with the functions that do; those of others are left out.
fn called_instructions(
    code: &[u8],
    begin: u64,
    functions: &BTreeMap<u64, &str>,
) -> BTreeSet<String> {
    const CALL: u8 = 0xe8;
    const JUMP: u8 = 0xe9;
    const LENGTH: usize = 5;
    let mut called = BTreeSet::new();
    for (at, bytes) in code.windows(LENGTH).enumerate() {
        let [CALL | JUMP, distance @ ..] = bytes else {
            continue;
        };
        let distance = i32::from_le_bytes(distance.try_into().expect("four bytes"));
        let here = begin + at as u64;
        let target = (here + LENGTH as u64).wrapping_add_signed(distance.into());
        let Some(name) = functions.get(&target) else {
            continue;
        };
        let caller = functions.range(..=here).next_back();
        let caller = caller.map_or("code without a name", |(_, name)| name);
        let is_of_others = OTHERS.iter().any(|name| caller.contains(name));
        if is_vector_instruction(name) && !is_vector_instruction(caller) && !is_of_others {
            called.insert(format!("{name} by {caller}"));
        }
    }
    called
}

/// Returns whether the function with this mangled name is one of the standard library's for an instruction on vectors.
fn is_vector_instruction(symbol: &str) -> bool {
    symbol.contains("core_arch") && symbol.contains("_mm")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_known_by_their_names() {
        for (symbol, expected) in [
            (
                "_ZN4core9core_arch3x8610avx512vnni20_mm512_dpbusd_epi3217h8b1c0e2f4a5d6e7fE",
                true,
            ),
            (
                "_RNvNtNtNtCs0_4core9core_arch3x864avx216__mm256_add_epi16",
                true,
            ),
            // To ask what the processor has is not an instruction of a kernel.
            (
                "_ZN4core9core_arch3x865xsave7_xgetbv17h8b1c0e2f4a5d6e7fE",
                false,
            ),
            ("_ZN4core9panicking5panic17h8b1c0e2f4a5d6e7fE", false),
        ] {
            assert_eq!(is_vector_instruction(symbol), expected, "{symbol}");
        }
        // A file that cannot be read does not pass.
        assert!(ensure_inlined(b"no program").is_err());
    }

    #[test]
    fn instructions_that_are_called_are_found() {
        let instruction = "_ZN4core9core_arch3x867avx512f16_mm512_add_epi3217h0E";
        let functions = BTreeMap::from([
            (0x1000, "_ZN10shogi_eval6kernel17h0E"),
            (0x1010, "_ZN9rten_simd6kernel17h0E"),
            (0x1020, instruction),
        ]);
        let mut code = vec![0x90; 0x30];
        let mut call = |at: usize, distance: i32| {
            code[at] = 0xe8;
            code[at + 1..at + 5].copy_from_slice(&distance.to_le_bytes());
        };
        call(0x02, 0x20 - 0x07);
        call(0x12, 0x20 - 0x17);
        // To something else.
        call(0x08, 0x21 - 0x0d);
        let called = called_instructions(&code, 0x1000, &functions);
        let expected = format!("{instruction} by _ZN10shogi_eval6kernel17h0E");
        assert_eq!(called.into_iter().collect::<Vec<_>>(), [expected]);
    }

    #[test]
    fn levels_are_in_order() {
        assert!(Level::V2 < Level::V3 && Level::V3 < Level::V4);
    }
}
