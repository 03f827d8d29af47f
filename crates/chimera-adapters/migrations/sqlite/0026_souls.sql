-- Every SOUL that an agent had, the present one among them. Of those from before there was this table, the one that they have is the first.
CREATE TABLE souls (
    agent_id     TEXT NOT NULL,
    number       INTEGER NOT NULL, -- 1 is the one that it was made with
    soul_version TEXT NOT NULL,
    soul_source  TEXT NOT NULL,
    by           TEXT,             -- NULL of the first
    at           INTEGER NOT NULL,
    PRIMARY KEY (agent_id, number)
) STRICT;
INSERT INTO souls SELECT id, 1, soul_version, soul_source, NULL, created_at FROM agents;
CREATE TRIGGER first_souls AFTER INSERT ON agents BEGIN
    INSERT INTO souls VALUES (NEW.id, 1, NEW.soul_version, NEW.soul_source, NULL, NEW.created_at);
END;
CREATE TRIGGER souls_stay BEFORE UPDATE ON souls BEGIN SELECT RAISE(ABORT, 'a SOUL of the past never changes'); END;

-- Agents that are retired.
CREATE TABLE retirements (
    agent_id TEXT PRIMARY KEY NOT NULL,
    reason   TEXT NOT NULL,
    by       TEXT NOT NULL,
    at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Whose work stops: an agent's id, or '*' for all.
CREATE VIEW work_stops (scope) AS SELECT scope FROM pauses UNION ALL SELECT agent_id FROM retirements;

CREATE TRIGGER events_of_souls AFTER UPDATE OF soul_version ON agents WHEN NEW.soul_version <> OLD.soul_version BEGIN
    INSERT INTO events (at, kind, state, subject, agent_id) VALUES ((SELECT at FROM present), 'agent', 'soul_changed', NEW.id, NEW.id);
END;
CREATE TRIGGER events_of_retirements AFTER INSERT ON retirements BEGIN
    INSERT INTO events (at, kind, state, subject, agent_id) VALUES ((SELECT at FROM present), 'agent', 'retired', NEW.agent_id, NEW.agent_id);
END;
CREATE TRIGGER events_of_returns AFTER DELETE ON retirements BEGIN
    INSERT INTO events (at, kind, state, subject, agent_id) VALUES ((SELECT at FROM present), 'agent', 'reinstated', OLD.agent_id, OLD.agent_id);
END;
