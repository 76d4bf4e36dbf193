//! The memory of the machine.

/// The bytes of memory that this machine has, or its control group may have if that is less; `None` where that
/// cannot be told.
pub(crate) fn all_memory() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        yane_mem::total_memory()
    }
    #[cfg(not(target_os = "linux"))]
    {
        let mut system = sysinfo::System::new();
        system.refresh_memory();
        Some(system.total_memory()).filter(|&bytes| bytes > 0)
    }
}
