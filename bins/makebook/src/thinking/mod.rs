//! Common parts of the commands that search positions: their engines, the progress of a run, and its
//! summary.

mod progress;

use bookwork::BookworkError;
use shogi_farm::{
    Engine, EngineContents, EnginePool, EnginePresets, EngineSetupError, contents_of,
};
use yane_cli::{UsageError, evaluation_folders};

use crate::args::EngineArgs;

pub(crate) use progress::{FATE, RunProgress, Style, end, lines, work_lines};

/// The error inside, which the end of the program knows.
pub(crate) fn plain(error: BookworkError) -> anyhow::Error {
    match error {
        BookworkError::Book(error) => error.into(),
        error => error.into(),
    }
}

// Engines from the command line.

/// Options of the embedded engine before those of the user: nothing that a book should not depend on.
const PRESETS: [(&str, &str); 4] = [
    ("EnteringKingRule", "CSARule27"),
    ("ResignValue", "99999"),
    ("DrawValueBlack", "0"),
    ("DrawValueWhite", "0"),
];

/// The same where the deep engine plays, whose draws are worth so many thousandths of a win.
const DEEP_PRESETS: [(&str, &str); 2] = [("DrawValueBlack", "500"), ("DrawValueWhite", "500")];

/// The engines that the command line names, with `threads` positions at a time in this process; `more` are
/// options that the embedded one gets before those of the user.
pub(crate) fn engine_pool(
    args: &EngineArgs,
    threads: usize,
    more: &[(&str, &str)],
) -> anyhow::Result<EnginePool> {
    let engines = engines(args, threads)?;
    let presets = EnginePresets {
        all: &[&PRESETS, more].concat(),
        deep: &DEEP_PRESETS,
    };
    let pool = EnginePool::with_presets(&engines, presets, &evaluation_folders());
    let mut pool = pool.map_err(|error| match error {
        // The user named the option.
        EngineSetupError::Option { .. } => UsageError(error.to_string()).into(),
        error => anyhow::Error::from(error),
    })?;
    if args.allow_engine_errors {
        pool = pool.allow_engine_errors();
    }
    Ok(pool)
}

/// Refuses searches of the deep engine that are not limited by nodes or time: it makes playouts until its best line has `--depth`
/// moves, which may never be.
pub(crate) fn accept_limits(pool: &EnginePool, is_limited: bool) -> Result<(), UsageError> {
    match pool.first_deep() {
        Some(name) if !is_limited => Err(UsageError(format!(
            "engine {name} is the deep engine, which needs --nodes (playouts) or --time: --depth alone may never end its search"
        ))),
        _ => Ok(()),
    }
}

/// What the engines read, as far as it is on this machine.
pub(crate) fn engine_contents(
    args: &EngineArgs,
    threads: usize,
) -> anyhow::Result<Vec<EngineContents>> {
    Ok(contents_of(
        &engines(args, threads)?,
        &evaluation_folders(),
    )?)
}

/// The engines of the command line.
pub(crate) fn engines(args: &EngineArgs, threads: usize) -> anyhow::Result<Vec<Engine>> {
    let mut engines = match &args.engines {
        Some(path) => shogi_farm::settings::read_engines(path)?,
        None => Vec::new(),
    };
    engines.extend(args.engine.iter().map(|path| match path.as_str() {
        Engine::EMBEDDED => Engine::embedded(),
        path => Engine::program(path),
    }));
    if engines.is_empty() {
        engines.push(Engine::embedded());
    }
    for engine in &mut engines {
        engine.multi = args.multi.unwrap_or(engine.multi);
        if engine.multi == 0 {
            engine.multi = threads;
        }
        if !engine.is_embedded() {
            let book = engine.options.entry("USI_OwnBook".to_owned());
            book.or_insert_with(|| "false".to_owned());
        }
        if let Some(hash) = args.hash {
            let hash = hash.to_string();
            engine.options.insert("USI_Hash".to_owned(), hash);
        }
    }
    for (name, value) in yane_cli::engine_options(&args.option)? {
        if name.eq_ignore_ascii_case("MultiPV") {
            return Err(UsageError("--option MultiPV: use --multipv instead".to_owned()).into());
        }
        for engine in &mut engines {
            engine.options.insert(name.clone(), value.clone());
        }
    }
    Ok(engines)
}
