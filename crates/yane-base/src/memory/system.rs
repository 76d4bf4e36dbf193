//! The memory of the machine, and the scheduling policy of a thread.

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

// The scheduling policy of a thread: which one the scheduler prefers on a shared core.

/// Schedules the current thread as a batch job (`SCHED_BATCH`): when something that it waited for is there, it does not
/// interrupt the thread that runs, but goes on when that sleeps or has had its turn. For a thread that shares a processor
/// with the program that it asks, which is then not interrupted by each piece of its answer. Threads and processes
/// that it starts from now on inherit it.
///
/// A wish, without effect elsewhere than on Linux.
pub fn use_batch_scheduling() {
    #[cfg(target_os = "linux")]
    set_batch();
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn set_batch() {
    // SAFETY: 0 is the calling thread; the parameters are read during the call only, and all zeros are valid
    // ones, which the policy demands (it has no priorities).
    unsafe {
        let parameters: libc::sched_param = std::mem::zeroed();
        libc::sched_setscheduler(0, libc::SCHED_BATCH, &raw const parameters);
    }
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

    /// The fields of a process or thread from the third on, see proc(5).
    fn policy(stat: &str) -> &str {
        let (_, fields) = stat.rsplit_once(')').unwrap();
        fields.split_whitespace().nth(41 - 3).unwrap()
    }

    #[test]
    fn batch_scheduling_is_inherited() {
        let before = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        std::thread::spawn(|| {
            super::use_batch_scheduling();
            let own = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
            assert_eq!(policy(&own), libc::SCHED_BATCH.to_string());
            let child = std::process::Command::new("cat")
                .arg("/proc/self/stat")
                .output();
            let child = String::from_utf8(child.unwrap().stdout).unwrap();
            assert_eq!(policy(&child), policy(&own));
        })
        .join()
        .unwrap();
        let after = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        assert_eq!(policy(&after), policy(&before));
    }
}
