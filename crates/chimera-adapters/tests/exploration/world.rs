//! One state of the world, and the program on it: the real skill and the real store, with nodes that may do anything.

use super::{
    chain::{ModelChain, Transaction, Truth, freeze},
    oracle::Oracle,
    program::program,
    shelf::{Kept, Shelf},
};
use async_trait::async_trait;
use chimera_core::{
    contracts::failure,
    domain::{
        AgentId,
        freeze::FreezeScope,
        money::{Address, B256, U256},
    },
    ports::{clock::Clock, watched::Watcher},
    skills::{
        NoProgress, Skill, WALLET_TRANSACTION,
        wallet_transaction::{Unsigned, WalletTransaction},
    },
    testing::{fake_clock::ManualClock, fake_signer::FakeSigner},
};
use chrono::TimeDelta;
use serde_json::{Value, json};
use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};
use tokio::sync::Notify;

const START: &str = "2026-11-15T23:00:00Z";
pub const PER_DAY: u64 = 1_000;
pub const AMOUNT: u64 = 600;
const FOREIGN: u64 = 7;

pub fn selam() -> AgentId {
    "selam".parse().unwrap()
}

pub fn address() -> Address {
    FakeSigner::address_of(&selam())
}

fn task_id(task: u8) -> String {
    format!("00000000-0000-4000-8000-0000000000{task:02x}")
}

/// Each task has a recipient of its own, so that a payment on chain says whose it is.
pub fn recipient(task: u8) -> Address {
    Address::repeat_byte(0x10 + task)
}

/// What happens next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    Call(u8),
    Background,
    Mine,
    Unmine,
    Finalize,
    Foreign,
    Freeze,
    Unfreeze,
    Midnight,
    Wait,
    PutBackOldStore,
    Reconcile,
    /// Of the first task.
    Cancel,
}

pub const MOVES: [Move; 14] = [
    Move::Call(1),
    Move::Call(2),
    Move::Background,
    Move::Mine,
    Move::Unmine,
    Move::Finalize,
    Move::Foreign,
    Move::Freeze,
    Move::Unfreeze,
    Move::Midnight,
    Move::Wait,
    Move::PutBackOldStore,
    Move::Reconcile,
    Move::Cancel,
];

/// Everything that a state consists of, with the store closed.
#[derive(Clone)]
pub struct State {
    pub kept: Kept,
    pub truth: Truth,
    pub seconds: i64,
    /// The program was killed, and starts anew with whatever comes next.
    pub must_start: bool,
    /// How often each may still happen on the way from here.
    pub left: Left,
    /// Identifies what the store knows.
    pub book: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Left {
    pub crashes: u8,
    pub foreign: u8,
    pub unmines: u8,
    pub midnights: u8,
    pub waits: u8,
    pub put_backs: u8,
    pub cancels: u8,
}

impl State {
    pub fn identity(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.truth, self.seconds, self.must_start, self.left, self.book).hash(&mut hasher);
        hasher.finish()
    }

    pub fn days(&self) -> u64 {
        1 + u64::from(self.seconds >= 3_600)
    }
}

/// Dies where the oracle says so, before or after any write and any send.
struct Mortal {
    oracle: Arc<Oracle>,
    lives: AtomicU8,
    has_come: Notify,
}

const DEADLY: [&str; 7] = [
    "transfers.reserve",
    "transfers.assign",
    "transfers.record_signed",
    "transfers.record_bump",
    "transfers.mark_broadcast",
    "transfers.settle",
    "chain.broadcast",
];

impl Mortal {
    async fn point(&self, step: &'static str) {
        if !DEADLY.contains(&step) || self.lives.load(Ordering::SeqCst) == 0 {
            return;
        }
        if self.oracle.choose(2) == 1 {
            self.lives.fetch_sub(1, Ordering::SeqCst);
            self.has_come.notify_one();
            std::future::pending::<()>().await;
        }
    }
}

#[async_trait]
impl Watcher for Mortal {
    /// Dead before a write is dead after the one before it.
    async fn before(&self, _: &'static str) {}

    async fn after(&self, step: &'static str) {
        self.point(step).await;
    }
}

/// A state with its store open and a program that runs on it.
pub struct World {
    shelf: Shelf,
    pub chain: Arc<ModelChain>,
    mortal: Arc<Mortal>,
    clock: Arc<ManualClock>,
    program: WalletTransaction,
    pub state: State,
}

/// The very first state: an agent with a wallet, and nothing sent.
pub fn first_state(kept: Kept) -> State {
    let left = Left { crashes: 1, foreign: 1, unmines: 1, midnights: 1, waits: 1, put_backs: 1, cancels: 1 };
    let truth = Truth { freezes_left: 1, ..Truth::default() };
    State { kept, truth, seconds: 0, must_start: false, left, book: 0 }
}

impl World {
    pub async fn open(state: &State, oracle: Arc<Oracle>, is_honest: bool) -> Self {
        let shelf = state.kept.open(address()).await;
        let clock = Arc::new(ManualClock::at(START));
        clock.advance(TimeDelta::seconds(state.seconds));
        let chain = Arc::new(ModelChain {
            truth: std::sync::Mutex::new(state.truth.clone()),
            oracle: oracle.clone(),
            kill_switch: shelf.kill_switch.clone(),
            block_time: START.parse().unwrap(),
            is_honest,
        });
        let lives = AtomicU8::new(if is_honest { 0 } else { state.left.crashes });
        let mortal = Arc::new(Mortal { oracle, lives, has_come: Notify::new() });
        let program = program(&shelf, &chain, &mortal, &clock);
        Self { shelf, chain, mortal, clock, program, state: state.clone() }
    }

