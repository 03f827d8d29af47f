//! `chimera access`: who may look and act in mission control.

use super::Context;
use crate::{cli::AccessCommand, config::Misconfigured, wiring::Records};
use anyhow::{Context as _, Result, anyhow, bail};
use chimera_core::{
    contracts::{
        UtcTime,
        views::people::{PersonRow, Role},
    },
    ports::access::{Access, NewPerson, PersonName, Removed},
};
use chimera_dashboard::access::{OWNER, digest_of, ensure_owner, new_key, new_link};
use serde_json::json;
use std::{net::SocketAddr, process::ExitCode};

pub async fn run(context: Context, command: AccessCommand) -> Result<ExitCode> {
    let records = Records::open(&context.settings)?;
    let done = match command {
        AccessCommand::Add { name, role } => add(&context, &records, name, role.into()).await,
        AccessCommand::Link { name } => link(&context, &records, &name).await,
        AccessCommand::List => list(&context, &records).await,
        AccessCommand::Remove { name } => remove(&context, &records, &name).await,
    };
    records.close().await;
    done.map(|()| ExitCode::SUCCESS)
}

async fn add(context: &Context, records: &Records, name: PersonName, role: Role) -> Result<()> {
    if name.as_str().eq_ignore_ascii_case(OWNER) {
        bail!("{OWNER} is whoever has the server's token, and is there already; choose another name");
    }
    let key = new_key();
    let person = NewPerson { name, role, key: digest_of(&key), added_at: records.clock.now() };
    records.store.add_person(&person).await?;
    let name = person.name.as_str();
    context.output.show(&json!({ "name": name, "role": role.name(), "key": key }), |out| {
        format!(
            "added {} as {}\n  key     {key}\n  {}\n  sign in with the key at /login, or with: chimera access link {name}",
            out.bold(name),
            role.name(),
            out.dim("the key is shown this once; only its hash is kept")
        )
    })?;
    Ok(())
}

async fn link(context: &Context, records: &Records, name: &str) -> Result<()> {
    let (settings, now) = (&context.settings, records.clock.now());
    if name == OWNER {
        ensure_owner(&records.store, settings.token()?.expose(), now).await?;
    }
    let base_url = base_url(context)?;
    let link = new_link(&records.store, name, now).await?.with_context(|| nobody(name))?;
    let url = format!("{base_url}{}", link.path);
    let until = UtcTime(link.until);
    context.output.show(&json!({ "name": name, "url": url, "until": until }), |out| {
        format!("{url}\n  {}", out.dim(&format!("signs {name} in once, until {until}")))
    })?;
    Ok(())
}

fn base_url(context: &Context) -> Result<String> {
    let server = &context.settings.file.server;
    let listen: SocketAddr = server
        .listen
        .parse()
        .with_context(|| format!("server.listen is {:?}; it must be an address such as 127.0.0.1:8420", server.listen))
        .map_err(Misconfigured::mark)?;
    if listen.port() == 0 && server.public_url.is_none() {
        let problem = anyhow!("server.listen leaves the port to the system, so nobody knows it here; set server.public_url");
        return Err(Misconfigured::mark(problem));
    }
    server.base_url(listen)
}

async fn list(context: &Context, records: &Records) -> Result<()> {
    let people = records.store.people(records.clock.now()).await?;
    context.output.show(&json!({ "people": people }), |out| {
        if people.is_empty() {
            return "nobody yet but the owner, who has the server's token; add people with: chimera access add NAME --role ROLE".to_owned();
        }
        let widest = people.iter().map(|person| person.name.chars().count()).max().unwrap_or_default();
        let line = |person: &PersonRow| {
            let name = format!("{:widest$}", person.name);
            format!("{}  {:<8}  {}", out.bold(&name), person.role.name(), out.dim(&presence(person)))
        };
        people.iter().map(line).collect::<Vec<_>>().join("\n")
    })?;
    Ok(())
}

fn presence(person: &PersonRow) -> String {
    let browsers = match person.devices {
        0 => "not signed in".to_owned(),
        1 => "signed in with 1 browser".to_owned(),
        several => format!("signed in with {several} browsers"),
    };
    match person.last_seen_at {
        Some(at) => format!("{browsers}, last seen {at}"),
        None => format!("{browsers}, added {}", person.added_at),
    }
}

async fn remove(context: &Context, records: &Records, name: &str) -> Result<()> {
    if name == OWNER {
        bail!(
            "{OWNER} is whoever has the server's token, and cannot be removed; a new token signs them out: replace the file `token` in the data folder and restart the server"
        );
    }
    match records.store.remove_person(name).await? {
        Removed::Yes => {}
        Removed::NoSuchPerson => bail!(nobody(name)),
        Removed::LastOwner => bail!("{name} is the last owner, and nobody could add people any more; add another owner first"),
    }
    context.output.show(&json!({ "name": name, "removed": true }), |out| {
        format!("removed {}: the key, links and browsers of {name} are good for nothing now", out.bold(name))
    })?;
    Ok(())
}

fn nobody(name: &str) -> String {
    format!("there is nobody called {name}; `chimera access list` shows everybody")
}
