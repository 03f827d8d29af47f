//! What the caller is told: one place for every outcome and refusal of a transfer.

use crate::{
    contracts::{
        ErrorCode, SkillFailure, True, UtcTime, UuidV4, Violation,
        wallet_transaction::{WalletOperation, WalletResult, WalletTransactionOutput},
    },
    domain::{
        freeze::{Freeze, FreezeCause},
        money::{Address, Asset, B256, ChainId, U256},
        transfer::{
            History, LOOK_ALIKE, Mined, OverLimit, Sent, Shortage, Signed, SignedFailure, TermsProblem, TransferRecord, TransferRequest,
            TransferState, Verdict,
        },
    },
    policy::spending::{Rule, SpendingDecision, compared},
    ports::ledger::CONTRADICTED_WAY_ON,
    ports::{
        StoreError,
        chain::ChainError,
        sending_wallet::{SendingWalletError, WalletDetails},
        signer::SignerError,
    },
};

/// The answer that every call of the task gets, as far as the record goes. `balance` is the asset's, where it could be read.
pub(super) fn outcome(record: &TransferRecord, balance: Option<U256>) -> Result<WalletTransactionOutput, SkillFailure> {
    let transfer = &record.transfer;
    let failure = match &record.state {
        TransferState::Confirmed { mined, .. } => {
            return Ok(WalletTransactionOutput {
                success: True,
                transaction_id: transfer.transaction_id,
                task_id: transfer.task_id,
                agent_id: transfer.request.agent.to_string(),
                operation: transfer.request.operation,
                result: confirmed(mined, balance),
            });
        }
        TransferState::AwaitingReview { review_id, rule } if rule == LOOK_ALIKE => {
            before_a_person(not_approved(Rule::LookAlike), *review_id)
        }
        TransferState::AwaitingReview { review_id, rule } => approval_required(*review_id, rule),
        TransferState::Granted => not_approved(Rule::GrantExpired),
        TransferState::Declined { reason } => not_approved(Rule::Declined).with("reason", reason),
        TransferState::Reserved | TransferState::Released => in_progress(),
        TransferState::Signed(Signed { replaced_by: Some(by), .. }) | TransferState::Broadcast(Signed { replaced_by: Some(by), .. }) => {
            replaced(*by)
        }
        TransferState::Signed(signed) | TransferState::Broadcast(signed) => unknown(Some(signed.last().tx_hash)),
        TransferState::HandedOver(_) => unknown(None),
        TransferState::Reverted { mined, reason, .. } => SkillFailure::new(
            ErrorCode::RpcError,
            format!(
                "the transaction reverted in block {}: {reason}; only its fee was spent, and this task is not paid again",
                mined.block_number
            ),
        )
        .with("state", "reverted")
        .with("reason", reason)
        .with("tx_hash", mined.tx_hash.to_string())
        .with("block_number", mined.block_number.to_string()),
        TransferState::Failed { sent, failure } => failed(sent, failure),
    };
    Err(failure.repeating(transfer.transaction_id))
}

fn confirmed(mined: &Mined, balance: Option<U256>) -> WalletResult {
    WalletResult {
        balance_wei_or_units: balance.map(|units| units.to_string()),
        balance_formatted: None,
        tx_hash: Some(mined.tx_hash.to_string()),
        block_number: Some(mined.block_number.to_string()),
        executed_at: UtcTime(mined.block_time),
    }
}

fn failed(sent: &Sent, failure: &SignedFailure) -> SkillFailure {
    let (state, message) = match failure {
        SignedFailure::Refused { reason } => {
            ("refused", format!("the transfer was refused and nothing was sent: {reason}; a new task may try again"))
        }
        SignedFailure::GivenUp { reason } => {
            ("given_up", format!("the wallet was asked to pay, nothing showed on the chain, and a person gave it up: {reason}"))
        }
        SignedFailure::Replaced => (
            "replaced",
            "another transaction of this wallet used the nonce, so this transfer can never land; a new task may try again".to_owned(),
        ),
    };
    let failure = SkillFailure::new(ErrorCode::RpcError, message).with("state", state);
    match sent.tx_hash() {
        Some(tx_hash) => failure.with("tx_hash", tx_hash.to_string()),
        None => failure,
    }
}

