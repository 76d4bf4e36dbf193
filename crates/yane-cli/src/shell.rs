//! Completions for shells and manual pages, made of the definition of a command line: `--completions SHELL` and `--man` of every
//! program.

use std::ffi::{OsStr, OsString};
use std::io;
use std::io::Write as _;
use std::process::ExitCode;

use clap::{Args, Command, ValueEnum as _};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::describe;
use crate::print::USAGE;

/// The two options, for the help: [`answer`] handles them before anything else is parsed.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct ShellFiles {
    /// Print completions for a shell, and end
    #[arg(long, value_name = "SHELL", value_enum, exclusive = true)]
    pub completions: Option<Shell>,
    /// Print the manual page, of a command if one stands before it, and end
    #[arg(long, exclusive = true)]
    pub man: bool,
}

pub use yane_io::command_text;

/// The commands of a program and their arguments, as JSON: what `--describe` prints.
pub fn description(program: Command) -> serde_json::Value {
    describe::description(program)
}

/// What `args`, without the name of the program, ask for.
enum Request {
    Completions(Shell),
    /// The manual page of the program, or of the command that these words name.
    Man(Vec<String>),
    /// `--completions` without a shell, or with an unknown one.
    Wrong(String),
    /// The commands and options, for other programs.
    Description,
    /// Whether these words are a command line, for other programs.
    Usage(Vec<OsString>),
}

impl Request {
    fn parse(args: &[OsString]) -> Option<Self> {
        const COMPLETIONS: &str = "--completions";
        let text = |arg: &OsString| arg.to_str().map(str::to_owned);
        match args {
            [only] if only == "--describe" => Some(Self::Description),
            [first, words @ ..] if first == "--check-usage" => Some(Self::Usage(words.to_vec())),
            [first] if first == COMPLETIONS => Some(Self::Wrong(String::new())),
            [first, shell] if first == COMPLETIONS => Some(Self::shell(shell)),
            [only] if text(only)?.starts_with("--completions=") => Some(Self::shell(OsStr::new(
                &text(only)?[COMPLETIONS.len() + 1..],
            ))),
            [commands @ .., last] if last == "--man" => {
                let commands: Option<Vec<_>> = commands.iter().map(text).collect();
                let is_word = |word: &String| !word.starts_with('-');
                commands
                    .filter(|words| words.iter().all(is_word))
                    .map(Self::Man)
            }
            _ => None,
        }
    }

    fn shell(name: &OsStr) -> Self {
        let name = name.to_string_lossy();
        match Shell::from_str(&name, true) {
            Ok(shell) => Self::Completions(shell),
            Err(_) => Self::Wrong(name.into_owned()),
        }
    }
}

/// Answers `--completions SHELL` and `--man` on standard output; `None` when `args`, the first of which is the name of the program, ask
/// for neither. `command` is the command line of the program called `name`.
///
/// Wrong usage is told on standard error.
pub fn answer(
    args: &[OsString],
    name: &'static str,
    command: impl FnOnce() -> Command,
) -> Option<ExitCode> {
    let text = match Request::parse(args.get(1..)?)? {
        Request::Completions(shell) => completions(shell, &command().name(name)),
        Request::Man(words) => manual_page(command().name(name), &words)?,
        Request::Description => {
            let text = describe::description(command().name(name)).to_string();
            (text + "\n").into_bytes()
        }
        Request::Usage(words) => match describe::check_usage(&mut command().name(name), &words) {
            Ok(()) => Vec::new(),
            Err(text) => {
                eprintln!("{name}: {text}");
                return Some(USAGE.into());
            }
        },
        Request::Wrong(found) => {
            let shells = Shell::value_variants().iter();
            let shells: Vec<_> = shells.map(ToString::to_string).collect();
            eprintln!(
                "{name}: --completions: expected one of {}, found {found:?}",
                shells.join(", ")
            );
            return Some(USAGE.into());
        }
    };
    // A reader that has seen enough is no error.
    let written = io::stdout().lock().write_all(&text);
    Some(match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => crate::fail(name, &error.into()),
        _ => ExitCode::SUCCESS,
    })
}

/// The completions of the program `command` for a shell.
pub fn completions(shell: Shell, command: &Command) -> Vec<u8> {
    let mut bytes = Vec::new();
    let name = command.get_name().to_owned();
    clap_complete::generate(shell, &mut command.clone(), name, &mut bytes);
    bytes
}

/// The manual pages of a program and of all its commands, each with the name of its file.
///
/// # Errors
/// Never, as memory is written to; for the caller's sake as an error of writing.
pub fn manual_pages(program: Command) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut left = vec![built(program)];
    let mut pages = Vec::new();
    while let Some(command) = left.pop() {
        let shown = command
            .get_subcommands()
            .filter(|command| !command.is_hide_set());
        left.extend(shown.cloned());
        let page = Man::new(command);
        let mut bytes = Vec::new();
        page.render(&mut bytes)?;
        pages.push((page.get_filename(), bytes));
    }
    Ok(pages)
}

