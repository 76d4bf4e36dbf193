//! Who is let in: addresses, hosts, origins, tokens and cookies.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Mutex, PoisonError};

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use subtle::ConstantTimeEq;
use yane_io::secret::random_bytes;

use crate::ServeError;

/// Whether other machines may reach the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RemoteAccess {
    /// Only this machine.
    #[default]
    Refused,
    /// Other machines too; whoever reads what goes over the network is let in.
    Allowed,
}

/// The address that a server listens at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindAddress(IpAddr);

impl Default for BindAddress {
    fn default() -> Self {
        Self(Ipv4Addr::LOCALHOST.into())
    }
}

impl BindAddress {
    /// An address of this machine.
    ///
    /// # Errors
    ///
    /// An address that other machines can reach, unless that is allowed; one that stands for all.
    pub fn new(address: IpAddr, access: RemoteAccess) -> Result<Self, ServeError> {
        if address.is_unspecified() {
            return Err(ServeError::Unspecified(address));
        }
        if !address.is_loopback() && access == RemoteAccess::Refused {
            return Err(ServeError::Remote(address));
        }
        Ok(Self(address))
    }

    /// The address itself.
    pub const fn ip(self) -> IpAddr {
        self.0
    }

    /// Returns whether other machines can reach it.
    pub fn is_remote(self) -> bool {
        !self.0.is_loopback()
    }
}

/// What a request is refused with.
pub(crate) type Refusal = (StatusCode, &'static str);

const OTHER_HOST: Refusal = (
    StatusCode::MISDIRECTED_REQUEST,
    "this server has another name",
);
const OTHER_ORIGIN: Refusal = (StatusCode::FORBIDDEN, "requests of other pages are refused");
const NO_COOKIE: Refusal = (
    StatusCode::UNAUTHORIZED,
    "open the page by the address that the program shows; 'serve --open' opens it again",
);
const OTHER_TOKEN: Refusal = (
    StatusCode::UNAUTHORIZED,
    "this address was used before, or is of another run: 'serve --open' opens the page again",
);

/// Random bytes as text that stands in addresses and cookies.
pub(crate) fn random_text() -> Result<String, ServeError> {
    let bytes: [u8; 16] = random_bytes()?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

/// The rules by which requests are let in.
#[derive(Debug)]
pub(crate) struct Guard {
    /// Values of the header `Host`.
    hosts: Vec<String>,
    cookie_name: String,
    cookie: String,
    /// The token that is good for one request.
    token: Mutex<String>,
}

impl Guard {
    /// The rules of a server at an address, with the secret of its cookie and its first token.
    pub(crate) fn new(address: SocketAddr, cookie: String, token: String) -> Self {
        let port = address.port();
        let mut hosts = Vec::new();
        if address.ip().is_loopback() {
            hosts.extend(["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}")));
        }
        let own = address.to_string();
        if !hosts.contains(&own) {
            hosts.push(own);
        }
        Self {
            hosts,
            cookie_name: format!("page_{port}"),
            cookie,
            token: Mutex::new(token),
        }
    }

    /// Lets in whoever calls the server by its name.
    pub(crate) fn check_host(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok());
        let is_ours = |host: &str| self.hosts.iter().any(|own| own == host);
        match host {
            Some(host) if hosts.next().is_none() && is_ours(host) => Ok(()),
            _ => Err(OTHER_HOST),
        }
    }

    /// Lets in requests of our own pages, and those of no page where `needs_origin` does not say otherwise.
    pub(crate) fn check_origin(
        &self,
        headers: &HeaderMap,
        origin: OriginRule,
    ) -> Result<(), Refusal> {
        let is_ours = |origin: &str| {
            let host = origin.strip_prefix("http://");
            host.is_some_and(|host| self.hosts.iter().any(|own| own == host))
        };
        let site = headers.get("sec-fetch-site");
        if site.is_some_and(|site| site != "same-origin" && site != "none") {
            return Err(OTHER_ORIGIN);
        }
        match headers.get(header::ORIGIN).map(HeaderValue::to_str) {
            Some(Ok(origin)) if is_ours(origin) => Ok(()),
            None if origin == OriginRule::IfThere => Ok(()),
            _ => Err(OTHER_ORIGIN),
        }
    }

    /// Lets in who has the cookie.
    pub(crate) fn check_cookie(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let lines = headers.get_all(header::COOKIE).iter();
        let lines = lines.filter_map(|line| line.to_str().ok());
        let mut cookies = lines.flat_map(|line| line.split(';')).map(str::trim);
        let is_ours = cookies.any(|cookie| {
            cookie
                .split_once('=')
                .is_some_and(|(name, value)| name == self.cookie_name && equal(value, &self.cookie))
        });
        if is_ours { Ok(()) } else { Err(NO_COOKIE) }
    }

    /// Takes the token for the cookie: the header that sets the cookie. `next` is the token that is good from then on.
    pub(crate) fn spend_token(&self, token: &str, next: String) -> Result<String, Refusal> {
        let mut own = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        if !equal(token, &own) {
            return Err(OTHER_TOKEN);
        }
        *own = next;
        Ok(format!(
            "{}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000",
            self.cookie_name, self.cookie
        ))
    }
}

