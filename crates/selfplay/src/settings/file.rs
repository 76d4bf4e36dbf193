//! The settings file: JSON5.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use shogi_core::EnteringKingRule;
use shogi_farm::settings::{EngineEntry, check_engine_keys, check_keys, engines, parse_json5};

use crate::SelfplaySettingsError;

use super::{
    Adjudication, DrawRule, GameFormat, Hcpe3, MultiPvSampling, Preset, ResignRule, Rotation,
    SelfplaySettings, StartFilter, VisitSampling,
};

type Result<T> = std::result::Result<T, SelfplaySettingsError>;

/// The keys of the file.
const KEYS: &[&str] = &[
    "PRESET",
    "START_SFENS_PATH",
    "MAX_GAME_PLY",
    "NODES",
    "NODES_JITTER",
    "ENGINE_SETTING",
    "OUTPUT_FORMAT",
    "OUTPUT_DIR",
    "MULTIPV",
    "HCPE3_VISITS_SUM",
    "HCPE3_TEMPERATURE",
    "HCPE3_EVAL_DROP_THRESHOLD",
    "HCPE3_MATE_SCORE",
    "HCPE3_RESIGN_EVAL",
    "GAMES",
    "SEED",
    "RANDOM_PLIES",
    "RANDOM_MULTI_PV",
    "RANDOM_MULTI_PV_DIFF",
    "RANDOM_MULTI_PV_NODES",
    "RANDOM_VISITS_PLIES",
    "RANDOM_VISITS_TEMPERATURE",
    "RANDOM_VISITS_TEMPERATURE_DROP",
    "RANDOM_VISITS_CUTOFF",
    "RANDOM_VISITS_CUTOFF_DROP",
    "START_MAX_SCORE",
    "START_NODES",
    "ENTERING_KING_RULE",
    "RESIGN_VALUE",
    "RESIGN_MOVES",
    "NO_RESIGN_RATE",
    "DRAW_VALUE",
    "DRAW_PLIES",
    "DRAW_MIN_PLY",
    "DEDUP_GAMES",
    "FORGET",
    "ROTATE_GAMES",
    "ROTATE_SIZE",
    "MOVE_TIMEOUT",
    "SAVE_INTERVAL",
];

/// The file as it is, with keys that were checked.
#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
struct SettingsFile {
    preset: Option<String>,
    start_sfens_path: Option<PathBuf>,
    max_game_ply: Option<u32>,
    nodes: Option<u64>,
    nodes_jitter: Option<f64>,
    engine_setting: Option<Vec<EngineEntry>>,
    output_format: Option<String>,
    output_dir: Option<PathBuf>,
    multipv: Option<usize>,
    hcpe3_visits_sum: Option<u16>,
    hcpe3_temperature: Option<f64>,
    hcpe3_eval_drop_threshold: Option<i32>,
    hcpe3_mate_score: Option<i16>,
    hcpe3_resign_eval: Option<i16>,
    games: Option<u64>,
    seed: Option<u64>,
    random_plies: Option<u32>,
    random_multi_pv: Option<usize>,
    random_multi_pv_diff: Option<i32>,
    random_multi_pv_nodes: Option<u64>,
    random_visits_plies: Option<u32>,
    random_visits_temperature: Option<u32>,
    random_visits_temperature_drop: Option<u32>,
    random_visits_cutoff: Option<u32>,
    random_visits_cutoff_drop: Option<u32>,
    start_max_score: Option<i16>,
    start_nodes: Option<u64>,
    entering_king_rule: Option<String>,
    resign_value: Option<i16>,
    resign_moves: Option<u32>,
    no_resign_rate: Option<f64>,
    draw_value: Option<i16>,
    draw_plies: Option<u32>,
    draw_min_ply: Option<u32>,
    dedup_games: Option<bool>,
    forget: Option<bool>,
    rotate_games: Option<u64>,
    rotate_size: Option<u64>,
    move_timeout: Option<f64>,
    save_interval: Option<f64>,
}

pub(super) fn parse(text: &str, preset: Option<Preset>) -> Result<SelfplaySettings> {
    let value = parse_json5(text)?;
    check_keys(&value, KEYS, "")?;
    check_engine_keys(&value, "ENGINE_SETTING")?;
    let file: SettingsFile = serde_path_to_error::deserialize(value)?;
    settings(file, preset)
}

