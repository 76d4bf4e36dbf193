//! Tests of the bounds: graphs of few bytes that take much, and parts of networks.

use prost::Message as _;
use test_support::fixture_bytes;

use super::*;
use crate::DeepModel;
use crate::onnx::AttributeProto;

/// Whole numbers as a constant.
fn constant(name: &str, numbers: &[i64]) -> TensorProto {
    TensorProto {
        dims: vec![numbers.len() as i64],
        data_type: 7,
        int64_data: numbers.to_vec(),
        name: name.to_owned(),
        ..TensorProto::default()
    }
}

fn node(operator: &str, inputs: &[&str], output: &str) -> NodeProto {
    NodeProto {
        input: inputs.iter().map(|&input| input.to_owned()).collect(),
        output: vec![output.to_owned()],
        op_type: operator.to_owned(),
        ..NodeProto::default()
    }
}

/// The small network with more nodes, of which nothing is read.
fn with_nodes(constants: Vec<TensorProto>, nodes: Vec<NodeProto>) -> Vec<u8> {
    let mut model = ModelProto::decode(&fixture_bytes("deep/mtiny.onnx")[..]).unwrap();
    let graph = model.graph.as_mut().unwrap();
    graph.initializer.extend(constants);
    graph.node.splice(0..0, nodes);
    model.encode_to_vec()
}

#[track_caller]
fn is_refused(constants: Vec<TensorProto>, nodes: Vec<NodeProto>, operator: &str) {
    let error = DeepModel::from_bytes(with_nodes(constants, nodes)).unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&format!("operator {operator}")), "{text}");
    assert!(!text.contains("rten"), "{text}");
}

#[test]
fn graphs_that_take_too_much_are_refused_by_their_operator() {
    let large = vec![constant("large", &[0, 0, 0, 0, 1 << 40, 0, 0, 0])];
    let pad = node("Pad", &["input1", "large"], "padded");
    is_refused(large, vec![pad.clone()], "Pad");
    let gib = vec![constant("shape", &[1024, 1 << 20])];
    is_refused(
        gib,
        vec![node("ConstantOfShape", &["shape"], "huge")],
        "ConstantOfShape",
    );
    let times = vec![constant("times", &[1 << 60]), constant("go", &[1])];
    is_refused(times, vec![node("Loop", &["times", "go"], "last")], "Loop");
    let mut old = node("Pad", &["input1"], "padded");
    old.attribute.push(AttributeProto {
        name: "pads".to_owned(),
        ints: vec![0, 0, 1 << 40, 0, 0, 0, 0, 0],
        ..AttributeProto::default()
    });
    is_refused(Vec::new(), vec![old], "Pad");
    // By a little each time.
    let repeats = vec![constant("repeats", &[1, 64, 1, 1])];
    let tile = |from: &str, to: &str| node("Tile", &[from, "repeats"], to);
    let tiles = vec![tile("input1", "a"), tile("a", "b"), tile("b", "c")];
    is_refused(repeats, tiles, "Tile");
    // Computed by the graph itself.
    let factors = vec![constant("factor", &[1 << 20])];
    let nodes = vec![
        node("Mul", &["factor", "factor"], "product"),
        node("ConstantOfShape", &["product"], "huge"),
    ];
    is_refused(factors, nodes, "ConstantOfShape");
}

fn with_ints(mut node: NodeProto, name: &str, ints: &[i64]) -> NodeProto {
    node.attribute.push(AttributeProto {
        name: name.to_owned(),
        ints: ints.to_vec(),
        ..AttributeProto::default()
    });
    node
}

/// A constant of floats, all of which are nothing.
fn floats(name: &str, dims: &[i64]) -> TensorProto {
    let count: i64 = dims.iter().product();
    TensorProto {
        dims: dims.to_vec(),
        data_type: 1,
        raw_data: vec![0; count as usize * 4],
        name: name.to_owned(),
        ..TensorProto::default()
    }
}

