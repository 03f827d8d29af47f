use chimera::{cli::Cli, commands, config::Environment, telemetry};
use clap::Parser;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    let environment = Environment::of_process();
    telemetry::start(environment.get("CHIMERA_LOG"));
    commands::run(Cli::parse(), environment).await
}