/// Whether a request must say which page it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OriginRule {
    /// It may come without an origin.
    IfThere,
    /// It must have one.
    Needed,
}

/// Compares in a time that does not depend on where texts differ.
fn equal(a: &str, b: &str) -> bool {
    a.as_bytes().ct_eq(b.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::RemoteAccess::{Allowed, Refused};
    use super::*;

    fn guard(address: &str) -> Guard {
        Guard::new(address.parse().unwrap(), "c00c1e".into(), "70ce2".into())
    }

    fn headers(all: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for &(name, value) in all {
            headers.append(name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn only_our_names_are_let_in() {
        let guard = guard("127.0.0.1:8417");
        let is_in = |all: &[(&'static str, &'static str)]| guard.check_host(&headers(all)).is_ok();
        for host in ["127.0.0.1:8417", "localhost:8417", "[::1]:8417"] {
            assert!(is_in(&[("host", host)]), "{host}");
        }
        for host in [
            "evil.example:8417",
            "127.0.0.1",
            "127.0.0.1:8418",
            "localhost.evil:8417",
            "LOCALHOST:8417 ",
            "",
        ] {
            assert!(!is_in(&[("host", host)]), "{host}");
        }
        assert!(!is_in(&[]));
        assert!(!is_in(&[("host", "localhost:8417"), ("host", "evil:8417")]));
    }

    #[test]
    fn a_server_for_other_machines_has_one_name() {
        let guard = guard("192.168.1.5:8417");
        let is_in = |host| guard.check_host(&headers(&[("host", host)])).is_ok();
        assert!(is_in("192.168.1.5:8417"));
        assert!(!is_in("localhost:8417") && !is_in("127.0.0.1:8417"));
    }

    #[test]
    fn pages_of_others_are_refused() {
        let guard = guard("127.0.0.1:8417");
        let check = |all: &[(&'static str, &'static str)], rule| {
            guard.check_origin(&headers(all), rule).is_ok()
        };
        let (ours, evil) = ("http://127.0.0.1:8417", "http://evil.example");
        for rule in [OriginRule::IfThere, OriginRule::Needed] {
            assert!(check(&[("origin", ours)], rule));
            assert!(check(
                &[("origin", ours), ("sec-fetch-site", "same-origin")],
                rule
            ));
            for other in [evil, "null", "https://127.0.0.1:8417", "http://127.0.0.1:9"] {
                assert!(!check(&[("origin", other)], rule), "{other}");
            }
            for site in ["cross-site", "same-site"] {
                assert!(!check(&[("origin", ours), ("sec-fetch-site", site)], rule));
            }
        }
        assert!(check(&[], OriginRule::IfThere));
        assert!(check(&[("sec-fetch-site", "none")], OriginRule::IfThere));
        assert!(!check(&[], OriginRule::Needed));
    }

    #[test]
    fn the_cookie_has_the_port_in_its_name() {
        let guard = guard("127.0.0.1:8417");
        let is_in = |cookie| guard.check_cookie(&headers(&[("cookie", cookie)])).is_ok();
        assert!(is_in("page_8417=c00c1e"));
        assert!(is_in("a=b; page_8417=c00c1e; c=d"));
        assert!(is_in("page_8417=other; page_8417=c00c1e"));
        for wrong in [
            "page_8418=c00c1e",
            "page_8417=c00c1",
            "page_8417=",
            "c00c1e",
            "",
        ] {
            assert!(!is_in(wrong), "{wrong}");
        }
        assert!(guard.check_cookie(&HeaderMap::new()).is_err());
    }

    #[test]
    fn a_token_is_good_once() {
        let guard = guard("127.0.0.1:8417");
        assert_eq!(guard.spend_token("bad", "n".into()), Err(OTHER_TOKEN));
        let cookie = guard.spend_token("70ce2", "next".into()).unwrap();
        assert_eq!(
            cookie,
            "page_8417=c00c1e; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000"
        );
        assert_eq!(guard.spend_token("70ce2", "n".into()), Err(OTHER_TOKEN));
        assert!(guard.spend_token("next", "n".into()).is_ok());
        let texts: Vec<_> = (0..2).map(|_| random_text().unwrap()).collect();
        assert!(texts[0].len() == 32 && texts[0] != texts[1]);
    }

    #[test]
    fn other_machines_are_let_in_only_on_purpose() {
        let address = |text: &str, access| BindAddress::new(text.parse().unwrap(), access);
        for own in ["127.0.0.1", "::1", "127.1.2.3"] {
            assert!(!address(own, Refused).unwrap().is_remote());
        }
        assert!(matches!(
            address("192.168.1.5", Refused),
            Err(ServeError::Remote(_))
        ));
        assert!(address("192.168.1.5", Allowed).unwrap().is_remote());
        for all in ["0.0.0.0", "::"] {
            assert!(matches!(
                address(all, Allowed),
                Err(ServeError::Unspecified(_))
            ));
        }
        assert_eq!(BindAddress::default().ip().to_string(), "127.0.0.1");
    }
}