/// The page of the command that `words` name; `None` when there is none.
fn manual_page(program: Command, words: &[String]) -> Option<Vec<u8>> {
    let mut command = built(program);
    for word in words {
        command = command.find_subcommand(word)?.clone();
    }
    let mut bytes = Vec::new();
    Man::new(command).render(&mut bytes).ok()?;
    Some(bytes)
}

fn built(program: Command) -> Command {
    let mut program = program.disable_help_subcommand(true);
    // What the processor has that makes the page is not of interest.
    program = program.long_version(None::<&str>);
    program.build();
    program
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    /// A program.
    #[allow(dead_code, reason = "only its definition is looked at")]
    #[derive(Parser)]
    #[command(name = "cake", version)]
    struct Cake {
        #[command(subcommand)]
        command: Baking,
        #[command(flatten)]
        shell: ShellFiles,
    }

    #[allow(dead_code, reason = "only its definition is looked at")]
    #[derive(clap::Subcommand)]
    enum Baking {
        /// Bakes
        Bake {
            /// How hot
            #[arg(long)]
            heat: u32,
        },
    }

    fn command() -> Command {
        <Cake as clap::CommandFactory>::command()
    }

    fn kind(line: &str) -> &'static str {
        let args: Vec<_> = line.split_whitespace().map(OsString::from).collect();
        match Request::parse(&args) {
            None => "none",
            Some(Request::Completions(_)) => "completions",
            Some(Request::Man(words)) if words.is_empty() => "man",
            Some(Request::Man(_)) => "man of a command",
            Some(Request::Wrong(_)) => "wrong",
            Some(Request::Description) => "description",
            Some(Request::Usage(_)) => "usage",
        }
    }

    #[test]
    fn requests_stand_alone() {
        for (line, expected) in [
            ("--completions bash", "completions"),
            ("--completions=zsh", "completions"),
            ("--completions ELVISH", "completions"),
            ("--completions", "wrong"),
            ("--completions=", "wrong"),
            ("--completions cmd", "wrong"),
            ("--man", "man"),
            ("bake --man", "man of a command"),
            ("bake --heat 3 --man", "none"),
            ("--man bake", "none"),
            ("--describe", "description"),
            ("--describe bake", "none"),
            ("--check-usage bake --heat 3", "usage"),
            ("bake --check-usage", "none"),
            ("bake", "none"),
            ("", "none"),
            ("--completions bash more", "none"),
        ] {
            assert_eq!(kind(line), expected, "{line}");
        }
    }

    #[test]
    fn all_shells_and_pages() {
        for shell in Shell::value_variants() {
            let text = String::from_utf8(completions(*shell, &command())).unwrap();
            for word in ["cake", "bake", "heat", "completions"] {
                assert!(text.contains(word), "{shell}: {word}");
            }
        }
        let names: Vec<_> = manual_pages(command())
            .unwrap()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["cake.1", "cake-bake.1"]);
        let page = |words: &[&str]| {
            let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
            manual_page(command(), &words).map(|page| String::from_utf8(page).unwrap())
        };
        assert!(page(&[]).unwrap().contains("\\-\\-completions"));
        assert!(page(&["bake"]).unwrap().contains("How hot"));
        assert_eq!(page(&["boil"]), None);
    }

    #[test]
    fn the_definition_is_sound() {
        command().debug_assert();
    }

    #[cfg(unix)]
    #[test]
    fn words_are_read_by_a_shell_as_they_were() {
        use std::os::unix::ffi::OsStrExt as _;

        let words = [
            "a",
            "",
            "it's a \"book\" $HOME `x` \\",
            "--start=-X O",
            "評価",
            "a\nb",
        ];
        let mut words: Vec<String> = words.map(str::to_owned).to_vec();
        words.push(yane_io::text_of_bytes(b"\x95\x5d'\x89"));
        let text = command_text(
            "printf",
            &[vec!["%s\\0".to_owned()], words.clone()].concat(),
        );
        let told = std::process::Command::new("bash")
            .args(["-c", &text])
            .output()
            .unwrap();
        let read: Vec<_> = told.stdout.split(|&byte| byte == 0).collect();
        let expected: Vec<_> = words
            .iter()
            .map(|word| yane_io::path_of_text(word))
            .collect();
        let expected = expected.iter().map(|word| word.as_os_str().as_bytes());
        assert_eq!(read[..words.len()], expected.collect::<Vec<_>>());
    }
}
