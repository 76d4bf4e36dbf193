//! `convert` and `repair`.

use std::process::ExitCode;

use pack_format::Format;
use pack_format::convert::{ConvertOptions, Recover};
use pack_format::stream::Input;
use yane_cli::{Settings, UsageError};

use crate::cli::{ConvertArgs, RepairArgs, only};
use crate::conversion::{self, Conversion, contradictions};
use crate::names::{format_of, inputs, usual_output};

/// Any format into another.
pub(crate) fn convert(args: &ConvertArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let conversions = conversions(args, settings)?;
    conversion::run("teacher", &conversions, settings)
}

fn conversions(args: &ConvertArgs, settings: &Settings) -> Result<Vec<Conversion>, UsageError> {
    let from = args
        .inputs
        .iter()
        .map(|input| format_of(args.from, input, "--from"))
        .collect::<Result<Vec<_>, _>>()?;
    let inputs = inputs(&args.inputs)?;
    let to = match &args.output {
        Some(output) => format_of(args.to, output, "--to")?,
        None => args.to.expect("clap asks for it"),
    };
    if let Some(output) = &args.output {
        let from = only(&from)?;
        return Ok(vec![Conversion {
            inputs,
            output: output.clone(),
            options: args.how.options(from, to, settings)?,
        }]);
    }
    let each = args.inputs.iter().zip(inputs).zip(from);
    each.map(|((name, input), from)| {
        Ok(Conversion {
            inputs: vec![input],
            output: usual_output(name, to),
            options: args.how.options(from, to, settings)?,
        })
    })
    .collect()
}

/// A damaged file into a good one of the same format.
pub(crate) fn repair(args: &RepairArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let format: Format = format_of(args.from, &args.input, "--from")?;
    let options = ConvertOptions {
        contradictions: contradictions(args.strict_reasons),
        recover: if args.prefix {
            Recover::Prefix
        } else {
            Recover::Resync
        },
        overwrite: settings.overwrite(),
        ..ConvertOptions::new(format, format)
    };
    let conversion = Conversion {
        inputs: vec![Input::named(&args.input)],
        output: args.output.clone(),
        options,
    };
    conversion::run("teacher", &[conversion], settings)
}
