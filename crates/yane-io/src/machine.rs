//! The name of this machine.

/// The name of this machine, where the system tells it without being asked by more than a file or a variable.
pub fn host_name() -> Option<String> {
    let named = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let variable = || {
        ["COMPUTERNAME", "HOSTNAME"]
            .iter()
            .find_map(|name| std::env::var(name).ok())
    };
    let name = named.or_else(variable)?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}
