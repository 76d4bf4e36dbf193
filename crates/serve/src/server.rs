//! The server: its port, its routes, and its life.

use std::collections::HashMap;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::serve::ListenerExt as _;
use page_messages::PageService;
use serde_json::json;

use crate::assets::{Assets, content_type};
use crate::guard::{BindAddress, Guard, OriginRule, random_text};
use crate::headers::secure;
use crate::hub::Hub;
use crate::instance::Instance;
use crate::settings::PageSettings;
use crate::tab::MOST_BYTES;
use crate::{ServeError, ServerTiming, socket};

/// The port of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PortChoice {
    /// [`PortChoice::USUAL`], or the next one that is free.
    #[default]
    Usual,
    /// This one; 0 for any that is free.
    Exactly(u16),
}

impl PortChoice {
    /// The usual port.
    pub const USUAL: u16 = 8417;
    /// Ports that are tried.
    const TRIED: u16 = 100;

    /// The ports that are tried for [`PortChoice::Usual`], in their order.
    pub fn usual() -> impl Iterator<Item = u16> {
        Self::USUAL..Self::USUAL + Self::TRIED
    }
}

/// All that a server is made of.
pub struct ServeOptions {
    /// Answers what pages ask.
    pub service: Arc<dyn PageService>,
    /// The file of [`Assets`] that `/` shows, such as `othello/index.html`.
    pub index: String,
    /// The build, which tells pages that they are old.
    pub build: String,
    /// Searches that run at a time on the seats of one name ([`PageService::seat`]).
    pub seats: usize,
    /// The folder for the settings of the page and for what another call of the program has to know.
    pub folder: PathBuf,
    /// The files of the page.
    pub assets: Assets,
    /// The address.
    pub address: BindAddress,
    /// The port.
    pub port: PortChoice,
    /// How often things happen.
    pub timing: ServerTiming,
}

/// A server that listens, and is yet to be run.
pub struct LocalServer {
    listener: TcpListener,
    address: SocketAddr,
    url: String,
    instance: Instance,
    guard: Guard,
    settings: PageSettings,
    options: ServeOptions,
}

/// What answers stand on.
struct Shared {
    guard: Guard,
    hub: Arc<Hub>,
    instance: Instance,
    address: SocketAddr,
    assets: Assets,
    index: String,
    timing: ServerTiming,
}

impl LocalServer {
    /// Listens at an address.
    ///
    /// # Errors
    ///
    /// No free port; files of the server that cannot be read or written.
    pub fn bind(options: ServeOptions) -> Result<Self, ServeError> {
        let listener = listen(options.address, options.port)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let instance = Instance::claim(&options.folder, address.port())?;
        let token = random_text()?;
        let url = page_url(address, &token);
        instance.write(&url)?;
        let guard = Guard::new(address, instance.cookie().to_owned(), token);
        let settings = PageSettings::load(options.folder.join("web.json"))?;
        Ok(Self {
            listener,
            address,
            url,
            instance,
            guard,
            settings,
            options,
        })
    }

    /// The address that opens the page, once.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` is raised; all searches end then.
    ///
    /// # Errors
    ///
    /// The system gives no threads or sockets.
    pub fn run(self, stop: &AtomicBool) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(64)
            .build()?;
        let options = self.options;
        let hub = Hub::new(
            options.service,
            self.settings,
            options.seats,
            options.build,
            runtime.handle().clone(),
        );
        let shared = Arc::new(Shared {
            guard: self.guard,
            hub: Arc::clone(&hub),
            instance: self.instance,
            address: self.address,
            assets: options.assets,
            index: options.index,
            timing: options.timing,
        });
        let served = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let listener = listener.tap_io(|stream| {
                // Small answers, each of which somebody waits for. Without it they only come later.
                let _slower = stream.set_nodelay(true);
            });
            tokio::select! {
                served = axum::serve(listener, routes(&shared)).into_future() => served,
                () = raised(stop) => Ok(()),
            }
        });
        hub.close_all();
        // Searches end within milliseconds.
        runtime.shutdown_timeout(Duration::from_secs(5));
        Ok(served?)
    }
}