/// For as long as nobody has reconciled: what was sent instead may be this very payment, made by another copy of the store.
fn replaced(by: B256) -> SkillFailure {
    SkillFailure::new(
        ErrorCode::RpcError,
        format!(
            "another transaction of this wallet, {by}, which this book did not send, has used the nonce, so this transfer cannot land as it \
             is; it is never signed again, and the wallet is held until an operator has run `chimera wallet reconcile` for this agent"
        ),
    )
    .with("state", "replaced")
    .with("replaced_by", by.to_string())
}

/// A refusal that a person can lift.
pub(super) fn before_a_person(refusal: SkillFailure, review_id: UuidV4) -> SkillFailure {
    let message = format!("{}; it waits as review {review_id}, and nothing is sent", refusal.message);
    SkillFailure { message, ..refusal }.with("review_id", review_id)
}

pub(super) fn approval_required(review_id: UuidV4, rule: &str) -> SkillFailure {
    SkillFailure::new(
        ErrorCode::ApprovalRequired,
        format!(
            "the policy wants a person for this transfer (rule {rule}); it waits as review {review_id}, and nothing is sent. \
             Once it is approved (`chimera review approve {review_id} --reviewer NAME`) it is made, and the same call returns it"
        ),
    )
    .with("review_id", review_id)
    .with("rule", rule)
}

pub(super) fn unknown(tx_hash: Option<B256>) -> SkillFailure {
    let failure = SkillFailure::new(
        ErrorCode::RpcError,
        "the transaction is under way and may have landed, but is not confirmed yet; it is settled in the background: \
         repeat the call with the same task_id, never with a new one",
    )
    .with("state", "unknown");
    match tx_hash {
        Some(tx_hash) => failure.with("tx_hash", tx_hash.to_string()),
        None => failure,
    }
}

pub(super) fn node_away(chain: ChainId) -> SkillFailure {
    SkillFailure::new(
        ErrorCode::RpcError,
        format!("the node of chain {chain} cannot be reached, or serves another chain; nothing was signed"),
    )
    .with("state", "unreachable")
}

/// Of one that no node takes: refused is not the same as never to land.
pub(super) fn refused_for_now(unknown: SkillFailure, reason: &str) -> SkillFailure {
    let message = format!(
        "no node takes the transaction now ({reason}); whoever was given it may still land it, so its budget stays reserved and it is tried \
         again in the background: repeat the call with the same task_id, never with a new one"
    );
    SkillFailure { message, ..unknown }.with("reason", reason)
}

pub(super) fn in_progress() -> SkillFailure {
    SkillFailure::new(ErrorCode::RpcError, "another call is making this transfer right now; repeat the call with the same task_id")
        .with("state", "in_progress")
}

pub(super) fn bound_to_another() -> SkillFailure {
    let problem = "belongs to another transfer, which cannot be changed; use a new task_id for this one";
    SkillFailure::violations(ErrorCode::InvalidInput, &[Violation::new("/task_id", problem)])
}

/// What the CFO's decision means for the store and for the caller.
pub(super) fn verdict(decision: &SpendingDecision, request: &TransferRequest, history: &History) -> Verdict {
    match (decision, &history.freeze) {
        (SpendingDecision::Approve, _) => Verdict::Approve,
        (SpendingDecision::Ask(rule), _) => Verdict::Ask { rule: rule.as_str().to_owned(), reason: rule.explanation().to_owned() },
        (SpendingDecision::Suspect { known }, _) => {
            let rule = Rule::LookAlike;
            let reason = format!("{}: {}", rule.explanation(), compared(*known, request.to));
            let refusal = not_approved(rule).with("known_payee", known.to_checksum(None));
            Verdict::Hold { rule: rule.as_str().to_owned(), reason, refusal }
        }
        (SpendingDecision::Refuse(Rule::Frozen | Rule::WalletHeld | Rule::LedgerContradicted), Some(freeze)) => {
            Verdict::Refuse(frozen(freeze))
        }
        (SpendingDecision::Refuse(rule), _) => Verdict::Refuse(not_approved(*rule)),
        (SpendingDecision::OverLimit(over), _) => Verdict::Refuse(budget_exceeded(over, &request.asset.symbol)),
    }
}

