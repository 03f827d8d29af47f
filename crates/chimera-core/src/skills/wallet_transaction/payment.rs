//! From an asked transfer to signed bytes: idempotency, CFO, reservation, balance, simulation, signature.

use super::{
    Outcome, Wallet, answers,
    in_flight::{Lead, Step},
    request::{self, AskedTransfer},
};
use crate::{
    contracts::{SkillFailure, UuidV4},
    domain::{
        money::{Address, AssetKind, U256},
        transfer::{
            Attempt, Gas, History, NewTransfer, RequestedLimit, Signed, SigningTerms, TransferRecord, TransferRequest, TransferState,
        },
    },
    policy::spending::decide,
    ports::{
        chain::{Call, Prepared},
        chain_directory::ChainEntry,
        signer::{SignedTransaction, SignerError, UnsignedTransaction},
        transfers::{Assignment, Judge, Recorded, Reservation},
    },
};
use chrono::TimeDelta;
use std::{sync::Arc, time::Duration};

impl Wallet {
    pub(super) async fn make_transfer(&self, asked: &AskedTransfer, wallet: Address, lead: &Lead) -> Outcome {
        // Two rounds: the first may find a reservation that a dead process left behind, and release it.
        for _ in 0..2 {
            let existing = self.transfers.find(asked.task_id).await.map_err(|error| answers::store_failed(&error))?;
            let existing = match existing {
                Some(record) if !record.is_granted_at(self.clock.now()) => record,
                Some(record) if !asked.is(&record.transfer.request) => return Err(answers::bound_to_another()),
                found => {
                    // What a person granted keeps the budget check that it came with.
                    let granted = found.map(|record| AskedTransfer::again(&record.transfer));
                    match self.reserve_and_pay(granted.as_ref().unwrap_or(asked), wallet, lead).await? {
                        Paid::Ended(outcome) => return *outcome,
                        Paid::Existing(record) => *record,
                    }
                }
            };
            if let Some(record) = self.wait_for_signature(existing, lead).await? {
                return self.repeat(record, asked, lead).await;
            }
        }
        Err(answers::in_progress())
    }

    async fn reserve_and_pay(&self, asked: &AskedTransfer, wallet: Address, lead: &Lead) -> Result<Paid, SkillFailure> {
        let (entry, asset) = request::resolve(&self.chains, asked.chain, &asked.asset, asked.operation)?;
        let request = TransferRequest {
            agent: asked.agent.clone(),
            wallet,
            operation: asked.operation,
            chain: entry.id,
            asset: asset.clone(),
            to: asked.to,
            amount_units: asked.amount_units,
        };
        let now = self.clock.now();
        let transfer = NewTransfer {
            transaction_id: UuidV4::random(),
            task_id: asked.task_id,
            request,
            requested_limit: asked.requested_limit.clone(),
            reserved_at: now,
            lease_until: now + TimeDelta::milliseconds(self.settings.unsigned_lease_ms.into()),
        };
        let judge = self.judge(&transfer.request, asked.requested_limit.clone());
        match self.transfers.reserve(&transfer, judge).await.map_err(|error| answers::store_failed(&error))? {
            Reservation::Existing(record) => Ok(Paid::Existing(record)),
            Reservation::Asked { review_id, rule, refusal } => {
                let failure = match refusal {
                    Some(refusal) => answers::before_a_person(refusal, review_id),
                    None => answers::approval_required(review_id, &rule),
                };
                Err(failure.repeating(transfer.transaction_id))
            }
            Reservation::Refused(failure) => Err(failure),
            Reservation::Reserved(transfer) => {
                lead.reached(Step::Reserved);
                Ok(Paid::Ended(Box::new(self.pay(&transfer, entry, lead).await)))
            }
        }
    }

    /// The CFO's decision, ready to be made inside the store's transaction.
    fn judge(&self, request: &TransferRequest, requested: Option<RequestedLimit>) -> Judge {
        let policy = self.policies.of(&request.agent).cloned();
        let request = request.clone();
        Arc::new(move |history: &History| {
            answers::verdict(&decide(policy.as_ref(), &request, requested.as_ref(), history), &request, history)
        })
    }

