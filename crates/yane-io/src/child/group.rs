//! The process of a program with everything that it has started: a process group of its own.
//!
//! A signal from the keyboard goes to all processes of the group in front of the terminal. A program that dies of it looks as if it
//! had crashed, so programs stand in groups of their own, and who started them ends them. A group is ended as one: behind a script
//! that starts the program nothing is left.

use std::io;
use std::process::{Child, Command, ExitStatus};

/// Makes the process that `command` starts the first of a group of its own.
pub fn set_own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(windows)]
    {
        /// `CREATE_NEW_PROCESS_GROUP`: Ctrl-C does not reach it.
        const NEW_GROUP: u32 = 0x200;
        std::os::windows::process::CommandExt::creation_flags(command, NEW_GROUP);
    }
    #[cfg(not(any(unix, windows)))]
    let _ = command;
}

/// A child with its process group, which is ended when this is dropped.
#[derive(Debug)]
pub struct ProcessGroup {
    child: Child,
    /// Its status, once it was waited for: from then on its number may be another's.
    status: Option<ExitStatus>,
}

impl ProcessGroup {
    /// The group of `child`, which was started by a command of [`set_own_group`].
    pub const fn new(child: Child) -> Self {
        Self {
            child,
            status: None,
        }
    }

    /// Returns whether the first process has ended. What it has started may still run.
    ///
    /// # Errors
    /// When the system cannot tell.
    pub fn has_ended(&mut self) -> io::Result<bool> {
        if self.status.is_some() {
            return Ok(true);
        }
        #[cfg(unix)]
        {
            // It is not waited for yet: its number stays that of the group.
            use rustix::process::{WaitId, WaitIdOptions, waitid};
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            let pid = rustix::process::Pid::from_child(&self.child);
            Ok(waitid(WaitId::Pid(pid), options)?.is_some())
        }
        #[cfg(not(unix))]
        {
            self.status = self.child.try_wait()?;
            Ok(self.status.is_some())
        }
    }

    /// Ends the first process, if it runs, and whatever it has started; returns its status.
    ///
    /// # Errors
    /// When the system cannot end it.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        self.kill_all();
        // Fails only when it has ended by itself.
        self.child.kill().ok();
        let status = self.child.wait()?;
        self.status = Some(status);
        Ok(status)
    }

    #[cfg(unix)]
    fn kill_all(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        // Fails when nobody of the group runs any more.
        rustix::process::kill_process_group(pid, rustix::process::Signal::KILL).ok();
    }

    #[cfg(windows)]
    fn kill_all(&self) {
        let pid = self.child.id().to_string();
        let mut command = Command::new("taskkill");
        command.args(["/T", "/F", "/PID", &pid]);
        command
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null());
        // Without the program the first process alone is ended.
        command.status().ok();
    }

    #[cfg(not(any(unix, windows)))]
    fn kill_all(&self) {}
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        // Fails only when the process has already ended.
        self.end().ok();
    }
}
