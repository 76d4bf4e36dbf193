//! Commands for evaluations: what weights hold, self-play, training.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use othello_core::Board;
use othello_eval::{PatternEvaluator, PatternLayout, PlyPhases, UNITS_PER_DISC, Weights};
use othello_learn::{
    FitPlan, FitSettings, LabelGoal, LabelledFiles, OthelloSelfplay, PhaseReport, PlyErrors,
    measure,
};
use othello_search::Selectivity;
use serde_json::{Value, json};
use yane_cli::{Settings, UsageError, print};

use crate::args::{Eval, EvalInfo, EvalMeasure, LayoutName, Selfplay, Train, WeightsArgs};
use crate::print::{Align, Table, count, counted};

/// The last ply with a move.
const LAST_PLY: u32 = 59;

pub(crate) fn run(command: &Eval, settings: &Settings) -> anyhow::Result<ExitCode> {
    match command {
        Eval::Info(args) => info(args, settings)?,
        Eval::Measure(args) => errors(args, settings)?,
    }
    Ok(ExitCode::SUCCESS)
}

impl WeightsArgs {
    /// The name of weights without training.
    pub(crate) const UNTRAINED: &str = "untrained";

    /// The weights of a file, those built in, or those without training.
    pub(crate) fn load(&self) -> yane_io::Result<Weights> {
        match self.file.as_deref() {
            None => Ok(Weights::built_in()),
            Some(name) if name == Path::new(Self::UNTRAINED) => Ok(Weights::untrained()),
            Some(path) => Weights::load(path),
        }
    }
}

fn info(args: &EvalInfo, settings: &Settings) -> anyhow::Result<()> {
    let file = args.weights.clone();
    let weights = WeightsArgs { file }.load()?;
    let start = in_discs(weights.main().evaluate(Board::START));
    let facts = facts(weights.main());
    if settings.json {
        return Ok(print::json(&json!({
            "format": weights.format().to_string(),
            "note": weights.note(),
            "start": start,
            "main": facts,
        }))?);
    }
    let mut lines = vec![format!("format: {}", weights.format())];
    if !weights.note().is_empty() {
        lines.push(format!("note: {}", weights.note()));
    }
    lines.push(format!("value of the start position: {start:+.2} discs"));
    for key in [
        "patterns",
        "places",
        "phases",
        "weights",
        "nonzero",
        "units_per_disc",
    ] {
        let number = facts[key].as_u64().unwrap_or_default();
        lines.push(format!("{}: {}", key.replace('_', " "), count(number)));
    }
    let plies = facts["first_plies"].as_array();
    let plies = plies.into_iter().flatten().map(Value::to_string);
    lines.push(format!(
        "first plies: {}",
        plies.collect::<Vec<_>>().join(" ")
    ));
    Ok(print::lines(lines)?)
}

/// Facts about an evaluation.
fn facts<const C: usize>(evaluator: &PatternEvaluator<C>) -> Value {
    let phases = 0..evaluator.phases().count();
    let mut nonzero = 0;
    for phase in phases.clone() {
        let tables = evaluator.phase_tables(phase);
        let weights = tables.patterns.iter().flatten();
        nonzero += weights.filter(|&&weight| weight != 0).count();
    }
    let layout = evaluator.layout();
    let first = phases.filter_map(|phase| evaluator.phases().plies(phase).next());
    json!({
        "patterns": layout.patterns().len(),
        "places": layout.places(),
        "phases": evaluator.phases().count(),
        "weights": layout.weights() * evaluator.phases().count(),
        "nonzero": nonzero,
        "units_per_disc": evaluator.units(),
        "first_plies": first.collect::<Vec<_>>(),
    })
}

fn in_discs(value: i32) -> f64 {
    f64::from(value) / f64::from(UNITS_PER_DISC)
}

fn errors(args: &EvalMeasure, settings: &Settings) -> anyhow::Result<()> {
    let weights = args.weights.load()?;
    let files = LabelledFiles::open(&args.data)?;
    let (plies, all) = measure(&weights, &files);
    let row = |errors: &PlyErrors| {
        json!({
            "ply": errors.ply,
            "positions": errors.positions,
            "mae": errors.mae,
            "rmse": errors.rmse,
            "bias": errors.bias,
        })
    };
    if settings.json {
        let plies: Vec<_> = plies.iter().map(row).collect();
        let mut all = row(&all);
        all["ply"] = Value::Null;
        return Ok(print::json(&json!({ "plies": plies, "all": all }))?);
    }
    let columns = ["Ply", "Positions", "MAE", "RMSE", "Bias"];
    let mut table = Table::new(&columns.map(|name| (name, Align::Right)));
    let cells = |name: String, errors: &PlyErrors| {
        let number = |number| format!("{number:.3}");
        [
            name,
            count(errors.positions),
            number(errors.mae),
            number(errors.rmse),
            format!("{:+.3}", errors.bias),
        ]
    };
    for errors in &plies {
        table.row(cells(errors.ply.to_string(), errors));
    }
    table.row(cells("all".to_owned(), &all));
    Ok(print::lines(table.lines())?)
}