    async fn pay(&self, transfer: &NewTransfer, entry: &ChainEntry, lead: &Lead) -> Outcome {
        let left = match self.sending.get(&transfer.request.agent) {
            Some(wallet) => self.hand_over(transfer, wallet.as_ref(), entry, lead).await,
            None => self.sign(transfer, entry, lead).await.map(TransferState::Signed),
        };
        match left {
            Ok(state) => {
                lead.reached(Step::Signed);
                // A grant has done its work by now; the record in the store has it.
                let record = TransferRecord { transfer: transfer.clone(), grant: None, state };
                self.finish(record, entry, Some(lead)).await
            }
            Err(failure) => {
                let released = self.transfers.release(transfer.transaction_id, &failure, self.clock.now()).await;
                if let Err(error) = released {
                    // The lease runs out, and recovery releases it then: too frugal for a while, never overspent.
                    tracing::error!(error = %error, "a reservation could not be released yet");
                }
                Err(failure)
            }
        }
    }

    async fn sign(&self, transfer: &NewTransfer, entry: &ChainEntry, lead: &Lead) -> Result<Signed, SkillFailure> {
        let request = &transfer.request;
        let call = call_of(request);
        let (terms, prepared) = self.terms(request, &call, entry).await?;
        lead.reached(Step::Simulated);
        let assigned = self.transfers.assign(transfer.transaction_id, &terms).await.map_err(|error| answers::store_failed(&error))?;
        let nonce = assigned_nonce(assigned, request, entry)?;
        if lead.nobody_waits() {
            return Err(answers::cancelled());
        }
        let gas = prepared.gas();
        let attempt = self.attempt(request, call, nonce, gas).await.map_err(|error| answers::signing_failed(&error))?;
        let recorded =
            self.transfers.record_signed(transfer.transaction_id, &attempt).await.map_err(|error| answers::store_failed(&error))?;
        match recorded {
            Recorded::Recorded => Ok(Signed::new(nonce, attempt)),
            Recorded::Frozen(freeze) => Err(answers::frozen(&freeze)),
            Recorded::Refused(problem) => Err(answers::terms_refused(&problem, request, &entry.native.symbol)),
            Recorded::Lost => Err(answers::given_up()),
        }
    }

    /// One signature. Nothing is sent before it is written down.
    pub(super) async fn attempt(&self, request: &TransferRequest, call: Call, nonce: u64, gas: Gas) -> Result<Attempt, SignerError> {
        let unsigned = UnsignedTransaction {
            chain: request.chain,
            nonce,
            to: call.to,
            value_wei: call.value_wei,
            data: call.data,
            gas_limit: gas.limit,
            max_fee_per_gas_wei: gas.max_fee_per_gas_wei,
            max_priority_fee_per_gas_wei: gas.max_priority_fee_per_gas_wei,
        };
        let SignedTransaction { tx_hash, raw } = self.signer.sign(&request.agent, &unsigned).await?;
        Ok(Attempt { tx_hash, raw, gas, signed_at: self.clock.now(), cancelled_by: None })
    }

    /// What the chain says of balance, fee and outcome. A node of another chain is never signed for.
    pub(super) async fn terms(
        &self,
        request: &TransferRequest,
        call: &Call,
        entry: &ChainEntry,
    ) -> Result<(SigningTerms, Prepared), SkillFailure> {
        let chain = &entry.chain;
        let asset_balance = async {
            match request.asset.kind {
                AssetKind::Native => Ok(None),
                AssetKind::Token(_) => chain.balance(request.wallet, &request.asset).await.map(Some),
            }
        };
        let (id, native, asset, prepared) =
            tokio::join!(chain.id(), chain.balance(request.wallet, &entry.native), asset_balance, chain.prepare(request.wallet, call),);
        // First: what a node of another chain says of balances is no news.
        let id = id.map_err(|error| answers::chain_failed(&error))?;
        if id != entry.id {
            return Err(answers::wrong_chain(entry.id, id));
        }
        let (native, asset) = native.and_then(|native| Ok((native, asset?))).map_err(|error| answers::chain_failed(&error))?;
        let asset = asset.unwrap_or(native);
        if asset < request.amount_units {
            return Err(answers::insufficient(&request.asset.symbol, request.amount_units, asset));
        }
        let prepared = prepared.map_err(|error| answers::chain_failed(&error))?;
        let terms = SigningTerms {
            next_nonce: prepared.next_nonce,
            fee_max_wei: prepared.fee_max_wei(&prepared.gas()),
            fee_limits: entry.fee_limits,
            native_balance_wei: native,
            asset_balance_units: asset,
        };
        Ok((terms, prepared))
    }