    /// Whether it happened at all.
    pub async fn make(&mut self, what: Move) -> bool {
        let left = &mut self.state.left;
        match what {
            Move::Mine => return self.mine(),
            Move::Unmine => {
                let mut truth = self.chain.truth();
                let may = left.unmines > 0 && truth.mined.len() > truth.finalized;
                if may {
                    left.unmines -= 1;
                    truth.mined.pop();
                }
                return may;
            }
            Move::Finalize => {
                let mut truth = self.chain.truth();
                let may = truth.finalized < truth.mined.len();
                truth.finalized = truth.mined.len();
                return may;
            }
            Move::Foreign => {
                let may = left.foreign > 0;
                if may {
                    left.foreign -= 1;
                    self.chain.truth().mine_foreign();
                }
                return may;
            }
            Move::Midnight | Move::Wait => {
                let (left, seconds) = if what == Move::Wait { (&mut left.waits, 60) } else { (&mut left.midnights, 3_600) };
                let may = *left > 0;
                if may {
                    *left -= 1;
                    self.state.seconds += seconds;
                }
                return may;
            }
            _ => {}
        }
        self.make_with_program(what).await
    }

    async fn make_with_program(&mut self, what: Move) -> bool {
        let is_frozen = self.chain.truth().is_frozen;
        match what {
            Move::Freeze if is_frozen || self.chain.truth().freezes_left == 0 => return false,
            Move::Freeze => {
                self.shelf.kill_switch.freeze(&freeze()).await.unwrap();
                let mut truth = self.chain.truth();
                (truth.is_frozen, truth.freezes_left) = (true, truth.freezes_left - 1);
                return true;
            }
            Move::Cancel if self.state.left.cancels == 0 || self.state.must_start => return false,
            Move::Cancel => self.state.left.cancels -= 1,
            Move::Unfreeze if !is_frozen => return false,
            Move::Unfreeze => {
                // Before the switch is off nothing may leave, so it is off first in the model.
                self.chain.truth().is_frozen = false;
                self.shelf.kill_switch.unfreeze(&FreezeScope::Fleet, "hanna", self.clock.now()).await.unwrap();
                return true;
            }
            Move::Reconcile => {
                if self.shelf.book.held(&selam()).await.unwrap().is_none() {
                    return false;
                }
                return self.program.reconcile(&selam(), "hanna").await.is_ok();
            }
            _ => {}
        }
        let must_start = std::mem::take(&mut self.state.must_start);
        let lives_before = self.mortal.lives.load(Ordering::SeqCst);
        tokio::select! {
            () = self.mortal.has_come.notified() => {}
            () = async {
                if must_start {
                    self.program.settle_open(Unsigned::ReleaseAll).await.unwrap();
                }
                match what {
                    Move::Call(task) => self.check_answer(task, &self.call(task).await),
                    Move::Cancel => drop(self.program.cancel(task_id(1).parse().unwrap(), "hanna").await),
                    _ => self.background().await,
                }
            } => {}
        }
        let lives = self.mortal.lives.load(Ordering::SeqCst);
        self.state.left.crashes = lives;
        self.state.must_start = lives < lives_before;
        true
    }

    async fn background(&self) {
        self.program.settle_open(Unsigned::ReleaseExpired).await.unwrap();
        self.program.watch_blocks().await.unwrap();
    }

    pub async fn call(&self, task: u8) -> Value {
        let input = json!({
            "task_id": task_id(task),
            "agent_id": "selam",
            "operation": "native_transfer",
            "params": { "asset": "ETH", "to_address": recipient(task).to_string(), "amount_wei_or_units": AMOUNT.to_string() },
        });
        match self.program.run(&input, &NoProgress).await {
            Ok(body) => body,
            Err(error) => failure::answer(WALLET_TRANSACTION.answer_id, true, &input, error),
        }
    }

    /// Who is told that it is paid can find it on the chain.
    fn check_answer(&self, task: u8, answer: &Value) {
        if answer["success"] == true {
            let tx_hash: B256 = answer["result"]["tx_hash"].as_str().unwrap().parse().unwrap();
            // A settlement may be older than the block that vanished; the background takes it back.
            let is_given = self.chain.truth().given.iter().any(|given| given.tx_hash == tx_hash && given.to == recipient(task));
            assert!(is_given, "task {task} is said to be paid by a transaction that nobody was given");
        }
    }

