//! The options of a server.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;
use serve::{Assets, BindAddress, PortChoice, RemoteAccess};
use yane_cli::UsageError;

/// The options of a server, whatever its page is.
#[derive(Args, Clone, Debug, Default)]
pub struct ServeArgs {
    /// Open the page in the browser; if a server runs already, its page
    #[arg(long)]
    pub open: bool,
    /// Port to listen at; 0: any that is free [default: 8417, or the next one that is free]
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Listen at this address of the machine, such as 192.168.1.5, for a telephone [default: 127.0.0.1, this machine alone]
    #[arg(long, value_name = "ADDR")]
    pub bind: Option<IpAddr>,
    /// Let other machines in, which --bind may need: whoever can read the network can take the page over
    #[arg(long, requires = "bind")]
    pub allow_remote: bool,
    /// Take the files of the page from a folder, for whoever changes them
    #[arg(long, value_name = "DIR")]
    pub ui: Option<PathBuf>,
}

impl ServeArgs {
    /// The address.
    pub(crate) fn address(&self) -> Result<BindAddress, UsageError> {
        let access = if self.allow_remote {
            RemoteAccess::Allowed
        } else {
            RemoteAccess::Refused
        };
        let Some(ip) = self.bind else {
            return Ok(BindAddress::default());
        };
        BindAddress::new(ip, access).map_err(|error| match access {
            RemoteAccess::Refused => UsageError(format!("--bind: {error}; --allow-remote does")),
            RemoteAccess::Allowed => UsageError(format!("--bind: {error}")),
        })
    }

    /// The port.
    pub(crate) fn port(&self) -> PortChoice {
        self.port.map_or(PortChoice::Usual, PortChoice::Exactly)
    }

    /// The files of the page.
    pub(crate) fn assets(&self) -> Assets {
        self.ui.clone().map_or(Assets::BuiltIn, Assets::Folder)
    }
}
