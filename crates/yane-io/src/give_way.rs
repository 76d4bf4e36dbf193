//! How eager a thread is to run.

/// Has the current thread not interrupt others when something that it waited for is there: it goes on as soon
/// as they sleep or have had their turn. For a thread that shares a processor with the program that it asks: one
/// that answers in several pieces is not interrupted by each. Threads and processes that it starts from now on
/// do the same.
///
/// A wish, without effect elsewhere than on Linux (`SCHED_BATCH`).
pub fn give_way() {
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
    fn a_thread_gives_way_with_what_it_starts() {
        let before = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        std::thread::spawn(|| {
            super::give_way();
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
