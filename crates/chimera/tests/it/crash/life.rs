//! One life of the real program: from its start until it is killed, or has done everything.

use super::{
    lane::{Lane, Stage},
    plan::{LifeEnd, Plan},
};
use crate::{books::Wanted, program::Running, wallet_stage::WALLET};
use chimera::mcp::McpSkillCaller;
use chimera_core::ports::skill_caller::SkillCaller;
use futures::future::join_all;
use nix::sys::signal::Signal;
use serde_json::Value;
use std::{collections::BTreeMap, fs, os::unix::process::ExitStatusExt, sync::Mutex, time::Duration};
use tokio::time::timeout;

/// What callers were told for good, by task.
pub(crate) type Answers = Mutex<BTreeMap<String, Value>>;

/// Of one task in one life: enough to get through to a node that is bad, and passed over for it.
const TRIES_MAX: usize = 200;
const RETRY_PAUSE: Duration = Duration::from_millis(100);
/// No life takes longer, even with a node that never answers.
const LIFE_MAX: Duration = Duration::from_secs(100);

/// Lives until `end`. Whether it ended there; if not, everything was answered before.
pub(crate) async fn live_until(end: &LifeEnd, lane: &Lane, stage: &Stage, plan: &Plan, answers: &Answers) -> bool {
    let mut command = stage.folder.command(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    if let LifeEnd::At(point) = end {
        command.env("CHIMERA_TEST_DIE_AT", point.to_string());
    }
    let moment = moment(end, lane);
    let mut running = Running::start(command);
    let is_alive = tokio::select! {
        is_alive = live(&mut running, stage, &plan.wanted, answers) => Some(is_alive),
        () = moment => None,
    };
    match (end, is_alive) {
        (LifeEnd::Stop, Some(true)) => {
            running.signal(Signal::SIGTERM);
            let done = running.finish().await;
            assert_eq!(done.code, Some(0), "{done:?}");
            done.calm();
            return true;
        }
        (LifeEnd::Moment { .. }, None) | (_, Some(true)) => running.signal(Signal::SIGKILL),
        (LifeEnd::At(_), Some(false)) | (_, None | Some(false)) => {}
    }
    let status = running.exit().await;
    let done = running.finish().await;
    assert_eq!(status.signal(), Some(Signal::SIGKILL as i32), "it ended by itself: {done:?}");
    done.calm();
    is_alive != Some(true)
}

/// The life in which everything is done at last. It goes on: whoever has it can look at the store while it is in use.
pub(crate) async fn live_on(stage: &Stage, plan: &Plan, answers: &Answers) -> Running {
    let mut running = Running::start(stage.folder.command(&["serve", "--listen", "127.0.0.1:0", "--json"]));
    if !live(&mut running, stage, &plan.wanted, answers).await {
        panic!("it ended by itself: {:?}", running.finish().await);
    }
    running
}

async fn moment(end: &LifeEnd, lane: &Lane) {
    match end {
        LifeEnd::Moment { requests, then_ms } => {
            lane.proxy.requests(*requests).await;
            tokio::time::sleep(Duration::from_millis(*then_ms)).await;
        }
        LifeEnd::At(_) | LifeEnd::Stop => std::future::pending().await,
    }
}

/// Asks for everything at once, some of it twice. `false` when the program ended meanwhile.
async fn live(running: &mut Running, stage: &Stage, wanted: &[Wanted], answers: &Answers) -> bool {
    let Some(told) = told(running).await else { return false };
    let token = fs::read_to_string(stage.folder.data().join("token")).unwrap();
    let url = told["mcp"].as_str().unwrap();
    let connected = tokio::try_join!(McpSkillCaller::http(url, Some(&token)), McpSkillCaller::http(url, Some(&token)));
    let Ok((first, second)) = connected else {
        return false;
    };
    let once = wanted.iter().map(|wanted| insist(&first, wanted, answers));
    let again = wanted.iter().step_by(3).map(|wanted| insist(&second, wanted, answers));
    let calls = timeout(LIFE_MAX, async { tokio::join!(join_all(once), join_all(again)) });
    tokio::select! {
        _ = running.exit() => false,
        _ = calls => true,
    }
}

/// What `serve` prints once it listens; `None` when it ended before.
pub(crate) async fn told(running: &mut Running) -> Option<Value> {
    let mut text = String::new();
    while let Some(line) = running.line().await {
        text.push_str(&line);
        if let Ok(told) = serde_json::from_str(&text) {
            return Some(told);
        }
    }
    None
}

async fn insist(caller: &McpSkillCaller, wanted: &Wanted, answers: &Answers) {
    for _ in 0..TRIES_MAX {
        if let Ok(answer) = caller.call(WALLET, &wanted.input()).await
            && wanted.is_final(&answer)
        {
            answers.lock().unwrap().entry(wanted.task_id.clone()).or_insert(answer);
            return;
        }
        tokio::time::sleep(RETRY_PAUSE).await;
    }
}
