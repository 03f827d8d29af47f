-- Wallets that are held until their book is reconciled with the chain, and what a reconciliation found.

ALTER TABLE transfers ADD COLUMN replaced_by TEXT;                        -- the final transaction, not ours, that has the nonce
ALTER TABLE transfers ADD COLUMN amount_held INTEGER NOT NULL DEFAULT 0;  -- reverted, and its amount reserved until the block is final
ALTER TABLE transfers ADD COLUMN refusal_code TEXT;                       -- of the last time that a granted transfer could not be made
ALTER TABLE transfer_bumps ADD COLUMN cancelled_by TEXT;                  -- it pays nobody and takes the nonce: who wanted that

CREATE TABLE wallet_holds (
    agent_id TEXT PRIMARY KEY,
    reason   TEXT NOT NULL,
    since    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What a wallet moved that its book did not send. `asked_for` is the task that a person was asked about because of it.
CREATE TABLE foreign_payments (
    wallet       TEXT NOT NULL,
    chain_id     TEXT NOT NULL,
    nonce        INTEGER NOT NULL,
    place        INTEGER NOT NULL,
    token        TEXT NOT NULL, -- the contract; empty for the native asset
    recipient    TEXT NOT NULL,
    amount_units TEXT NOT NULL,
    tx_hash      TEXT NOT NULL,
    asked_for    TEXT,
    PRIMARY KEY (wallet, chain_id, nonce, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX foreign_payments_unasked ON foreign_payments (wallet, chain_id, token, recipient, amount_units) WHERE asked_for IS NULL;
