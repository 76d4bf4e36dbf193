//! What the deep engine is asked for: the settings of its search, and what evaluates its network.

use std::time::Duration;

use shogi_core::Color;
use shogi_deep::{DeepBackend, DeepRuntime, Precision, PuctParams};

use super::settings::EngineSettings;

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
    /// The device of each of them, by its place among [`DeepRuntime::devices`]; the first one where none is said.
    pub(crate) devices: Vec<usize>,
    /// `DNN_Batch_Size`.
    pub(crate) batch: usize,
    /// The same for one of many searches at a time, which together fill the batches: 1 unless another number was set.
    pub(crate) batch_of_many: usize,
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
    /// The settings that the options ask for.
    pub(crate) fn of(settings: &EngineSettings) -> Self {
        let deep = &settings.deep;
        let devices = devices(settings);
        let threads = |(place, device): (usize, &u32)| {
            let of_device = deep.device_threads.get(&(device + 1)).copied();
            let count = of_device.unwrap_or_else(|| deep.threads_of_device());
            std::iter::repeat_n(place, count)
        };
        let devices: Vec<usize> = devices.iter().enumerate().flat_map(threads).collect();
        Self {
            params: PuctParams {
                draw_value_black: settings.draw_win_rate(Color::Black),
                draw_value_white: settings.draw_win_rate(Color::White),
                max_moves_to_draw: Some(settings.max_moves_to_draw()).filter(|&most| most > 0),
                entering_king_rule: settings.entering_king_rule(),
                generate_all_legal_moves: settings.generates_all(),
                ..deep.params.clone()
            },
            eval_coef: deep.eval_coef,
            resign_threshold: deep.resign_threshold,
            node_limit: deep.node_limit,
            threads: devices.len(),
            devices,
            batch: deep.batch_of_thread(),
            batch_of_many: deep.batch.max(1),
            mate_threads: deep.mate_threads,
            mate_nodes: deep.mate_nodes,
            reuses: deep.reuses,
            interval: deep.interval,
            lines: settings.lines().max(1),
        }
    }
}

/// Positions of a thread that fill a batch of the queue.
const FULL: usize = 32;

/// What evaluates the network. On the processor devices make no difference.
pub(super) fn deep_runtime(settings: &EngineSettings) -> DeepRuntime {
    let deep = &settings.deep;
    let mut runtime = DeepRuntime {
        backend: deep.backend,
        queue: deep.queue,
        ..DeepRuntime::default()
    };
    runtime.cache_mib = deep.cache_mib;
    // What makes no difference is left out, so that a change of it does not reload the network.
    if deep.queue.is_on(deep.backend) {
        runtime.batch = match (deep.queue_batch, deep.batch_of_thread()) {
            // Where a thread fills a batch alone it waits for nobody.
            (0, batch) if batch >= FULL => batch,
            (0, _) => DeepRuntime::BATCH,
            (batch, _) => batch,
        };
    } else if deep.backend.is_onnx_runtime() {
        runtime.batch = deep.batch_of_thread();
    }
    let is_native = deep.backend == DeepBackend::Native;
    if deep.backend.is_onnx_runtime() || is_native && deep.precision == Precision::Narrow {
        runtime.precision = deep.precision;
    }
    if deep.backend == DeepBackend::Remote {
        deep.server.clone_into(&mut runtime.server);
        runtime.server_timeout = deep.server_timeout;
        let secret = &deep.secret_file;
        runtime.secret_file = (!secret.is_empty()).then(|| yane_io::path_of_text(secret));
    } else if deep.backend != DeepBackend::Native {
        let library = &deep.library;
        runtime.library = (!library.is_empty()).then(|| yane_io::path_of_text(library));
        runtime.devices = devices(settings);
    }
    runtime
}

