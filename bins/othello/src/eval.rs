//! Commands for evaluations: what weights hold, self-play, training.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use othello_core::Board;
use othello_eval::{
    Evaluator, NetWeights, PatternEvaluator, PatternLayout, PlyPhases, UNITS_PER_DISC, Weights,
};
use othello_learn::{
    FitPlan, FitReport, FitSettings, LabelGoal, LabelKind, LabelledFiles, NetPlan, OffsetPlan,
    OthelloSelfplay, PhaseReport, PlyErrors, TrainingFile, measure,
};
use othello_search::Selectivity;
use serde_json::{Value, json};
use yane_cli::{Settings, UsageError, WeightedPath, print};

use crate::args::{
    Eval, EvalInfo, EvalMeasure, EvalOffset, LayoutName, Selfplay, Train, WeightsArgs,
};
use crate::print::{Align, Table, count, counted};

/// The last ply with a move.
const LAST_PLY: u32 = 59;

pub(crate) fn run(command: &Eval, settings: &Settings) -> anyhow::Result<ExitCode> {
    match command {
        Eval::Info(args) => info(args, settings)?,
        Eval::Measure(args) => errors(args, settings)?,
        Eval::Offset(args) => offset(args, settings)?,
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
    let facts = facts(&weights);
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
    let facts = facts.as_object().into_iter().flatten();
    let facts = facts.map(|(key, value)| format!("{}: {}", key.replace('_', " "), words_of(value)));
    lines.extend(facts);
    Ok(print::lines(lines)?)
}

/// A fact for people.
fn words_of(fact: &Value) -> String {
    match fact {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(words_of).collect::<Vec<_>>().join(" "),
        number => match number.as_u64() {
            Some(number) => count(number),
            None => format!("{:+.2}", number.as_f64().unwrap_or_default()),
        },
    }
}

/// Facts about an evaluation.
fn facts(weights: &Weights) -> Value {
    let mut facts = match weights.main() {
        Evaluator::Patterns(patterns) => facts_of_patterns(patterns),
        Evaluator::Net(net) => facts_of_net(net.weights()),
    };
    let offsets = weights.offsets().0.map(|offset| in_discs(offset.into()));
    facts["offsets"] = offsets.to_vec().into();
    facts
}

fn facts_of_patterns(evaluator: &PatternEvaluator<4>) -> Value {
    let phases = 0..evaluator.phases().count();
    let mut nonzero = 0;
    for phase in phases.clone() {
        let tables = evaluator.phase_tables(phase);
        let weights = tables.patterns.iter().flatten();
        nonzero += weights.filter(|&&weight| weight != 0).count();
    }
    let layout = evaluator.layout();
    json!({
        "patterns": layout.patterns().len(),
        "places": layout.places(),
        "phases": evaluator.phases().count(),
        "weights": layout.weights() * evaluator.phases().count(),
        "nonzero": nonzero,
        "units_per_disc": evaluator.units(),
        "first_plies": first_plies(evaluator.phases()),
    })
}

fn facts_of_net(net: &NetWeights) -> Value {
    let layout = net.shape.layout();
    json!({
        "architecture": net.shape.to_string(),
        "patterns": layout.patterns().len(),
        "places": layout.places(),
        "phases": net.phases.count(),
        "weights": net.rows.len(),
        "nonzero": net.rows.iter().filter(|&&weight| weight != 0).count(),
        "first_plies": first_plies(&net.phases),
    })
}

/// The first ply of each phase.
fn first_plies(phases: &PlyPhases) -> Vec<usize> {
    let first = (0..phases.count()).filter_map(|phase| phases.plies(phase).next());
    first.collect()
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

fn offset(args: &EvalOffset, settings: &Settings) -> anyhow::Result<()> {
    let overwrite = settings.overwrite();
    overwrite.check(&args.output, &args.data)?;
    let weights = Arc::new(args.weights.load()?);
    let plan = OffsetPlan {
        depth: args.depth,
        selectivity: selectivity(args.probability),
        note: args
            .note
            .clone()
            .unwrap_or_else(|| weights.note().to_owned()),
    };
    let job = settings.job()?;
    let done = plan.run(&weights, &args.data, &args.output, overwrite, &job)?;
    let rows = done.offsets.0.map(|offset| in_discs(offset.into()));
    let rows = rows
        .into_iter()
        .zip(done.searches)
        .zip(done.errors)
        .enumerate();
    if settings.json {
        let rows = rows.map(|(ply, ((offset, searches), error))| {
            json!({ "ply": ply, "searches": searches, "error": error, "offset": offset })
        });
        return Ok(print::json(&json!({ "plies": rows.collect::<Vec<_>>() }))?);
    }
    let columns = ["Ply", "Searches", "Error", "Offset"];
    let mut table = Table::new(&columns.map(|name| (name, Align::Right)));
    for (ply, ((offset, searches), error)) in rows {
        let discs = [error, offset].map(|discs| format!("{discs:+.2}"));
        let [error, offset] = discs;
        table.row([ply.to_string(), count(searches), error, offset]);
    }
    Ok(print::lines(table.lines())?)
}

/// The selectivity of at least so many per cent.
fn selectivity(percent: u32) -> Selectivity {
    Selectivity::at_least(percent).unwrap_or(Selectivity::Exact)
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
            selectivity: selectivity(args.probability),
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

/// The rates of pattern tables and of networks, at first and at last.
const TABLE_RATES: [f32; 2] = [0.3, 0.015];
const NET_RATES: [f32; 2] = [2e-3, 2e-5];

pub(crate) fn train(args: &Train, settings: &Settings) -> anyhow::Result<ExitCode> {
    let defaults = if args.arch.is_some() {
        NET_RATES
    } else {
        TABLE_RATES
    };
    let rate = args.rate.unwrap_or(defaults[0]);
    let last_rate = args.last_rate.unwrap_or(defaults[1]);
    for (name, rate) in [("--rate", rate), ("--last-rate", last_rate)] {
        if !(rate > 0.0 && rate <= 1.0) {
            let reason = format!("{name}: a number above 0 and at most 1 was expected");
            return Err(UsageError(reason).into());
        }
    }
    let is_number = |number: f64| number >= 0.0 && number.is_finite();
    for (name, number) in [
        ("--rare", args.rare.into()),
        ("--weight-decay", args.weight_decay),
    ] {
        if !is_number(number) {
            return Err(UsageError(format!("{name}: a number from 0 on was expected")).into());
        }
    }
    let files = training_files(args);
    if let Some(file) = files.iter().find(|file| !file.has_valid_share()) {
        let name = file.path.display();
        let reason = format!(
            "{name}*{}: a share above 0 and at most 1 was expected",
            file.share
        );
        return Err(UsageError(reason).into());
    }
    let output = &args.output;
    let (overwrite, job) = (settings.overwrite(), settings.job()?);
    let done = if let Some(shape) = args.arch {
        let plan = NetPlan {
            epochs: args.epochs,
            batch: args.batch as usize,
            rates: (rate.into(), last_rate.into()),
            weight_decay: args.weight_decay,
            rare: args.rare,
            initial: args.init.clone(),
            seed: args.seed,
            held_out_percent: args.held_out,
            note: args.note.clone(),
            ..NetPlan::new(shape)
        };
        plan.run(&files, output, overwrite, &job)?
    } else {
        let plan = table_plan(args, (rate, last_rate));
        plan.run(&files, output, overwrite, &job)?
    };
    drop(job);
    print_fit(&done, settings)
}

/// The files to train with.
fn training_files(args: &Train) -> Vec<TrainingFile> {
    let file = |data: &WeightedPath, labels| TrainingFile {
        path: data.path.clone(),
        share: data.weight,
        labels,
    };
    let data = args.data.iter().map(|data| file(data, None));
    let solved = args.solved.iter();
    let solved = solved.map(|data| file(data, Some(LabelKind::Exact)));
    data.chain(solved).collect()
}

/// The training of pattern tables.
fn table_plan(args: &Train, rates: (f32, f32)) -> FitPlan {
    let layout = match args.layout {
        LayoutName::Yaneura => PatternLayout::yaneura(),
        LayoutName::Edax => PatternLayout::edax(),
    };
    FitPlan {
        layout,
        phases: PlyPhases::with_parity(args.phase, args.parity),
        overlap: args.overlap,
        held_out_percent: args.held_out,
        settings: FitSettings {
            epochs: args.epochs,
            rates,
            rare: args.rare,
            seed: args.seed,
            ..FitSettings::default()
        },
        note: args.note.clone(),
    }
}

/// Prints the errors of each phase.
fn print_fit(done: &FitReport, settings: &Settings) -> anyhow::Result<ExitCode> {
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
