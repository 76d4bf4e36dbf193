//! Our format of networks.
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `YANEONN1` |
//! | 2 + n | length and text of a note about the origin |
//! | 1 + n | length and name of the architecture |
//! | 61 | the number of the stack of each ply from 0 to 60 |
//! | … | [numbers](super::numbers): the rows of all patterns, those that symmetry makes equal once, in the order of their smallest ternary number |
//! | … | as well: the biases of the accumulator of each ply |
//! | … | the stacks |
//! | 4 × 61 | what is added to the output at each ply |
//! | 4 | CRC-32 of everything before |
//!
//! A stack is: the weights of the first layer, for each input those of all outputs; its biases (4 bytes each); those of the
//! second layer; the weights of the output. Weights are numbers as the rows are; all others are little-endian. [`NetWeights`] tells the
//! units.

use super::numbers::{byte, check_sum, note, numbers, write_note, write_numbers};
use super::{Bytes, Weights, WeightsError, WeightsFormat};
use crate::evaluation::Evaluator;
use crate::net::{
    FIRST_OUTPUTS, NET_MOST_BIAS, NetEvaluator, NetShape, NetStack, NetWeights, SECOND_OUTPUTS,
};
use crate::tables::{PLIES, PlyPhases};

const MAGIC: &[u8; 8] = b"YANEONN1";

/// The largest sum of a layer's biases and the like, so that sums stay within 32 bits: 4,096 discs.
const MOST_SUM: i32 = 1 << 25;

pub(super) fn is_net(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

pub(super) fn read(bytes: &[u8]) -> Result<Weights, WeightsError> {
    let Some((body, crc)) = bytes.split_last_chunk::<4>() else {
        return Err(WeightsError::at(bytes.len(), "the file ends too early"));
    };
    let mut reader = Bytes::new(body);
    reader.take(MAGIC.len(), "the beginning")?;
    let note = note(&mut reader)?;
    let net = network(&mut reader)?;
    reader.end()?;
    // Last, so that damage with a place is told with it.
    check_sum(body, *crc)?;
    let main = Evaluator::Net(NetEvaluator::new(net));
    let mut weights = Weights::new(main, WeightsFormat::YaneuraNet);
    weights.note = note;
    Ok(weights)
}

fn network(reader: &mut Bytes<'_>) -> Result<NetWeights, WeightsError> {
    let at = reader.at;
    let len = byte(reader, "the architecture")?;
    let name = reader.take(usize::from(len), "the architecture")?;
    let shape: NetShape = String::from_utf8_lossy(name)
        .parse()
        .map_err(|error| WeightsError::at(at, format!("{error}")))?;
    let at = reader.at;
    let mut of_ply = [0; PLIES];
    of_ply.copy_from_slice(reader.take(PLIES, "the stacks of the plies")?);
    let phases = PlyPhases::new(of_ply).ok_or_else(|| {
        let reason =
            "expected the stacks of 61 plies, numbered from 0 in the order in which they begin";
        WeightsError::at(at, reason)
    })?;
    let mut net = NetWeights::zeros(shape, phases);
    let at = reader.at;
    let rows = numbers(reader, net.rows.len())?;
    for (row, number) in net.rows.iter_mut().zip(rows) {
        let number = i8::try_from(number);
        *row = number.map_err(|_| WeightsError::at(at, "a number of a row has 8 bits at most"))?;
    }
    let at = reader.at;
    net.biases = numbers(reader, net.biases.len())?;
    let is_small = |bias: &i16| (-NET_MOST_BIAS..=NET_MOST_BIAS).contains(bias);
    if !net.biases.iter().all(is_small) {
        let reason = format!("expected biases within ±{NET_MOST_BIAS}");
        return Err(WeightsError::at(at, reason));
    }
    for stack in &mut net.stacks {
        read_stack(reader, stack)?;
    }
    net.outputs = sums(reader)?;
    Ok(net)
}

fn read_stack(reader: &mut Bytes<'_>, stack: &mut NetStack) -> Result<(), WeightsError> {
    let first = numbers(reader, stack.first.len() * FIRST_OUTPUTS)?;
    stack.first.copy_from_slice(first.as_chunks().0);
    stack.first_biases = sums(reader)?;
    let second = numbers(reader, stack.second.len() * SECOND_OUTPUTS)?;
    stack.second.copy_from_slice(second.as_chunks().0);
    stack.second_biases = sums(reader)?;
    let output = numbers(reader, SECOND_OUTPUTS)?;
    stack.output.copy_from_slice(&output);
    Ok(())
}

/// Reads numbers of four bytes.
fn sums<const N: usize>(reader: &mut Bytes<'_>) -> Result<[i32; N], WeightsError> {
    let mut sums = [0; N];
    for sum in &mut sums {
        let at = reader.at;
        let bytes = reader.take(4, "the biases")?;
        *sum = i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        if !(-MOST_SUM..=MOST_SUM).contains(sum) {
            let reason = format!("expected a bias within ±{MOST_SUM}, found {sum}");
            return Err(WeightsError::at(at, reason));
        }
    }
    Ok(sums)
}

pub(super) fn write(net: &NetWeights, note: &str) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    write_note(note, &mut bytes);
    let name = net.shape.to_string();
    bytes.push(name.len() as u8);
    bytes.extend(name.as_bytes());
    bytes.extend(net.phases.of_plies());
    let rows: Vec<i16> = net.rows.iter().map(|&number| i16::from(number)).collect();
    write_numbers(&rows, &mut bytes);
    write_numbers(&net.biases, &mut bytes);
    for stack in &net.stacks {
        write_numbers(stack.first.as_flattened(), &mut bytes);
        write_sums(&stack.first_biases, &mut bytes);
        write_numbers(stack.second.as_flattened(), &mut bytes);
        write_sums(&stack.second_biases, &mut bytes);
        write_numbers(&stack.output, &mut bytes);
    }
    write_sums(&net.outputs, &mut bytes);
    let crc = crc32fast::hash(&bytes);
    bytes.extend(crc.to_le_bytes());
    bytes
}

fn write_sums(sums: &[i32], bytes: &mut Vec<u8>) {
    bytes.extend(sums.iter().flat_map(|sum| sum.to_le_bytes()));
}
