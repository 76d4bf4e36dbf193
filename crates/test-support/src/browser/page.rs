//! A page: what is on it, and what a person does with it.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::wire::{PATIENCE, Wire, text};

/// The clipboard, which all pages of a browser share.
static CLIPBOARD: Mutex<()> = Mutex::new(());

/// A page in a context of its own: cookies are not those of other pages, but for those of [`BrowserPage::another`].
#[derive(Debug)]
pub struct BrowserPage {
    wire: Rc<RefCell<Wire>>,
    context: String,
    target: String,
    session: String,
    /// The clipboard is this page's until it is closed.
    clipboard: RefCell<Option<MutexGuard<'static, ()>>>,
}

/// What a mouse does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseAction {
    /// It moves without a button.
    Move,
    /// It moves with the left button down.
    Drag,
    /// The left button goes down.
    Press,
    /// The left button is let go.
    Release,
    /// The right button goes down and up.
    RightClick,
}

impl BrowserPage {
    pub(super) fn open(wire: &Rc<RefCell<Wire>>, context: String, url: &str) -> Self {
        let mut open = wire.borrow_mut();
        let target = json!({ "url": "about:blank", "browserContextId": context });
        let target = text(&open.call("", "Target.createTarget", &target)["targetId"]);
        let attach = json!({ "targetId": target, "flatten": true });
        let session = text(&open.call("", "Target.attachToTarget", &attach)["sessionId"]);
        for domain in ["Page", "Runtime", "Log"] {
            open.call(&session, &format!("{domain}.enable"), &json!({}));
        }
        drop(open);
        let page = Self {
            wire: Rc::clone(wire),
            context,
            target,
            session,
            clipboard: RefCell::default(),
        };
        // Pages of other tests have the focus too.
        page.call(
            "Emulation.setFocusEmulationEnabled",
            &json!({ "enabled": true }),
        );
        page.go(url);
        page
    }

    /// Opens another page with the same cookies.
    pub fn another(&self, url: &str) -> Self {
        Self::open(&self.wire, self.context.clone(), url)
    }

    /// Goes to an address.
    pub fn go(&self, url: &str) {
        self.call("Page.navigate", &json!({ "url": url }));
    }

    /// Closes the page, as a person closes a tab.
    pub fn close(self) {
        let target = json!({ "targetId": self.target });
        self.wire
            .borrow_mut()
            .call("", "Target.closeTarget", &target);
    }

    #[track_caller]
    fn call(&self, method: &str, params: &Value) -> Value {
        self.wire.borrow_mut().call(&self.session, method, params)
    }

