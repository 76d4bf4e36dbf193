//! Who is let in, and who is not.

use serve::{PortChoice, RunningServer};

use crate::support::{TestServer, TestTab, header, status};

#[test]
fn every_case_of_an_attacker_is_refused() {
    let server = TestServer::new();
    let port = server.address.port();
    let cookie = server.cookie();
    let ours = server.origin();
    let by_host = |host: &str| status(&server.http("GET /", &[("Host", host)]));
    // The page itself has no secret.
    assert_eq!(by_host(&format!("127.0.0.1:{port}")), 200);
    assert_eq!(by_host(&format!("localhost:{port}")), 200);
    // DNS rebinding, and other names.
    for host in ["evil.example", "127.0.0.1", "localhost:1"] {
        assert_eq!(by_host(host), 421, "{host}");
    }
    assert_eq!(by_host(&format!("evil.example:{port}")), 421);
    assert_ne!(status(&server.http("GET /", &[])), 200, "no host");
    // The API.
    let stats = |headers: &[(&str, &str)]| server.status("GET /api/stats", headers);
    assert_eq!(stats(&[]), 401);
    assert_eq!(stats(&[("Cookie", "page_1=x")]), 401);
    let cookie = ("Cookie", cookie.as_str());
    assert_eq!(stats(&[cookie]), 200);
    assert_eq!(stats(&[cookie, ("Origin", &ours)]), 200);
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        assert_eq!(stats(&[cookie, ("Origin", origin)]), 403, "{origin}");
    }
    for site in ["cross-site", "same-site"] {
        assert_eq!(stats(&[cookie, ("Sec-Fetch-Site", site)]), 403, "{site}");
    }
    for site in ["same-origin", "none"] {
        assert_eq!(stats(&[cookie, ("Sec-Fetch-Site", site)]), 200, "{site}");
    }
    // Nothing is changed by a request of a form.
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let line = format!("{method} /api/stats");
        assert_eq!(server.status(&line, &[cookie]), 405, "{line}");
        assert_eq!(server.status(&format!("{method} /test/app.js"), &[]), 405);
    }
    // No folder lies behind addresses.
    for path in [
        "/../../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/test/../../state/web.json",
        "/state/web.json",
        "//etc/passwd",
        "/api/nothing",
    ] {
        let code = server.status(&format!("GET {path}"), &[cookie]);
        assert_eq!(code, 404, "{path}");
    }
}

#[test]
fn a_token_becomes_a_cookie_once() {
    let server = TestServer::new();
    assert_eq!(server.status("GET /?token=bad", &[]), 401);
    let (port, path) = (
        server.address.port(),
        server.url.replace(&server.origin(), ""),
    );
    let host = server.address.to_string();
    let answer = server.http(&format!("GET {path}"), &[("Host", &host)]);
    assert_eq!(status(&answer), 303);
    assert_eq!(header(&answer, "location").as_deref(), Some("/"));
    let cookie = header(&answer, "set-cookie").unwrap();
    assert!(cookie.starts_with(&format!("page_{port}=")), "{cookie}");
    for part in ["; HttpOnly", "; SameSite=Strict", "; Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert_eq!(server.status(&format!("GET {path}"), &[]), 401, "used");
    // Another call of the program finds the next one.
    let folder = server.folder.path().join("state");
    let running = RunningServer::find(&folder, port).unwrap();
    assert_ne!(running.url, server.url);
    let next = running.url.replace(&server.origin(), "");
    assert_eq!(server.status(&format!("GET {next}"), &[]), 303);
    drop(server);
    assert_eq!(RunningServer::find(&folder, port), None);
}

#[test]
fn every_answer_has_the_headers_of_a_careful_page() {
    let server = TestServer::new();
    let host = server.address.to_string();
    let host = ("Host", host.as_str());
    for (line, headers) in [
        ("GET /", vec![host]),
        ("GET /test/app.js", vec![host]),
        ("GET /absent", vec![host]),
        ("GET /api/stats", vec![host]),
        ("GET /", vec![("Host", "evil.example")]),
        ("GET /?token=bad", vec![host]),
    ] {
        let answer = server.http(line, &headers);
        let policy = header(&answer, "content-security-policy").unwrap();
        for rule in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' blob: data:",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.contains(rule), "{policy}");
        }
        assert!(!policy.contains("unsafe"));
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(header(&answer, name).as_deref(), Some(value), "{line}");
        }
        assert_eq!(header(&answer, "access-control-allow-origin"), None);
    }
    let script = server.http("GET /test/app.js", &[host]);
    assert_eq!(
        header(&script, "content-type").as_deref(),
        Some("text/javascript; charset=utf-8")
    );
    assert!(script.ends_with("app()"));
}

#[test]
fn a_socket_needs_the_cookie_and_our_origin() {
    let server = TestServer::new();
    let cookie = server.cookie();
    let ours = server.origin();
    let connect = |cookie: &str, origin: Option<&str>| {
        TestTab::connect(&server, cookie, origin).map(|_| ()).err()
    };
    assert_eq!(connect(&cookie, None), Some(403));
    assert_eq!(connect(&cookie, Some("http://evil.example")), Some(403));
    assert_eq!(connect("page_1=x", Some(&ours)), Some(401));
    assert_eq!(connect(&cookie, Some(&ours)), None);
}

#[test]
fn a_tab_finds_the_server_again_after_a_restart() {
    let server = TestServer::new();
    let (cookie, port) = (server.cookie(), server.address.port());
    let folder = std::sync::Arc::clone(&server.folder);
    drop(server);
    let again = TestServer::in_folder(folder, |options| options.port = PortChoice::Exactly(port));
    drop(again.tab(&cookie));
}

#[test]
fn the_next_port_is_taken_where_one_is_in_use() {
    let usual = |options: &mut serve::ServeOptions| options.port = PortChoice::Usual;
    let servers = [TestServer::with(usual), TestServer::with(usual)];
    let ports = servers.each_ref().map(|server| server.address.port());
    assert!(
        ports[0] >= PortChoice::USUAL && ports[1] > ports[0],
        "{ports:?}"
    );
    // Each has a cookie of its own.
    assert_eq!(
        servers[1].status("GET /api/stats", &[("Cookie", &servers[0].cookie())]),
        401
    );
}
