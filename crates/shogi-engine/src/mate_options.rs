//! Options of the mate search, and what they mean to the solvers.

use std::time::Duration;

use shogi_mate::help_mate::HelpMateOptions;
use shogi_mate::{Exactness, MateLimits, SolverOptions};
use shogi_usi::{GoCommand, MateLimit, OptionSpec, Options};

/// Reports come at most this often, whatever `PvInterval` says: GUIs redraw no faster.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(100);

/// The options. `USI_Hash`, `Threads`, `MultiPV` and `PvInterval` are those of the search.
pub(crate) fn mate_options() -> [OptionSpec; 4] {
    [
        OptionSpec::combo("MateKind", "tsume", &["tsume", "help"]),
        OptionSpec::combo("MateExact", "off", &["off", "upper", "shortest"]),
        OptionSpec::spin("MateNodesLimit", 0, 0, i64::MAX),
        OptionSpec::check("RootIsAndNodeIfChecked", false),
    ]
}

/// What kind of mate is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Against the best defence (詰将棋).
    Tsume(SolverOptions),
    /// With the defender's help (協力詰め).
    Help(HelpMateOptions),
}

/// The solver that the options ask for, with its settings.
pub(crate) fn kind(options: &Options) -> Kind {
    let memory = (options.spin("USI_Hash") as usize).saturating_mul(1 << 20);
    let threads = options.spin("Threads") as usize;
    let root_is_and_node_if_checked = options.check("RootIsAndNodeIfChecked");
    let interval = Duration::from_millis(options.spin("PvInterval").unsigned_abs());
    let report_interval = Some(interval.max(SHORTEST_INTERVAL));
    if options.text("MateKind") == "help" {
        return Kind::Help(HelpMateOptions {
            memory_bytes: memory,
            threads,
            root_is_and_node_if_checked,
            report_interval,
        });
    }
    Kind::Tsume(SolverOptions {
        hash_bytes: memory,
        threads,
        exact: match options.text("MateExact") {
            "upper" => Exactness::Upper,
            "shortest" => Exactness::Shortest,
            _ => Exactness::Off,
        },
        multi_pv: options.spin("MultiPV") as usize,
        root_is_and_node_if_checked,
        report_interval,
    })
}

/// When to give up: what the command says counts before the options.
pub(crate) fn limits(go: &GoCommand, options: &Options) -> MateLimits {
    MateLimits {
        time: match go.mate {
            Some(MateLimit::Time(time)) => Some(time),
            Some(MateLimit::Infinite) | None => go.movetime,
        },
        nodes: go.nodes.or_else(|| match options.spin("MateNodesLimit") {
            0 => None,
            nodes => Some(nodes.unsigned_abs()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::option_table::engine_options;
    use yane_book::probe::Profile;

    #[test]
    fn options_reach_the_solvers() {
        let mut options = engine_options(Profile::Classic);
        for (name, value) in [
            ("USI_Hash", "3"),
            ("Threads", "2"),
            ("MultiPV", "4"),
            ("MateExact", "shortest"),
            ("MateNodesLimit", "99"),
            ("RootIsAndNodeIfChecked", "true"),
        ] {
            options.set(name, Some(value)).unwrap();
        }
        let Kind::Tsume(solver) = kind(&options) else {
            panic!("a tsume solver by default")
        };
        assert_eq!((solver.hash_bytes, solver.threads), (3 << 20, 2));
        assert_eq!((solver.exact, solver.multi_pv), (Exactness::Shortest, 4));
        assert!(solver.root_is_and_node_if_checked);
        let limits = |go: &str| {
            let limits = limits(&go.parse().unwrap(), &options);
            (limits.time.map(|time| time.as_millis()), limits.nodes)
        };
        assert_eq!(limits("mate 1000"), (Some(1000), Some(99)));
        assert_eq!(limits("mate infinite"), (None, Some(99)));
        assert_eq!(limits("mate nodes 7"), (None, Some(7)));
        assert_eq!(limits("mate movetime 5"), (Some(5), Some(99)));

        options.set("MateKind", Some("help")).unwrap();
        let Kind::Help(solver) = kind(&options) else {
            panic!("a help mate solver")
        };
        assert_eq!((solver.memory_bytes, solver.threads), (3 << 20, 2));
    }
}