    fn mine(&self) -> bool {
        let mut truth = self.chain.truth();
        let next = truth.mined.len() as u64;
        let candidates: Vec<Transaction> = truth.given.iter().filter(|given| given.nonce == next).cloned().collect();
        if candidates.is_empty() {
            return false;
        }
        let way = if candidates.len() == 1 { 0 } else { self.chain.oracle.choose(candidates.len()) };
        truth.mined.push(candidates[way].clone());
        true
    }

    /// What must hold in every state.
    pub async fn check(&self) {
        let truth = self.chain.truth().clone();
        assert_eq!(truth.sent_while_frozen, 0, "bytes went out after the switch was on");
        let mut paid = 0;
        for task in [1, 2] {
            let times = truth.mined.iter().filter(|mined| mined.to == recipient(task)).count();
            assert!(times <= 1, "task {task} is paid {times} times");
            paid += times as u64 * AMOUNT;
        }
        assert!(paid <= PER_DAY * self.state.days(), "{paid} is paid, and the limit is {PER_DAY} on each of {} days", self.state.days());
        let can_land: u64 = [1, 2]
            .into_iter()
            .filter(|task| truth.given.iter().any(|given| given.to == recipient(*task) && truth.may_land(given)))
            .map(|_| AMOUNT)
            .sum();
        if self.shelf.kill_switch.frozen(&selam()).await.unwrap().is_none() && !self.state.is_put_back() {
            let held = self.shelf.committed().await;
            assert!(can_land <= held, "{can_land} can land or has landed, and the budget holds {held}");
        }
    }

    /// Everything goes well from here on, and a person does what is asked for: then everything comes to an end, and the books are true.
    pub async fn check_the_end(&mut self) {
        if self.chain.truth().is_frozen {
            self.make(Move::Unfreeze).await;
        }
        self.program.settle_open(Unsigned::ReleaseAll).await.unwrap();
        for _ in 0..4 {
            self.call(1).await;
            self.call(2).await;
            while self.mine() {}
            self.make(Move::Finalize).await;
            self.background().await;
            self.make(Move::Reconcile).await;
        }
        // Whether or not anybody noticed that something is amiss.
        self.program.reconcile(&selam(), "hanna").await.unwrap();
        self.check().await;
        assert_eq!(self.shelf.transfers.open().await.unwrap(), [], "something neither ended nor waits for anybody");
        for task in [1, 2] {
            let answer = self.call(task).await;
            let is_ended = answer["success"] == true || ["replaced", "reverted"].iter().any(|state| answer["details"]["state"] == *state);
            let waits = ["budget_exceeded", "approval_required"].iter().any(|code| answer["error_code"] == *code);
            assert!(is_ended || waits, "task {task}: {answer:#}");
        }
        self.check_books().await;
    }

    async fn check_books(&self) {
        let mut on_ledger = 0_i64;
        for entry in self.shelf.ledger().await {
            let amount = || entry.facts["amount_units"].as_str().unwrap().parse::<i64>().unwrap();
            match (entry.kind.as_str(), entry.facts["state"].as_str()) {
                ("payment", Some("confirmed")) => on_ledger += amount(),
                ("reversal", _) => on_ledger -= amount(),
                _ => {}
            }
        }
        let on_chain: u64 = self.chain.truth().mined.iter().map(|mined| mined.value_wei.to::<u64>()).sum();
        assert_eq!(on_ledger, on_chain as i64, "ledger and chain");
    }

    pub async fn close(self) -> State {
        let mut state = self.state;
        state.book = self.shelf.identity().await;
        state.truth = self.chain.truth().clone();
        drop((self.program, self.chain));
        state.kept = self.shelf.close().await;
        state
    }
}

impl State {
    /// The folder as it was in the beginning, while the chain has gone on.
    pub fn put_back(&self, first: &State) -> Option<State> {
        (self.left.put_backs > 0 && self.book != first.book).then(|| {
            let left = Left { put_backs: 0, ..self.left };
            let truth = Truth { is_frozen: false, ..self.truth.clone() };
            State { kept: first.kept.clone(), book: first.book, must_start: false, left, truth, ..self.clone() }
        })
    }

    fn is_put_back(&self) -> bool {
        self.left.put_backs == 0
    }
}

impl Truth {
    fn mine_foreign(&mut self) {
        let nonce = self.mined.len() as u64;
        let transaction = Transaction {
            nonce,
            tx_hash: B256::repeat_byte(0xf0 + nonce as u8),
            to: Address::repeat_byte(0xee),
            value_wei: U256::from(FOREIGN),
        };
        self.given.push(transaction.clone());
        self.mined.push(transaction);
    }

    /// In a block, or not kept out for good by one that is final.
    fn may_land(&self, transaction: &Transaction) -> bool {
        match self.mined.get(transaction.nonce as usize) {
            Some(mined) if mined == transaction => true,
            Some(_) => transaction.nonce as usize >= self.finalized,
            None => true,
        }
    }
}
