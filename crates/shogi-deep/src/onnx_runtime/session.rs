//! A batch of one size: its memory, which is kept, and its way through a session.

use ort::memory::{AllocationDevice, Allocator, AllocatorType, MemoryInfo, MemoryType};
use ort::session::{IoBinding, Session, SessionOutputs};
use ort::value::{PrimitiveTensorElementType, Tensor, TensorRef};

use super::problem::plain_reason;
use super::sizes::label_places;
use crate::graph::{
    BITS, LOGITS, PLANES, PLANES_POLICY, PLANES_STATE, PLANES_VALUE, VALUES, WANTED, packed_bytes,
};
use crate::tensors::{fill_planes, input_shapes};
use crate::{InputFormat, PolicyLabel, PolicyValue, PositionQuery, RuntimeError};

/// An error of ONNX Runtime as one of ours.
pub(super) fn refused<R>(error: ort::Error<R>) -> RuntimeError {
    let text = error.to_string();
    drop(error);
    RuntimeError::refused(plain_reason(&text))
}

/// How positions come to a device and results back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transfer {
    /// Bits there, the logits that are wanted back.
    Packed,
    /// 32-bit numbers there, all logits back: where a provider does not take the nodes that unpack bits.
    Planes,
}

/// The memory of a batch.
enum BatchMemory {
    Packed {
        bits: Tensor<u8>,
        wanted: Tensor<i32>,
    },
    Planes {
        board: Tensor<f32>,
        state: Tensor<f32>,
    },
}

/// A batch of a fixed size, bound to a session.
pub(super) struct BoundBatch {
    size: usize,
    format: InputFormat,
    memory: BatchMemory,
    binding: IoBinding,
}

impl BoundBatch {
    /// A batch of `size` positions for `session`. With `pinned` its memory is such that the card reaches it itself, where that can be had.
    pub(super) fn new(
        session: &Session,
        transfer: Transfer,
        format: InputFormat,
        size: usize,
        pinned: Option<u32>,
    ) -> Result<Self, RuntimeError> {
        let mut binding = session.create_binding().map_err(refused)?;
        let labels = label_places(size);
        let [board, state] = input_shapes(size, format);
        let memory = match transfer {
            Transfer::Packed => {
                let logits = tensor::<f32>(session, &[labels], pinned, MemoryType::CPUOutput)?;
                let values = tensor::<f32>(session, &[size], pinned, MemoryType::CPUOutput)?;
                binding.bind_output(LOGITS, logits).map_err(refused)?;
                binding.bind_output(VALUES, values).map_err(refused)?;
                let bytes = [size, packed_bytes(format)];
                BatchMemory::Packed {
                    bits: tensor(session, &bytes, pinned, MemoryType::CPUInput)?,
                    wanted: tensor(session, &[labels], pinned, MemoryType::CPUInput)?,
                }
            }
            Transfer::Planes => {
                let policy = [size, PolicyLabel::COUNT];
                let policy = tensor::<f32>(session, &policy, pinned, MemoryType::CPUOutput)?;
                let values = tensor::<f32>(session, &[size, 1], pinned, MemoryType::CPUOutput)?;
                binding
                    .bind_output(PLANES_POLICY, policy)
                    .map_err(refused)?;
                binding.bind_output(PLANES_VALUE, values).map_err(refused)?;
                BatchMemory::Planes {
                    board: tensor(session, &board, pinned, MemoryType::CPUInput)?,
                    state: tensor(session, &state, pinned, MemoryType::CPUInput)?,
                }
            }
        };
        Ok(Self {
            size,
            format,
            memory,
            binding,
        })
    }

    /// Positions that there is room for.
    pub(super) const fn size(&self) -> usize {
        self.size
    }

    /// Evaluates at most [`Self::size`] positions, with at most [`label_places`] labels; what is left of the batch is what was there before.
    pub(super) fn run(
        &mut self,
        session: &mut Session,
        positions: &[PositionQuery],
        results: &mut [PolicyValue],
    ) -> Result<(), RuntimeError> {
        // Binding copies what is there now.
        match &mut self.memory {
            BatchMemory::Packed { bits, wanted } => {
                let (bytes, labels) = (bits.extract_tensor_mut().1, wanted.extract_tensor_mut().1);
                pack(positions, self.format, bytes, labels);
                self.binding.bind_input(BITS, bits).map_err(refused)?;
                self.binding.bind_input(WANTED, wanted).map_err(refused)?;
            }
            BatchMemory::Planes { board, state } => {
                let (ones, others) = (board.extract_tensor_mut().1, state.extract_tensor_mut().1);
                fill_planes(
                    positions.iter().map(|it| &it.planes),
                    self.format,
                    ones,
                    others,
                );
                self.binding.bind_input(PLANES, board).map_err(refused)?;
                self.binding
                    .bind_input(PLANES_STATE, state)
                    .map_err(refused)?;
            }
        }
        let outputs = session.run_binding(&self.binding).map_err(refused)?;
        match self.memory {
            BatchMemory::Packed { .. } => take_packed(&outputs, positions, results),
            BatchMemory::Planes { .. } => take_planes(&outputs, positions, results),
        }
    }
}

