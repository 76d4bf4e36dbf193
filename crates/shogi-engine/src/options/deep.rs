//! The options of the deep engine: names, kinds, defaults and ranges, other names of them, and their conversion.
//!
//! Names, ranges and defaults are those of YaneuraOu's deep edition (ふかうら王), except for `DNN_Batch_Size`, whose default suits processors.

use std::time::Duration;

use shogi_deep::{
    DeepBackend, DeepRuntime, InputFormat, PuctParams, QueueUse, centipawns_of_win_rate,
};
use shogi_usi::{OptionError, OptionSpec, Options};

use super::{entering_king_rule, spin_u32};

/// Default of `DNN_Model`.
pub(crate) const DEFAULT_MODEL: &str = "model.onnx";

/// Whose defaults the options have that both engines know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Edition {
    /// The alpha-beta engine's.
    #[default]
    AlphaBeta,
    /// The deep engine's.
    Deep,
}

impl Edition {
    /// `DrawValueBlack` and `DrawValueWhite`: default, least, most. In centipawns, or per mille.
    pub(crate) const fn draw_value(self) -> (i64, i64, i64) {
        match self {
            Self::AlphaBeta => (-2, -30_000, 30_000),
            Self::Deep => (500, 0, 1000),
        }
    }

    /// Defaults of `NetworkDelay` and `NetworkDelay2`.
    pub(crate) const fn network_delays(self) -> (i64, i64) {
        match self {
            Self::AlphaBeta => (120, 1120),
            Self::Deep => (400, 1400),
        }
    }

    /// The edition whose defaults `options` have.
    fn of(options: &Options) -> Self {
        let default = options.get("DrawValueBlack");
        let default = default.map(|(spec, _)| spec.kind.default_value().to_string());
        if default.as_deref() == Some("500") {
            Self::Deep
        } else {
            Self::AlphaBeta
        }
    }
}

/// Other names of options, as dlshogi and older versions of YaneuraOu's deep edition have them, and ours.
const ALIASES: [(&str, &str); 7] = [
    ("Draw_Ply", "MaxMovesToDraw"),
    ("Draw_Value_Black", "DrawValueBlack"),
    ("Draw_Value_White", "DrawValueWhite"),
    ("Const_Playout", "NodesLimit"),
    ("Time_Margin", "NetworkDelay2"),
    ("RootMateSearchNodesLimit", "PV_Mate_Search_Nodes"),
    ("MateSearchPly", "LeafDfpnNodesLimit"),
];

/// Options of these engines that have nothing to set here: beginnings of names.
const WITHOUT_USE: [&str; 9] = [
    "Byoyomi_Margin",
    "Mate_Root_Search",
    "DfPn_",
    "PV_Mate_Search_Depth",
    "Random_",
    "Random2_",
    "DNN_Model",
    "DNN_Batch_Size",
    "UCT_Threads",
];

/// Sets an option by one of its names.
pub(crate) fn set(
    options: &mut Options,
    name: &str,
    value: Option<&str>,
) -> Result<(), OptionError> {
    let is_alias = |(alias, _): &&(&str, &str)| alias.eq_ignore_ascii_case(name);
    match ALIASES.iter().find(is_alias) {
        None => options.set(name, value),
        Some(&("MateSearchPly", own)) => {
            // An odd-ply search of the leaves, which the solver replaces.
            let is_off = value.is_some_and(|plies| plies.trim() == "0");
            options.set(own, Some(if is_off { "0" } else { "40" }))
        }
        Some(&(_, own)) => options.set(own, value),
    }
}

/// Returns whether `name` is an option of other deep engines, in any case, that has nothing to set in this one.
pub fn is_foreign_deep_option(name: &str) -> bool {
    let begins = |start: &&'static str| {
        let head = name.get(..start.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(start))
    };
    WITHOUT_USE.iter().any(begins)
}

