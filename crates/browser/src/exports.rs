//! The functions of the module, and those of the host that it calls.

#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use page_messages::PageServices;
use yane_io::SliceSource;

use crate::{HostSetup, Newness, TabContext, TabFiles};

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// A message for the page: text in UTF-8. `is_state` is 1 if a newer one takes its place.
    fn emit(start: *const u8, len: usize, is_state: u32);
    /// A file that was written and is to be kept: its name as text in UTF-8, and its bytes.
    fn keep(name: *const u8, name_len: usize, start: *const u8, len: usize);
    /// Writes `len` bytes of a file of the host, by its number, from `offset` on to `start`; returns 1, or 0 where that is not possible.
    fn read_at(file: u32, offset: f64, start: *mut u8, len: usize) -> u32;
}

/// A file that stays with the host.
#[derive(Debug)]
struct HostFile {
    number: u32,
    len: u64,
}

impl SliceSource for HostFile {
    fn file_len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        // SAFETY: the host writes so many bytes to the buffer during the call.
        let is_read = unsafe {
            read_at(
                self.number,
                offset as f64,
                buffer.as_mut_ptr(),
                buffer.len(),
            )
        };
        if is_read == 1 {
            return Ok(());
        }
        Err(std::io::Error::other(
            "the browser cannot read the file any more",
        ))
    }
}

thread_local! {
    static CONTEXT: RefCell<Option<&'static TabContext>> = const { RefCell::new(None) };
}

fn say(text: &str, newness: Newness) {
    // SAFETY: the host reads so many bytes of the text during the call.
    unsafe {
        emit(
            text.as_ptr(),
            text.len(),
            (newness == Newness::State).into(),
        )
    }
}

/// Memory for a text of `len` bytes that a function is then called with; null where there is none.
#[unsafe(no_mangle)]
extern "C" fn text_alloc(len: usize) -> *mut u8 {
    match Layout::array::<u8>(len.max(1)) {
        // SAFETY: the size is not zero.
        Ok(layout) => unsafe { alloc(layout) },
        Err(_) => std::ptr::null_mut(),
    }
}

/// Takes a text from memory of [`text_alloc`].
///
/// # Safety
///
/// `start` is of `text_alloc(len)`, written by the host, and not used afterwards.
unsafe fn take_text(start: *mut u8, len: usize) -> String {
    // SAFETY: the caller's.
    let bytes = unsafe { std::slice::from_raw_parts(start, len) };
    let text = String::from_utf8_lossy(bytes).into_owned();
    if let Ok(layout) = Layout::array::<u8>(len.max(1)) {
        // SAFETY: the caller's: allocated with this layout.
        unsafe { dealloc(start, layout) }
    }
    text
}

/// Begins: `setup` is JSON with the fields of [`HostSetup`]. Says `hello`, whose `build` is the setup's field of that name.
///
/// # Safety
///
/// As [`hear`].
#[unsafe(no_mangle)]
unsafe extern "C" fn begin(start: *mut u8, len: usize) {
    std::panic::set_hook(Box::new(|panic| {
        let fields = serde_json::json!({ "text": panic.to_string() });
        say(&page_messages::broadcast("failed", fields), Newness::Event);
    }));
    // SAFETY: the host's.
    let text = unsafe { take_text(start, len) };
    let setup: HostSetup = serde_json::from_str(&text).unwrap_or_default();
    let build = serde_json::from_str::<serde_json::Value>(&text).unwrap_or_default();
    let context: &TabContext = Box::leak(Box::new(TabContext::new(services(setup), say)));
    CONTEXT.set(Some(context));
    context.greet(build["build"].as_str().unwrap_or_default());
}

fn services(setup: HostSetup) -> PageServices {
    let files = TabFiles::new(|name, bytes| {
        // SAFETY: the host reads so many bytes of both during the call.
        unsafe { keep(name.as_ptr(), name.len(), bytes.as_ptr(), bytes.len()) }
    });
    let services = PageServices::default();
    #[cfg(feature = "othello")]
    let services = services.with(crate::othello_services(setup, &files));
    #[cfg(feature = "shogi")]
    let services = services.with(crate::shogi_services(setup, &files));
    services
}

/// Puts a file where requests find it, or a newer version of it: its name as text in UTF-8, and its bytes.
///
/// # Safety
///
/// `name` is of `text_alloc(name_len)` and `start` of `text_alloc(len)`, both written by the host and not used afterwards.
#[unsafe(no_mangle)]
unsafe extern "C" fn put_file(name: *mut u8, name_len: usize, start: *mut u8, len: usize) {
    // SAFETY: the host's.
    let name = unsafe { take_text(name, name_len) };
    // SAFETY: the host's; it was allocated with this capacity.
    let mut bytes = unsafe { Vec::from_raw_parts(start, len, len.max(1)) };
    bytes.shrink_to_fit();
    TabFiles::put(&name, bytes);
}

/// Takes a file that stays with the host, by a number of the host's: its name as text in UTF-8, and its length. Returns 0 if it has to be put with
/// [`put_file`].
///
/// # Safety
///
/// `name` is of `text_alloc(name_len)`, written by the host and not used afterwards.
#[unsafe(no_mangle)]
unsafe extern "C" fn put_sliced(name: *mut u8, name_len: usize, number: u32, len: f64) -> u32 {
    // SAFETY: the host's.
    let name = unsafe { take_text(name, name_len) };
    let len = len as u64;
    crate::put_sliced(&name, HostFile { number, len }).into()
}

/// Takes a message of the page: text in UTF-8.
///
/// # Safety
///
/// `start` is of `text_alloc(len)`, written by the host, and not used afterwards.
#[unsafe(no_mangle)]
unsafe extern "C" fn hear(start: *mut u8, len: usize) {
    // SAFETY: the host's.
    let text = unsafe { take_text(start, len) };
    if let Some(context) = CONTEXT.with_borrow(|context| *context) {
        context.hear(&text);
    }
}

/// Runs the search that is next; returns its id, or 0 if there is none. With `may_pause` other than 0 the host must have called it so that
/// its function `pause` can suspend it.
#[unsafe(no_mangle)]
extern "C" fn run_next(may_pause: u32) -> f64 {
    let Some(context) = CONTEXT.with_borrow(|context| *context) else {
        return 0.0;
    };
    if may_pause != 0 {
        yane_clock::begin_pauses();
    }
    let id = context.run_next();
    yane_clock::end_pauses();
    id.map_or(0.0, |id| id as f64)
}

/// The id of the search that is next, or 0 if there is none.
#[unsafe(no_mangle)]
extern "C" fn next_id() -> f64 {
    let context = CONTEXT.with_borrow(|context| *context);
    context
        .and_then(TabContext::next_id)
        .map_or(0.0, |id| id as f64)
}

/// The address of the byte that ends a search that is not finished when it is 1, or 0.
#[unsafe(no_mangle)]
extern "C" fn stop_flag(id: f64) -> *const AtomicBool {
    let context = CONTEXT.with_borrow(|context| *context);
    let flag = context.and_then(|context| context.stop_flag(id as u64));
    // The search has the flag too, so that it stays there.
    flag.map_or(std::ptr::null(), |flag| Arc::as_ptr(&flag.shared()))
}

/// Works for searches on other threads. It never returns.
#[cfg(target_feature = "atomics")]
#[unsafe(no_mangle)]
extern "C" fn help() {
    yane_clock::thread::work();
}