    /// The value of an expression in the page; promises are waited for.
    #[track_caller]
    pub fn eval(&self, expression: &str) -> Value {
        let params = json!({
            "expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true,
        });
        let answer = self.call("Runtime.evaluate", &params);
        let problem = answer.get("exceptionDetails");
        assert!(problem.is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true in the page. While a page loads it may fail.
    #[track_caller]
    pub fn wait(&self, expression: &str) {
        let start = Instant::now();
        while !self.is(expression) {
            if start.elapsed() > PATIENCE {
                let shown = self.eval("document.body.innerText.slice(0, 2000)");
                let complaints = self.complaints();
                panic!("never true: {expression}\n{shown}\n{complaints:?}");
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Returns whether an expression is true in the page; one that fails, or that a page takes with it which makes way for another, is not.
    #[track_caller]
    pub fn is(&self, expression: &str) -> bool {
        let guarded = format!(
            "(() => {{ try {{ return Boolean({expression}) }} catch {{ return false }} }})()"
        );
        let params = json!({ "expression": guarded, "returnByValue": true });
        let mut wire = self.wire.borrow_mut();
        match wire.ask(&self.session, "Runtime.evaluate", &params) {
            Ok(answer) => answer["result"]["value"] == true,
            Err(error) if error["message"] == "Inspected target navigated or closed" => false,
            Err(error) => panic!("{expression}: {error}"),
        }
    }

    /// The middle of the element of a selector, in pixels of the page. Waits until the element is there and stays in its place, and no dialog
    /// is before it.
    #[track_caller]
    pub fn middle(&self, selector: &str) -> (f64, f64) {
        self.wait(&format!(
            "document.querySelector({selector:?}) && [...document.querySelectorAll('dialog:modal')].every((one) => one.contains(document.querySelector({selector:?})))"
        ));
        // What is above may still appear, and push it away.
        let expression = format!(
            "(async () => {{
                const place = () => {{
                    const e = document.querySelector({selector:?});
                    e?.scrollIntoView({{ block: 'nearest' }});
                    const b = e?.getBoundingClientRect();
                    return b && [b.x + b.width / 2, b.y + b.height / 2];
                }};
                const drawn = () => Promise.race([new Promise(requestAnimationFrame), new Promise((done) => setTimeout(done, 100))]);
                let last = place();
                for (let n = 0; n < 50; n++) {{
                    await drawn();
                    const now = place();
                    if (now && now.join() === last?.join()) break;
                    last = now;
                }}
                return last;
            }})()"
        );
        let point = self.eval(&expression);
        let number = |n: usize| point[n].as_f64().unwrap_or_default();
        (number(0), number(1))
    }

    /// Moves the mouse to a place, in pixels of the page, and uses it there.
    pub fn mouse(&self, action: MouseAction, (x, y): (f64, f64)) {
        let send = |kind: &str, button: &str, buttons: u8, clicks: u8| {
            let event = json!({
                "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": clicks,
            });
            self.call("Input.dispatchMouseEvent", &event);
        };
        match action {
            MouseAction::Move => send("mouseMoved", "none", 0, 0),
            MouseAction::Drag => send("mouseMoved", "left", 1, 0),
            MouseAction::Press => send("mousePressed", "left", 1, 1),
            MouseAction::Release => send("mouseReleased", "left", 0, 1),
            MouseAction::RightClick => {
                send("mousePressed", "right", 2, 1);
                send("mouseReleased", "right", 0, 1);
            }
        }
    }

    /// Clicks the element of a selector.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        let at = self.middle(selector);
        for action in [MouseAction::Move, MouseAction::Press, MouseAction::Release] {
            self.mouse(action, at);
        }
    }

    /// Presses the mouse in the middle of one element and lets it go in that of another.
    #[track_caller]
    pub fn drag(&self, from: &str, to: &str) {
        let (from, to) = (self.middle(from), self.middle(to));
        self.mouse(MouseAction::Move, from);
        self.mouse(MouseAction::Press, from);
        self.mouse(MouseAction::Drag, to);
        self.mouse(MouseAction::Release, to);
    }

    /// Taps the element of a selector, as a finger does.
    #[track_caller]
    pub fn tap(&self, selector: &str) {
        let (x, y) = self.middle(selector);
        let touch = |kind: &str, points: Value| {
            let event = json!({ "type": kind, "touchPoints": points });
            self.call("Input.dispatchTouchEvent", &event);
        };
        touch("touchStart", json!([{ "x": x, "y": y }]));
        touch("touchEnd", json!([]));
    }

    /// Presses and releases a key, by its name (`ArrowLeft`, `Enter`, `q`); `modifiers` as the protocol counts them: 1 Alt, 2
    /// Control, 4 Meta, 8 Shift.
    pub fn key(&self, key: &str, modifiers: u8) {
        self.key_down(key, modifiers);
        self.key_up(key, modifiers);
    }

    /// Presses a key.
    pub fn key_down(&self, key: &str, modifiers: u8) {
        let mut event = key_event("keyDown", key, modifiers);
        if key == "Enter" {
            event["text"] = "\r".into();
        } else if key.len() == 1 && modifiers & 8 == modifiers {
            event["text"] = key.into();
        }
        self.call("Input.dispatchKeyEvent", &event);
    }

    /// Lets a key go.
    pub fn key_up(&self, key: &str, modifiers: u8) {
        self.call(
            "Input.dispatchKeyEvent",
            &key_event("keyUp", key, modifiers),
        );
    }

    /// Types a text where the cursor is.
    pub fn insert(&self, text: &str) {
        self.call("Input.insertText", &json!({ "text": text }));
    }

    /// Lets the page read and write the clipboard, as a person allows it. Another page that asks for the clipboard waits
    /// until this one is gone.
    pub fn allow_clipboard(&self) {
        if self.clipboard.borrow().is_none() {
            // A test that failed with the clipboard leaves nothing behind that others read.
            let held = CLIPBOARD.lock().unwrap_or_else(PoisonError::into_inner);
            *self.clipboard.borrow_mut() = Some(held);
        }
        let permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"];
        let allowed = json!({ "permissions": permissions, "browserContextId": self.context });
        self.wire
            .borrow_mut()
            .call("", "Browser.grantPermissions", &allowed);
        self.call("Page.bringToFront", &json!({}));
    }

    /// Saves what the page downloads in a folder, under its own names.
    pub fn save_downloads(&self, folder: &Path) {
        let params = json!({
            "behavior": "allow", "browserContextId": self.context, "downloadPath": folder.display().to_string(),
        });
        let mut wire = self.wire.borrow_mut();
        wire.call("", "Browser.setDownloadBehavior", &params);
    }

    /// Gives the window a size, in pixels of the page.
    pub fn resize(&self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Makes the page one of a telephone: 390 by 844 pixels, touched by fingers.
    pub fn on_a_telephone(&self) {
        let size = json!({ "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true });
        self.call("Emulation.setDeviceMetricsOverride", &size);
        self.call(
            "Emulation.setTouchEmulationEnabled",
            &json!({ "enabled": true }),
        );
    }

    /// Sets what style sheets ask of the system, such as `prefers-color-scheme` to `dark`; the others are as the system has them.
    pub fn media(&self, features: &[(&str, &str)]) {
        let features: Vec<_> = features
            .iter()
            .map(|(name, value)| json!({ "name": name, "value": value }))
            .collect();
        self.call(
            "Emulation.setEmulatedMedia",
            &json!({ "features": features }),
        );
    }

    /// A picture of the window, as PNG.
    pub fn png(&self) -> Vec<u8> {
        let shot = self.call("Page.captureScreenshot", &json!({ "format": "png" }));
        from_base64(shot["data"].as_str().unwrap_or_default())
    }

    /// A picture of the window, as WebP of a quality from 0 to 100.
    pub fn webp(&self, quality: u8) -> Vec<u8> {
        let params = json!({ "format": "webp", "quality": quality });
        let shot = self.call("Page.captureScreenshot", &params);
        from_base64(shot["data"].as_str().unwrap_or_default())
    }

    /// The accessible tree: the role and name of each node that is not left out.
    pub fn accessible(&self) -> Vec<(String, String)> {
        self.call("Accessibility.enable", &json!({}));
        let tree = self.call("Accessibility.getFullAXTree", &json!({}));
        let nodes = tree["nodes"].as_array().cloned().unwrap_or_default();
        let shown = nodes.iter().filter(|node| node["ignored"] != true);
        shown
            .map(|node| (text(&node["role"]["value"]), text(&node["name"]["value"])))
            .collect()
    }

    /// Bytes that the scripts of the page hold, after what they no longer reach was collected.
    pub fn heap(&self) -> u64 {
        self.call("HeapProfiler.collectGarbage", &json!({}));
        let usage = self.call("Runtime.getHeapUsage", &json!({}));
        usage["usedSize"].as_f64().unwrap_or_default() as u64
    }

    /// What the page complained of: exceptions, and errors in its console.
    pub fn complaints(&self) -> Vec<String> {
        // What was said before this answer.
        self.call("Runtime.evaluate", &json!({ "expression": "0" }));
        let wire = self.wire.borrow();
        let own = wire
            .complaints
            .iter()
            .filter(|(session, _)| *session == self.session);
        own.map(|(_, complaint)| complaint.clone()).collect()
    }

    /// Forgets what the page complained of, where that was to be expected.
    pub fn forget_complaints(&self) {
        let mut wire = self.wire.borrow_mut();
        wire.complaints
            .retain(|(session, _)| *session != self.session);
    }
}

/// An event of a key.
fn key_event(kind: &str, key: &str, modifiers: u8) -> Value {
    let code = match key {
        " " => "Space".to_owned(),
        letter if letter.len() == 1 => format!("Key{}", letter.to_uppercase()),
        name => name.to_owned(),
    };
    let number = match key {
        "Backspace" => 8,
        "Tab" => 9,
        "Enter" => 13,
        "Escape" => 27,
        "End" => 35,
        "Home" => 36,
        "ArrowLeft" => 37,
        "ArrowUp" => 38,
        "ArrowRight" => 39,
        "ArrowDown" => 40,
        key => key.to_uppercase().bytes().next().map_or(0, u32::from),
    };
    json!({ "type": kind, "key": key, "code": code, "modifiers": modifiers, "windowsVirtualKeyCode": number })
}

/// The bytes of a text in base64.
fn from_base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text
        .bytes()
        .filter_map(|byte| ALPHABET.iter().position(|&digit| digit == byte));
    let digits: Vec<u32> = digits.map(|digit| digit as u32).collect();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.chunks(4) {
        let bits = (0..4).fold(0, |bits, at| {
            bits << 6 | group.get(at).copied().unwrap_or(0)
        });
        bytes.extend_from_slice(&bits.to_be_bytes()[1..][..group.len().saturating_sub(1)]);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::from_base64;

    #[test]
    fn base64_is_read() {
        for (text, bytes) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9vYmE=", "fooba"),
        ] {
            assert_eq!(from_base64(text), bytes.as_bytes());
        }
        assert_eq!(from_base64("/+8A"), [0xff, 0xef, 0]);
    }
}
