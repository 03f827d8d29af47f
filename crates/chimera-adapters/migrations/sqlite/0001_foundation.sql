-- Times are microseconds since 1970 UTC. Nested messages are the JSON of their contract; what queries need beside it has a column.

CREATE TABLE agents (
    id           TEXT PRIMARY KEY,
    soul_source  TEXT NOT NULL,
    soul_version TEXT NOT NULL,
    address      TEXT NOT NULL,
    created_at   INTEGER NOT NULL
) STRICT;

CREATE TABLE ledger (
    number   INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    task_id  TEXT NOT NULL,
    facts    TEXT NOT NULL,
    hash     TEXT NOT NULL
) STRICT;
CREATE INDEX ledger_of_agent ON ledger (agent_id, number);

-- The hash chain shows what was changed; these keep our own code from changing it.
CREATE TRIGGER ledger_stays BEFORE UPDATE ON ledger BEGIN SELECT RAISE(ABORT, 'ledger entries never change'); END;
CREATE TRIGGER ledger_keeps BEFORE DELETE ON ledger BEGIN SELECT RAISE(ABORT, 'ledger entries are never deleted'); END;

CREATE TABLE memories (
    number   INTEGER PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE,
    agent_id TEXT NOT NULL,
    at       INTEGER NOT NULL,
    role     TEXT NOT NULL,
    content  TEXT NOT NULL
) STRICT;
CREATE INDEX memories_of_agent ON memories (agent_id, at, number);

CREATE TABLE items (
    id           INTEGER PRIMARY KEY,
    resource_uri TEXT NOT NULL,
    content_key  TEXT NOT NULL,
    title        TEXT NOT NULL,
    text         TEXT NOT NULL,
    url          TEXT,
    author       TEXT,
    published_at INTEGER,
    seen_at      INTEGER NOT NULL,
    flagged      INTEGER NOT NULL,
    price        REAL,
    at           INTEGER NOT NULL,
    cluster_id   TEXT,
    UNIQUE (resource_uri, content_key)
) STRICT;
CREATE INDEX items_window ON items (resource_uri, at, id);

CREATE TABLE story_alerts (
    agent_id   TEXT NOT NULL,
    cluster_id TEXT NOT NULL,
    items      INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (agent_id, cluster_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE campaigns (
    number        INTEGER PRIMARY KEY,
    campaign_id   TEXT NOT NULL UNIQUE,
    goal          TEXT NOT NULL,
    state_version INTEGER NOT NULL
) STRICT;

CREATE TABLE trend_alerts (
    number      INTEGER PRIMARY KEY,
    event_id    TEXT NOT NULL UNIQUE,
    campaign_id TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    alert       TEXT NOT NULL
) STRICT;
CREATE INDEX trend_alerts_of_campaign ON trend_alerts (campaign_id, created_at, number);

-- `task` is as it was enqueued; what changes afterwards is in columns, and they win.
CREATE TABLE tasks (
    number        INTEGER PRIMARY KEY,
    task_id       TEXT NOT NULL UNIQUE,
    campaign_id   TEXT NOT NULL REFERENCES campaigns (campaign_id),
    priority      INTEGER NOT NULL, -- 0 is the most urgent
    created_at    INTEGER NOT NULL,
    task          TEXT NOT NULL,
    status        TEXT NOT NULL,
    worker_id     TEXT,
    state_version INTEGER NOT NULL,
    attempt       INTEGER NOT NULL,
    feedback      TEXT,
    lease_no      INTEGER NOT NULL DEFAULT 0,
    lease_until   INTEGER,
    blocked_by    INTEGER NOT NULL DEFAULT 0, -- how many of its dependencies are not complete
    abandoned     INTEGER NOT NULL DEFAULT 0 -- complete without its effect
) STRICT;
CREATE INDEX tasks_ready ON tasks (priority, created_at, number) WHERE status = 'pending' AND blocked_by = 0;
CREATE INDEX tasks_leased ON tasks (lease_until) WHERE status = 'in_progress';
CREATE INDEX tasks_of_campaign ON tasks (campaign_id, number);

CREATE TABLE task_dependencies (
    task_id    TEXT NOT NULL REFERENCES tasks (task_id),
    depends_on TEXT NOT NULL REFERENCES tasks (task_id),
    PRIMARY KEY (depends_on, task_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX task_dependencies_of_task ON task_dependencies (task_id);

CREATE TABLE results (
    number      INTEGER PRIMARY KEY,
    result_id   TEXT NOT NULL UNIQUE,
    task_id     TEXT NOT NULL REFERENCES tasks (task_id),
    lease_no    INTEGER NOT NULL,
    result      TEXT NOT NULL,
    decision_id TEXT
) STRICT;
CREATE INDEX results_of_task ON results (task_id);
CREATE INDEX results_undecided ON results (number) WHERE decision_id IS NULL;

-- No reference to tasks: a wallet call from outside is judged too, and its task is not ours.
CREATE TABLE decisions (
    number      INTEGER PRIMARY KEY,
    decision_id TEXT NOT NULL UNIQUE,
    result_id   TEXT UNIQUE REFERENCES results (result_id),
    task_id     TEXT NOT NULL,
    decision    TEXT NOT NULL
) STRICT;
CREATE INDEX decisions_of_task ON decisions (task_id);

CREATE TABLE reviews (
    number    INTEGER PRIMARY KEY,
    review_id TEXT NOT NULL UNIQUE,
    task_id   TEXT NOT NULL,
    review    TEXT NOT NULL,
    status    TEXT NOT NULL -- wins over the one in `review`
) STRICT;
CREATE INDEX reviews_of_task ON reviews (task_id);
CREATE INDEX reviews_pending ON reviews (number) WHERE status = 'pending';

CREATE TABLE posts (
    number      INTEGER PRIMARY KEY,
    post_id     TEXT NOT NULL UNIQUE,
    task_id     TEXT NOT NULL REFERENCES tasks (task_id),
    result_id   TEXT NOT NULL REFERENCES results (result_id),
    campaign_id TEXT NOT NULL,
    agent_id    TEXT NOT NULL,
    platform    TEXT NOT NULL,
    text        TEXT NOT NULL,
    status      TEXT NOT NULL,
    marked_at   INTEGER
) STRICT;
CREATE INDEX posts_of_campaign ON posts (campaign_id, number);
CREATE INDEX posts_waiting ON posts (number) WHERE status = 'approved';
