//! Settings that act: each command takes those of the shared settings that change what it does, and no others.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

/// The settings that act in each command of a program: its path behind the name of the program (`"book info"`; empty for a
/// program without commands), and the long names of the settings, with blanks between them. Settings are the arguments that are
/// global where [`clap`] sees them first, such as those of [`Settings`](crate::Settings).
///
/// ```
/// use clap::{CommandFactory as _, FromArgMatches as _, Parser};
/// use yane_cli::ActingSettings;
///
/// #[derive(Parser)]
/// struct Cli {
///     #[command(subcommand)]
///     command: Command,
///     #[command(flatten, next_help_heading = "Settings")]
///     settings: yane_cli::Settings,
/// }
///
/// #[derive(clap::Subcommand)]
/// enum Command {
///     Count,
///     Sort,
/// }
///
/// const ACTING: ActingSettings = ActingSettings(&[
///     ("count", "quiet json"),
///     ("sort", "threads memory temp-dir quiet force json"),
/// ]);
///
/// let program = || ACTING.limit(Cli::command());
/// let matches = ACTING.matches(program(), ["x", "sort", "--force"])?;
/// assert!(Cli::from_arg_matches(&matches)?.settings.force);
/// assert!(ACTING.matches(program(), ["x", "count", "--force"]).is_err());
/// assert!(ACTING.matches(program(), ["x", "--force", "count"]).is_err());
/// # Ok::<(), clap::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ActingSettings(pub &'static [(&'static str, &'static str)]);