/// The address that opens the page of a server, for whoever has the token.
fn page_url(address: SocketAddr, token: &str) -> String {
    format!("http://{address}/?token={token}")
}

/// Ends when a flag is raised.
async fn raised(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn listen(address: BindAddress, port: PortChoice) -> Result<TcpListener, ServeError> {
    let at = |port| {
        let address = SocketAddr::new(address.ip(), port);
        TcpListener::bind(address).map_err(|reason| ServeError::Bind { address, reason })
    };
    let (first, last) = match port {
        PortChoice::Exactly(port) => return at(port),
        PortChoice::Usual => (PortChoice::USUAL, PortChoice::USUAL + PortChoice::TRIED - 1),
    };
    for port in PortChoice::usual() {
        match at(port) {
            Err(ServeError::Bind { reason, .. })
                if reason.kind() == std::io::ErrorKind::AddrInUse => {}
            bound => return bound,
        }
    }
    Err(ServeError::NoPort { first, last })
}

fn routes(shared: &Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(start))
        .route("/api/ws", get(connect))
        .route("/api/stats", get(stats))
        .fallback(asset)
        .layer(from_fn_with_state(Arc::clone(shared), guarded))
        .with_state(Arc::clone(shared))
}

/// Refuses who must not be let in, and sets the headers of all answers.
async fn guarded(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let headers = request.headers();
    let origin = match path {
        "/api/ws" => OriginRule::Needed,
        _ => OriginRule::IfThere,
    };
    let is_api = path.starts_with("/api");
    let checked = shared.guard.check_host(headers).and_then(|()| {
        if is_api {
            shared.guard.check_origin(headers, origin)?;
            shared.guard.check_cookie(headers)?;
        }
        Ok(())
    });
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    secure(response.headers_mut());
    response
}

/// The page; or its first visit, which takes the token out of the address.
async fn start(
    State(shared): State<Arc<Shared>>,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    let Some(token) = query.get("token") else {
        return file(&shared, &format!("/{}", shared.index));
    };
    match first_visit(&shared, token) {
        Ok(response) => response,
        Err(Visit::Refused(refusal)) => refusal.into_response(),
        Err(Visit::Failed(error)) => {
            (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response()
        }
    }
}

/// Why a first visit is none.
enum Visit {
    Refused(crate::guard::Refusal),
    Failed(ServeError),
}

fn first_visit(shared: &Shared, token: &str) -> Result<Response, Visit> {
    let next = random_text().map_err(Visit::Failed)?;
    let url = page_url(shared.address, &next);
    let cookie = shared
        .guard
        .spend_token(token, next)
        .map_err(Visit::Refused)?;
    shared.instance.write(&url).map_err(Visit::Failed)?;
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, HeaderValue::from_static("/"));
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        headers.insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

async fn connect(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    let upgrade = upgrade
        .max_message_size(MOST_BYTES)
        .max_frame_size(MOST_BYTES);
    let (hub, timing) = (Arc::clone(&shared.hub), shared.timing);
    upgrade.on_upgrade(move |socket| socket::serve(hub, socket, timing))
}

async fn stats(State(shared): State<Arc<Shared>>) -> Response {
    let (tabs, requests) = shared.hub.counts();
    let counts = json!({ "tabs": tabs, "requests": requests });
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (kind, counts.to_string()).into_response()
}

async fn asset(State(shared): State<Arc<Shared>>, method: Method, uri: Uri) -> Response {
    match method {
        Method::GET | Method::HEAD => file(&shared, uri.path()),
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

/// A file of the page.
fn file(shared: &Shared, path: &str) -> Response {
    match (shared.assets.get(path), content_type(path)) {
        (Some(bytes), Some(kind)) => {
            let kind = [(header::CONTENT_TYPE, kind)];
            (kind, Body::from(bytes)).into_response()
        }
        _ => (StatusCode::NOT_FOUND, "there is no such file").into_response(),
    }
}
