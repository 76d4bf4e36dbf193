//! Settings of a run.

mod file;
mod types;

use std::path::{Path, PathBuf};
use std::time::Duration;

use pack_format::TeacherFormat;
use shogi_core::EnteringKingRule;
use shogi_engine::teacher_eval_coef;
use shogi_farm::{Engine, EnginePool, EnginePresets, EngineSetupError};
use yane_io::sniff::{Expected, JSON};

use crate::{Result, SelfplayError, SelfplaySettingsError};
pub use types::{
    Adjudication, DrawRule, GameFormat, Hcpe3, MultiPvSampling, Preset, ResignRule, Rotation,
    SelfplaySettings, StartFilter, VisitSampling,
};

/// An engine that cannot play as the settings say.
pub(crate) const NO_VISITS: &str = "RANDOM_VISITS_PLIES needs the visits of the deep engine in this program: \
                                    expected the path \"embedded\" and an EvalDir with a model.onnx";

impl Default for SelfplaySettings {
    /// The engine in this process on all processors from the initial position with some random moves, at
    /// 1,000 nodes a move.
    fn default() -> Self {
        Self {
            start_sfens: None,
            max_game_ply: 320,
            nodes: 1000,
            engines: vec![Engine::embedded()],
            format: GameFormat::Pack,
            hcpe3: Hcpe3::default(),
            output_dir: None,
            games: None,
            seed: 1,
            random_plies: 16,
            random_multi_pv: None,
            random_visits: None,
            start_filter: None,
            nodes_jitter: 0.0,
            entering_king_rule: EnteringKingRule::CsaRule27,
            adjudication: Adjudication::default(),
            dedup_games: false,
            forget: true,
            rotation: Rotation {
                games: None,
                bytes: Some(256 << 20),
            },
            move_timeout: Duration::from_secs(600),
            save_interval: Duration::from_secs(300),
        }
    }
}

impl SelfplaySettings {
    /// The default path of the settings, relative to the working directory.
    pub const PATH: &str = "settings/gensfen-settings.json5";

    /// Reads a file of settings. The paths in it are relative to the working directory. `preset` has the values of keys
    /// that are left out, in place of the file's own.
    ///
    /// # Errors
    /// When it cannot be read, is no JSON5, has an unknown key or an invalid value.
    pub fn read(path: &Path, preset: Option<Preset>) -> Result<Self> {
        let expected = Expected {
            accepts: &[JSON],
            ..Expected::text("settings as JSON5")
        };
        let text = yane_io::read_text(path, &expected, yane_io::ReadLimit::Settings)?;
        let text = String::from_utf8_lossy(&text);
        Self::parse(&text, preset).map_err(|problem| SelfplayError::Settings {
            path: path.to_owned(),
            problem: Box::new(problem),
        })
    }

    /// Reads the text of a file of settings.
    ///
    /// # Errors
    /// See [`Self::read`].
    pub fn parse(
        text: &str,
        preset: Option<Preset>,
    ) -> std::result::Result<Self, SelfplaySettingsError> {
        file::parse(text, preset)
    }

    /// Sets the format whose files have this extension, whatever `OUTPUT_FORMAT` is; false when there is none.
    pub fn set_format(&mut self, extension: &str) -> bool {
        let format = match extension.to_ascii_lowercase().as_str() {
            "pack" => GameFormat::Pack,
            "hcpe3" => GameFormat::Hcpe3(self.hcpe3.clone()),
            _ => return false,
        };
        self.format = format;
        true
    }

    /// The engines, ready to play; evaluation files may be in one of `folders`.
    ///
    /// # Errors
    /// When the program of an engine is not there, an engine in this process refuses an option or has not the evaluation that was asked for, or
    /// moves are to be chosen by visits and an engine tells none.
    pub fn engine_pool(&self, folders: &[PathBuf]) -> Result<EnginePool> {
        let presets = [
            ("EnteringKingRule", self.entering_king_rule.name()),
            ("ResignValue", "99999"),
        ];
        let format = match self.format {
            GameFormat::Pack => TeacherFormat::Pack,
            GameFormat::Hcpe3(_) => TeacherFormat::Hcpe3,
        };
        let presets = EnginePresets {
            all: &presets,
            deep: &[("Eval_Coef", teacher_eval_coef(format))],
        };
        shogi_farm::check_programs(&self.engines)?;
        let pool = EnginePool::with_presets(&self.engines, presets, folders)?;
        match pool.first_without_visits() {
            Some(name) if self.random_visits.is_some() => Err(EngineSetupError::Option {
                name: name.to_owned(),
                reason: NO_VISITS.to_owned(),
            }
            .into()),
            _ => Ok(pool),
        }
    }

    /// The folder of the output.
    pub fn folder(&self) -> PathBuf {
        let default = match self.format {
            GameFormat::Pack => "kif",
            GameFormat::Hcpe3(_) => "hcpe3",
        };
        self.output_dir.clone().unwrap_or_else(|| default.into())
    }
}
