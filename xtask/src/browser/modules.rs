//! The modules: for each game and each variant of browsers.

use anyhow::{Context, Result, ensure};
use xshell::Shell;

use super::toolchain::{TARGET, Toolchain};
use super::variants::{Game, Variant};
use crate::workspace;

/// The name of a module's file.
pub(super) fn file_name(game: Game, variant: Variant) -> String {
    format!("{}-{}.wasm", game.name(), variant.name())
}

/// Compiles a module.
pub(super) fn build(
    sh: &Shell,
    toolchain: &Toolchain,
    game: Game,
    variant: Variant,
) -> Result<Vec<u8>> {
    // Flags change with the variant, and what one compiled the others must not throw away.
    let target = workspace::target_dir().join("wasm").join(variant.name());
    let game = game.name();
    toolchain
        .command(sh, variant)
        .args(["--package", "browser", "--lib", "--crate-type", "cdylib"])
        .args(["--profile", "browser", "--quiet", "--no-default-features"])
        .args(["--features", game])
        .arg("--target-dir")
        .arg(&target)
        .quiet()
        .run()?;
    let built = target.join(TARGET).join("browser/browser.wasm");
    let module = sh.read_binary_file(&built)?;
    ensure!(
        module.starts_with(b"\0asm"),
        "{}: no module of WebAssembly",
        built.display()
    );
    check_imports(&module).with_context(|| built.display().to_string())?;
    without_custom_sections(&module).context("sections that are cut short")
}

/// Fails if a module needs something of its host that the page's worker does not have.
fn check_imports(module: &[u8]) -> Result<()> {
    let names = import_modules(module).context("sections that are cut short")?;
    let foreign: Vec<_> = names
        .iter()
        .filter(|name| !["host", "env"].contains(&name.as_str()))
        .collect();
    ensure!(foreign.is_empty(), "imports of {foreign:?}");
    Ok(())
}

/// The module without the sections that nothing needs to run it: names of functions, who made it.
fn without_custom_sections(module: &[u8]) -> Option<Vec<u8>> {
    const CUSTOM: u8 = 0;
    let (head, mut rest) = module.split_at_checked(8)?;
    let mut out = head.to_vec();
    while let Some((&section, behind)) = rest.split_first() {
        let mut body = behind;
        let len = number(&mut body)?;
        let size = rest.len() - body.len() + len;
        let (whole, next) = rest.split_at_checked(size)?;
        if section != CUSTOM {
            out.extend_from_slice(whole);
        }
        rest = next;
    }
    Some(out)
}

/// The names of the modules that functions and memories are imported from; `None` where the bytes end too soon.
fn import_modules(module: &[u8]) -> Option<Vec<String>> {
    const IMPORTS: u8 = 2;
    let mut rest = module.get(8..)?;
    while let Some((&section, behind)) = rest.split_first() {
        rest = behind;
        let len = number(&mut rest)?;
        let (mut body, next) = rest.split_at_checked(len)?;
        rest = next;
        if section != IMPORTS {
            continue;
        }
        let count = number(&mut body)?;
        let mut names = Vec::new();
        for _ in 0..count {
            names.push(name(&mut body)?);
            name(&mut body)?;
            let (&kind, behind) = body.split_first()?;
            body = behind;
            match kind {
                0 => {
                    number(&mut body)?;
                }
                2 => {
                    let (&flags, behind) = body.split_first()?;
                    body = behind;
                    number(&mut body)?;
                    if flags & 1 != 0 {
                        number(&mut body)?;
                    }
                }
                _ => return None,
            }
        }
        return Some(names);
    }
    Some(Vec::new())
}

/// Takes a number of LEB128.
fn number(bytes: &mut &[u8]) -> Option<usize> {
    let (mut value, mut shift) = (0usize, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= usize::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
        if byte < 0x80 {
            return Some(value);
        }
    }
}

/// Takes a text with its length.
fn name(bytes: &mut &[u8]) -> Option<String> {
    let len = number(bytes)?;
    let (text, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    String::from_utf8(text.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_read() {
        let head = b"\0asm\x01\0\0\0";
        let types = b"\x01\x04\x01\x60\0\0";
        let imports = b"\x02\x18\x02\x04host\x01f\0\0\x03env\x06memory\x02\0\x01";
        let module = [head.as_slice(), types, imports].concat();
        assert_eq!(import_modules(&module).unwrap(), ["host", "env"]);
        assert!(check_imports(&module).is_ok());
        assert_eq!(import_modules(&module[..module.len() - 1]), None);
        assert_eq!(import_modules(head).unwrap(), Vec::<String>::new());
        let named = [module.as_slice(), b"\0\x05\x04name"].concat();
        assert_eq!(without_custom_sections(&named).unwrap(), module);
        assert_eq!(without_custom_sections(&named[..named.len() - 1]), None);
        let foreign = [head.as_slice(), b"\x02\x09\x01\x03abc\x01f\0\0"].concat();
        let error = check_imports(&foreign).unwrap_err().to_string();
        assert!(error.contains("abc"), "{error}");
    }
}
