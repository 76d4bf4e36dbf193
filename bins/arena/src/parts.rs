//! `arena parts`: which parts of an engine help.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use tournament::{Contestant, EnginePart, EngineSpec, GameName, MatchPlan, Pairing, PartDesign};
use yane_cli::UsageError;
use yane_io::ReadLimit;

use crate::args::{SprtArgs, with_options};
use crate::matches::PlayArgs;
#[cfg(test)]
use crate::report::part_table;

/// Find which parts of an engine help.
///
/// A part is a name and the options of the engine without it, such as former values of some parameters. The engine plays
/// itself: one player has half of the parts, the other one the other half, and another half each round, so that every game
/// tells about every part. As many games measure all parts as well as they would measure one of them. The result is
/// the Elo that each part adds, on average over engines that have half of the others. With --elo0 and --elo1 the games end
/// when the sequential test has decided about every part.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct PartArgs {
    /// The engine, as for `match`, with all its parts
    engine: EngineSpec,
    /// A part: NAME: OPTION=VALUE,OPTION=VALUE without it; may be given again
    #[arg(long, value_name = "PART")]
    part: Vec<EnginePart>,
    /// A file with a part a line, as for --part; empty lines and lines that begin with # do not count
    #[arg(long, value_name = "FILE")]
    parts: Option<PathBuf>,
    /// Number of games
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// An option of both players
    #[arg(long, value_name = "NAME=VALUE", value_parser = yane_cli::any_word())]
    option: Vec<String>,
    #[command(flatten)]
    sprt: SprtArgs,
    #[command(flatten)]
    play: PlayArgs,
}

/// Runs `arena parts`.
///
/// # Errors
/// When the engine cannot be started or has no such options, or files cannot be read or written.
pub fn run_parts(args: &PartArgs) -> anyhow::Result<ExitCode> {
    if args.play.game != GameName::Shogi {
        let text = "parts are options of USI engines: --game shogi";
        return Err(UsageError(text.to_owned()).into());
    }
    let engine = with_options(&args.engine, &args.option, &[])?;
    let player = |name: &str| EngineSpec {
        name: Some(name.to_owned()),
        ..engine.clone()
    };
    let mut parts = args.part.clone();
    if let Some(path) = &args.parts {
        parts.extend(read_parts(path)?);
    }
    // The values with all parts come from the engine, so that it is started where games are handed out, too.
    let conditions = &args.play.conditions;
    let rotation = args.play.rotation.rotation();
    let checks = conditions.checks.checks(conditions.patience(), &rotation);
    let protocol = GameName::Shogi.protocol();
    let engines = Contestant::open_all(std::slice::from_ref(&engine), &protocol, &checks)?;
    let repeats = rotation.cycle();
    let plan = MatchPlan {
        sprt: args.sprt.sprt()?,
        parts: PartDesign::new(parts, &engines[0], repeats, args.play.starts.seed)?,
        ..args.play.plan(
            Pairing::Match,
            vec![player("one"), player("other")],
            args.games,
        )?
    };
    args.play.run(&plan)
}

/// Reads a file with a part a line.
fn read_parts(path: &Path) -> anyhow::Result<Vec<EnginePart>> {
    let name = path.display();
    let text = ReadLimit::Settings.read_string(path)?;
    let lines = text.lines().enumerate();
    let is_part = |line: &str| !line.trim().is_empty() && !line.starts_with('#');
    lines
        .filter(|(_, line)| is_part(line))
        .map(|(index, line)| {
            let part = line.parse::<EnginePart>();
            part.map_err(|reason| anyhow::anyhow!("{name}: line {}: {reason}", index + 1))
        })
        .collect()
}

const EXAMPLES: &str = "\
Examples:
  arena parts yaneura --part 'pawn history: eval_bonus_pawn=0,fail_low_pawn=0' --part 'unit: SearchUnit=100' \\
        --nodes 10000 --games 2000 --concurrency 2 --option Threads=1 --option USI_Hash=32 --log parts.jsonl
      what two parts are worth; the same command resumes after an interruption
  arena parts yaneura --parts parts.txt --movetime 100 --option Threads=1 --in-turn EvalDir=nets/a \\
        --in-turn EvalDir=nets/b --elo0 -5 --elo1 15
      many parts from a file, with two networks in turn, until every part is decided

Exit code 0: done; 1: failed, or the engine misbehaved; 2: wrong usage; 130: interrupted.";

#[cfg(test)]
mod tests {
    use super::*;
    use tournament::MatchScore;
    use tournament::Sprt;

    #[test]
    fn the_table_begins_with_the_part_that_adds_most() {
        let score = |wins, losses, pairs| MatchScore {
            wins,
            draws: 0,
            losses,
            pairs,
            singles: [0; 3],
        };
        let names = ["history", "a"].map(str::to_owned);
        let scores = [score(8, 16, [6, 0, 4, 0, 2]), score(16, 8, [2, 0, 4, 0, 6])];
        let sprt = Sprt::new(0.0, 400.0, 0.05, 0.05).expect("a test");
        let lines = part_table(&names, &scores, Some(&sprt));
        assert_eq!(
            lines[0],
            "part     with it against without  Elo of the part (95 %)"
        );
        assert!(lines[1].starts_with("a        +16 =0 -8"), "{lines:?}");
        assert!(lines[1].contains("+115.2 ["), "{lines:?}");
        assert!(lines[2].starts_with("history  +8 =0 -16"), "{lines:?}");
        assert!(lines[2].ends_with(": 0 Elo"), "{lines:?}");
    }
}
