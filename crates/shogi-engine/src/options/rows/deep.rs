//! The options that the deep engine alone has.
//!
//! Names, ranges and defaults are those of YaneuraOu's deep edition (ふかうら王), except for `UCT_Threads` and `DNN_Batch_Size`, whose default 0 stands
//! for what suits the processor or the card.

use std::time::Duration;

use shogi_deep::{DeepBackend, DeepRuntime, InputFormat, Precision, QueueUse};

use super::Row;
use crate::options::settings::DEFAULT_MODEL;

/// A number of hundredths.
fn hundredth(number: i64) -> f32 {
    number as f32 / 100.0
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = tree();
    rows.extend(evaluation());
    rows
}

/// The search.
fn tree() -> Vec<Row> {
    vec![
        Row::spin("PV_Interval", (500, 0, i64::from(i32::MAX)), |s, n| {
            let ms = Some(n.unsigned_abs()).filter(|&ms| ms > 0);
            s.deep.interval = ms.map(Duration::from_millis);
        }),
        Row::check("ReuseSubtree", true, |s, on| s.deep.reuses = on),
        Row::spin("Eval_Coef", (285, 1, 10_000), |s, n| {
            s.deep.eval_coef = n as f32;
        }),
        Row::spin("Resign_Threshold", (0, 0, 1000), |s, n| {
            s.deep.resign_threshold = n as f32 / 1000.0;
        }),
        Row::spin("UCT_NodeLimit", (10_000_000, 10, 1_000_000_000), |s, n| {
            s.deep.node_limit = n as u32;
        }),
        Row::spin("C_fpu_reduction", (27, 0, 100), |s, n| {
            s.deep.params.c_fpu_reduction = hundredth(n);
        }),
        Row::spin("C_fpu_reduction_root", (0, 0, 100), |s, n| {
            s.deep.params.c_fpu_reduction_root = hundredth(n);
        }),
        Row::spin("C_init", (144, 0, 500), |s, n| {
            s.deep.params.c_init = hundredth(n);
        }),
        Row::spin("C_base", (28_288, 10_000, 100_000), |s, n| {
            s.deep.params.c_base = n as f32;
        }),
        Row::spin("C_init_root", (116, 0, 500), |s, n| {
            s.deep.params.c_init_root = hundredth(n);
        }),
        Row::spin("C_base_root", (25_617, 10_000, 100_000), |s, n| {
            s.deep.params.c_base_root = n as f32;
        }),
        Row::spin("Softmax_Temperature", (174, 1, 10_000), |s, n| {
            s.deep.params.softmax_temperature = hundredth(n);
        }),
        Row::spin("LeafDfpnNodesLimit", (40, 0, 10_000), |s, n| {
            s.deep.params.leaf_mate_nodes = n as u32;
        }),
        Row::spin("PV_Mate_Search_Threads", (1, 0, 256), |s, n| {
            s.deep.mate_threads = n as usize;
        }),
        Row::spin(
            "PV_Mate_Search_Nodes",
            (500_000, 0, i64::from(u32::MAX)),
            |s, n| s.deep.mate_nodes = n.unsigned_abs(),
        ),
    ]
}

/// The network and what evaluates it.
fn evaluation() -> Vec<Row> {
    let formats = InputFormat::ALL.map(InputFormat::name);
    let backends = DeepBackend::ALL.map(DeepBackend::name);
    let queues = QueueUse::ALL.map(QueueUse::name);
    let precisions = Precision::ALL.map(Precision::name);
    let patience = DeepRuntime::SERVER_TIMEOUT.as_millis() as i64;
    vec![
        Row::spin("Max_GPU", (1, 1, 1024), |s, n| {
            s.deep.most_devices = n as u32;
        }),
        Row::string("Disabled_GPU", "", |s, text| {
            let numbers = text.split(',').filter_map(|word| word.trim().parse().ok());
            s.deep.disabled_devices = numbers.collect();
        }),
        Row::spin("UCT_Threads", (0, 0, 256), |s, n| {
            s.deep.threads = n as usize;
        }),
        Row::string("DNN_Model", DEFAULT_MODEL, |s, name| {
            name.clone_into(&mut s.deep.model);
        }),
        Row::combo("ModelArchitecture", &formats, |s, word| {
            let mut all = InputFormat::ALL.into_iter();
            let named = all.find(|format| format.name() == word);
            s.deep.format = named.unwrap_or(InputFormat::ALL[0]);
        }),
        Row::spin("DNN_Batch_Size", (0, 0, 1024), |s, n| {
            s.deep.batch = n as usize;
        }),
        Row::combo("DNN_Runtime", &backends, |s, word| {
            let mut all = DeepBackend::ALL.into_iter();
            let named = all.find(|backend| backend.name() == word);
            s.deep.backend = named.unwrap_or_default();
        }),
        Row::string("DNN_Library", "", |s, path| {
            path.clone_into(&mut s.deep.library);
        }),
        Row::combo("DNN_Queue", &queues, |s, word| {
            let mut all = QueueUse::ALL.into_iter();
            s.deep.queue = all.find(|queue| queue.name() == word).unwrap_or_default();
        }),
        Row::spin("DNN_Queue_Batch", (0, 0, 1024), |s, n| {
            s.deep.queue_batch = n as usize;
        }),
        Row::combo("DNN_Precision", &precisions, |s, word| {
            let mut all = Precision::ALL.into_iter();
            let named = all.find(|precision| precision.name() == word);
            s.deep.precision = named.unwrap_or_default();
        }),
        Row::spin("DNN_Cache", (256, 0, 65_536), |s, n| {
            s.deep.cache_mib = n as usize;
        }),
        Row::string("DNN_Server", "", |s, address| {
            address.clone_into(&mut s.deep.server);
        }),
        Row::spin("DNN_Server_Timeout", (patience, 10, 600_000), |s, n| {
            s.deep.server_timeout = Duration::from_millis(n.unsigned_abs());
        }),
        Row::string("DNN_Secret_File", "", |s, path| {
            path.clone_into(&mut s.deep.secret_file);
        }),
    ]
}