fn settings(file: SettingsFile, preset: Option<Preset>) -> Result<SelfplaySettings> {
    let own = file.preset.as_deref().map(|name| {
        Preset::from_name(name).ok_or_else(|| {
            let names = Preset::ALL.map(Preset::name).join(", ");
            SelfplaySettingsError::word("PRESET", format!("one of {names}"), name)
        })
    });
    let default = preset.or(own.transpose()?).unwrap_or_default().settings();
    let engines = match file.engine_setting.as_deref() {
        None => default.engines,
        Some(entries) => engines(entries, "ENGINE_SETTING")?,
    };
    let rule = file.entering_king_rule.as_deref();
    let rule = rule.map_or(Ok(default.entering_king_rule), |name| {
        EnteringKingRule::from_name(name).ok_or_else(|| {
            let names = EnteringKingRule::ALL.map(EnteringKingRule::name).join(", ");
            SelfplaySettingsError::word("ENTERING_KING_RULE", format!("one of {names}"), name)
        })
    })?;
    let seconds = |name: &'static str, value: Option<f64>, default: Duration| {
        value.map_or(Ok(default), |value| {
            within(name, value, 0.001, 1e7).map(Duration::from_secs_f64)
        })
    };
    let nodes = file.nodes.unwrap_or(default.nodes);
    if nodes == 0 {
        return Err(SelfplaySettingsError::NoNodes);
    }
    // A file that names start positions wants its games to begin there.
    let random_plies = match &file.start_sfens_path {
        Some(path) if path.as_os_str().is_empty() => {
            return Err(SelfplaySettingsError::EmptyStarts);
        }
        Some(_) => 0,
        None => default.random_plies,
    };
    let hcpe3 = hcpe3(&file)?;
    Ok(SelfplaySettings {
        max_game_ply: file.max_game_ply.unwrap_or(default.max_game_ply),
        nodes,
        nodes_jitter: within(
            "NODES_JITTER",
            file.nodes_jitter.unwrap_or(default.nodes_jitter),
            0.0,
            0.9,
        )?,
        engines,
        format: format(&file, &hcpe3)?,
        hcpe3,
        games: file.games,
        seed: file.seed.unwrap_or(default.seed),
        random_plies: file.random_plies.unwrap_or(random_plies),
        random_multi_pv: sampling(&file, default.random_multi_pv),
        random_visits: visit_sampling(&file),
        start_filter: start_filter(&file, default.start_filter),
        entering_king_rule: rule,
        adjudication: adjudication(&file, &default.adjudication)?,
        dedup_games: file.dedup_games.unwrap_or(default.dedup_games),
        forget: file.forget.unwrap_or(default.forget),
        rotation: Rotation {
            games: file.rotate_games.filter(|&games| games > 0),
            bytes: match file.rotate_size {
                None => default.rotation.bytes,
                Some(0) => None,
                Some(bytes) => Some(bytes),
            },
        },
        move_timeout: seconds("MOVE_TIMEOUT", file.move_timeout, default.move_timeout)?,
        save_interval: seconds("SAVE_INTERVAL", file.save_interval, default.save_interval)?,
        output_dir: file.output_dir,
        start_sfens: file.start_sfens_path,
    })
}

/// Checks that a number is within its bounds.
fn within(key: &'static str, value: f64, min: f64, max: f64) -> Result<f64> {
    let fits = (min..=max).contains(&value);
    fits.then_some(value).ok_or(SelfplaySettingsError::Number {
        key,
        min,
        max,
        found: value,
    })
}

fn adjudication(file: &SettingsFile, default: &Adjudication) -> Result<Adjudication> {
    let base = default.resign.unwrap_or(ResignRule {
        value: 0,
        moves: 3,
        never: 0.0,
    });
    let never = file.no_resign_rate.unwrap_or(base.never);
    let rule = ResignRule {
        value: file.resign_value.unwrap_or(base.value).saturating_abs(),
        moves: file.resign_moves.unwrap_or(base.moves).max(1),
        never: within("NO_RESIGN_RATE", never, 0.0, 1.0)?,
    };
    let draw = file.draw_value.map(|value| DrawRule {
        value: value.saturating_abs(),
        plies: file.draw_plies.unwrap_or(16).max(1),
        min_ply: file.draw_min_ply.unwrap_or(100),
    });
    Ok(Adjudication {
        resign: (rule.value > 0).then_some(rule),
        draw: draw.or(default.draw),
    })
}

/// The sampling of random moves; one line or none switches it off.
fn sampling(file: &SettingsFile, default: Option<MultiPvSampling>) -> Option<MultiPvSampling> {
    let base = default.unwrap_or(MultiPvSampling::new(0));
    let sampling = MultiPvSampling {
        lines: file.random_multi_pv.unwrap_or(base.lines).min(600),
        spread: file.random_multi_pv_diff.unwrap_or(base.spread).max(0),
        nodes: file.random_multi_pv_nodes.unwrap_or(base.nodes).max(1),
    };
    (sampling.lines > 1).then_some(sampling)
}

