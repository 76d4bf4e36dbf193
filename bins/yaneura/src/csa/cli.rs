//! The arguments of `yaneura csa`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::TypedValueParser as _;
use clap::{Parser, ValueEnum};
use shogi_csa::{ClientSettings, OnInterrupt, RecordFormats, UsiCommandLine};
use yane_cli::UsageError;

/// The variable that has the password.
const PASSWORD_VARIABLE: &str = "YANEURA_CSA_PASSWORD";
/// The port that servers have as a rule.
const PORT: u16 = 4081;

/// Play on a server that speaks the CSA protocol, such as floodgate.
///
/// The engine of this program plays, or with --engine any USI engine. Connections that are lost are made again with growing waits;
/// records appear with the first move and are complete at the end of each game.
///
/// A line for each game goes to the standard output. The exit code is 0 when all games were played, 1 when the login was
/// refused, the engine failed, connections failed again and again or a record could not be written, 2 for wrong usage, 130 after
/// Ctrl-C.
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
#[derive(Clone, Debug, Parser)]
#[command(name = "yaneura csa", after_help = EXAMPLES)]
pub(super) struct CsaCli {
    /// The server, and its port unless it is 4081
    #[arg(value_name = "HOST[:PORT]")]
    server: String,
    /// The login name
    #[arg(long, short, value_name = "NAME")]
    name: String,
    /// The password as the server wants it; on floodgate `floodgate-300-10F,secret`. Others on this machine can see it:
    /// better in a file, or in the variable `YANEURA_CSA_PASSWORD`
    #[arg(long, short, value_name = "PASSWORD", conflicts_with = "password_file")]
    password: Option<String>,
    /// A file whose first line is the password
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// The kind of game, which is put before the password: `floodgate-300-10F`
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Number of games; 0: until Ctrl-C
    #[arg(long, value_name = "N", default_value_t = 1)]
    games: u64,
    /// A USI engine that plays instead of this program's
    #[arg(long, value_name = "PROGRAM")]
    engine: Option<String>,
    /// Working folder of --engine; where the program is if not given
    #[arg(long, value_name = "FOLDER", requires = "engine")]
    engine_dir: Option<PathBuf>,
    /// An option of the engine
    #[arg(long, value_name = "NAME=VALUE", value_parser = yane_cli::any_word().try_map(|text| option(&text)))]
    option: Vec<(String, String)>,
    /// Think on the opponent's time
    #[arg(long)]
    ponder: bool,
    /// Send no scores and lines with the moves; records have them all the same
    #[arg(long)]
    no_comments: bool,
    /// Milliseconds of each move that the engine is not told about, beside its own allowance (`NetworkDelay`)
    #[arg(long, value_name = "MS", default_value_t = 0)]
    margin: u64,
    /// Seconds of silence after which an empty line is sent; 0: never. Servers want at least 30
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    keep_alive: u64,
    /// Folder of the records
    #[arg(long, value_name = "FOLDER", default_value = "records")]
    records: PathBuf,
    /// Formats of the records
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "csa")]
    formats: Formats,
    /// Reject games against this player
    #[arg(long, value_name = "NAME")]
    reject: Vec<String>,
    /// Go on with a game whose connection was lost, if the server offers it again within so many seconds (60 unless given);
    /// it counts once. Otherwise it is lost with its connection
    #[arg(
        long,
        value_name = "SECONDS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "60"
    )]
    reconnect: Option<u64>,
    /// Connections that may fail one after the other before the program gives up
    #[arg(long, value_name = "N", default_value_t = 20)]
    retries: u32,
    /// What Ctrl-C does to the game that is played. A second Ctrl-C ends the program at once
    #[arg(long, value_name = "WHAT", value_enum, default_value = "finish")]
    on_interrupt: Interrupt,
    /// Append the lines that are sent and received to this file
    #[arg(long, value_name = "FILE")]
    pub(super) log: Option<PathBuf>,
    /// Each game as a line of JSON, and a summary
    #[arg(long)]
    pub(super) json: bool,
    /// Nothing on standard error but errors
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// [`RecordFormats`] by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Formats {
    /// CSA
    Csa,
    /// KIF, in UTF-8
    Kif,
    /// CSA and KIF
    Both,
    /// Keep no records
    None,
}

/// [`OnInterrupt`] by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Interrupt {
    /// The game is played to its end
    Finish,
    /// The game is resigned when it is this side's turn
    Resign,
}

impl CsaCli {
    /// The settings of the client.
    pub(super) fn settings(&self) -> anyhow::Result<ClientSettings> {
        let (host, port) = server(&self.server)?;
        let formats = match self.formats {
            Formats::Csa => Some(RecordFormats::Csa),
            Formats::Kif => Some(RecordFormats::Kif),
            Formats::Both => Some(RecordFormats::Both),
            Formats::None => None,
        };
        Ok(ClientSettings {
            host,
            port,
            name: self.name.clone(),
            password: self.password()?,
            games: (self.games > 0).then_some(self.games),
            ponders: self.ponder,
            sends_comments: !self.no_comments,
            keep_alive: (self.keep_alive > 0).then(|| Duration::from_secs(self.keep_alive)),
            margin: Duration::from_millis(self.margin),
            records: formats.map(|formats| (self.records.clone(), formats)),
            rejected: self.reject.clone(),
            reconnect: self.reconnect.map(Duration::from_secs),
            retries: self.retries,
            on_interrupt: match self.on_interrupt {
                Interrupt::Finish => OnInterrupt::Finish,
                Interrupt::Resign => OnInterrupt::Resign,
            },
        })
    }