/// A row and a column of 2^20 numbers each, without many bytes: both are repeated from one number.
fn row_and_column() -> (Vec<TensorProto>, Vec<NodeProto>) {
    let constants = vec![
        floats("one", &[1, 1]),
        constant("row_shape", &[1, 1 << 20]),
        constant("column_shape", &[1 << 20, 1]),
    ];
    let nodes = vec![
        node("Expand", &["one", "row_shape"], "row"),
        node("Expand", &["one", "column_shape"], "column"),
    ];
    (constants, nodes)
}

/// The row and the column as inputs of an operator.
#[track_caller]
fn product_is_refused(operator: &str, inputs: &[&str]) {
    let (mut constants, mut nodes) = row_and_column();
    constants.push(TensorProto {
        data_type: 9,
        dims: vec![1],
        raw_data: vec![1],
        name: "yes".to_owned(),
        ..TensorProto::default()
    });
    nodes.push(node(operator, inputs, "huge"));
    nodes.push(node("Relu", &["huge"], "after"));
    is_refused(constants, nodes, operator);
}

#[test]
fn a_row_and_a_column_are_refused_by_their_operator() {
    for operator in [
        "Add", "Sub", "Mul", "Div", "Max", "Min", "Pow", "Less", "Sum",
    ] {
        product_is_refused(operator, &["row", "column"]);
        product_is_refused(operator, &["column", "row"]);
    }
    product_is_refused("Where", &["yes", "row", "column"]);
    product_is_refused("MatMul", &["column", "row"]);
    product_is_refused("Gemm", &["column", "row"]);
    product_is_refused("NotKnownToAnybody", &["column", "row"]);
}

#[test]
fn chains_of_products_are_refused_where_they_become_large() {
    // 1000, 10^6, 10^12 numbers.
    let constants = vec![
        floats("a", &[1000, 1]),
        constant("flat", &[-1, 1]),
        constant("lying", &[1, -1]),
    ];
    let nodes = vec![
        node("Transpose", &["a"], "b"),
        node("Add", &["a", "b"], "c"),
        node("Reshape", &["c", "flat"], "column"),
        node("Reshape", &["c", "lying"], "row"),
        node("Mul", &["column", "row"], "huge"),
    ];
    is_refused(constants.clone(), nodes.clone(), "Mul");
    let mut nodes = nodes;
    nodes[4] = node("MatMul", &["column", "row"], "huge");
    is_refused(constants, nodes, "MatMul");
}

#[test]
fn products_of_positions_with_positions_are_refused() {
    // Each position with each other one.
    let constants = vec![constant("column", &[-1, 1]), constant("row", &[1, -1])];
    let nodes = vec![
        node("GlobalAveragePool", &["input1"], "means"),
        node("Reshape", &["means", "column"], "first"),
        node("Reshape", &["means", "row"], "second"),
        node("Add", &["first", "second"], "huge"),
    ];
    is_refused(constants, nodes, "Add");
}

#[test]
fn many_values_are_refused_together() {
    let constants = vec![constant("shape", &[1 << 24])];
    let mut nodes = vec![node("ConstantOfShape", &["shape"], "v0")];
    for number in 0..40 {
        let (from, to) = (format!("v{number}"), format!("v{}", number + 1));
        nodes.push(node("Exp", &[&from], &to));
    }
    is_refused(constants, nodes, "Exp");
}

#[test]
fn convolutions_that_enlarge_are_refused() {
    let weights = vec![floats("weights", &[62, 4, 1, 1])];
    let conv = node("ConvTranspose", &["input1", "weights"], "large");
    let strides = with_ints(conv.clone(), "strides", &[1 << 20, 1 << 20]);
    is_refused(weights.clone(), vec![strides], "ConvTranspose");
    let sizes = with_ints(conv, "output_shape", &[1 << 20, 1 << 20]);
    is_refused(weights, vec![sizes], "ConvTranspose");
    let weights = vec![floats("weights", &[4, 62, 1, 1])];
    let conv = node("Conv", &["input1", "weights"], "large");
    let pads = with_ints(conv, "pads", &[1 << 20; 4]);
    is_refused(weights, vec![pads], "Conv");
}