/// The options that the alpha-beta engine does not have, with their defaults.
pub(crate) fn deep_options() -> Vec<OptionSpec> {
    let architectures = InputFormat::ALL.map(InputFormat::name);
    let backends = DeepBackend::ALL.map(DeepBackend::name);
    let queues = QueueUse::ALL.map(QueueUse::name);
    let spin = OptionSpec::spin;
    vec![
        spin("PV_Interval", 500, 0, i64::from(i32::MAX)),
        OptionSpec::check("ReuseSubtree", true),
        spin("Eval_Coef", 285, 1, 10_000),
        spin("Resign_Threshold", 0, 0, 1000),
        spin("UCT_NodeLimit", 10_000_000, 10, 1_000_000_000),
        spin("C_fpu_reduction", 27, 0, 100),
        spin("C_fpu_reduction_root", 0, 0, 100),
        spin("C_init", 144, 0, 500),
        spin("C_base", 28_288, 10_000, 100_000),
        spin("C_init_root", 116, 0, 500),
        spin("C_base_root", 25_617, 10_000, 100_000),
        spin("Softmax_Temperature", 174, 1, 10_000),
        spin("LeafDfpnNodesLimit", 40, 0, 10_000),
        spin("PV_Mate_Search_Threads", 1, 0, 256),
        spin("PV_Mate_Search_Nodes", 500_000, 0, i64::from(u32::MAX)),
        spin("Max_GPU", 1, 1, 1024),
        OptionSpec::string("Disabled_GPU", ""),
        spin("UCT_Threads", 2, 0, 256),
        OptionSpec::string("DNN_Model", DEFAULT_MODEL),
        OptionSpec::combo("ModelArchitecture", architectures[0], &architectures),
        spin("DNN_Batch_Size", 1, 1, 1024),
        OptionSpec::combo("DNN_Runtime", backends[0], &backends),
        OptionSpec::string("DNN_Library", ""),
        OptionSpec::combo("DNN_Queue", queues[0], &queues),
        spin("DNN_Queue_Batch", DeepRuntime::QUEUE_BATCH as i64, 1, 1024),
        OptionSpec::string("DNN_Server", ""),
        spin(
            "DNN_Server_Timeout",
            DeepRuntime::SERVER_TIMEOUT.as_millis() as i64,
            10,
            600_000,
        ),
    ]
}

/// `DrawValueBlack` or `DrawValueWhite` as the probability of winning that a draw is worth. The default of the alpha-beta engine's table, and
/// whatever is no number per mille, is half.
fn draw_value(options: &Options, name: &str) -> f32 {
    match options.spin(name) {
        value @ 0..=1000 => value as f32 / 1000.0,
        _ => 0.5,
    }
}

/// `DrawValueBlack` or `DrawValueWhite` in centipawns, for the alpha-beta engine. In the deep engine's table the number is per mille, and its
/// default means what the default of the alpha-beta engine means.
pub(crate) fn draw_value_cp(options: &Options, name: &str) -> i32 {
    let value = options.spin(name);
    match Edition::of(options) {
        Edition::AlphaBeta => value as i32,
        Edition::Deep if value == Edition::Deep.draw_value().0 => {
            Edition::AlphaBeta.draw_value().0 as i32
        }
        Edition::Deep => {
            let coef = options.spin("Eval_Coef") as f32;
            let cp = centipawns_of_win_rate(value as f32 / 1000.0, coef);
            cp.clamp(-30_000, 30_000)
        }
    }
}

/// The settings of a search of the deep engine.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DeepSettings {
    pub(crate) params: PuctParams,
    /// `Eval_Coef`.
    pub(crate) eval_coef: f32,
    /// The win rate below which is resigned.
    pub(crate) resign_threshold: f32,
    /// `UCT_NodeLimit`: the search ends when so many playouts have gone through the root.
    pub(crate) node_limit: u32,
    /// Threads that make playouts.
    pub(crate) threads: usize,
    /// How many of them are for each device.
    pub(crate) threads_per_device: usize,
    /// `DNN_Batch_Size`.
    pub(crate) batch: usize,
    /// `PV_Mate_Search_Threads`.
    pub(crate) mate_threads: usize,
    /// `PV_Mate_Search_Nodes`.
    pub(crate) mate_nodes: u64,
    /// `ReuseSubtree`.
    pub(crate) reuses: bool,
    /// `PV_Interval`; `None`: lines are shown at the end alone.
    pub(crate) interval: Option<Duration>,
    /// `MultiPV`.
    pub(crate) lines: usize,
}

impl DeepSettings {
    /// The settings in `options`, with those in `ini`, by name, where an option has its default.
    pub(crate) fn of(options: &Options, ini: &[(String, String)]) -> Self {
        let merged = with_ini(options, ini);
        let options = &merged;
        let hundredth = |name| options.spin(name) as f32 / 100.0;
        let whole = |name| options.spin(name) as f32;
        let count = |name| options.spin(name).max(0) as usize;
        let most = spin_u32(options, "MaxMovesToDraw");
        Self {
            params: PuctParams {
                c_init: hundredth("C_init"),
                c_base: whole("C_base"),
                c_fpu_reduction: hundredth("C_fpu_reduction"),
                c_init_root: hundredth("C_init_root"),
                c_base_root: whole("C_base_root"),
                c_fpu_reduction_root: hundredth("C_fpu_reduction_root"),
                softmax_temperature: hundredth("Softmax_Temperature"),
                draw_value_black: draw_value(options, "DrawValueBlack"),
                draw_value_white: draw_value(options, "DrawValueWhite"),
                max_moves_to_draw: (most > 0).then_some(most),
                entering_king_rule: entering_king_rule(options),
                leaf_mate_nodes: spin_u32(options, "LeafDfpnNodesLimit"),
                generate_all_legal_moves: options.check("GenerateAllLegalMoves"),
            },
            eval_coef: whole("Eval_Coef"),
            resign_threshold: whole("Resign_Threshold") / 1000.0,
            node_limit: spin_u32(options, "UCT_NodeLimit"),
            threads: count("UCT_Threads").max(1) * devices(options).len(),
            threads_per_device: count("UCT_Threads").max(1),
            batch: count("DNN_Batch_Size"),
            mate_threads: count("PV_Mate_Search_Threads"),
            mate_nodes: options.spin("PV_Mate_Search_Nodes").unsigned_abs(),
            reuses: options.check("ReuseSubtree"),
            interval: Some(options.spin("PV_Interval").unsigned_abs())
                .filter(|&ms| ms > 0)
                .map(Duration::from_millis),
            lines: count("MultiPV").max(1),
        }
    }
}

