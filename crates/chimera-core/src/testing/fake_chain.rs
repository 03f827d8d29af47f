//! A chain in memory: balances, nonces, a pool and receipts that behave, and answers that misbehave when told to.

use super::fake_signer;
use crate::{
    domain::money::{Address, Asset, AssetKind, B256, ChainId, U256},
    ports::{
        chain::{Call, Chain, ChainError, FoundTransaction, Prepared, Receipt, SendPermit, TokenMovement},
        signer::UnsignedTransaction,
    },
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard},
};

/// Gas and price of every transaction here: the most it can cost, and what it costs.
pub const GAS_LIMIT: u64 = 50_000;
pub const MAX_FEE_PER_GAS_WEI: u128 = 4;
pub const FEE_MAX_WEI: u64 = 200_000;
pub const FEE_WEI: u64 = 100_000;

/// Of every token here.
pub const TOKEN_DECIMALS: u8 = 6;

pub struct FakeChain {
    id: ChainId,
    block_time: DateTime<Utc>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    says_it_is: Option<ChainId>,
    native: HashMap<Address, U256>,
    tokens: HashMap<(Address, Address), U256>,
    next_nonce: HashMap<Address, u64>,
    pool: BTreeMap<(Address, u64), (B256, UnsignedTransaction)>,
    receipts: HashMap<B256, Receipt>,
    /// What was mined, by sender and nonce.
    mined: HashMap<(Address, u64), (B256, UnsignedTransaction)>,
    finalized_block: u64,
    payments: Vec<Payment>,
    mines_on_its_own: bool,
    reverts: bool,
    tokens_say_no: bool,
    faults: HashMap<Method, VecDeque<Fault>>,
    block_number: u64,
}

/// Leave that is always given.
pub fn always_allowed() -> Arc<dyn SendPermit> {
    struct Allowed;

    #[async_trait]
    impl SendPermit for Allowed {
        async fn may_send(&self) -> bool {
            true
        }
    }

    Arc::new(Allowed)
}

/// One movement that is in a block and took effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payment {
    pub from: Address,
    /// `None` is the native asset.
    pub token: Option<Address>,
    pub to: Address,
    pub amount_units: U256,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    Id,
    Balance,
    Prepare,
    Broadcast,
    Receipt,
}

#[derive(Debug, Clone)]
pub enum Fault {
    /// Nothing happens, and this is the answer.
    Instead(ChainError),
    /// It happens, and this is the answer: a node that accepts and then drops the connection.
    After(ChainError),
}

impl FakeChain {
    /// Mines every transaction at once, until told otherwise.
    pub fn new(id: ChainId, block_time: &str) -> Self {
        let state = State { mines_on_its_own: true, block_number: 100, ..State::default() };
        Self { id, block_time: block_time.parse().expect("tests give valid times"), state: Mutex::new(state) }
    }

    pub fn fund(&self, owner: Address, asset: &Asset, amount_units: U256) {
        self.state().credit(owner, asset.kind, amount_units);
    }

    pub fn payments(&self) -> Vec<Payment> {
        self.state().payments.clone()
    }

    pub fn fail(&self, method: Method, fault: Fault) {
        self.state().faults.entry(method).or_default().push_back(fault);
    }

    pub fn say_it_is(&self, id: ChainId) {
        self.state().says_it_is = Some(id);
    }

    /// Accepts into the pool, and mines only on [`FakeChain::mine`].
    pub fn stop_mining(&self) {
        self.state().mines_on_its_own = false;
    }

    pub fn start_mining(&self) {
        self.state().mines_on_its_own = true;
    }

    pub fn mine(&self) {
        self.state().mine(self.block_time);
    }

    /// Every transaction mined from now on reverts.
    pub fn revert_all(&self) {
        self.state().reverts = true;
    }

    /// Token contracts return false from now on, move nothing, and do not revert.
    pub fn make_tokens_say_no(&self) {
        self.state().tokens_say_no = true;
    }

    pub fn empty_pool(&self) {
        self.state().pool.clear();
    }

    /// Takes the newest blocks away, down to `block_number`: what was in them is gone, and not in the pool either.
    pub fn reorganise(&self, block_number: u64) {
        let mut state = self.state();
        let gone: Vec<B256> =
            state.receipts.iter().filter(|(_, receipt)| receipt.block_number > block_number).map(|(hash, _)| *hash).collect();
        for tx_hash in gone {
            let receipt = state.receipts.remove(&tx_hash).expect("listed above");
            let Some((&(from, nonce), _)) = state.mined.iter().find(|(_, (hash, _))| *hash == tx_hash) else { continue };
            let (_, transaction) = state.mined.remove(&(from, nonce)).expect("found above");
            *state.slot(from, AssetKind::Native) += receipt.fee_wei;
            let next = state.next_nonce.entry(from).or_default();
            *next = (*next).min(nonce);
            if receipt.succeeded {
                let payment = read_payment(from, transaction.to, transaction.value_wei, &transaction.data);
                *state.slot(payment.to, payment.kind()) -= payment.amount_units;
                state.credit(from, payment.kind(), payment.amount_units);
                if let Some(index) = state.payments.iter().position(|made| *made == payment) {
                    state.payments.remove(index);
                }
            }
        }
    }

