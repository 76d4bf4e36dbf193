//! The description of a file as JSON.

use std::ops::RangeInclusive;

use serde_json::{Value, json};
use shogi_eval::inspect::{Hash, Inspection, NetworkFile, TableFiles};
use shogi_eval::nnue::Ranges;
use shogi_eval::nnue::arch::Architecture;

/// `found` as one object.
pub(super) fn of(found: &Inspection) -> Value {
    match found {
        Inspection::Network(file) => network(file),
        Inspection::Tables(files) => tables(files),
    }
}

fn range(range: &RangeInclusive<i32>) -> Value {
    json!([range.start(), range.end()])
}

fn hash(hash: Hash) -> Value {
    json!({"found": format!("{:08X}", hash.found), "usual": format!("{:08X}", hash.usual)})
}

fn part(name: &str, inputs: usize, outputs: usize, ranges: &Ranges) -> Value {
    json!({
        "name": name,
        "inputs": inputs,
        "outputs": outputs,
        "weights": range(&ranges.weights),
        "biases": range(&ranges.biases),
    })
}

fn network(file: &NetworkFile) -> Value {
    let description = &file.description;
    let architecture = &description.architecture;
    let features = architecture.features();
    let transformer = part(
        "transformer",
        features.dimensions(),
        architecture.width(),
        &description.transformer,
    );
    let layers = description.layers.iter().enumerate();
    let layers = layers.map(|(number, (shape, ranges))| {
        let name = format!("layer {}", number + 1);
        part(&name, shape.inputs, shape.outputs, ranges)
    });
    let parts: Vec<_> = std::iter::once(transformer).chain(layers).collect();
    let notes: Vec<_> = file.notes.iter().map(ToString::to_string).collect();
    let mut value = json!({
        "file": file.path.to_string_lossy(),
        "kind": "nnue",
        "bytes": file.bytes,
        "sha256": file.sha256,
        "architecture": architecture.to_string(),
        "features": features.file_name(),
        "text": description.text,
        "hashes": {
            "file": hash(file.file_hash),
            "transformer": hash(file.transformer_hash),
            "layers": hash(file.layers_hash),
        },
        "fv_scale": description.scale.scale.get(),
        "fv_scale_stated": description.scale.stated,
        "parameters": description.parameters(),
        "memory": description.bytes(),
        "parts": parts,
        "stacks": architecture.stack_count(),
        "notes": notes,
    });
    if let Architecture::Sfnn(sfnn) = architecture {
        value["shortcut"] = json!(sfnn.has_shortcut());
    }
    if let Some(weights) = &description.progress {
        value["progress"] = range(weights);
    }
    value
}

fn tables(files: &TableFiles) -> Value {
    let kinds: Vec<_> = files.kinds.iter().map(|kind| kind.name()).collect();
    let list = files.files.iter().map(|file| {
        let notes: Vec<_> = file.note.iter().map(ToString::to_string).collect();
        json!({
            "file": file.path.to_string_lossy(),
            "table": file.table.file_name(),
            "bytes": file.bytes,
            "sha256": file.sha256,
            "board": range(&file.board),
            "turn": file.turn.as_ref().map(range),
            "notes": notes,
        })
    });
    json!({
        "file": files.path.to_string_lossy(),
        "kind": "tables",
        "kinds": kinds,
        "fv_scale": 32,
        "files": list.collect::<Vec<_>>(),
    })
}