/// The devices, each with threads of its own: the first `Max_GPU` and those that have threads of their own (`UCT_Threads2` …), without those whose
/// numbers, from 1, are in `Disabled_GPU`; at least one.
fn devices(settings: &EngineSettings) -> Vec<u32> {
    let deep = &settings.deep;
    let disabled = &deep.disabled_devices;
    let others = deep.device_threads.keys().copied();
    let all = (1..=deep.most_devices).chain(others.filter(|&number| number > deep.most_devices));
    let enabled = all.filter(|number| !disabled.contains(number));
    let mut devices: Vec<u32> = enabled.map(|number| number - 1).collect();
    if devices.is_empty() {
        devices.push(0);
    }
    devices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::EngineOptions;
    use crate::options::settings::Edition;
    use yane_book::probe::Profile;

    fn options(edition: Edition) -> EngineOptions {
        EngineOptions::new(Profile::Classic, edition)
    }

    fn settings(options: &EngineOptions) -> DeepSettings {
        DeepSettings::of(options.settings())
    }

    fn runtime(options: &EngineOptions) -> DeepRuntime {
        deep_runtime(options.settings())
    }

    /// The processor, with a cache.
    fn plain() -> DeepRuntime {
        DeepRuntime {
            cache_mib: 256,
            ..DeepRuntime::default()
        }
    }

    #[test]
    fn a_card_has_threads_and_batches_that_suit_it() {
        let mut options = options(Edition::Deep);
        let numbers = |options: &EngineOptions| {
            let (settings, runtime) = (settings(options), runtime(options));
            (settings.threads, settings.batch, runtime.batch)
        };
        assert_eq!(numbers(&options), (2, 1, 256));
        options.set("DNN_Runtime", Some("cuda")).unwrap();
        assert_eq!(numbers(&options), (4, 128, 128));
        options.set("DNN_Batch_Size", Some("1")).unwrap();
        assert_eq!(numbers(&options), (4, 1, 256));
        options.set("DNN_Batch_Size", Some("512")).unwrap();
        options.set("UCT_Threads", Some("3")).unwrap();
        assert_eq!(numbers(&options), (3, 512, 512));
        options.set("DNN_Queue_Batch", Some("64")).unwrap();
        assert_eq!(numbers(&options), (3, 512, 64));
    }

    #[test]
    fn dlshogis_threads_of_cards_are_understood() {
        let mut options = options(Edition::Deep);
        options.set("DNN_Runtime", Some("cuda")).unwrap();
        options.set("UCT_Threads", Some("3")).unwrap();
        options.set("UCT_Threads2", Some("2")).unwrap();
        options.set("uct_threads4", Some("1")).unwrap();
        let found = settings(&options);
        assert_eq!(found.devices, [0, 0, 0, 1, 1, 2]);
        assert_eq!(found.threads, 6);
        assert_eq!(runtime(&options).devices, [0, 1, 3]);
        // As dlshogi has it, 0 is a card that is not used.
        options.set("UCT_Threads4", Some("0")).unwrap();
        assert_eq!(runtime(&options).devices, [0, 1]);
        for wrong in ["many", "-1", "257"] {
            assert!(options.set("UCT_Threads2", Some(wrong)).is_err(), "{wrong}");
        }
        assert!(options.set("UCT_Threads9", Some("1")).is_err());
    }

    #[test]
    fn defaults_are_those_of_the_search() {
        for edition in [Edition::AlphaBeta, Edition::Deep] {
            let settings = settings(&options(edition));
            assert_eq!(settings.params, PuctParams::default());
            assert_eq!((settings.threads, settings.batch), (2, 1));
            assert_eq!(settings.interval, Some(Duration::from_millis(500)));
        }
    }

    #[test]
    fn draws_are_worth_what_the_edition_says() {
        let mut own = options(Edition::Deep);
        assert_eq!(own.settings().draw_value_cp(Color::Black), -2);
        own.set("DrawValueBlack", Some("700")).unwrap();
        assert!((200..400).contains(&own.settings().draw_value_cp(Color::Black)));
        let settings = settings(&own);
        assert!((settings.params.draw_value_black - 0.7).abs() < 1e-6);
        let mut other = options(Edition::AlphaBeta);
        assert_eq!(other.settings().draw_value_cp(Color::White), -2);
        assert!((other.settings().draw_win_rate(Color::White) - 0.5).abs() < 1e-6);
        other.set("DrawValueWhite", Some("300")).unwrap();
        assert!((other.settings().draw_win_rate(Color::White) - 0.3).abs() < 1e-6);
        other.set("DrawValueWhite", Some("-300")).unwrap();
        assert!((other.settings().draw_win_rate(Color::White) - 0.5).abs() < 1e-6);
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
        let settings = DeepSettings::of(&options.with_ini(&ini));
        assert!((settings.params.softmax_temperature - 1.4).abs() < 1e-6);
        assert_eq!(settings.params.max_moves_to_draw, Some(256));
        // What the user has chosen counts before the file.
        options.set("Softmax_Temperature", Some("100")).unwrap();
        let settings = DeepSettings::of(&options.with_ini(&ini));
        assert!((settings.params.softmax_temperature - 1.0).abs() < 1e-6);
    }

    #[test]
    fn groups_can_be_switched_off() {
        let mut options = options(Edition::Deep);
        for (most, disabled, expected) in [("1", "", 2), ("4", "1, 3", 4), ("2", "1,2", 2)] {
            options.set("Max_GPU", Some(most)).unwrap();
            options.set("Disabled_GPU", Some(disabled)).unwrap();
            assert_eq!(settings(&options).threads, expected, "{most} {disabled}");
        }
        options.set("Max_GPU", Some("3")).unwrap();
        options.set("Disabled_GPU", Some("2")).unwrap();
        assert_eq!(runtime(&options), plain());
        options.set("DNN_Runtime", Some("cuda")).unwrap();
        options.set("DNN_Library", Some("lib/onnx.so")).unwrap();
        let found = runtime(&options);
        assert_eq!(found.backend, DeepBackend::Cuda);
        assert_eq!(found.library, Some("lib/onnx.so".into()));
        assert_eq!(found.devices, [0, 2]);
    }

    #[test]
    fn a_server_has_an_address() {
        let mut options = options(Edition::Deep);
        options.set("DNN_Server", Some("far:4567")).unwrap();
        options.set("DNN_Server_Timeout", Some("300")).unwrap();
        assert_eq!(runtime(&options), plain());
        options.set("DNN_Runtime", Some("remote")).unwrap();
        let found = runtime(&options);
        assert_eq!(found.server, "far:4567");
        assert_eq!(found.server_timeout, Duration::from_millis(300));
    }

    #[test]
    fn cards_have_a_queue_unless_told_otherwise() {
        let mut options = options(Edition::Deep);
        let is_on = |options: &EngineOptions| {
            let found = runtime(options);
            found.queue.is_on(found.backend)
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
            let largest = match (backend, queue) {
                ("cuda", "off") => 128,
                _ if expected => 64,
                _ => 256,
            };
            assert_eq!(runtime(&options).batch, largest, "{backend} {queue}");
        }
    }
}