pub(super) fn frozen(freeze: &Freeze) -> SkillFailure {
    let since = UtcTime(freeze.at);
    match freeze.cause {
        FreezeCause::KillSwitch => {
            SkillFailure::new(ErrorCode::NotApproved, format!("spending of {} is frozen since {since}: {}", freeze.scope, freeze.reason))
                .with("rule", Rule::Frozen.as_str())
                .with("frozen_by", &freeze.by)
        }
        FreezeCause::Retired => SkillFailure::new(
            ErrorCode::NotApproved,
            format!("{} is retired since {since} and pays nothing: {}", freeze.scope, freeze.reason),
        )
        .with("rule", Rule::Frozen.as_str())
        .with("retired_by", &freeze.by),
        FreezeCause::Unreconciled => held(&freeze.reason).with("held_since", since),
        FreezeCause::LedgerContradicted => SkillFailure::new(
            ErrorCode::NotApproved,
            format!("nothing is paid: {}. An operator must act: {CONTRADICTED_WAY_ON}", freeze.reason),
        )
        .with("rule", Rule::LedgerContradicted.as_str())
        .with("reason", &freeze.reason),
    }
}

/// A wallet whose book and chain disagree, or may.
pub(super) fn held(reason: &str) -> SkillFailure {
    SkillFailure::new(
        ErrorCode::NotApproved,
        format!("the wallet is held: {reason}. Nothing is sent until an operator has run `chimera wallet reconcile` for this agent"),
    )
    .with("rule", Rule::WalletHeld.as_str())
    .with("reason", reason)
}

/// A wallet elsewhere that has not come to an end with its last payment.
pub(super) fn busy() -> SkillFailure {
    SkillFailure::new(
        ErrorCode::RpcError,
        "another transfer of this agent's wallet is not settled yet, and this wallet takes one at a time; try again when it is",
    )
    .with("state", "busy")
}

pub(super) fn wallet_failed(error: &SendingWalletError) -> SkillFailure {
    tracing::warn!(error = %error, "the agent's wallet could not be asked");
    SkillFailure::new(ErrorCode::RpcError, format!("{error}; nothing was sent")).with("state", "unreachable")
}

pub(super) fn wrong_wallet(expected: Address, found: WalletDetails, chain: ChainId) -> SkillFailure {
    SkillFailure::new(
        ErrorCode::RpcError,
        format!(
            "the agent's wallet is {expected}, but the wallet it is configured to use is {} on chain {}, and chain {chain} was asked for; \
             nothing was sent",
            found.address, found.chain
        ),
    )
    .with("state", "wrong_wallet")
}

pub(super) fn wrong_decimals(asset: &Asset, found: u8) -> SkillFailure {
    let Asset { symbol, decimals, .. } = asset;
    SkillFailure::new(
        ErrorCode::RpcError,
        format!(
            "{symbol} has {decimals} decimals in the configuration and {found} on the chain, and this agent's wallet counts in whole units; \
             mend the configuration; nothing was sent"
        ),
    )
    .with("state", "wrong_decimals")
}

pub(super) fn not_approved(rule: Rule) -> SkillFailure {
    SkillFailure::new(ErrorCode::NotApproved, rule.explanation()).with("rule", rule.as_str())
}

fn budget_exceeded(over: &OverLimit, asset: &str) -> SkillFailure {
    let OverLimit { counter, limit_units, spent_units, reserved_units, asked_units } = over;
    SkillFailure::new(
        ErrorCode::BudgetExceeded,
        format!(
            "{asked_units} asked of {asset}, but {counter} allows {limit_units} with {spent_units} spent and {reserved_units} reserved"
        ),
    )
    .with("counter", counter)
    .with("limit_units", limit_units.to_string())
    .with("spent_units", spent_units.to_string())
    .with("reserved_units", reserved_units.to_string())
    .with("asked_units", asked_units.to_string())
}

pub(super) fn insufficient(symbol: &str, needed_units: U256, available_units: U256) -> SkillFailure {
    SkillFailure::new(
        ErrorCode::InsufficientBalance,
        format!("{needed_units} of {symbol} needed with the fee, {available_units} available; top the wallet up or send less"),
    )
    .with("asset", symbol)
    .with("needed_units", needed_units.to_string())
    .with("available_units", available_units.to_string())
}