#[test]
fn shapes_that_lie_are_refused() {
    let mut large = constant("large", &[1]);
    large.dims = vec![1 << 40];
    let bytes = with_nodes(vec![large], vec![node("Exp", &["large"], "out")]);
    let error = DeepModel::from_bytes(bytes).unwrap_err().to_string();
    assert!(error.contains("more numbers than the file"), "{error}");
    is_refused(Vec::new(), vec![node("Exp", &["later"], "out")], "Exp");
    let twice = vec![node("Exp", &["input1"], "a"), node("Exp", &["input2"], "a")];
    is_refused(Vec::new(), twice, "Exp");
}

/// The value of the name `out` in the graph of nodes before the small network.
fn shape_of(constants: Vec<TensorProto>, nodes: Vec<NodeProto>) -> Value {
    let bytes = with_nodes(constants, nodes);
    let model = ModelProto::decode(&bytes[..]).unwrap();
    let mut bounds = Bounds::new(&model, InputFormat::Wcsc28, None, bytes.len());
    bounds.graph(model.graph.as_ref().unwrap(), 0).unwrap();
    bounds.values["out"].clone()
}

fn dims(first: Size, others: &[i64]) -> Vec<Size> {
    let others = others.iter().map(|&dim| Size::fixed(dim));
    [first].into_iter().chain(others).collect()
}

#[test]
fn shapes_computed_by_the_graph_are_followed() {
    // As frameworks export `x.view(x.size(0), -1)`, and an expand to the shape of something.
    let constants = vec![
        constant("zero", &[0]),
        constant("rest", &[-1]),
        constant("shape", &[-1, 62, 9, 9]),
        floats("bias", &[1, 62, 1, 1]),
    ];
    let nodes = vec![
        node("Shape", &["input1"], "whole"),
        node("Gather", &["whole", "zero"], "positions"),
        node("Concat", &["positions", "rest"], "target"),
        node("Reshape", &["input1", "target"], "flat"),
        node("Reshape", &["flat", "shape"], "again"),
        node("Add", &["again", "bias"], "sum"),
        node("Expand", &["bias", "whole"], "biases"),
        node("Mul", &["sum", "biases"], "product"),
        with_ints(node("ReduceMean", &["product"], "out"), "axes", &[2, -1]),
    ];
    let value = shape_of(constants, nodes);
    assert_eq!(value.dims, Some(dims(Size::POSITIONS, &[62, 1, 1])));
}

#[test]
fn layers_of_networks_have_their_shapes() {
    let constants = vec![
        floats("weights", &[32, 62, 3, 3]),
        floats("matrix", &[81, 40]),
        constant("flat", &[0, 32, 81]),
        constant("pads", &[0, 0, 0, 0, 0, 2]),
    ];
    let nodes = vec![
        with_ints(
            node("Conv", &["input1", "weights"], "conv"),
            "pads",
            &[1; 4],
        ),
        node("Sigmoid", &["conv"], "gate"),
        node("Mul", &["conv", "gate"], "swish"),
        node("Reshape", &["swish", "flat"], "tokens"),
        node("MatMul", &["tokens", "matrix"], "hidden"),
        with_ints(node("Transpose", &["hidden"], "turned"), "perm", &[0, 2, 1]),
        node("MatMul", &["hidden", "turned"], "scores"),
        node("Softmax", &["scores"], "attention"),
        node("Pad", &["attention", "pads"], "out"),
    ];
    let value = shape_of(constants, nodes);
    assert_eq!(value.dims, Some(dims(Size::POSITIONS, &[32, 34])));
}
