//! `pack2hcpe`, which converts packs to hcpe.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    pack2hcpe::run(std::env::args_os())
}
