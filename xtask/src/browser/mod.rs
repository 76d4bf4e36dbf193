//! `cargo xtask browser`: the engines in the tab of a browser, as a folder for any static host and as one file that needs none.
//!
//! The modules are `crates/browser`, compiled for each game and each variant of a browser; the pages are those of `crates/serve/ui`.

mod endings;
mod folder;
mod modules;
mod single;
mod toolchain;
mod variants;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::outcome::Outcome;
use crate::workspace;
use folder::Folder;
use toolchain::Toolchain;
use variants::{Game, Variant};

/// Make the pages with their engines as WebAssembly, for any static host: target/browser.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder of the pages, relative to the root of the workspace; by default `target/browser`.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Games.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Game::ALL)]
    games: Vec<Game>,
    /// Variants of the modules.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Variant::ALL)]
    variants: Vec<Variant>,
    /// Fail where there is no toolchain for WebAssembly, instead of saying that the task is skipped.
    #[arg(long)]
    required: bool,
}

impl Args {
    /// What the checks make: both games without the modules with threads, for which the standard library is compiled anew.
    pub(crate) fn for_checks() -> Self {
        Self {
            out: None,
            games: Game::ALL.to_vec(),
            variants: vec![Variant::Simd, Variant::Relaxed],
            required: false,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let sh = workspace::shell()?;
    let toolchain = match Toolchain::find(&sh) {
        Ok(toolchain) => toolchain,
        Err(missing) if args.required => return Err(missing),
        Err(missing) => {
            println!("skipped: no toolchain for WebAssembly: {missing:#}");
            return Ok(Outcome::Clean);
        }
    };
    let out = match &args.out {
        Some(out) => workspace::root().join(out),
        None => workspace::target_dir().join("browser"),
    };
    let mut folder = Folder::create(&out)?;
    for &game in &args.games {
        for &variant in &args.variants {
            let name = modules::file_name(game, variant);
            if let Err(why) = toolchain.can_build(variant) {
                println!("{name}: skipped: {why}");
                continue;
            }
            let start = Instant::now();
            let module =
                modules::build(&sh, &toolchain, game, variant).with_context(|| name.clone())?;
            let seconds = start.elapsed().as_secs_f64();
            println!("{name}: {} bytes in {seconds:.0} s", module.len());
            folder.put(&format!("engine/{name}"), module)?;
        }
    }
    folder.put_pages(&args.games)?;
    let one = single::page(&folder, &args.games)?;
    folder.put_beside("yaneura.html", one.as_bytes())?;
    folder.put_worker()?;
    println!("{}: {} files", out.display(), folder.len());
    Ok(Outcome::Clean)
}