    pub fn finalize(&self, block_number: u64) {
        self.state().finalized_block = block_number;
    }

    /// Another program with the same key sends something else, which lands at once. Returns its hash.
    pub fn send_foreign(&self, owner: Address, to: Address, value_wei: U256) -> B256 {
        let mut state = self.state();
        let nonce = state.next_nonce.get(&owner).copied().unwrap_or_default();
        let gas = (GAS_LIMIT, MAX_FEE_PER_GAS_WEI * 100);
        let transaction = UnsignedTransaction {
            chain: self.id,
            nonce,
            to,
            value_wei,
            data: Vec::new(),
            gas_limit: gas.0,
            max_fee_per_gas_wei: gas.1,
            max_priority_fee_per_gas_wei: gas.1,
        };
        let tx_hash = fake_signer::signed(owner, &transaction).tx_hash;
        state.pool.insert((owner, nonce), (tx_hash, transaction));
        state.mine(self.block_time);
        tx_hash
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no test panics while holding the chain")
    }

    fn unreachable(&self) -> ChainError {
        ChainError::Unreachable { chain: self.id, reason: "cut".to_owned() }
    }

    /// For [`FakeChain::fail`]: a node that cannot be reached.
    pub fn cut(&self) -> Fault {
        Fault::Instead(self.unreachable())
    }
}

impl State {
    fn fault(&mut self, method: Method) -> Option<Fault> {
        self.faults.get_mut(&method)?.pop_front()
    }

    fn balance(&self, owner: Address, kind: AssetKind) -> U256 {
        match kind {
            AssetKind::Native => self.native.get(&owner),
            AssetKind::Token(token) => self.tokens.get(&(token, owner)),
        }
        .copied()
        .unwrap_or_default()
    }

    fn credit(&mut self, owner: Address, kind: AssetKind, amount: U256) {
        *self.slot(owner, kind) += amount;
    }

    fn slot(&mut self, owner: Address, kind: AssetKind) -> &mut U256 {
        match kind {
            AssetKind::Native => self.native.entry(owner).or_default(),
            AssetKind::Token(token) => self.tokens.entry((token, owner)).or_default(),
        }
    }

    /// What the transaction moves, if the sender has it.
    fn payment(&self, from: Address, to: Address, value_wei: U256, data: &[u8]) -> Result<Payment, ChainError> {
        let payment = read_payment(from, to, value_wei, data);
        if self.balance(from, payment.kind()) < payment.amount_units || self.reverts {
            return Err(ChainError::Reverted { reason: "transfer amount exceeds balance".to_owned() });
        }
        Ok(payment)
    }

    fn mine(&mut self, block_time: DateTime<Utc>) {
        loop {
            let next = self.pool.iter().find(|((from, nonce), _)| self.next_nonce.get(from).copied().unwrap_or_default() == *nonce);
            let Some((&(from, nonce), (tx_hash, transaction))) = next.map(|(key, value)| (key, value.clone())) else { return };
            self.pool.remove(&(from, nonce));
            self.next_nonce.insert(from, nonce + 1);
            self.block_number += 1;
            *self.slot(from, AssetKind::Native) -= U256::from(FEE_WEI);
            let payment = self.payment(from, transaction.to, transaction.value_wei, &transaction.data);
            // A token that says no without reverting.
            let moved = payment.clone().ok().filter(|payment| payment.token.is_none() || !self.tokens_say_no);
            let movement = |payment: &Payment| {
                let &Payment { from, token, to, amount_units: units } = payment;
                Some(TokenMovement { token: token?, from, to, units })
            };
            let receipt = Receipt {
                succeeded: payment.is_ok(),
                block_number: self.block_number,
                block_time,
                fee_wei: U256::from(FEE_WEI),
                token_movements: moved.iter().filter_map(movement).collect(),
            };
            self.receipts.insert(tx_hash, receipt);
            self.mined.insert((from, nonce), (tx_hash, transaction));
            if let Some(payment) = moved {
                *self.slot(from, payment.kind()) -= payment.amount_units;
                self.credit(payment.to, payment.kind(), payment.amount_units);
                self.payments.push(payment);
            }
        }
    }

    fn accept(&mut self, chain: ChainId, raw: &[u8], tx_hash: B256) -> Result<(), ChainError> {
        let refused = |reason: &str| Err(ChainError::Refused { chain, reason: reason.to_owned() });
        let Some((from, transaction)) = fake_signer::read(raw) else { return refused("malformed") };
        if transaction.chain != chain {
            return refused("invalid chain id");
        }
        if self.receipts.contains_key(&tx_hash) {
            return Ok(());
        }
        if transaction.nonce < self.next_nonce.get(&from).copied().unwrap_or_default() {
            return Err(ChainError::NonceTaken);
        }
        if self.balance(from, AssetKind::Native) < transaction.value_wei.saturating_add(U256::from(FEE_MAX_WEI)) {
            return refused("insufficient funds");
        }
        match self.pool.get(&(from, transaction.nonce)) {
            Some((pooled, other)) if *pooled != tx_hash && !outbids(&transaction, other) => refused("replacement transaction underpriced"),
            Some(_) | None => {
                self.pool.insert((from, transaction.nonce), (tx_hash, transaction));
                Ok(())
            }
        }
    }
}