/// The choice of moves by visits; off without plies.
fn visit_sampling(file: &SettingsFile) -> Option<VisitSampling> {
    let base = VisitSampling::new(file.random_visits_plies.unwrap_or(0));
    let sampling = VisitSampling {
        plies: base.plies,
        temperature: file.random_visits_temperature.unwrap_or(base.temperature),
        temperature_drop: file
            .random_visits_temperature_drop
            .unwrap_or(base.temperature_drop),
        cutoff: file.random_visits_cutoff.unwrap_or(base.cutoff),
        cutoff_drop: file.random_visits_cutoff_drop.unwrap_or(base.cutoff_drop),
    };
    (sampling.plies > 0).then_some(sampling)
}

/// The filter of start positions; a score of 0 switches it off.
fn start_filter(file: &SettingsFile, default: Option<StartFilter>) -> Option<StartFilter> {
    let base = default.unwrap_or(StartFilter::new(0));
    let filter = StartFilter {
        max_score: file
            .start_max_score
            .unwrap_or(base.max_score)
            .saturating_abs(),
        nodes: file.start_nodes.unwrap_or(base.nodes).max(1),
    };
    (filter.max_score > 0).then_some(filter)
}

fn format(file: &SettingsFile, hcpe3: &Hcpe3) -> Result<GameFormat> {
    match file.output_format.as_deref().unwrap_or("pack") {
        // The number of lines is for hcpe3 alone: a pack has the best one.
        "pack" => Ok(GameFormat::Pack),
        "hcpe3" => Ok(GameFormat::Hcpe3(hcpe3.clone())),
        other => Err(SelfplaySettingsError::word(
            "OUTPUT_FORMAT",
            "\"pack\" or \"hcpe3\"",
            other,
        )),
    }
}

