//! A running server as another call of the program finds it: a file with its address and a token, readable by its user alone.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use yane_io::{Error, RunLock};

use crate::ServeError;
use crate::guard::random_text;

/// What the file of a server says.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Entry {
    /// The page with the token that is good for one request.
    url: String,
    /// The secret of the cookie, which the next server of this port takes too: tabs find it again.
    cookie: String,
}

/// The file of a server that runs. The lock on it says that it does.
#[derive(Debug)]
pub(crate) struct Instance {
    path: PathBuf,
    cookie: String,
    _lock: RunLock,
}

/// The file of the server of a port.
fn file(folder: &Path, port: u16) -> PathBuf {
    folder.join(format!("serve-{port}.json"))
}

fn read(path: &Path) -> Option<Entry> {
    let text = fs::read_to_string(path).ok()?;
    serde_json::from_str(&text).ok()
}

/// Writes a file that only its user can read, as a whole.
fn write_private(path: &Path, text: &str) -> Result<(), Error> {
    let temporary = path.with_extension("json.new");
    let write = || {
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // One that a killed server left; whoever writes has the lock.
        if temporary.exists() {
            fs::remove_file(&temporary)?;
        }
        let mut file = options.open(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().map_err(Error::write(path, 0))
}

impl Instance {
    /// The file of a new server of a port.
    pub(crate) fn claim(folder: &Path, port: u16) -> Result<Self, ServeError> {
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let path = file(folder, port);
        let lock = RunLock::file(&path)?;
        let cookie = match read(&path).map(|entry| entry.cookie) {
            Some(cookie) if cookie.len() == 32 => cookie,
            _ => random_text()?,
        };
        Ok(Self {
            path,
            cookie,
            _lock: lock,
        })
    }

    /// The secret of the cookie.
    pub(crate) fn cookie(&self) -> &str {
        &self.cookie
    }

    /// Writes the address by which the page is opened next.
    pub(crate) fn write(&self, url: &str) -> Result<(), ServeError> {
        let entry = Entry {
            url: url.to_owned(),
            cookie: self.cookie.clone(),
        };
        let text = serde_json::to_string_pretty(&entry).unwrap_or_default();
        Ok(write_private(&self.path, &format!("{text}\n"))?)
    }
}

/// A server that another call of the program started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningServer {
    /// The address that opens its page once.
    pub url: String,
}

impl RunningServer {
    /// The server of a port, if it runs; `folder` is where servers keep their files.
    pub fn find(folder: &Path, port: u16) -> Option<Self> {
        let path = file(folder, port);
        let entry = read(&path)?;
        match RunLock::file(&path) {
            Err(Error::InUse { .. }) => Some(Self { url: entry.url }),
            _ => None,
        }
    }
}

/// Opens an address in the user's browser, without waiting for it.
///
/// # Errors
///
/// The system has no program for it.
pub fn open_in_browser(url: &str) -> std::io::Result<()> {
    open::that_detached(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_found_while_it_runs() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("new");
        assert_eq!(RunningServer::find(&folder, 8417), None);
        let server = Instance::claim(&folder, 8417).unwrap();
        server.write("http://127.0.0.1:8417/?token=a").unwrap();
        let cookie = server.cookie().to_owned();
        let found = RunningServer::find(&folder, 8417).unwrap();
        assert_eq!(found.url, "http://127.0.0.1:8417/?token=a");
        assert_eq!(RunningServer::find(&folder, 8418), None);
        server.write("http://127.0.0.1:8417/?token=b").unwrap();
        assert!(
            RunningServer::find(&folder, 8417)
                .unwrap()
                .url
                .ends_with("=b")
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(file(&folder, 8417))
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        drop(server);
        assert_eq!(RunningServer::find(&folder, 8417), None);
        // The next one knows the tabs of the last.
        assert_eq!(Instance::claim(&folder, 8417).unwrap().cookie(), cookie);
    }
}