impl ActingSettings {
    /// The names that act in the command of a path; `None` if the path is not listed: then all do.
    fn of(self, path: &str) -> Option<Vec<&'static str>> {
        let found = self.0.iter().find(|(listed, _)| *listed == path);
        found.map(|(_, names)| names.split_whitespace().collect())
    }

    fn acts(self, path: &str, setting: &Arg) -> bool {
        let names = self.of(path);
        // Whoever writes events can be controlled.
        let long = match setting.get_long() {
            Some("control") => "events",
            long => long.unwrap_or_default(),
        };
        names.is_none_or(|names| names.contains(&long))
    }

    /// Takes from each command the settings that do not act in it. A command with commands of its own keeps those that act in
    /// one of them.
    #[must_use]
    pub fn limit(self, program: Command) -> Command {
        let settings: Vec<Arg> = globals(&program);
        let is_leaf = !program.has_subcommands();
        let whole = program.clone();
        let program = program.mut_args(|arg| {
            // Each command gets its own below.
            if arg.is_global_set() {
                // What acts nowhere is known only to be refused.
                let is_hidden = arg.is_hide_set() || !self.acts_in_or_below(&whole, "", &arg);
                arg.global(is_leaf).hide(is_hidden)
            } else {
                arg
            }
        });
        self.distribute(program, "", &settings)
    }

    fn distribute(self, command: Command, path: &str, settings: &[Arg]) -> Command {
        let is_leaf = !command.has_subcommands();
        let command = command.mut_args(|arg| {
            let is_hidden = arg.is_global_set() && is_leaf && !self.acts(path, &arg);
            if is_hidden { arg.hide(true) } else { arg }
        });
        command.mut_subcommands(|inner| {
            let path = join(path, inner.get_name());
            let known: Vec<Arg> = inner.get_arguments().cloned().collect();
            let is_leaf = !inner.has_subcommands();
            let new = settings
                .iter()
                .filter(|setting| known.iter().all(|arg| arg.get_id() != setting.get_id()))
                .filter(|setting| self.acts_in_or_below(&inner, &path, setting))
                .map(|setting| setting.clone().global(is_leaf));
            let new: Vec<Arg> = new.collect();
            self.distribute(inner.args(new), &path, settings)
        })
    }

    fn acts_in_or_below(self, command: &Command, path: &str, setting: &Arg) -> bool {
        if !command.has_subcommands() {
            return self.acts(path, setting);
        }
        let mut inner = command.get_subcommands();
        inner.any(|inner| self.acts_in_or_below(inner, &join(path, inner.get_name()), setting))
    }

    /// Parses a command line with a program that [`limit`](Self::limit) made. Settings may stand before the command and behind it.
    ///
    /// # Errors
    ///
    /// What [`clap`] finds wrong, and settings before a command in which they do not act.
    pub fn matches<W: Into<OsString> + Clone>(
        self,
        mut program: Command,
        args: impl IntoIterator<Item = W>,
    ) -> Result<ArgMatches, clap::Error> {
        let matches = program.try_get_matches_from_mut(args)?;
        Self::check(&program, &matches)?;
        Ok(matches)
    }

    /// Finds settings that were given and do not act.
    fn check(program: &Command, matches: &ArgMatches) -> Result<(), clap::Error> {
        let mut ids = Vec::new();
        setting_ids(program, &mut ids);
        let hidden = program.get_arguments().filter(|arg| arg.is_hide_set());
        ids.extend(hidden.map(|arg| arg.get_id().as_str()));
        let mut given: Vec<&Arg> = Vec::new();
        let (mut command, mut at, mut path) = (program, matches, String::new());
        loop {
            let settings = command.get_arguments().filter(|arg| {
                let id = arg.get_id().as_str();
                ids.contains(&id)
                    && at.try_contains_id(id).is_ok_and(|is_known| is_known)
                    && at.value_source(id) == Some(ValueSource::CommandLine)
            });
            given.extend(settings);
            let inner = at.subcommand();
            let Some((name, next)) = inner else { break };
            let Some(found) = command.find_subcommand(name) else {
                break;
            };
            path = join(&path, found.get_name());
            (command, at) = (found, next);
        }
        let is_known = |setting: &Arg| {
            let mut own = command.get_arguments();
            // It is in no help, and acts where events do.
            let id = match setting.get_id().as_str() {
                "control" => "events",
                id => id,
            };
            own.any(|arg| arg.get_id() == id && !arg.is_hide_set())
        };
        let Some(wrong) = given.into_iter().find(|setting| !is_known(setting)) else {
            return Ok(());
        };
        let long = wrong.get_long().unwrap_or_default();
        let name = join(program.get_name(), &path);
        let text = format!("unexpected argument '--{long}' found: '{name}' has no such option");
        let mut shown = command.clone().bin_name(name);
        Err(shown.error(ErrorKind::UnknownArgument, text))
    }

    /// The commands of a program that the list lacks, entries of the list that are no commands, and names that are no settings of
    /// the program. For tests.
    pub fn problems(self, program: &Command) -> Vec<String> {
        let settings = globals(program);
        let mut leaves = Vec::new();
        leaves_below(program, "", &mut leaves);
        let listed = |path: &String| self.0.iter().any(|(listed, _)| listed == path);
        let missing = leaves.iter().filter(|path| !listed(path));
        let mut problems: Vec<String> = missing
            .map(|path| format!("'{path}' is not listed"))
            .collect();
        for (path, names) in self.0 {
            if leaves.iter().all(|leaf| leaf != path) {
                problems.push(format!("'{path}' is no command"));
            }
            let unknown = names.split_whitespace().filter(|name| {
                let mut all = settings.iter();
                !all.any(|setting| setting.get_long() == Some(name))
            });
            problems.extend(unknown.map(|name| format!("'{path}': --{name} is no setting")));
        }
        problems
    }
}

fn globals(program: &Command) -> Vec<Arg> {
    let all = program.get_arguments();
    all.filter(|arg| arg.is_global_set()).cloned().collect()
}

/// The settings of all commands.
fn setting_ids<'a>(command: &'a Command, ids: &mut Vec<&'a str>) {
    let global = command.get_arguments().filter(|arg| arg.is_global_set());
    ids.extend(global.map(|arg| arg.get_id().as_str()));
    for inner in command.get_subcommands() {
        setting_ids(inner, ids);
    }
}

