//! The memory of the machine, and the part of it that can be taken.

use std::fs;
use std::path::Path;

/// The number of bytes this process could take without driving others out: those that Linux calls available,
/// or what is left of its control group's if that is less. `None` where that cannot be told.
pub fn free_memory() -> Option<u64> {
    below(Path::new("/"))
}

/// The bytes of memory of this machine, or of its control group if that may have less. `None` where Linux does
/// not tell.
pub fn total_memory() -> Option<u64> {
    total_below(Path::new("/"))
}

/// [`free_memory`] by the files of the system whose root is there.
fn below(root: &Path) -> Option<u64> {
    let left = |[limit, used]: [&str; 2]| {
        let limit = number(root, limit)?;
        Some(limit.saturating_sub(number(root, used)?))
    };
    let groups = GROUPS.into_iter().filter_map(left);
    groups.chain([meminfo(root, "MemAvailable:")?]).min()
}

/// [`total_memory`] by the files of the system whose root is there.
fn total_below(root: &Path) -> Option<u64> {
    let limits = GROUPS
        .into_iter()
        .filter_map(|[limit, _]| number(root, limit));
    limits.chain([meminfo(root, "MemTotal:")?]).min()
}

/// Limit and use of memory in both versions of control groups. No limit is a word in one of them, a very large number
/// in the other.
const GROUPS: [[&str; 2]; 2] = [
    ["sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory.current"],
    [
        "sys/fs/cgroup/memory/memory.limit_in_bytes",
        "sys/fs/cgroup/memory/memory.usage_in_bytes",
    ],
];

/// The number in a file.
fn number(root: &Path, name: &str) -> Option<u64> {
    let text = fs::read_to_string(root.join(name)).ok()?;
    text.trim().parse().ok()
}

/// The bytes of a line of `/proc/meminfo`.
fn meminfo(root: &Path, name: &str) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let number = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = number.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_counts() {
        let root = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let file = root.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        assert_eq!(below(root.path()), None);
        assert_eq!(total_below(root.path()), None);
        put("proc/meminfo", "MemTotal: 9 kB\nMemAvailable:    8 kB\n");
        assert_eq!(below(root.path()), Some(8 << 10));
        assert_eq!(total_below(root.path()), Some(9 << 10));
        put("sys/fs/cgroup/memory.max", "max\n");
        assert_eq!(total_below(root.path()), Some(9 << 10));
        put("sys/fs/cgroup/memory.current", "1000\n");
        assert_eq!(below(root.path()), Some(8 << 10));
        put("sys/fs/cgroup/memory.max", "3000\n");
        assert_eq!(below(root.path()), Some(2000));
        assert_eq!(total_below(root.path()), Some(3000));
        put("sys/fs/cgroup/memory.max", "999\n");
        assert_eq!(below(root.path()), Some(0));
        fs::remove_file(root.path().join("sys/fs/cgroup/memory.max")).unwrap();
        put("sys/fs/cgroup/memory/memory.limit_in_bytes", "500");
        put("sys/fs/cgroup/memory/memory.usage_in_bytes", "200");
        assert_eq!(below(root.path()), Some(300));
        assert_eq!(total_below(root.path()), Some(500));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_has_some() {
        assert!(free_memory().is_some_and(|bytes| bytes > 1 << 20));
        assert!(total_memory() >= free_memory());
    }
}