/// What evaluates the network. On the processor devices make no difference.
pub(crate) fn deep_runtime(options: &Options) -> DeepRuntime {
    let name = options.text("DNN_Runtime");
    let named = DeepBackend::ALL
        .into_iter()
        .find(|backend| backend.name() == name);
    let library = options.text("DNN_Library");
    let queue = options.text("DNN_Queue");
    let mut queues = QueueUse::ALL.into_iter();
    let queue = queues.find(|known| known.name() == queue);
    let queue = queue.unwrap_or_default();
    let backend = named.unwrap_or_default();
    let mut runtime = DeepRuntime {
        backend,
        queue,
        ..DeepRuntime::default()
    };
    // What makes no difference is left out, so that a change of it does not reload the network.
    if queue.is_on(backend) {
        runtime.queue_batch = options.spin("DNN_Queue_Batch").max(1) as usize;
    }
    if backend == DeepBackend::Remote {
        options.text("DNN_Server").clone_into(&mut runtime.server);
        let timeout = options.spin("DNN_Server_Timeout").unsigned_abs();
        runtime.server_timeout = Duration::from_millis(timeout);
    } else if backend != DeepBackend::Native {
        runtime.library = (!library.is_empty()).then(|| library.into());
        runtime.devices = devices(options);
    }
    runtime
}

/// The devices, each with threads of its own: the first `Max_GPU` without those whose numbers, from 1, are in `Disabled_GPU`; at least one.
fn devices(options: &Options) -> Vec<u32> {
    let most = spin_u32(options, "Max_GPU");
    let disabled = options.text("Disabled_GPU").split(',');
    let disabled: Vec<u32> = disabled
        .filter_map(|word| word.trim().parse().ok())
        .collect();
    let enabled = (1..=most).filter(|number| !disabled.contains(number));
    let mut devices: Vec<u32> = enabled.map(|number| number - 1).collect();
    if devices.is_empty() {
        devices.push(0);
    }
    devices
}

