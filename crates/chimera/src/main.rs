use chimera::{
    cli::Cli,
    commands,
    config::{Environment, secrecy},
    output, telemetry,
};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match begin() {
        Ok((runtime, environment, cli)) => runtime.block_on(commands::run(cli, environment)),
        Err(error) => {
            output::tell_error(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// What must be done while there is one thread only.
fn begin() -> anyhow::Result<(tokio::runtime::Runtime, Environment, Cli)> {
    secrecy::shut_out_others()?;
    let cli = Cli::parse();
    let environment = Environment::of_process()?;
    telemetry::start(environment.get("CHIMERA_LOG"));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    Ok((runtime, environment, cli))
}
