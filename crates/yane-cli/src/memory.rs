//! How much memory the machine has.

/// The bytes of memory that this machine has, or its control group may have if that is less; `None` where that
/// cannot be told.
#[cfg(target_os = "linux")]
pub(crate) fn all_memory() -> Option<u64> {
    linux::below(std::path::Path::new("/"))
}

/// The bytes of memory that this machine has.
#[cfg(not(target_os = "linux"))]
pub(crate) fn all_memory() -> Option<u64> {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    Some(system.total_memory()).filter(|&bytes| bytes > 0)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::Path;

    /// [`super::all_memory`] by the files of the system whose root is there.
    pub(super) fn below(root: &Path) -> Option<u64> {
        let text = |name: &str| fs::read_to_string(root.join(name)).ok();
        // No limit is a word in one version, a very large number in the other.
        let limit = |name: &str| text(name)?.trim().parse().ok();
        let kib = |line: &str| -> Option<u64> {
            let number = line.strip_prefix("MemTotal:")?.trim();
            number.strip_suffix("kB")?.trim().parse().ok()
        };
        let machine = text("proc/meminfo")?.lines().find_map(kib)? << 10;
        let limits = [
            "sys/fs/cgroup/memory.max",
            "sys/fs/cgroup/memory/memory.limit_in_bytes",
        ];
        limits.into_iter().filter_map(limit).chain([machine]).min()
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
            put("proc/meminfo", "MemTotal:    9 kB\nMemAvailable: 8 kB\n");
            assert_eq!(below(root.path()), Some(9 << 10));
            put("sys/fs/cgroup/memory.max", "max\n");
            assert_eq!(below(root.path()), Some(9 << 10));
            put("sys/fs/cgroup/memory.max", "3000\n");
            assert_eq!(below(root.path()), Some(3000));
            put("sys/fs/cgroup/memory/memory.limit_in_bytes", "500\n");
            assert_eq!(below(root.path()), Some(500));
        }

        #[test]
        fn this_machine_has_some() {
            assert!(below(Path::new("/")).is_some_and(|bytes| bytes > 1 << 20));
        }
    }
}