/// `options` with the settings of `ini` where they have their defaults.
fn with_ini(options: &Options, ini: &[(String, String)]) -> Options {
    let mut merged = options.clone();
    for (name, value) in ini {
        let mut tried = options.clone();
        if set(&mut tried, name, Some(value)).is_err() {
            continue;
        }
        let (mut before, after) = (options.iter(), tried.iter());
        let changed = after
            .zip(&mut before)
            .find(|((_, new), (_, old))| new != old);
        if let Some(((spec, value), (_, old))) = changed
            && spec.kind.default_value().to_string() == old.to_string()
        {
            merged.set(&spec.name, Some(&value.to_string())).ok();
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::engine_options;
    use yane_book::probe::Profile;

    fn options(edition: Edition) -> Options {
        engine_options(Profile::Classic, edition)
    }

    #[test]
    fn defaults_are_those_of_the_search() {
        for edition in [Edition::AlphaBeta, Edition::Deep] {
            let settings = DeepSettings::of(&options(edition), &[]);
            assert_eq!(settings.params, PuctParams::default());
            assert_eq!((settings.threads, settings.batch), (2, 1));
            assert_eq!(settings.interval, Some(Duration::from_millis(500)));
        }
    }

    #[test]
    fn draws_are_worth_what_the_edition_says() {
        let mut own = options(Edition::Deep);
        assert_eq!(draw_value_cp(&own, "DrawValueBlack"), -2);
        own.set("DrawValueBlack", Some("700")).unwrap();
        assert!((200..400).contains(&draw_value_cp(&own, "DrawValueBlack")));
        let settings = DeepSettings::of(&own, &[]);
        assert!((settings.params.draw_value_black - 0.7).abs() < 1e-6);
        let mut other = options(Edition::AlphaBeta);
        assert_eq!(draw_value_cp(&other, "DrawValueWhite"), -2);
        assert!((draw_value(&other, "DrawValueWhite") - 0.5).abs() < 1e-6);
        other.set("DrawValueWhite", Some("300")).unwrap();
        assert!((draw_value(&other, "DrawValueWhite") - 0.3).abs() < 1e-6);
        other.set("DrawValueWhite", Some("-300")).unwrap();
        assert!((draw_value(&other, "DrawValueWhite") - 0.5).abs() < 1e-6);
    }

    #[test]
    fn options_have_other_names() {
        let mut options = options(Edition::Deep);
        for (name, value, own, expected) in [
            ("Draw_Ply", "320", "MaxMovesToDraw", 320),
            ("draw_value_black", "400", "DrawValueBlack", 400),
            ("Const_Playout", "77", "NodesLimit", 77),
            ("RootMateSearchNodesLimit", "9", "PV_Mate_Search_Nodes", 9),
            ("MateSearchPly", "0", "LeafDfpnNodesLimit", 0),
            ("MateSearchPly", "5", "LeafDfpnNodesLimit", 40),
            ("C_init", "150", "C_init", 150),
        ] {
            set(&mut options, name, Some(value)).unwrap();
            assert_eq!(options.spin(own), expected, "{name}");
        }
        assert!(set(&mut options, "Draw_Ply", Some("many")).is_err());
        assert!(set(&mut options, "UCT_Threads2", Some("1")).is_err());
        for name in ["UCT_Threads2", "dnn_model8", "Random_Ply", "DfPn_Hash"] {
            assert!(is_foreign_deep_option(name), "{name}");
        }
        assert!(!is_foreign_deep_option("Draw"));
    }

    #[test]
    fn a_model_has_settings_of_its_own() {
        let mut options = options(Edition::Deep);
        let ini = [
            ("Softmax_Temperature", "140"),
            ("Draw_Ply", "256"),
            ("Nonsense", "1"),
        ];
        let ini = ini.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let settings = DeepSettings::of(&options, &ini);
        assert!((settings.params.softmax_temperature - 1.4).abs() < 1e-6);
        assert_eq!(settings.params.max_moves_to_draw, Some(256));
        // What the user has chosen counts before the file.
        options.set("Softmax_Temperature", Some("100")).unwrap();
        let settings = DeepSettings::of(&options, &ini);
        assert!((settings.params.softmax_temperature - 1.0).abs() < 1e-6);
    }

    #[test]
    fn groups_can_be_switched_off() {
        let mut options = options(Edition::Deep);
        for (most, disabled, expected) in [("1", "", 2), ("4", "1, 3", 4), ("2", "1,2", 2)] {
            options.set("Max_GPU", Some(most)).unwrap();
            options.set("Disabled_GPU", Some(disabled)).unwrap();
            assert_eq!(
                DeepSettings::of(&options, &[]).threads,
                expected,
                "{most} {disabled}"
            );
        }
        options.set("Max_GPU", Some("3")).unwrap();
        options.set("Disabled_GPU", Some("2")).unwrap();
        assert_eq!(deep_runtime(&options), DeepRuntime::default());
        options.set("DNN_Runtime", Some("cuda")).unwrap();
        options.set("DNN_Library", Some("lib/onnx.so")).unwrap();
        let runtime = deep_runtime(&options);
        assert_eq!(runtime.backend, DeepBackend::Cuda);
        assert_eq!(runtime.library, Some("lib/onnx.so".into()));
        assert_eq!(runtime.devices, [0, 2]);
    }

    #[test]
    fn a_server_has_an_address() {
        let mut options = options(Edition::Deep);
        options.set("DNN_Server", Some("far:4567")).unwrap();
        options.set("DNN_Server_Timeout", Some("300")).unwrap();
        assert_eq!(deep_runtime(&options), DeepRuntime::default());
        options.set("DNN_Runtime", Some("remote")).unwrap();
        let runtime = deep_runtime(&options);
        assert_eq!(runtime.server, "far:4567");
        assert_eq!(runtime.server_timeout, Duration::from_millis(300));
    }

    #[test]
    fn cards_have_a_queue_unless_told_otherwise() {
        let mut options = options(Edition::Deep);
        let is_on = |options: &Options| {
            let runtime = deep_runtime(options);
            runtime.queue.is_on(runtime.backend)
        };
        options.set("DNN_Queue_Batch", Some("64")).unwrap();
        for (backend, queue, expected) in [
            ("native", "auto", false),
            ("native", "on", true),
            ("cuda", "auto", true),
            ("onnxruntime", "auto", true),
            ("cuda", "off", false),
            ("remote", "on", false),
        ] {
            options.set("DNN_Runtime", Some(backend)).unwrap();
            options.set("DNN_Queue", Some(queue)).unwrap();
            assert_eq!(is_on(&options), expected, "{backend} {queue}");
            let largest = if expected { 64 } else { 256 };
            assert_eq!(deep_runtime(&options).queue_batch, largest);
        }
    }
}
