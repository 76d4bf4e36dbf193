//! Which thread the scheduler prefers on a shared core.

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

#[cfg(all(test, target_os = "linux"))]
mod tests {
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
