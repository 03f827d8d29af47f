//! One file per command. Each answers whether its work was done; what went wrong is told here, once.

mod access;
mod agent;
mod backup;
mod call;
mod campaign;
mod demo;
mod devnet;
mod doctor;
mod eval;
mod feeds;
mod init;
mod ledger;
mod mcp;
mod posts;
mod reference;
mod review;
mod roles;
mod serve;
mod social;
mod status;
mod trends;
mod wallet;

use crate::{
    cli::{Cli, Command},
    config::{Environment, Misconfigured, Settings},
    output::{self, Output},
    terminal,
};
use chimera_core::swarm::runtime::Role;
use std::process::ExitCode;

/// Everything a command is given.
pub struct Context {
    pub settings: Settings,
    pub output: Output,
}

/// 0 done, 1 the work failed, 2 wrong usage or configuration.
pub async fn run(cli: Cli, environment: Environment) -> ExitCode {
    let output = Output::new(cli.global.json, &environment);
    let mut settings = match Settings::load(cli.global.config.as_deref(), cli.global.data.as_deref(), environment) {
        Ok(settings) => settings,
        Err(error) => return tell(&error, 2),
    };
    // What these do is over before anybody waits for them; what runs long asks once, at its start, and `mcp` never.
    settings.asks_for_passphrases = matches!(cli.command, Command::Agent(_) | Command::Wallet(_) | Command::Call(_)) && terminal::can_ask();
    let context = Context { settings, output };
    let outcome = match cli.command {
        Command::Demo(flags) => demo::run(context, flags).await,
        Command::Init { dir } => init::run(&context, &dir),
        Command::Serve(flags) => serve::run(context, flags).await,
        Command::Mcp => mcp::run(context).await,
        Command::Feeds => feeds::run(context).await,
        Command::Social => social::run(context).await,
        Command::Call(flags) => call::run(context, flags).await,
        Command::Agent(command) => agent::run(context, command).await,
        Command::Wallet(command) => wallet::run(context, command).await,
        Command::Campaign(command) => campaign::run(context, command).await,
        Command::Planner => roles::run(context, &[Role::Planner]).await,
        Command::Worker => roles::run(context, &[Role::Worker]).await,
        Command::Judge => roles::run(context, &[Role::Judge, Role::Publisher]).await,
        Command::Status => status::run(context).await,
        Command::Posts(command) => posts::run(context, command).await,
        Command::Review(command) => review::run(context, command).await,
        Command::Access(command) => access::run(context, command).await,
        Command::Ledger(command) => ledger::run(context, command).await,
        Command::Backup { file } => backup::back_up(&context, &file).await,
        Command::Restore { file } => backup::restore(&context, &file).await,
        Command::Trends(command) => trends::run(context, command).await,
        Command::Devnet(flags) => devnet::run(context, flags).await,
        Command::Doctor => doctor::run(context).await,
        Command::Eval(flags) => eval::run(&context, &flags),
        Command::Schema { name } => reference::schema(&context, name.as_deref()),
        Command::Completions { shell } => reference::completions(&context, shell),
        Command::Man { dir } => reference::manual(&context, &dir),
        Command::Version => reference::version(&context),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => tell(&error, if error.is::<Misconfigured>() { 2 } else { 1 }),
    }
}

fn tell(error: &anyhow::Error, code: u8) -> ExitCode {
    output::tell_error(&format!("{error:#}"));
    ExitCode::from(code)
}
