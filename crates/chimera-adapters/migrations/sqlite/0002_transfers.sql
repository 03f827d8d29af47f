-- Amounts are decimal text: a uint256 fits no column of numbers. Chain ids are text too, as they may exceed 63 bits.

CREATE TABLE transfers (
    number         INTEGER PRIMARY KEY,
    transaction_id TEXT NOT NULL UNIQUE,
    task_id        TEXT NOT NULL,
    agent_id       TEXT NOT NULL,
    wallet         TEXT NOT NULL,
    operation      TEXT NOT NULL,
    chain_id       TEXT NOT NULL,
    asset          TEXT NOT NULL,
    token          TEXT, -- the contract; absent for the native asset
    decimals       INTEGER NOT NULL,
    recipient      TEXT NOT NULL,
    amount_units   TEXT NOT NULL,
    named_counter  TEXT,
    reserved_at    INTEGER NOT NULL,
    lease_until    INTEGER NOT NULL,
    state          TEXT NOT NULL, -- awaiting_review, reserved, signed, broadcast, confirmed, reverted, refused, replaced, released
    review_id      TEXT,
    rule           TEXT,
    nonce          INTEGER,
    fee_max_wei    TEXT,
    tx_hash        TEXT,
    raw            BLOB,
    block_number   INTEGER,
    block_time     INTEGER,
    fee_wei        TEXT,
    reason         TEXT
) STRICT;
-- A released transfer was never signed and binds nothing; every other one is its task's only one.
CREATE UNIQUE INDEX transfers_of_task ON transfers (task_id) WHERE state <> 'released';
CREATE INDEX transfers_open ON transfers (number) WHERE state IN ('reserved', 'signed', 'broadcast');
CREATE UNIQUE INDEX transfers_in_flight ON transfers (wallet, chain_id, nonce)
    WHERE nonce IS NOT NULL AND state IN ('reserved', 'signed', 'broadcast');
CREATE INDEX transfers_recent ON transfers (agent_id, reserved_at) WHERE state NOT IN ('released', 'awaiting_review');
CREATE INDEX transfers_known ON transfers (agent_id, chain_id, recipient) WHERE state = 'confirmed';

-- kind 'own': the wallet's counter; 'named': one that callers name; 'fees': all fees of a chain, with empty name and asset.
CREATE TABLE budget_days (
    kind           TEXT NOT NULL,
    name           TEXT NOT NULL,
    chain_id       TEXT NOT NULL,
    asset          TEXT NOT NULL,
    day            TEXT NOT NULL,
    spent_units    TEXT NOT NULL,
    reserved_units TEXT NOT NULL,
    PRIMARY KEY (kind, name, chain_id, asset, day)
) STRICT, WITHOUT ROWID;

-- The first nonce that is not known to be used up on chain.
CREATE TABLE wallet_nonces (
    wallet        TEXT NOT NULL,
    chain_id      TEXT NOT NULL,
    consumed_next INTEGER NOT NULL,
    PRIMARY KEY (wallet, chain_id)
) STRICT, WITHOUT ROWID;