fn hcpe3(file: &SettingsFile) -> Result<Hcpe3> {
    let default = Hcpe3::default();
    let temperature = file.hcpe3_temperature.unwrap_or(default.temperature);
    if !temperature.is_finite() {
        return Err(SelfplaySettingsError::Temperature);
    }
    Ok(Hcpe3 {
        lines: file.multipv.unwrap_or(default.lines).clamp(1, 600),
        visits: file.hcpe3_visits_sum.unwrap_or(default.visits),
        temperature,
        drop_threshold: file
            .hcpe3_eval_drop_threshold
            .unwrap_or(default.drop_threshold),
        mate_score: file.hcpe3_mate_score.unwrap_or(default.mate_score),
        resign_eval: file.hcpe3_resign_eval.map(i16::saturating_abs),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<SelfplaySettings> {
        super::parse(text, None)
    }

    /// The settings that the classic program's document shows.
    const CLASSIC: &str = r#"{
        // Positions to start from.
        "START_SFENS_PATH": "settings/start_sfens_ply24.txt",
        "MAX_GAME_PLY" : 320,
        "NODES" : 1000000,
        "ENGINE_SETTING":
        [
            { "path":"engines/suisho10/engine0.bat", "name":"YO901tune", "multi":40 },
            { "path":"ssh -o ServerAliveInterval=15 9950b suisho10.bat", "name":"far", "multi":32, },
        ]
    }"#;

    #[test]
    fn classic_settings() {
        let settings = parse(CLASSIC).unwrap();
        assert_eq!((settings.nodes, settings.max_game_ply), (1_000_000, 320));
        assert_eq!(
            (settings.engines[0].multi, settings.engines[1].multi),
            (40, 32)
        );
        assert_eq!(settings.engines[1].name, "far");
        assert_eq!((settings.random_plies, settings.format.lines()), (0, 1));
        assert!(settings.start_sfens.is_some() && settings.games.is_none());
    }

    #[test]
    fn everything_can_be_left_out() {
        assert_eq!(parse("{}").unwrap(), SelfplaySettings::default());
    }

    #[test]
    fn engines_take_options_of_all_kinds() {
        let text = "{ENGINE_SETTING: [{path: 'embedded', options: {USI_Hash: 16, USI_OwnBook: false, \
                    EvalDir: 'eval'}}, {path: 'a b'}]}";
        let settings = parse(text).unwrap();
        let [own, other] = &settings.engines[..] else {
            panic!("two engines")
        };
        assert!(own.is_embedded() && own.multi == 0);
        assert_eq!(own.options["USI_Hash"], "16");
        assert_eq!(own.options["USI_OwnBook"], "false");
        assert_eq!((other.name.as_str(), other.multi), ("a b", 1));
    }

    #[test]
    fn a_preset_has_the_values_of_keys_that_are_left_out() {
        let teacher = Preset::Teacher.settings();
        assert_eq!(parse("{PRESET: 'teacher'}").unwrap(), teacher);
        assert_eq!(super::parse("{}", Some(Preset::Teacher)).unwrap(), teacher);
        let both = super::parse("{PRESET: 'teacher'}", Some(Preset::Classic)).unwrap();
        assert_eq!(both, SelfplaySettings::default());
        let some = "{PRESET: 'teacher', NO_RESIGN_RATE: 0.2, RANDOM_MULTI_PV: 4, START_MAX_SCORE: -500, \
                    NODES_JITTER: 0}";
        let some = parse(some).unwrap();
        let resign = some.adjudication.resign.unwrap();
        assert_eq!((resign.value, resign.moves, resign.never), (2500, 2, 0.2));
        let sampling = some.random_multi_pv.unwrap();
        assert_eq!((sampling.lines, sampling.spread), (4, 200));
        assert_eq!(some.start_filter.unwrap().max_score, 500);
        assert!(some.nodes_jitter < 0.1);
        let off = "{PRESET: 'teacher', RESIGN_VALUE: 0, RANDOM_MULTI_PV: 0, START_MAX_SCORE: 0}";
        let off = parse(off).unwrap();
        assert_eq!(off.adjudication, Adjudication::default());
        assert_eq!((off.random_multi_pv, off.start_filter), (None, None));
    }

    #[test]
    fn candidates() {
        let settings = parse("{OUTPUT_FORMAT: 'hcpe3', MULTIPV: 8, HCPE3_RESIGN_EVAL: -3000}");
        let GameFormat::Hcpe3(hcpe3) = settings.unwrap().format else {
            panic!("hcpe3")
        };
        assert_eq!((hcpe3.lines, hcpe3.resign_eval), (8, Some(3000)));
        assert_eq!((hcpe3.visits, hcpe3.drop_threshold), (65_535, 500));
        let mut settings = parse("{MULTIPV: 6}").unwrap();
        assert_eq!(settings.format, GameFormat::Pack);
        assert!(settings.set_format("HCPE3") && !settings.set_format("psv"));
        assert_eq!(settings.format.lines(), 6);
    }

    #[test]
    fn moves_by_visits() {
        let off = parse("{RANDOM_VISITS_PLIES: 0, RANDOM_VISITS_CUTOFF: 5}").unwrap();
        assert_eq!(off.random_visits, None);
        let some = "{RANDOM_VISITS_PLIES: 20, RANDOM_VISITS_TEMPERATURE: 1000, RANDOM_VISITS_TEMPERATURE_DROP: 50, \
                    RANDOM_VISITS_CUTOFF: 30, RANDOM_VISITS_CUTOFF_DROP: 1}";
        let expected = VisitSampling {
            plies: 20,
            temperature: 1000,
            temperature_drop: 50,
            cutoff: 30,
            cutoff_drop: 1,
        };
        assert_eq!(parse(some).unwrap().random_visits, Some(expected));
        let usual = parse("{RANDOM_VISITS_PLIES: 9}").unwrap().random_visits;
        assert_eq!(usual, Some(VisitSampling::new(9)));
    }

    #[test]
    fn mistakes_are_reported() {
        for (text, expected) in [
            ("{NODE: 5}", "unknown key \"NODE\"; did you mean \"NODES\"?"),
            ("{max_game_ply: 5}", "did you mean \"MAX_GAME_PLY\"?"),
            ("{FOO: 5}", "expected one of PRESET, START_SFENS_PATH"),
            ("{START_SFENS_PATH: ''}", "START_SFENS_PATH is empty"),
            (
                "{ENGINE_SETTING: [{pat: 'x'}]}",
                "ENGINE_SETTING[0]: unknown key \"pat\"",
            ),
            ("{ENGINE_SETTING: [{name: 'x'}]}", "missing field `path`"),
            ("{ENGINE_SETTING: []}", "at least one engine"),
            ("{NODES: 'many'}", "NODES: "),
            ("{NODES: 0}", "at least 1"),
            ("{OUTPUT_FORMAT: 'psv'}", "\"pack\" or \"hcpe3\""),
            ("{ENTERING_KING_RULE: '27'}", "CSARule27"),
            ("{RESIGN_VALUE: 1000, NO_RESIGN_RATE: 2}", "NO_RESIGN_RATE"),
            (
                "{PRESET: 'fast'}",
                "PRESET: expected one of classic, teacher",
            ),
            ("{NODES_JITTER: 1}", "NODES_JITTER: expected a number"),
            ("{MOVE_TIMEOUT: -1}", "MOVE_TIMEOUT"),
            ("[]", "expected an object"),
            ("{NODES: ", "EOF"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
