-- Grants, fee bumps, wallets elsewhere, blocks that may vanish, and the kill switch.

ALTER TABLE transfers ADD COLUMN requested_limit_units TEXT;         -- of the caller's budget check
ALTER TABLE transfers ADD COLUMN grant_until INTEGER;                -- a person approved; `review_id` says where
ALTER TABLE transfers ADD COLUMN gas_limit INTEGER;                  -- of the first attempt; further ones are in transfer_bumps
ALTER TABLE transfers ADD COLUMN max_fee_per_gas_wei TEXT;
ALTER TABLE transfers ADD COLUMN max_priority_fee_per_gas_wei TEXT;
ALTER TABLE transfers ADD COLUMN signed_at INTEGER;
ALTER TABLE transfers ADD COLUMN bumps INTEGER NOT NULL DEFAULT 0;
ALTER TABLE transfers ADD COLUMN handed_over_at INTEGER;             -- a wallet elsewhere was asked then,
ALTER TABLE transfers ADD COLUMN handed_over_block INTEGER;          -- when this was the newest block
ALTER TABLE transfers ADD COLUMN mined_hash TEXT;                    -- of the attempt that landed
ALTER TABLE transfers ADD COLUMN final INTEGER NOT NULL DEFAULT 0;   -- its block can no longer vanish
UPDATE transfers SET mined_hash = tx_hash WHERE state IN ('confirmed', 'reverted');

CREATE TABLE transfer_bumps (
    transaction_id               TEXT NOT NULL REFERENCES transfers (transaction_id),
    number                       INTEGER NOT NULL,
    tx_hash                      TEXT NOT NULL,
    raw                          BLOB NOT NULL,
    gas_limit                    INTEGER NOT NULL,
    max_fee_per_gas_wei          TEXT NOT NULL,
    max_priority_fee_per_gas_wei TEXT NOT NULL,
    signed_at                    INTEGER NOT NULL,
    PRIMARY KEY (transaction_id, number)
) STRICT, WITHOUT ROWID;

DROP INDEX transfers_open;
CREATE INDEX transfers_open ON transfers (number) WHERE state IN ('reserved', 'handed_over', 'signed', 'broadcast');
DROP INDEX transfers_in_flight;
CREATE UNIQUE INDEX transfers_in_flight ON transfers (wallet, chain_id, nonce)
    WHERE nonce IS NOT NULL AND state IN ('reserved', 'handed_over', 'signed', 'broadcast');
DROP INDEX transfers_recent;
CREATE INDEX transfers_recent ON transfers (agent_id, reserved_at) WHERE state NOT IN ('released', 'awaiting_review', 'granted', 'declined');
CREATE INDEX transfers_granted ON transfers (number) WHERE state = 'granted';
CREATE INDEX transfers_not_final ON transfers (number) WHERE state IN ('confirmed', 'reverted') AND final = 0;

-- Whom each agent has paid. `look_alike` is what a shortened address shows: its first and last two bytes.
CREATE TABLE payees (
    agent_id   TEXT NOT NULL,
    chain_id   TEXT NOT NULL,
    recipient  TEXT NOT NULL,
    look_alike TEXT NOT NULL,
    PRIMARY KEY (agent_id, chain_id, recipient)
) STRICT, WITHOUT ROWID;
CREATE INDEX payees_alike ON payees (agent_id, look_alike);
INSERT INTO payees (agent_id, chain_id, recipient, look_alike)
    SELECT DISTINCT agent_id, chain_id, recipient, lower(substr(recipient, 3, 4) || substr(recipient, 39, 4))
    FROM transfers WHERE state = 'confirmed';
DROP INDEX transfers_known;

-- `scope` is an agent's id, or '*' for the whole fleet.
CREATE TABLE freezes (
    scope  TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    by     TEXT NOT NULL,
    at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
