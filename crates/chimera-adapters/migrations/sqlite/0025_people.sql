-- Who may look and act, answers that take effect in a moment, and changes that are asked for twice. Keys, links and cookies are here as
-- their sha-256 alone.
CREATE TABLE people (
    name         TEXT PRIMARY KEY NOT NULL,
    role         TEXT NOT NULL,
    key          BLOB NOT NULL UNIQUE,
    added_at     INTEGER NOT NULL, -- microseconds since 1970 UTC, as all times here
    last_seen_at INTEGER
) STRICT, WITHOUT ROWID;

-- Browsers that are signed in.
CREATE TABLE devices (
    cookie       BLOB PRIMARY KEY NOT NULL,
    name         TEXT NOT NULL REFERENCES people (name) ON DELETE CASCADE,
    change_key   BLOB NOT NULL,
    signed_in_at INTEGER NOT NULL,
    seen_at      INTEGER NOT NULL,
    until        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX devices_of_person ON devices (name, seen_at);

-- Each signs in once.
CREATE TABLE sign_in_links (
    link  BLOB PRIMARY KEY NOT NULL,
    name  TEXT NOT NULL REFERENCES people (name) ON DELETE CASCADE,
    until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The last answer to each review that was held; the review itself knows nothing of it until it is carried out.
CREATE TABLE held_answers (
    number       INTEGER PRIMARY KEY,
    review_id    TEXT NOT NULL UNIQUE,
    task_id      TEXT NOT NULL,
    agent_id     TEXT,
    by           TEXT NOT NULL,
    answer       TEXT NOT NULL, -- JSON
    effective_at INTEGER NOT NULL,
    state        TEXT NOT NULL, -- held, due (it can no longer be taken back), taken_back, done, failed
    failure      TEXT           -- of a failed one
) STRICT;
CREATE INDEX held_answers_due ON held_answers (effective_at) WHERE state IN ('held', 'due');

-- What was answered to a change, by the key that it came with.
CREATE TABLE idempotency_keys (
    person   TEXT NOT NULL,
    key      TEXT NOT NULL,
    request  BLOB NOT NULL,    -- sha-256 of method, path and body
    begun_at INTEGER NOT NULL,
    status   INTEGER,          -- absent while it is under way
    body     TEXT,
    PRIMARY KEY (person, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_old ON idempotency_keys (begun_at);

CREATE TRIGGER events_of_new_people AFTER INSERT ON people BEGIN
    INSERT INTO events (at, kind, state, subject) VALUES ((SELECT at FROM present), 'person', 'added', NEW.name);
END;
CREATE TRIGGER events_of_removed_people AFTER DELETE ON people BEGIN
    INSERT INTO events (at, kind, state, subject) VALUES ((SELECT at FROM present), 'person', 'removed', OLD.name);
END;
CREATE TRIGGER events_of_sign_ins AFTER INSERT ON devices BEGIN
    INSERT INTO events (at, kind, state, subject) VALUES ((SELECT at FROM present), 'person', 'signed_in', NEW.name);
END;
CREATE TRIGGER events_of_new_held_answers AFTER INSERT ON held_answers BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, agent_id)
        VALUES ((SELECT at FROM present), 'answer', NEW.state, NEW.review_id, NEW.task_id, NEW.agent_id);
END;
CREATE TRIGGER events_of_held_answers AFTER UPDATE OF state ON held_answers WHEN NEW.state <> OLD.state BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, agent_id)
        VALUES ((SELECT at FROM present), 'answer', NEW.state, NEW.review_id, NEW.task_id, NEW.agent_id);
END;
