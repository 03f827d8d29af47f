-- How many transfers an agent made in each minute (since 1970): the last hour is then sixty rows, however many transfers it had.
CREATE TABLE transfer_minutes (
    agent_id TEXT NOT NULL,
    minute   INTEGER NOT NULL,
    made     INTEGER NOT NULL,
    PRIMARY KEY (agent_id, minute)
) STRICT, WITHOUT ROWID;
INSERT INTO transfer_minutes (agent_id, minute, made)
    SELECT agent_id, reserved_at / 60000000, count(*) FROM transfers
    WHERE state NOT IN ('released', 'awaiting_review', 'granted', 'declined') GROUP BY 1, 2;