    /// Waits while another process works on an unsigned reservation. `None`: nothing is left of it.
    async fn wait_for_signature(&self, mut record: TransferRecord, lead: &Lead) -> Result<Option<TransferRecord>, SkillFailure> {
        while record.state == TransferState::Reserved {
            let now = self.clock.now();
            if now >= record.transfer.lease_until {
                let id = record.transfer.transaction_id;
                self.transfers.release(id, &answers::interrupted(), now).await.map_err(|error| answers::store_failed(&error))?;
            } else if lead.nobody_waits() {
                return Err(answers::cancelled());
            } else {
                tokio::time::sleep(Duration::from_millis(self.settings.receipt_poll_max_ms)).await;
            }
            match self.transfers.find(record.transfer.task_id).await.map_err(|error| answers::store_failed(&error))? {
                Some(current) => record = current,
                None => return Ok(None),
            }
        }
        Ok(Some(record))
    }

    /// The outcome of a task that is bound already, brought to its end if it is still under way.
    async fn repeat(&self, record: TransferRecord, asked: &AskedTransfer, lead: &Lead) -> Outcome {
        if !asked.is(&record.transfer.request) {
            return Err(answers::bound_to_another());
        }
        let Some(entry) = self.chains.get(record.transfer.request.chain) else {
            // Its chain was taken out of the configuration; what is known is still told.
            return answers::outcome(&record, None);
        };
        if record.state.is_open() && !self.is_own_node(entry).await {
            return answers::outcome(&record, None);
        }
        self.finish(record, entry, Some(lead)).await
    }
}

enum Paid {
    Ended(Box<Outcome>),
    /// Another process was faster.
    Existing(Box<TransferRecord>),
}

/// The nonce, or why there is none.
pub(super) fn assigned_nonce(assigned: Assignment, request: &TransferRequest, entry: &ChainEntry) -> Result<u64, SkillFailure> {
    match assigned {
        Assignment::Nonce(nonce) => Ok(nonce),
        Assignment::Refused(problem) => Err(answers::terms_refused(&problem, request, &entry.native.symbol)),
        Assignment::Frozen(freeze) => Err(answers::frozen(&freeze)),
        Assignment::Busy => Err(answers::busy()),
        Assignment::Lost => Err(answers::given_up()),
    }
}

/// What takes the nonce and pays nobody: nothing, sent to the wallet itself.
pub(super) fn cancelling_call(request: &TransferRequest) -> Call {
    Call { to: request.wallet, value_wei: U256::ZERO, data: Vec::new() }
}

/// What the wallet calls on chain.
pub(super) fn call_of(request: &TransferRequest) -> Call {
    match request.asset.kind {
        AssetKind::Native => Call { to: request.to, value_wei: request.amount_units, data: Vec::new() },
        AssetKind::Token(contract) => Call { to: contract, value_wei: U256::ZERO, data: erc20_transfer(request.to, request.amount_units) },
    }
}

/// `transfer(address,uint256)`: the selector, and two words.
fn erc20_transfer(to: Address, amount_units: U256) -> Vec<u8> {
    const SELECTOR: [u8; 4] = [0xa9, 0x05, 0x9c, 0xbb];
    [SELECTOR.as_slice(), to.into_word().as_slice(), &amount_units.to_be_bytes::<32>()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        contracts::wallet_transaction::WalletOperation,
        domain::money::{Asset, ChainId},
    };

    #[test]
    fn an_erc20_transfer_is_the_selector_and_two_words() {
        let request = TransferRequest {
            agent: "selam".parse().unwrap(),
            wallet: Address::repeat_byte(1),
            operation: WalletOperation::TokenTransfer,
            chain: ChainId(8453),
            asset: Asset::token("USDC", Address::repeat_byte(0xcc), 6),
            to: Address::repeat_byte(0xbb),
            amount_units: U256::from(258),
        };

        let call = call_of(&request);

        let words = format!("a9059cbb{}{}{:0>64}", "0".repeat(24), "bb".repeat(20), "102");
        assert_eq!(alloy_primitives::hex::encode(&call.data), words);
        assert_eq!((call.to, call.value_wei), (Address::repeat_byte(0xcc), U256::ZERO));
    }
}