fn read_payment(from: Address, to: Address, value_wei: U256, data: &[u8]) -> Payment {
    match data.get(4..68) {
        None => Payment { from, token: None, to, amount_units: value_wei },
        Some(words) => {
            Payment { from, token: Some(to), to: Address::from_slice(&words[12..32]), amount_units: U256::from_be_slice(&words[32..]) }
        }
    }
}

/// As real nodes ask for: a tenth more of both fees.
fn outbids(new: &UnsignedTransaction, old: &UnsignedTransaction) -> bool {
    new.max_fee_per_gas_wei * 10 >= old.max_fee_per_gas_wei * 11
        && new.max_priority_fee_per_gas_wei * 10 >= old.max_priority_fee_per_gas_wei * 11
}

impl Payment {
    fn kind(&self) -> AssetKind {
        self.token.map_or(AssetKind::Native, AssetKind::Token)
    }
}

/// What `act` gives, unless a fault stands in its way.
fn with_fault<T>(fault: Option<Fault>, act: impl FnOnce() -> Result<T, ChainError>) -> Result<T, ChainError> {
    match fault {
        None => act(),
        Some(Fault::Instead(error)) => Err(error),
        Some(Fault::After(error)) => act().and(Err(error)),
    }
}

#[async_trait]
impl Chain for FakeChain {
    async fn id(&self) -> Result<ChainId, ChainError> {
        let mut state = self.state();
        let id = state.says_it_is.unwrap_or(self.id);
        with_fault(state.fault(Method::Id), || Ok(id))
    }

    async fn balance(&self, owner: Address, asset: &Asset) -> Result<U256, ChainError> {
        let mut state = self.state();
        let balance = state.balance(owner, asset.kind);
        with_fault(state.fault(Method::Balance), || Ok(balance))
    }

    async fn decimals(&self, _: Address) -> Result<u8, ChainError> {
        Ok(TOKEN_DECIMALS)
    }

    async fn prepare(&self, from: Address, call: &Call) -> Result<Prepared, ChainError> {
        let mut state = self.state();
        let fault = state.fault(Method::Prepare);
        with_fault(fault, || {
            let mut next_nonce = state.next_nonce.get(&from).copied().unwrap_or_default();
            while state.pool.contains_key(&(from, next_nonce)) {
                next_nonce += 1;
            }
            // What reverts on chain passed its simulation: the state changed in between.
            if !state.reverts {
                state.payment(from, call.to, call.value_wei, &call.data)?;
            }
            Ok(Prepared {
                next_nonce,
                gas_limit: GAS_LIMIT,
                max_fee_per_gas_wei: MAX_FEE_PER_GAS_WEI,
                max_priority_fee_per_gas_wei: 1,
                l1_fee_max_wei: U256::ZERO,
            })
        })
    }

    async fn broadcast(&self, raw: &[u8], tx_hash: B256, permit: Arc<dyn SendPermit>) -> Result<(), ChainError> {
        if !permit.may_send().await {
            return Err(self.unreachable());
        }
        let mut state = self.state();
        let fault = state.fault(Method::Broadcast);
        with_fault(fault, || {
            state.accept(self.id, raw, tx_hash)?;
            if state.mines_on_its_own {
                state.mine(self.block_time);
            }
            Ok(())
        })
    }

    async fn receipt(&self, tx_hash: B256) -> Result<Option<Receipt>, ChainError> {
        let mut state = self.state();
        let receipt = state.receipts.get(&tx_hash).cloned();
        with_fault(state.fault(Method::Receipt), || Ok(receipt))
    }

    async fn confirmed_nonce(&self, owner: Address) -> Result<u64, ChainError> {
        Ok(self.state().next_nonce.get(&owner).copied().unwrap_or_default())
    }

    async fn blocks_of(&self, tx_hashes: &[B256]) -> Result<Vec<Option<u64>>, ChainError> {
        let state = self.state();
        Ok(tx_hashes.iter().map(|tx_hash| state.receipts.get(tx_hash).map(|receipt| receipt.block_number)).collect())
    }

    async fn latest_block(&self) -> Result<u64, ChainError> {
        Ok(self.state().block_number)
    }

    async fn finalized_block(&self) -> Result<u64, ChainError> {
        Ok(self.state().finalized_block)
    }

    async fn transaction_of(&self, owner: Address, nonce: u64, after_block: u64) -> Result<Option<FoundTransaction>, ChainError> {
        let state = self.state();
        let Some((tx_hash, transaction)) = state.mined.get(&(owner, nonce)) else { return Ok(None) };
        let is_later = state.receipts.get(tx_hash).is_some_and(|receipt| receipt.block_number > after_block);
        let call = Call { to: transaction.to, value_wei: transaction.value_wei, data: transaction.data.clone() };
        Ok(is_later.then_some(FoundTransaction { tx_hash: *tx_hash, call }))
    }
}