pub(crate) fn selfplay(args: &Selfplay, settings: &Settings) -> anyhow::Result<ExitCode> {
    let random = args.random.0.clone();
    if *random.end() > LAST_PLY {
        let reason = format!("--random: at most {LAST_PLY} moves were expected");
        return Err(UsageError(reason).into());
    }
    let plan = OthelloSelfplay {
        games: args.games,
        seed: args.seed,
        random_plies: random,
        balance: args
            .balance
            .map(|discs| discs.min(64) as i32 * UNITS_PER_DISC),
        random_percent: args.noise,
        plies: args.plies.0.clone(),
        goal: LabelGoal {
            depth: args.depth,
            selectivity: Selectivity::at_least(args.probability).unwrap_or(Selectivity::Exact),
            exact: args.exact,
        },
        lambda_percent: args.lambda,
    };
    settings.overwrite().check::<PathBuf>(&args.output, &[])?;
    let weights = Arc::new(args.weights.load()?);
    let job = settings.job()?;
    let done = plan.run(&weights, &args.output, settings.overwrite(), &job)?;
    if settings.json {
        print::json(&json!({ "games": done.games, "positions": done.positions }))?;
    } else {
        let games = counted(done.games, "game", "games");
        let positions = counted(done.positions, "position", "positions");
        print::lines([format!("{games}, {positions}")])?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn train(args: &Train, settings: &Settings) -> anyhow::Result<ExitCode> {
    for (name, rate) in [("--rate", args.rate), ("--last-rate", args.last_rate)] {
        if !(rate > 0.0 && rate <= 1.0) {
            let reason = format!("{name}: a number above 0 and at most 1 was expected");
            return Err(UsageError(reason).into());
        }
    }
    if !(args.rare >= 0.0 && args.rare.is_finite()) {
        return Err(UsageError("--rare: a number from 0 on was expected".to_owned()).into());
    }
    let layout = match args.layout {
        LayoutName::Yaneura => PatternLayout::yaneura(),
        LayoutName::Edax => PatternLayout::edax(),
    };
    let plan = FitPlan {
        layout,
        phases: PlyPhases::with_parity(args.phase, args.parity),
        overlap: args.overlap,
        held_out_percent: args.held_out,
        settings: FitSettings {
            epochs: args.epochs,
            rates: (args.rate, args.last_rate),
            rare: args.rare,
            seed: args.seed,
            ..FitSettings::default()
        },
        note: args.note.clone(),
    };
    let job = settings.job()?;
    let done = plan.run(
        &args.data,
        &args.solved,
        &args.output,
        settings.overwrite(),
        &job,
    )?;
    if settings.json {
        let rows = done.phases.iter();
        let rows = rows.map(|(plies, report)| row(plies, report));
        let rows: Vec<Value> = rows.collect();
        print::json(&json!({ "positions": done.positions, "main": rows }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let columns = [
        "Plies",
        "Positions",
        "Held out",
        "MAE",
        "RMSE",
        "Bias",
        "Zeros",
    ];
    let mut table = Table::new(&columns.map(|name| (name, Align::Right)));
    for (plies, report) in &done.phases {
        table.row([
            plies
                .iter()
                .map(usize::to_string)
                .collect::<Vec<_>>()
                .join(" "),
            count(report.positions),
            count(report.held_out),
            format!("{:.3}", report.mae),
            format!("{:.3}", report.rmse),
            format!("{:+.3}", report.bias),
            format!("{:.1} %", report.zeros * 100.0),
        ]);
    }
    print::lines(table.lines())?;
    Ok(ExitCode::SUCCESS)
}

/// The numbers of a phase.
fn row(plies: &[usize], report: &PhaseReport) -> Value {
    json!({
        "plies": plies,
        "positions": report.positions,
        "held_out": report.held_out,
        "mae": report.mae,
        "rmse": report.rmse,
        "bias": report.bias,
        "zeros": report.zeros,
    })
}
