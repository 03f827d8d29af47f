//! One attack from its first step to the day after, when every node is honest again.

use super::{
    invariants::{self, Told},
    node::{Node, Reads},
    schedule::{AGENTS, Schedule, Step},
    stage::{Asked, Lane, Program, Token},
};
use crate::{
    books::{Asset, Books},
    crash::lane::copy,
    program::{Folder, run},
    properties::generator::Dice,
    wallet_stage::with,
};
use serde_json::{Value, json};
use std::{fs, time::Duration};
use tokio::time::timeout;

/// How long a step waits for its call: most are answered, or have sent their bytes, long before.
const STEP_MAX: Duration = Duration::from_millis(1_500);
/// What comes after the bytes have arrived: the answer, and what the program makes of it.
const AFTER_ARRIVAL: Duration = Duration::from_millis(80);
/// Until everything has ended on a chain that behaves.
const DAY_AFTER_MAX: Duration = Duration::from_secs(150);

#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub(crate) agent: usize,
    pub(crate) asset: Asset,
    pub(crate) amount: u128,
    /// Nobody else gets anything from us: who was paid says for which task.
    pub(crate) to: String,
    pub(crate) input: Value,
    /// The last answer that says how it ended.
    pub(crate) told: Option<Told>,
}

pub(crate) struct Run<'lane> {
    pub(crate) lane: &'lane Lane,
    pub(crate) folder: Folder,
    pub(crate) tasks: Vec<Task>,
    program: Option<Program>,
    /// Calls without an answer yet, by task.
    asked: Vec<(usize, Asked)>,
    /// Processes whose answers nobody waits for.
    beside: Vec<Asked>,
    copied: Option<Folder>,
    /// What nodes had been given when the fleet was frozen.
    frozen_at: Option<Vec<usize>>,
    /// It was started to die at a fail point.
    may_die: bool,
    /// An old folder was put back.
    pub(crate) was_put_back: bool,
    /// An old folder was put back, and nobody has reconciled it since.
    pub(crate) is_behind: bool,
    /// What is in a block may be in none later.
    pub(crate) un_mines: bool,
    dice: Dice,
    pub(crate) problems: Vec<String>,
}

/// Who was asked.
#[derive(Clone, Copy)]
enum Beside {
    /// A process of its own, beside the server.
    Yes,
    No,
}

/// Everything that is wrong, at any step or at the end.
pub(crate) async fn attack(lane: &mut Lane, schedule: &Schedule) -> Vec<String> {
    let folder = lane.begin().await;
    let mut run = Run {
        lane,
        program: Some(Program::start(&folder).await),
        folder,
        tasks: Vec::new(),
        asked: Vec::new(),
        beside: Vec::new(),
        copied: None,
        frozen_at: None,
        may_die: false,
        was_put_back: false,
        is_behind: false,
        un_mines: schedule.un_mines(),
        dice: Dice(!schedule.seed),
        problems: Vec::new(),
    };
    for (number, step) in schedule.steps.iter().enumerate() {
        run.take(step).await;
        run.check(&format!("after step {} ({step:?})", number + 1)).await;
        if !run.problems.is_empty() {
            return run.problems;
        }
    }
    run.day_after().await;
    run.problems.extend(invariants::at_the_end(&run).await);
    run.problems
}

