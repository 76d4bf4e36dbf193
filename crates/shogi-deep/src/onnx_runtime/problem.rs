//! What ONNX Runtime says, as one line for people: the reason, and what helps.

/// Longest reason that is told, in characters.
const LONGEST: usize = 240;

/// Families of libraries by the beginning of their names, and where they come from.
const FAMILIES: [(&str, &str); 10] = [
    ("cudnn", "cuDNN"),
    ("cublas", "CUDA"),
    ("cudart", "CUDA"),
    ("cufft", "CUDA"),
    ("curand", "CUDA"),
    ("cuda", "the driver of the card"),
    ("nvinfer", "TensorRT"),
    ("nvonnxparser", "TensorRT"),
    (
        "onnxruntime_providers",
        "the package of ONNX Runtime for graphics cards, and lies beside its main library",
    ),
    ("onnxruntime", "ONNX Runtime"),
];

/// The reason in what the library, or the system's loader, says.
pub(super) fn plain_reason(text: &str) -> String {
    if let Some(name) = missing_library(text) {
        let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let stem = base.strip_prefix("lib").unwrap_or(base).to_lowercase();
        let family = FAMILIES.iter().find(|(begin, _)| stem.starts_with(begin));
        let from = family.map_or_else(String::new, |(_, from)| format!(" (it is part of {from})"));
        return format!(
            "the library {name} is not found{from}: install it, or name its folder in LD_LIBRARY_PATH"
        );
    }
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if has(&[
        "no CUDA-capable device",
        "invalid device ordinal",
        "CUDA failure 100",
        "CUDA failure 101",
    ]) {
        return "there is no such card: see nvidia-smi, Max_GPU and Disabled_GPU".to_owned();
    }
    if has(&["driver version is insufficient", "CUDA failure 35"]) {
        return "the driver of the card is older than the CUDA libraries want: install a newer driver".to_owned();
    }
    if has(&[
        "CUDA failure 2:",
        "out of memory",
        "Failed to allocate memory",
    ]) {
        return "the memory of the card is full: a smaller DNN_Batch_Size or DNN_Queue_Batch takes less".to_owned();
    }
    if has(&[
        "is not enabled in this build",
        "not available in this build",
        "was not compiled with",
        "Please build",
    ]) {
        return "this file of ONNX Runtime has no such provider: take the package for graphics cards (onnxruntime-gpu)".to_owned();
    }
    shortened(text)
}

/// The name of the library that the loader of the system does not find.
fn missing_library(text: &str) -> Option<&str> {
    let marks = [
        ": cannot open shared object file",
        ": no such file or directory",
        "\" which is missing",
    ];
    let before = marks
        .iter()
        .find_map(|mark| text.split_once(mark))
        .map(|(before, _)| before)?;
    let name = before.rsplit([' ', '`', '\'', '"']).next()?;
    Some(name).filter(|name| !name.is_empty())
}

/// The first line, without places of a source file and codes of errors.
fn shortened(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty());
    let mut line = line.unwrap_or("no reason was given").trim();
    // `[ONNXRuntimeError] : 1 : FAIL : …`
    if let Some((_, after)) = line.rsplit_once("[ONNXRuntimeError] : ") {
        let mut parts = after.splitn(3, " : ");
        line = parts.nth(2).unwrap_or(after);
    }
    let is_place = |word: &&str| {
        let source = [".cc:", ".cpp:", ".h:", ".cu:"];
        !source.iter().any(|end| word.contains(end))
    };
    let words: Vec<&str> = line.split_whitespace().filter(is_place).collect();
    let mut reason = words.join(" ");
    if let Some((end, _)) = reason.char_indices().nth(LONGEST) {
        reason.truncate(end);
        reason.push('…');
    }
    reason
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_named_with_where_it_comes_from() {
        let said = "/onnxruntime_src/onnxruntime/core/session/provider_bridge_ort.cc:2256 onnxruntime::Provider& \
                    onnxruntime::ProviderLibrary::Get() [ONNXRuntimeError] : 1 : FAIL : Failed to load library \
                    libonnxruntime_providers_cuda.so with error: libcudnn.so.9: cannot open shared object file: No such file or directory\n";
        let reason = plain_reason(said);
        assert_eq!(
            reason,
            "the library libcudnn.so.9 is not found (it is part of cuDNN): install it, or name its folder in LD_LIBRARY_PATH"
        );
        let said = "failed to load from `/nowhere/libonnxruntime.so`: /nowhere/libonnxruntime.so: cannot open shared object file: No such file or directory";
        let reason = plain_reason(said);
        assert!(
            reason.starts_with(
                "the library /nowhere/libonnxruntime.so is not found (it is part of ONNX Runtime"
            ),
            "{reason}"
        );
    }

    #[test]
    fn cards_that_are_not_there_are_told_from_other_reasons() {
        let said = "CUDA failure 101: invalid device ordinal ; GPU=0 ; hostname=box ; file=/onnxruntime_src/onnxruntime/core/providers/cuda/cuda_execution_provider.cc ; line=290";
        assert!(plain_reason(said).contains("no such card"));
        let said = "CUDA failure 2: out of memory ; GPU=0";
        assert!(plain_reason(said).contains("memory of the card"));
    }

    #[test]
    fn other_reasons_are_one_line_without_places_of_the_source() {
        let said = "Non-zero status code returned while running Conv node. /onnxruntime_src/core/conv.cc:17 Name:'conv1' [ONNXRuntimeError] : 9 : NOT_IMPLEMENTED : Could not \
                    find an implementation for Conv(11) /src/x.h:12 node\nsecond line";
        assert_eq!(
            plain_reason(said),
            "Could not find an implementation for Conv(11) node"
        );
        assert_eq!(plain_reason("\n"), "no reason was given");
        assert!(plain_reason(&"long ".repeat(200)).chars().count() <= LONGEST + 1);
    }
}
