-- The same indexes, without lists: SQLite keeps a table of its own for each list of three or more, and makes it anew for every statement
-- that changes a row.
DROP INDEX transfers_open;
CREATE INDEX transfers_open ON transfers (number) WHERE (state = 'reserved' OR state = 'handed_over' OR state = 'signed' OR state = 'broadcast');
DROP INDEX transfers_in_flight;
CREATE UNIQUE INDEX transfers_in_flight ON transfers (wallet, chain_id, nonce)
    WHERE nonce IS NOT NULL AND (state = 'reserved' OR state = 'handed_over' OR state = 'signed' OR state = 'broadcast');
DROP INDEX transfers_recent;
CREATE INDEX transfers_recent ON transfers (agent_id, reserved_at)
    WHERE state <> 'released' AND state <> 'awaiting_review' AND state <> 'granted' AND state <> 'declined';