    fn password(&self) -> anyhow::Result<String> {
        let secret = if let Some(password) = &self.password {
            password.clone()
        } else if let Some(file) = &self.password_file {
            let text = yane_io::ReadLimit::Settings.read_string(file)?;
            text.lines().next().unwrap_or_default().trim().to_owned()
        } else {
            std::env::var(PASSWORD_VARIABLE).map_err(|_| {
                UsageError(format!(
                    "no password: add --password, --password-file or the variable {PASSWORD_VARIABLE}"
                ))
            })?
        };
        Ok(match &self.game {
            Some(game) => format!("{game},{secret}"),
            None => secret,
        })
    }

    /// The options of the engine; pondering engines are told so.
    pub(super) fn options(&self) -> Vec<(String, String)> {
        let mut options = self.option.clone();
        let is_set = |(name, _): &(String, String)| name.eq_ignore_ascii_case("USI_Ponder");
        if self.ponder && !options.iter().any(is_set) {
            options.push(("USI_Ponder".to_owned(), "true".to_owned()));
        }
        options
    }

    /// The engine that plays instead of this program's.
    pub(super) fn engine(&self) -> Option<UsiCommandLine> {
        self.engine.as_ref().map(|program| UsiCommandLine {
            program: program.clone(),
            folder: self.engine_dir.clone(),
            options: self.options(),
        })
    }
}

/// `HOST`, `HOST:PORT`, `[::1]:4081`.
fn server(text: &str) -> Result<(String, u16), UsageError> {
    let wrong = || UsageError(format!("expected HOST or HOST:PORT, found {text:?}"));
    if let Some(rest) = text.strip_prefix('[') {
        let (host, rest) = rest.split_once(']').ok_or_else(wrong)?;
        let port = match rest.strip_prefix(':') {
            Some(port) => port.parse().map_err(|_| wrong())?,
            None if rest.is_empty() => PORT,
            None => return Err(wrong()),
        };
        return Ok((host.to_owned(), port));
    }
    let (host, port) = match text.split_once(':') {
        // An address of IPv6 without a port.
        Some((_, rest)) if rest.contains(':') => (text, PORT),
        Some((host, port)) => (host, port.parse().map_err(|_| wrong())?),
        None => (text, PORT),
    };
    if host.is_empty() {
        return Err(wrong());
    }
    Ok((host.to_owned(), port))
}

fn option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

const EXAMPLES: &str = "\
Examples:
  yaneura csa wdoor.c.u-tokyo.ac.jp --name me --game floodgate-300-10F --password-file secret.txt --games 0 --ponder
      games on floodgate until Ctrl-C, the last one to its end
  yaneura csa localhost --name a --password test-60-5,a --engine ./engine --option USI_Hash=1024 --formats both
      one game of another engine on a server of your own
  yaneura csa host:4081 --name me --password secret --games 10 --json --on-interrupt resign --log lines.txt
      ten games, a line of JSON for each";

#[cfg(test)]
mod tests {
    use super::*;

    fn cli(line: &str) -> CsaCli {
        CsaCli::try_parse_from(format!("csa {line}").split(' ')).unwrap()
    }

    #[test]
    fn servers_have_ports() {
        let at = |text| server(text).map_err(|error| error.0);
        let is = |host: &str, port| Ok((host.to_owned(), port));
        assert_eq!(
            at("wdoor.c.u-tokyo.ac.jp"),
            is("wdoor.c.u-tokyo.ac.jp", 4081)
        );
        assert_eq!(at("localhost:1"), is("localhost", 1));
        assert_eq!(at("::1"), is("::1", 4081));
        assert_eq!(at("[::1]:5"), is("::1", 5));
        assert_eq!(at("[::1]"), is("::1", 4081));
        for wrong in ["", ":1", "a:b", "a:70000", "[::1", "[::1]5"] {
            assert!(at(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_kind_of_game_stands_before_the_password() {
        let settings = cli("h --name a --password x --game floodgate-300-10F")
            .settings()
            .unwrap();
        assert_eq!(settings.password, "floodgate-300-10F,x");
        assert_eq!(settings.games, Some(1));
        let settings = cli("h --name a --password x --games 0 --keep-alive 0 --formats none")
            .settings()
            .unwrap();
        assert_eq!((settings.games, settings.keep_alive), (None, None));
        assert!(settings.records.is_none());
        assert_eq!(settings.reconnect, None);
        let seconds = |line: &str| {
            cli(line)
                .settings()
                .unwrap()
                .reconnect
                .map(|time| time.as_secs())
        };
        assert_eq!(seconds("h --name a --password x --reconnect"), Some(60));
        assert_eq!(seconds("h --name a --password x --reconnect=5"), Some(5));
    }

    #[test]
    fn engines_that_ponder_are_told_so() {
        let ponder = ("USI_Ponder".to_owned(), "true".to_owned());
        assert_eq!(cli("h --name a --ponder").options(), [ponder]);
        assert_eq!(
            cli("h --name a --ponder --option usi_ponder=false")
                .options()
                .len(),
            1
        );
        assert!(cli("h --name a").options().is_empty());
        let engine = cli("h --name a --engine x --option A=b=c")
            .engine()
            .unwrap();
        assert_eq!(engine.options, [("A".to_owned(), "b=c".to_owned())]);
    }
}
