//! TLS for the connection to the server: rustls with cryptography in pure Rust, so that no program of the workspace
//! needs a C compiler.
//!
//! The server's certificate must come from an authority that this machine trusts; the environment variables
//! `SSL_CERT_FILE` and `SSL_CERT_DIR` name others.

use async_nats::rustls::{self, ClientConfig, RootCertStore};

/// Whether an address wants TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TlsWish {
    /// It wants TLS.
    Wanted,
    /// It does not say so; the server may want it.
    Unsaid,
}

/// Why TLS cannot be spoken.
#[derive(Debug, thiserror::Error)]
pub(super) enum TlsError {
    #[error("{}", provider::UNSUPPORTED)]
    Processor,
    #[error(
        "TLS: this machine trusts no certificate authority (SSL_CERT_FILE names a file of them) {}",
        reasons(.0)
    )]
    NoAuthority(Vec<rustls_native_certs::Error>),
    #[error("TLS: {0}")]
    Config(rustls::Error),
}

/// The reasons why certificates were not found.
fn reasons(errors: &[rustls_native_certs::Error]) -> String {
    let reasons: Vec<String> = errors.iter().map(ToString::to_string).collect();
    reasons.join("; ")
}

/// How to speak TLS, should an address (`tls://`) or a server want it; `None` where it cannot be spoken.
///
/// # Errors
///
/// When an address wants TLS and this machine cannot speak it.
pub(super) fn client_config(wish: TlsWish) -> Result<Option<ClientConfig>, TlsError> {
    let is_wanted = wish == TlsWish::Wanted;
    if is_wanted && !provider::is_supported() {
        return Err(TlsError::Processor);
    }
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (trusted, _) = roots.add_parsable_certificates(found.certs);
    if is_wanted && trusted == 0 {
        return Err(TlsError::NoAuthority(found.errors));
    }
    let Some(provider) = provider::PROVIDER else {
        return Ok(None);
    };
    let config = ClientConfig::builder_with_provider(provider().into())
        .with_safe_default_protocol_versions()
        .map_err(TlsError::Config)?;
    Ok(Some(
        config.with_root_certificates(roots).with_no_client_auth(),
    ))
}

/// The cryptography.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod provider {
    use async_nats::rustls::crypto::{CryptoProvider, GetRandomFailed, SecureRandom};

    /// Why there is no TLS on this machine.
    pub(super) const UNSUPPORTED: &str =
        "TLS needs a processor with AES instructions (x86-64 also AVX2 and ADX)";

    /// Returns whether the processor has the instructions of which the cryptography is made.
    pub(super) fn is_supported() -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            is_x86_feature_detected!("aes")
                && is_x86_feature_detected!("pclmulqdq")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("adx")
                && is_x86_feature_detected!("avx2")
        }
        #[cfg(target_arch = "aarch64")]
        {
            use std::arch::is_aarch64_feature_detected as has;
            has!("neon") && has!("aes") && has!("pmull") && has!("sha2")
        }
    }

    /// The cryptography, where there is some for this kind of processor.
    pub(super) const PROVIDER: Option<fn() -> CryptoProvider> = Some(provider);

    /// Without the instructions each handshake fails with an error before any of them is used: a server may want TLS
    /// though the address does not say so.
    fn provider() -> CryptoProvider {
        let provider = rustls_graviola::default_provider();
        if is_supported() {
            return provider;
        }
        CryptoProvider {
            secure_random: &Unsupported,
            ..provider
        }
    }

    /// No random numbers, with which each handshake begins.
    #[derive(Debug)]
    struct Unsupported;

    impl SecureRandom for Unsupported {
        fn fill(&self, _: &mut [u8]) -> Result<(), GetRandomFailed> {
            Err(GetRandomFailed)
        }
    }
}

/// The cryptography is written for two kinds of processors.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod provider {
    use async_nats::rustls::crypto::CryptoProvider;

    pub(super) const UNSUPPORTED: &str = "TLS is there on x86-64 and AArch64 only";

    pub(super) fn is_supported() -> bool {
        false
    }

    pub(super) const PROVIDER: Option<fn() -> CryptoProvider> = None;
}
