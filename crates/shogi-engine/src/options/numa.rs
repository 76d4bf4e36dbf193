//! The option `NumaPolicy`: the placement of the threads of a search on processors.

use std::fs;
use std::path::Path;

use shogi_search::ThreadPlacement;
use thiserror::Error;

/// The folder in which Linux lists the NUMA nodes.
const SYSTEM_NODES: &str = "/sys/devices/system/node";

/// An invalid value of `NumaPolicy`.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "NumaPolicy {0}: expected auto, none, system, hardware, or processors of each node such as 0-15,32-47:16-31"
)]
pub struct NumaError(String);

/// A value of `NumaPolicy`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NumaPolicy {
    /// On the system's nodes, if the threads do not fit on one of them; else anywhere.
    Auto,
    /// Anywhere.
    None,
    /// On the system's nodes.
    System,
    /// On these.
    Nodes(Vec<Vec<usize>>),
}

impl NumaPolicy {
    /// Reads the value of the option. `hardware` is the same as `system` here: the nodes that the system reports.
    pub(crate) fn parse(text: &str) -> Result<Self, NumaError> {
        match text.trim().to_ascii_lowercase().as_str() {
            "" | "auto" => Ok(Self::Auto),
            "none" => Ok(Self::None),
            "system" | "hardware" => Ok(Self::System),
            list => {
                let nodes: Option<Vec<_>> = list.split(':').map(processors).collect();
                nodes
                    .filter(|nodes| nodes.iter().all(|node| !node.is_empty()))
                    .map(Self::Nodes)
                    .ok_or_else(|| NumaError(text.to_owned()))
            }
        }
    }

    /// The placement of `threads` threads on this machine.
    pub(crate) fn placement(self, threads: usize) -> ThreadPlacement {
        self.placement_among(threads, || system_nodes(Path::new(SYSTEM_NODES)))
    }

    fn placement_among(
        self,
        threads: usize,
        system: impl FnOnce() -> Vec<Vec<usize>>,
    ) -> ThreadPlacement {
        match self {
            Self::None => ThreadPlacement::anywhere(),
            // Nothing to distribute.
            Self::Auto if threads < 2 => ThreadPlacement::anywhere(),
            Self::Auto => {
                let nodes = system();
                let largest = nodes.iter().map(Vec::len).max().unwrap_or(0);
                if nodes.len() > 1 && threads > largest {
                    ThreadPlacement::on_nodes(nodes)
                } else {
                    ThreadPlacement::anywhere()
                }
            }
            Self::System => ThreadPlacement::on_nodes(system()),
            Self::Nodes(nodes) => ThreadPlacement::on_nodes(nodes),
        }
    }
}

/// A list such as `0-3,8,10-11`, as the kernel and the option write it. `None` when it is not one.
fn processors(list: &str) -> Option<Vec<usize>> {
    /// More than any machine has: a typing error must not fill the memory.
    const MOST: usize = 1 << 16;
    let mut all = Vec::new();
    for part in list.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if first > last || last >= MOST {
            return None;
        }
        all.extend(first..=last);
    }
    all.sort_unstable();
    all.dedup();
    Some(all)
}

/// The processors of each node in a folder like [`SYSTEM_NODES`], in the order of the nodes. Empty where there is
/// no such folder.
fn system_nodes(folder: &Path) -> Vec<Vec<usize>> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut nodes: Vec<(usize, Vec<usize>)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let number = entry
                .file_name()
                .to_str()?
                .strip_prefix("node")?
                .parse()
                .ok()?;
            let list = fs::read_to_string(entry.path().join("cpulist")).ok()?;
            Some((number, processors(&list)?))
        })
        .collect();
    nodes.sort_unstable();
    nodes
        .into_iter()
        .map(|(_, processors)| processors)
        .filter(|processors| !processors.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        assert_eq!(NumaPolicy::parse("auto"), Ok(NumaPolicy::Auto));
        assert_eq!(NumaPolicy::parse("None"), Ok(NumaPolicy::None));
        assert_eq!(NumaPolicy::parse("hardware"), Ok(NumaPolicy::System));
        assert_eq!(
            NumaPolicy::parse("0-2,5:3,4"),
            Ok(NumaPolicy::Nodes(vec![vec![0, 1, 2, 5], vec![3, 4]]))
        );
        for wrong in ["all", "3-1", "0-1:", "0-999999999", "1;2", "-1"] {
            let error = NumaPolicy::parse(wrong).unwrap_err();
            assert!(error.to_string().contains(wrong), "{error}");
        }
    }

    #[test]
    fn threads_are_bound_when_they_need_several_nodes() {
        let nodes = || vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7]];
        let auto = |threads| NumaPolicy::Auto.placement_among(threads, nodes);
        assert_eq!(auto(1), ThreadPlacement::anywhere());
        assert_eq!(auto(4), ThreadPlacement::anywhere());
        assert_eq!(auto(5), ThreadPlacement::on_nodes(nodes()));
        let single = || vec![vec![0, 1]];
        let of_single = NumaPolicy::Auto.placement_among(8, single);
        assert_eq!(of_single, ThreadPlacement::anywhere());
        let system = NumaPolicy::System.placement_among(1, nodes);
        assert_eq!(system, ThreadPlacement::on_nodes(nodes()));
        let none = NumaPolicy::None.placement_among(64, nodes);
        assert_eq!(none, ThreadPlacement::anywhere());
    }

    #[test]
    fn the_nodes_of_the_system_are_found() {
        let folder = tempfile::tempdir().unwrap();
        for (name, list) in [("node10", "8-9\n"), ("node2", "0-1,4\n"), ("node3", "\n")] {
            let node = folder.path().join(name);
            fs::create_dir(&node).unwrap();
            fs::write(node.join("cpulist"), list).unwrap();
        }
        fs::write(folder.path().join("online"), "2-3,10").unwrap();
        assert_eq!(system_nodes(folder.path()), [vec![0, 1, 4], vec![8, 9]]);
        assert!(system_nodes(&folder.path().join("missing")).is_empty());
    }
}
