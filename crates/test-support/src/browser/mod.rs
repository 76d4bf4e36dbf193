//! A headless Chromium, driven by its own protocol (CDP) over one WebSocket: pages are opened, looked at, clicked and typed into as
//! by a person.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// The variable that names the program.
const VARIABLE: &str = "YANEURA_CHROMIUM";

/// Where systems have it.
const USUAL: &str = "/usr/bin/chromium";

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser without a window. It ends when this is dropped.
#[derive(Debug)]
pub struct Browser {
    wire: Rc<RefCell<Wire>>,
    child: Child,
    _profile: TempDir,
}

/// A page in a context of its own: cookies are not those of other pages, but for those of [`BrowserPage::another`].
#[derive(Debug)]
pub struct BrowserPage {
    wire: Rc<RefCell<Wire>>,
    context: String,
    target: String,
    session: String,
}

/// The connection with the browser.
#[derive(Debug)]
struct Wire {
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    last: u64,
    /// What pages complained of, each with its session.
    complaints: Vec<(String, String)>,
}

impl Browser {
    /// Starts a browser; `None`, and a line that says so, where there is none.
    pub fn start() -> Option<Self> {
        let Some(program) = program() else {
            println!("skipped: no chromium ({VARIABLE} names one)");
            return None;
        };
        let profile = tempfile::tempdir().expect("a folder for the profile");
        let mut child = Command::new(&program)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-gpu",
            ])
            .args([
                "--no-first-run",
                "--no-default-browser-check",
                "--remote-debugging-port=0",
            ])
            .args([
                "--disable-background-timer-throttling",
                "--window-size=1200,900",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let errors = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut lines = errors.lines();
        let address = lines.find_map(|line| {
            let line = line.ok()?;
            line.strip_prefix("DevTools listening on ")
                .map(ToOwned::to_owned)
        });
        let address = address.expect("the browser says where it listens");
        // It would wait for a reader.
        thread::spawn(move || lines.for_each(drop));
        let (socket, _) = tungstenite::connect(&address).expect("the browser answers");
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            let limited = stream.set_read_timeout(Some(PATIENCE));
            limited.expect("a time limit");
        }
        let wire = Wire {
            socket,
            last: 0,
            complaints: Vec::new(),
        };
        Some(Self {
            wire: Rc::new(RefCell::new(wire)),
            child,
            _profile: profile,
        })
    }

    /// Opens an address in a context of its own.
    pub fn page(&self, url: &str) -> BrowserPage {
        let made = self
            .wire
            .borrow_mut()
            .call("", "Target.createBrowserContext", &json!({}));
        let context = text(&made["browserContextId"]);
        BrowserPage::open(&self.wire, context, url)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Its processes end with it; killed alone they might stay.
        if let Ok(mut wire) = self.wire.try_borrow_mut() {
            wire.post("", "Browser.close", &json!({}));
        }
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(5) {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

/// The program, if the machine has it.
fn program() -> Option<PathBuf> {
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    let program = named.unwrap_or_else(|| Path::new(USUAL).to_owned());
    program.exists().then_some(program)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl Wire {
    /// Sends a command; returns its number.
    fn post(&mut self, session: &str, method: &str, params: &Value) -> u64 {
        self.last += 1;
        let mut command = json!({ "id": self.last, "method": method, "params": params });
        if !session.is_empty() {
            command["sessionId"] = session.into();
        }
        let sent = self.socket.send(Message::text(command.to_string()));
        sent.expect("the browser takes commands");
        self.last
    }

    /// Sends a command and returns its result.
    fn call(&mut self, session: &str, method: &str, params: &Value) -> Value {
        let id = self.post(session, method, params);
        loop {
            let message = self.socket.read().expect("the browser answers");
            let Message::Text(line) = message else {
                continue;
            };
            let answer: Value = serde_json::from_str(&line).expect("JSON");
            if answer["id"] == id {
                assert!(answer.get("error").is_none(), "{method} {params}: {answer}");
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    /// Keeps what a page complains of.
    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        let complaint = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => params["exceptionDetails"].to_string(),
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => {
                params["entry"].to_string()
            }
            Some("Runtime.consoleAPICalled") if params["type"] == "error" => {
                params["args"].to_string()
            }
            _ => return,
        };
        self.complaints.push((text(&event["sessionId"]), complaint));
    }
}

impl BrowserPage {
    fn open(wire: &Rc<RefCell<Wire>>, context: String, url: &str) -> Self {
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
        };
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

    fn call(&self, method: &str, params: &Value) -> Value {
        self.wire.borrow_mut().call(&self.session, method, params)
    }

    /// The value of an expression in the page; promises are waited for.
    #[track_caller]
    pub fn eval(&self, expression: &str) -> Value {
        let params =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", &params);
        let problem = answer.get("exceptionDetails");
        assert!(problem.is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true in the page. While a page loads it may fail.
    #[track_caller]
    pub fn wait(&self, expression: &str) {
        let start = Instant::now();
        let guarded = format!(
            "(() => {{ try {{ return Boolean({expression}) }} catch {{ return false }} }})()"
        );
        loop {
            let params = json!({ "expression": guarded, "returnByValue": true });
            let answer = self.call("Runtime.evaluate", &params);
            if answer["result"]["value"] == true {
                return;
            }
            if start.elapsed() > PATIENCE {
                let shown = self.eval("document.body.innerText.slice(0, 2000)");
                let complaints = self.complaints();
                panic!("never true: {expression}\n{shown}\n{complaints:?}");
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// The middle of the element of a selector, in pixels of the page.
    #[track_caller]
    pub fn middle(&self, selector: &str) -> (f64, f64) {
        let expression = format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.scrollIntoView({{ block: 'nearest' }});\
             const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2] }})()"
        );
        let point = self.eval(&expression);
        let number = |n: usize| point[n].as_f64().unwrap_or_default();
        (number(0), number(1))
    }

    /// Clicks the element of a selector.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        let (x, y) = self.middle(selector);
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let pressed = kind == "mousePressed";
            let event = json!({
                "type": kind, "x": x, "y": y, "clickCount": 1,
                "button": if kind == "mouseMoved" { "none" } else { "left" },
                "buttons": u8::from(pressed),
            });
            self.call("Input.dispatchMouseEvent", &event);
        }
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
        let is_letter = key.len() == 1 && modifiers & 2 == 0;
        let code = match key {
            letter if letter.len() == 1 => format!("Key{}", letter.to_uppercase()),
            name => name.to_owned(),
        };
        let number = match key {
            "Enter" => 13,
            "Home" => 36,
            "End" => 35,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "Escape" => 27,
            key => key.to_uppercase().bytes().next().map_or(0, u32::from),
        };
        let mut down = json!({
            "type": "keyDown", "key": key, "code": code, "modifiers": modifiers, "windowsVirtualKeyCode": number,
        });
        if is_letter {
            down["text"] = key.into();
        }
        if key == "Enter" {
            down["text"] = "\r".into();
        }
        self.call("Input.dispatchKeyEvent", &down);
        down["type"] = "keyUp".into();
        self.call("Input.dispatchKeyEvent", &down);
    }

    /// Types a text where the cursor is.
    pub fn insert(&self, text: &str) {
        self.call("Input.insertText", &json!({ "text": text }));
    }

    /// Brings the page to the front, and lets it read and write the clipboard, as a person allows it.
    pub fn allow_clipboard(&self) {
        let permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"];
        let allowed = json!({ "permissions": permissions, "browserContextId": self.context });
        self.wire
            .borrow_mut()
            .call("", "Browser.grantPermissions", &allowed);
        self.call("Page.bringToFront", &json!({}));
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
}