/// Memory of the system that a session reads or writes; with `pinned` such as the card with this number reaches itself.
fn tensor<T: PrimitiveTensorElementType + std::fmt::Debug>(
    session: &Session,
    shape: &[usize],
    pinned: Option<u32>,
    kind: MemoryType,
) -> Result<Tensor<T>, RuntimeError> {
    let of_card = |device: u32| {
        let place = AllocationDevice::CUDA_PINNED;
        let info = MemoryInfo::new(place, device as i32, AllocatorType::Device, kind).ok()?;
        let allocator = Allocator::new(session, info).ok()?;
        let mut tensor = Tensor::<T>::new(&allocator, shape).ok()?;
        // Some versions do not let it be read.
        tensor
            .try_extract_tensor_mut::<T>()
            .is_ok()
            .then_some(tensor)
    };
    match pinned.and_then(of_card) {
        Some(tensor) => Ok(tensor),
        None => Tensor::new(&Allocator::default(), shape).map_err(refused),
    }
}

/// Writes positions as bits, and the places of the logits that they want.
fn pack(positions: &[PositionQuery], format: InputFormat, bits: &mut [u8], wanted: &mut [i32]) {
    let rows = bits.chunks_exact_mut(packed_bytes(format));
    for (position, row) in positions.iter().zip(rows) {
        position.planes.write_to(format, row);
    }
    let mut places = wanted.iter_mut();
    for (number, position) in positions.iter().enumerate() {
        let first = number * PolicyLabel::COUNT;
        for (&label, place) in position.labels.iter().zip(&mut places) {
            *place = (first + usize::from(label)) as i32;
        }
    }
    // What was there before may lie outside of a batch of another size.
    places.for_each(|place| *place = 0);
}

/// The numbers of an output.
fn numbers<'a>(outputs: &'a SessionOutputs<'_>, name: &str) -> Result<&'a [f32], RuntimeError> {
    let output = outputs.get(name);
    let output = output.ok_or_else(|| RuntimeError::NoOutput(name.to_owned()))?;
    let (_, numbers) = output.try_extract_tensor::<f32>().map_err(refused)?;
    Ok(numbers)
}

/// Gives positions their values, which have to be probabilities.
fn take_values(values: &[f32], results: &mut [PolicyValue]) -> Result<(), RuntimeError> {
    for (result, &value) in results.iter_mut().zip(values) {
        if !(0.0..=1.0).contains(&value) {
            return Err(RuntimeError::NoProbability(value));
        }
        result.value = value;
    }
    Ok(())
}

fn sizes(policy: usize, values: usize, positions: usize) -> RuntimeError {
    RuntimeError::Sizes {
        policy,
        values,
        positions,
    }
}

fn take_packed(
    outputs: &SessionOutputs<'_>,
    positions: &[PositionQuery],
    results: &mut [PolicyValue],
) -> Result<(), RuntimeError> {
    let (logits, values) = (numbers(outputs, LOGITS)?, numbers(outputs, VALUES)?);
    let wanted = positions.iter().map(|position| position.labels.len());
    if logits.len() < wanted.sum() || values.len() < positions.len() {
        return Err(sizes(logits.len(), values.len(), positions.len()));
    }
    let mut rest = logits.iter();
    for (position, result) in positions.iter().zip(results.iter_mut()) {
        for (&label, &logit) in position.labels.iter().zip(&mut rest) {
            result.logits[usize::from(label)] = logit;
        }
    }
    take_values(values, &mut results[..positions.len()])
}

fn take_planes(
    outputs: &SessionOutputs<'_>,
    positions: &[PositionQuery],
    results: &mut [PolicyValue],
) -> Result<(), RuntimeError> {
    let (logits, values) = (
        numbers(outputs, PLANES_POLICY)?,
        numbers(outputs, PLANES_VALUE)?,
    );
    let rows = logits.chunks_exact(PolicyLabel::COUNT);
    if rows.len() < positions.len() || values.len() < positions.len() {
        return Err(sizes(logits.len(), values.len(), positions.len()));
    }
    for ((_, result), row) in positions.iter().zip(results.iter_mut()).zip(rows) {
        result.logits.copy_from_slice(row);
    }
    take_values(values, &mut results[..positions.len()])
}

/// A batch of any size, for a session whose batch axis is open.
#[derive(Default)]
pub(super) struct OpenBatch {
    bits: Vec<u8>,
    wanted: Vec<i32>,
}

impl OpenBatch {
    /// Evaluates positions.
    pub(super) fn run(
        &mut self,
        session: &mut Session,
        format: InputFormat,
        positions: &[PositionQuery],
        results: &mut [PolicyValue],
    ) -> Result<(), RuntimeError> {
        let labels: usize = positions.iter().map(|position| position.labels.len()).sum();
        // One place more, as no tensor may be empty.
        let (rows, places) = (positions.len(), labels.max(1));
        self.bits.resize(rows * packed_bytes(format), 0);
        self.wanted.resize(places, 0);
        pack(positions, format, &mut self.bits, &mut self.wanted);
        let shape = [rows, packed_bytes(format)];
        let bits = TensorRef::from_array_view((shape, &self.bits[..])).map_err(refused)?;
        let wanted = TensorRef::from_array_view(([places], &self.wanted[..])).map_err(refused)?;
        let inputs = ort::inputs![BITS => bits, WANTED => wanted];
        let outputs = session.run(inputs).map_err(refused)?;
        take_packed(&outputs, positions, results)
    }
}
