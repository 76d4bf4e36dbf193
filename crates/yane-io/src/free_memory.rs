//! How much memory there is to take.

use std::fs;
use std::path::Path;

/// How many bytes this process could take without driving others out: those that Linux calls available,
/// or what is left of its control group's if that is less. `None` where that cannot be told.
pub fn free_memory() -> Option<u64> {
    below(Path::new("/"))
}

/// [`free_memory`] by the files of the system whose root is there.
fn below(root: &Path) -> Option<u64> {
    let number = |name: &str| -> Option<u64> {
        let text = fs::read_to_string(root.join(name)).ok()?;
        text.trim().parse().ok()
    };
    let left = |group: &str, limit: &str, used: &str| {
        // No limit is a word in one version, a very large number in the other.
        let limit = number(&format!("sys/fs/cgroup/{group}{limit}"))?;
        let used = number(&format!("sys/fs/cgroup/{group}{used}"))?;
        Some(limit.saturating_sub(used))
    };
    let system = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let kib = |line: &str| -> Option<u64> {
        let number = line.strip_prefix("MemAvailable:")?.trim();
        number.strip_suffix("kB")?.trim().parse().ok()
    };
    let system = system.lines().find_map(kib)? << 10;
    [
        left("", "memory.max", "memory.current"),
        left("memory/", "memory.limit_in_bytes", "memory.usage_in_bytes"),
    ]
    .into_iter()
    .flatten()
    .chain([system])
    .min()
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
        put("proc/meminfo", "MemTotal: 9 kB\nMemAvailable:    8 kB\n");
        assert_eq!(below(root.path()), Some(8 << 10));
        put("sys/fs/cgroup/memory.max", "max\n");
        put("sys/fs/cgroup/memory.current", "1000\n");
        assert_eq!(below(root.path()), Some(8 << 10));
        put("sys/fs/cgroup/memory.max", "3000\n");
        assert_eq!(below(root.path()), Some(2000));
        put("sys/fs/cgroup/memory.max", "999\n");
        assert_eq!(below(root.path()), Some(0));
        fs::remove_file(root.path().join("sys/fs/cgroup/memory.max")).unwrap();
        put("sys/fs/cgroup/memory/memory.limit_in_bytes", "500");
        put("sys/fs/cgroup/memory/memory.usage_in_bytes", "200");
        assert_eq!(below(root.path()), Some(300));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_has_some() {
        assert!(free_memory().is_some_and(|bytes| bytes > 1 << 20));
    }
}