impl Run<'_> {
    async fn take(&mut self, step: &Step) {
        match step {
            Step::Ask { agent, asset, amount } => {
                self.new_task(*agent, *asset, *amount);
                self.ask(self.tasks.len() - 1).await;
            }
            Step::AskAgain { .. } | Step::AskBeside { .. } | Step::Cancel { .. } if self.tasks.is_empty() => {}
            Step::AskAgain { task } => self.ask(task % self.tasks.len()).await,
            Step::AskBeside { task } => {
                let task = task % self.tasks.len();
                let asked = Program::ask_beside(&self.folder, &self.tasks[task].input);
                self.wait_for(task, asked, Beside::Yes).await;
            }
            Step::Sends { node, sends } => self.lane.nodes[*node].sends(*sends),
            Step::SendsNext { node, sends } => self.lane.nodes[*node].sends_next(*sends),
            Step::SendsAfter { node, ms } => self.lane.nodes[*node].sends_after(Duration::from_millis(*ms)),
            // What all nodes say is the truth for whoever has no other way to look; one always tells it.
            Step::Reads { node, reads } => {
                self.lane.nodes.iter().for_each(|node| node.reads(Reads::TheTruth));
                self.lane.nodes[*node].reads(*reads);
            }
            Step::Honest { node } => self.lane.nodes[*node].becomes_honest(),
            Step::Mine { blocks } => self.lane.mine(*blocks).await,
            Step::UnMine { blocks } => self.lane.un_mine(*blocks).await,
            Step::DeliverHeld => self.lane.deliver_held().await,
            Step::EmptyPool => drop(self.lane.anvil.rpc("anvil_dropAllTransactions", json!([])).await),
            Step::TokenBecomes(token) => self.lane.token_becomes(*token).await,
            Step::Foreign { agent, wei } => self.lane.foreign(&self.lane.agents[*agent], *wei).await,
            Step::Freeze => {
                self.folder.json(&["wallet", "freeze", "--all"]).await;
                // What was on the wire has arrived.
                tokio::time::sleep(AFTER_ARRIVAL).await;
                self.frozen_at.get_or_insert(self.lane.given());
            }
            Step::Unfreeze => self.unfreeze().await,
            Step::Kill => self.restart(None).await,
            Step::DieAt { point } => self.restart(Some(point)).await,
            Step::Copy => {
                self.stop().await;
                let copied = Folder::new();
                fs::create_dir(copied.data()).unwrap();
                copy(&self.folder.data(), &copied.data());
                self.copied = Some(copied);
                self.restart(None).await;
            }
            Step::PutBack => self.put_back().await,
            Step::Reconcile { agent } => self.reconcile(*agent).await,
            Step::Cancel { task } => {
                let task = task % self.tasks.len();
                let id = self.tasks[task].input["task_id"].as_str().unwrap().to_owned();
                let cancelling = Program::beside(self.folder.command(&["wallet", "cancel", "--task", &id]));
                self.beside.push(cancelling);
                tokio::time::sleep(STEP_MAX).await;
            }
            Step::Wait { ms } => tokio::time::sleep(Duration::from_millis(*ms)).await,
        }
    }

    fn new_task(&mut self, agent: usize, asset: Asset, amount: u128) {
        let to = format!("0x{:016x}{:024x}", self.dice.next() | 1, self.tasks.len());
        let wanted = match asset {
            Asset::Eth => crate::wallet_stage::eth(amount),
            Asset::Usdc => crate::wallet_stage::usdc(amount),
        };
        let input = with(with(wanted, "/params/to_address", to.clone()), "/agent_id", AGENTS[agent]);
        self.tasks.push(Task { agent, asset, amount, to, input, told: None });
    }

    async fn ask(&mut self, task: usize) {
        let asked = self.program.as_ref().expect("it runs").ask(&self.tasks[task].input);
        self.wait_for(task, asked, Beside::No).await;
    }

    /// Until there is an answer, or bytes have left, or time is up; the call goes on.
    async fn wait_for(&mut self, task: usize, mut asked: Asked, beside: Beside) {
        let before = self.lane.given();
        let bytes_arrived = async {
            self.lane.given_more_than(&before).await;
            tokio::time::sleep(AFTER_ARRIVAL).await;
        };
        let answer = tokio::select! {
            answer = asked.answer() => Some(answer),
            () = bytes_arrived => None,
            () = tokio::time::sleep(STEP_MAX) => None,
        };
        match (answer, beside) {
            (None, _) => self.asked.push((task, asked)),
            (Some(Some(answer)), _) => self.hear(task, &answer),
            // It died at its fail point.
            (Some(None), Beside::No) => self.restart(None).await,
            (Some(None), Beside::Yes) => self.problems.push("a process beside the server ended without an answer".to_owned()),
        }
    }

    fn hear(&mut self, task: usize, answer: &Value) {
        let told = Told::read(answer);
        if let (Some(Told::Paid { .. }), Told::Ended) = (&self.tasks[task].told, &told)
            && !self.un_mines
            // An old folder does not know what the newer one has paid.
            && !self.was_put_back
        {
            self.problems.push(format!("task {task} was called paid, and then: {answer}"));
        }
        if !matches!(told, Told::NotYet) {
            self.tasks[task].told = Some(told);
        }
    }

    async fn restart(&mut self, dies_at: Option<&str>) {
        self.stop().await;
        self.may_die = dies_at.is_some();
        self.program = match dies_at {
            None => None,
            Some(point) => Program::start_to_die_at(&self.folder, point).await,
        };
        if self.program.is_none() {
            self.program = Some(Program::start(&self.folder).await);
        }
    }

    /// `kill -9`; what was answered before is heard.
    async fn stop(&mut self) {
        for (task, mut asked) in std::mem::take(&mut self.asked) {
            if let Some(Some(answer)) = asked.answer_if_there() {
                self.hear(task, &answer);
            }
        }
        self.beside.clear();
        if let Some(program) = self.program.take() {
            program.kill().await;
        }
    }

    /// Some time later: what has left since the copy was made has landed by then, or never will. A copy that is put back while nodes
    /// keep bytes from the whole world cannot know of them, and neither can the chain.
    async fn put_back(&mut self) {
        let Some(copied) = self.copied.take() else { return };
        self.stop().await;
        self.lane.nodes.iter().for_each(Node::becomes_honest);
        for _ in 0..3 {
            self.lane.deliver_held().await;
            self.lane.deliver_given().await;
            self.lane.make_final().await;
        }
        fs::remove_dir_all(self.folder.data()).unwrap();
        fs::create_dir(self.folder.data()).unwrap();
        copy(&copied.data(), &self.folder.data());
        (self.was_put_back, self.is_behind) = (true, true);
        // The copy may have been made while nothing was frozen.
        self.frozen_at = None;
        self.restart(None).await;
    }

    async fn unfreeze(&mut self) {
        self.frozen_at = None;
        self.folder.json(&["wallet", "unfreeze", "--all"]).await;
    }

    /// Whatever it says: it may have nothing to do, or not be able to do it yet.
    async fn reconcile(&self, agent: usize) {
        let command = self.folder.command(&["wallet", "reconcile", "--agent", AGENTS[agent], "--json"]);
        run(command, b"").await.calm();
    }

    async fn check(&mut self, when: &str) {
        if let Some(frozen_at) = &self.frozen_at
            && *frozen_at != self.lane.given()
        {
            self.problems.push(format!("{when}: bytes left while everything was frozen"));
        }
        let found = invariants::at_any_time(self).await;
        self.problems.extend(found.into_iter().map(|problem| format!("{when}: {problem}")));
    }

    /// Every node is honest, what was held back arrives, blocks are made, people do what they are asked to, and callers insist.
    async fn day_after(&mut self) {
        self.lane.nodes.iter().for_each(Node::becomes_honest);
        self.unfreeze().await;
        self.lane.deliver_held().await;
        self.lane.make_final().await;
        self.lane.token_becomes(Token::Honest).await;
        if self.folder_is_busy().await || self.may_die {
            // Its calls would wait ten seconds and more before they send again.
            self.restart(None).await;
        }
        let ended = timeout(DAY_AFTER_MAX, self.come_to_an_end()).await.is_ok();
        if !ended {
            let tasks: Vec<String> = self.tasks.iter().map(|task| format!("{task:?}")).collect();
            let problem = format!("it does not come to an end:\n{}\n{:#?}", tasks.join("\n"), Books::read(&self.folder));
            self.problems.push(problem);
        }
    }

    /// Whether something stays under way although everything that left has landed.
    async fn folder_is_busy(&self) -> bool {
        tokio::time::sleep(Duration::from_millis(700)).await;
        Books::read(&self.folder).open_transfers() > 0
    }

    async fn come_to_an_end(&mut self) {
        let mut waiting: Vec<usize> = (0..self.tasks.len()).collect();
        loop {
            for (number, agent) in self.lane.agents.iter().enumerate() {
                if invariants::waits_for_a_person(self, agent).await {
                    self.reconcile(number).await;
                }
            }
            self.is_behind = false;
            loop {
                let mut still_waiting = Vec::new();
                for task in waiting {
                    if !self.insist(task).await {
                        still_waiting.push(task);
                    }
                }
                waiting = still_waiting;
                self.lane.mine(4).await;
                if self.somebody_waits_for_a_person().await {
                    break;
                }
                if waiting.is_empty() && Books::read(&self.folder).open_transfers() == 0 && invariants::all_final(&self.folder) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(400)).await;
            }
        }
    }

    async fn somebody_waits_for_a_person(&self) -> bool {
        for agent in &self.lane.agents {
            if invariants::waits_for_a_person(self, agent).await {
                return true;
            }
        }
        false
    }

    /// Whether the task has its last answer.
    async fn insist(&mut self, task: usize) -> bool {
        let mut asked = self.program.as_ref().expect("it runs").ask(&self.tasks[task].input);
        let answered = async {
            loop {
                tokio::select! {
                    answer = asked.answer() => return answer,
                    () = tokio::time::sleep(Duration::from_millis(100)) => self.lane.mine(1).await,
                }
            }
        };
        // It goes on without its caller.
        let Ok(answer) = timeout(STEP_MAX, answered).await else { return false };
        let answer = answer.expect("nothing kills it any more");
        self.hear(task, &answer);
        !matches!(Told::read(&answer), Told::NotYet)
    }
}
