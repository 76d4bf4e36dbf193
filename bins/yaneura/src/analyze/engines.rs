//! The engine of a run.

use shogi_farm::{Engine, EnginePool, EnginePresets, EngineSetupError, check_programs};
use yane_cli::{UsageError, engine_options, evaluation_folders};

use super::cli::{EngineArgs, LimitStyle};

/// Options of the embedded engine before those of the user: nothing that an analysis should not depend on.
const PRESETS: [(&str, &str); 5] = [
    ("EnteringKingRule", "CSARule27"),
    ("ResignValue", "99999"),
    ("DrawValueBlack", "0"),
    ("DrawValueWhite", "0"),
    ("ConsiderationMode", "true"),
];

/// The engine that the command line names: `instances` games at a time, `threads` threads for each.
pub(super) fn engine(
    args: &EngineArgs,
    instances: usize,
    threads: usize,
) -> anyhow::Result<Engine> {
    let mut engine = if args.engine == Engine::EMBEDDED {
        Engine::embedded()
    } else {
        Engine::program(&*args.engine)
    };
    engine.multi = instances;
    engine
        .options
        .insert("USI_Hash".to_owned(), args.hash.to_string());
    if !engine.is_embedded() {
        engine
            .options
            .insert("USI_OwnBook".to_owned(), "false".to_owned());
        if threads > 1 {
            engine
                .options
                .insert("Threads".to_owned(), threads.to_string());
        }
    }
    for (name, value) in engine_options(&args.option)? {
        if name.eq_ignore_ascii_case("MultiPV") {
            return Err(UsageError("--option MultiPV: use --multipv instead".to_owned()).into());
        }
        engine
            .options
            .retain(|known, _| !known.eq_ignore_ascii_case(&name));
        engine.options.insert(name, value);
    }
    check_programs(std::slice::from_ref(&engine))?;
    Ok(engine)
}

/// How the engine takes limits.
pub(super) fn limit_style(engine: &Engine) -> LimitStyle {
    if engine.is_embedded() {
        LimitStyle::Embedded
    } else {
        LimitStyle::Program
    }
}

/// The engine, ready to work.
pub(super) fn engine_pool(
    args: &EngineArgs,
    engine: &Engine,
    threads: usize,
) -> anyhow::Result<EnginePool> {
    let presets = EnginePresets {
        all: &PRESETS,
        deep: &[],
    };
    let pool =
        EnginePool::with_presets(std::slice::from_ref(engine), presets, &evaluation_folders());
    let mut pool = pool.map_err(|error| match error {
        // The user named the option.
        EngineSetupError::Option { .. } => UsageError(error.to_string()).into(),
        error => anyhow::Error::from(error),
    })?;
    pool = pool.with_threads(threads);
    if args.allow_engine_errors {
        pool = pool.allow_engine_errors();
    }
    Ok(pool)
}