pub(super) fn terms_refused(problem: &TermsProblem, request: &TransferRequest, native_symbol: &str) -> SkillFailure {
    match problem {
        TermsProblem::OverFeeLimit(over) => budget_exceeded(over, native_symbol),
        TermsProblem::Insufficient { of, needed_units, available_units } => {
            let symbol = match of {
                Shortage::Asset => &request.asset.symbol,
                Shortage::Fee => native_symbol,
            };
            insufficient(symbol, *needed_units, *available_units)
        }
    }
}

/// An error before anything was signed. What the node said is for the caller; where the node is, is not.
pub(super) fn chain_failed(error: &ChainError) -> SkillFailure {
    let (message, reason) = match error {
        ChainError::Unreachable { chain, reason } => {
            tracing::warn!(%chain, reason, "the node of chain {chain} could not be reached");
            return SkillFailure::new(
                ErrorCode::RpcError,
                format!("the node of chain {chain} could not be reached; nothing was sent: try again"),
            )
            .with("state", "unreachable");
        }
        ChainError::Reverted { reason } => {
            return SkillFailure::new(ErrorCode::RpcError, format!("the transfer would revert, so nothing was sent: {reason}"))
                .with("state", "would_revert")
                .with("reason", reason);
        }
        ChainError::Refused { chain, reason } => (format!("the node of chain {chain} refused: {reason}"), reason.clone()),
        ChainError::Unknown { reason } => (format!("the node did not answer as expected: {reason}"), reason.clone()),
        ChainError::NonceTaken => ("the wallet's nonce is in use".to_owned(), "nonce taken".to_owned()),
    };
    SkillFailure::new(ErrorCode::RpcError, message).with("state", "refused").with("reason", reason)
}

pub(super) fn wrong_chain(expected: ChainId, found: ChainId) -> SkillFailure {
    not_approved(Rule::ChainIdMismatch).with("chain_id", expected.to_string()).with("node_chain_id", found.to_string())
}

pub(super) fn signing_failed(error: &SignerError) -> SkillFailure {
    match error {
        SignerError::Locked | SignerError::WrongPassphrase | SignerError::WeakPassphrase { .. } | SignerError::NoKey(_) => {
            SkillFailure::new(ErrorCode::InternalError, format!("{error}; nothing was sent"))
        }
        SignerError::Remote { reason } => SkillFailure::new(ErrorCode::ProviderError, format!("{reason}; nothing was sent")),
        SignerError::RateLimited { reason } => SkillFailure::new(ErrorCode::RateLimited, format!("{reason}; nothing was sent")),
        SignerError::Failed(source) => {
            tracing::error!(error = %source, "the keystore failed to sign");
            SkillFailure::internal()
        }
    }
}

pub(super) fn store_failed(error: &StoreError) -> SkillFailure {
    tracing::error!(error = %error, source = std::error::Error::source(error).map(tracing::field::display), "the store failed in a wallet call");
    match error {
        StoreError::NotWritable { hint, .. } => {
            SkillFailure::new(ErrorCode::InternalError, format!("the store cannot be written ({hint}), so no transfer is made"))
        }
        StoreError::Failed(_) | StoreError::Corrupt(_) | StoreError::Closed => SkillFailure::internal(),
    }
}

pub(super) fn cancelled() -> SkillFailure {
    SkillFailure::new(ErrorCode::Cancelled, "the caller went away before anything was signed; nothing was sent")
}

/// For the ledger: why a reservation that nobody works on any more was given up.
pub(super) fn interrupted() -> SkillFailure {
    SkillFailure::new(ErrorCode::Cancelled, "the program ended before anything was signed; the budget was released")
}

pub(super) fn given_up() -> SkillFailure {
    SkillFailure::new(ErrorCode::RpcError, "the reservation ran out before the transfer could be signed; nothing was sent: try again")
        .with("state", "released")
}

pub(super) fn is_transfer(operation: WalletOperation) -> bool {
    match operation {
        WalletOperation::GetBalance => false,
        WalletOperation::NativeTransfer | WalletOperation::TokenTransfer => true,
    }
}