fn leaves_below(command: &Command, path: &str, leaves: &mut Vec<String>) {
    if !command.has_subcommands() {
        leaves.push(path.to_owned());
    }
    for inner in command.get_subcommands() {
        if inner.get_name() != "help" {
            leaves_below(inner, &join(path, inner.get_name()), leaves);
        }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() || name.is_empty() {
        format!("{path}{name}")
    } else {
        format!("{path} {name}")
    }
}

#[cfg(test)]
mod tests {
    use clap::{ArgAction, FromArgMatches as _};

    use super::*;
    use crate::Settings;

    fn whole() -> Command {
        let inner = Command::new("inner")
            .subcommand(Command::new("deep").arg(Arg::new("own").long("own").num_args(1)));
        let switch = Arg::new("lf")
            .long("lf")
            .global(true)
            .action(ArgAction::SetTrue);
        let program = Command::new("x").arg(switch);
        <Settings as clap::Args>::augment_args(program)
            .subcommand(Command::new("plain").alias("simple"))
            .subcommand(inner)
    }

    const ACTING: ActingSettings = ActingSettings(&[
        ("plain", "quiet json"),
        ("inner deep", "threads lf json events"),
    ]);

    fn parse(line: &str) -> Result<Settings, clap::Error> {
        let matches = ACTING.matches(ACTING.limit(whole()), line.split(' '))?;
        Settings::from_arg_matches(&matches)
    }

    #[test]
    fn settings_stand_anywhere_where_they_act() {
        for line in [
            "x inner deep --threads 3 --json",
            "x --threads 3 inner --json deep",
            "x inner --threads 3 --json deep --own a --lf",
            "x --json --threads 3 --lf inner deep",
        ] {
            let settings = parse(line).unwrap();
            assert_eq!((settings.threads, settings.json), (Some(3), true), "{line}");
        }
        let controlled = parse("x inner deep --control stdin --events e").unwrap();
        assert!(controlled.control.is_some() && controlled.events.is_some());
        parse("x plain --control stdin").unwrap_err();
        assert!(parse("x simple -q").unwrap().quiet);
        assert!(!parse("x plain").unwrap().quiet);
    }

    #[test]
    fn settings_that_do_not_act_are_refused() {
        for (line, name) in [
            ("x plain --threads 3", "--threads"),
            ("x --threads 3 plain", "--threads"),
            ("x --lf simple", "--lf"),
            ("x inner --quiet deep", "--quiet"),
            ("x inner deep --memory 3M", "--memory"),
            ("x --temp-dir a inner deep", "--temp-dir"),
        ] {
            let error = parse(line).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{line}");
            let text = error.to_string();
            assert!(
                text.contains(name) && text.contains("unexpected"),
                "{line}: {text}"
            );
        }
    }

    #[test]
    fn help_shows_what_acts() {
        let help = |line: &str| parse(line).unwrap_err().to_string();
        let plain = help("x plain --help");
        assert!(
            plain.contains("--quiet") && !plain.contains("--threads"),
            "{plain}"
        );
        let deep = help("x inner deep --help");
        assert!(
            deep.contains("--lf") && !deep.contains("--memory"),
            "{deep}"
        );
        // Nothing acts nowhere.
        let all = help("x --help");
        assert!(all.contains("--quiet") && all.contains("--lf"), "{all}");
    }

    #[test]
    fn a_program_without_commands_hides_and_refuses_the_rest() {
        let acting = ActingSettings(&[("", "json")]);
        let program = || acting.limit(<Settings as clap::Args>::augment_args(Command::new("y")));
        assert!(acting.matches(program(), ["y", "--json"]).is_ok());
        let error = acting.matches(program(), ["y", "--force"]).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        let help = acting.matches(program(), ["y", "--help"]).unwrap_err();
        assert!(!help.to_string().contains("--force"));
    }

    #[test]
    fn lists_are_compared_with_commands() {
        assert!(ACTING.problems(&whole()).is_empty());
        let wrong = ActingSettings(&[("plain", "colour"), ("gone", "json")]);
        assert_eq!(
            wrong.problems(&whole()),
            [
                "'inner deep' is not listed",
                "'plain': --colour is no setting",
                "'gone' is no command"
            ]
        );
    }
}
