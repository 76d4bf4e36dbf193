//! The headers of every answer: what a page may load, and who may look at it.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

/// A page loads from its server alone; no script or style stands in a page.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The headers, each with its value.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (header::CACHE_CONTROL, "no-store"),
];

/// Sets the headers of an answer.
pub(crate) fn secure(headers: &mut HeaderMap) {
    for (name, value) in &HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
