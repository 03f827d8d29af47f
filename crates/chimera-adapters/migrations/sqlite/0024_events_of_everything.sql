-- Events of everything that people look at, and what their views are read from: indexes to page by, and sums that no view could make of a
-- long history.

-- What a view filters and sorts reviews by, out of their JSON.
ALTER TABLE reviews ADD COLUMN agent_id TEXT NOT NULL DEFAULT '';
ALTER TABLE reviews ADD COLUMN kind TEXT NOT NULL DEFAULT 'content'; -- content, money, stuck, unknown_post
ALTER TABLE reviews ADD COLUMN closed_at INTEGER;                    -- when it stopped waiting
UPDATE reviews SET agent_id = json_extract(review, '$.agent_id'),
    kind = CASE WHEN review_id IN (SELECT review_id FROM posts WHERE review_id IS NOT NULL) THEN 'unknown_post'
        WHEN json_extract(review, '$.transaction') IS NOT NULL THEN 'money'
        WHEN json_extract(review, '$.artifact') IS NULL THEN 'stuck' ELSE 'content' END,
    closed_at = CASE WHEN status <> 'pending'
        THEN ifnull(CAST(unixepoch(json_extract(answer, '$.reviewed_at'), 'subsec') * 1000000 AS INTEGER), asked_at) END;
CREATE INDEX reviews_pending_by_agent ON reviews (agent_id, number) WHERE status = 'pending';
CREATE INDEX reviews_pending_by_kind ON reviews (kind, number) WHERE status = 'pending';
CREATE INDEX reviews_closed ON reviews (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX reviews_closed_by_agent ON reviews (agent_id, closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX reviews_closed_by_kind ON reviews (kind, closed_at) WHERE closed_at IS NOT NULL;

ALTER TABLE trend_alerts ADD COLUMN agent_id TEXT NOT NULL DEFAULT '';
UPDATE trend_alerts SET agent_id = json_extract(alert, '$.agent_id');
CREATE INDEX trend_alerts_by_number ON trend_alerts (campaign_id);
CREATE INDEX items_of_story ON items (cluster_id, at) WHERE cluster_id IS NOT NULL;

-- Everything of the fleet's list that is in the agents' rows, without their SOULs.
CREATE INDEX agents_at_a_glance ON agents (id, soul_version, address);
-- An agent is in a campaign from its beginning to its end.
CREATE TABLE campaign_agents (
    campaign_id TEXT NOT NULL,
    agent_id    TEXT NOT NULL,
    PRIMARY KEY (campaign_id, agent_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX campaigns_of_agent ON campaign_agents (agent_id);
INSERT OR IGNORE INTO campaign_agents SELECT campaign_id, value FROM campaigns, json_each(goal, '$.agent_ids');

-- How many tasks a campaign ever had, and how they ended.
CREATE TABLE campaign_totals (
    campaign_id TEXT PRIMARY KEY NOT NULL,
    planned     INTEGER NOT NULL DEFAULT 0,
    complete    INTEGER NOT NULL DEFAULT 0,
    given_up    INTEGER NOT NULL DEFAULT 0,
    published   INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO campaign_totals SELECT campaign_id, (SELECT count(*) FROM tasks WHERE tasks.campaign_id = campaigns.campaign_id),
    (SELECT count(*) FROM tasks WHERE tasks.campaign_id = campaigns.campaign_id AND status = 'complete'),
    (SELECT count(*) FROM tasks WHERE tasks.campaign_id = campaigns.campaign_id AND status = 'given_up'),
    (SELECT count(*) FROM posts WHERE posts.campaign_id = campaigns.campaign_id AND status = 'published') FROM campaigns;
CREATE TRIGGER totals_of_new_campaigns AFTER INSERT ON campaigns BEGIN
    INSERT INTO campaign_totals (campaign_id) VALUES (NEW.campaign_id);
END;
CREATE TRIGGER totals_of_new_tasks AFTER INSERT ON tasks BEGIN
    UPDATE campaign_totals SET planned = planned + 1 WHERE campaign_id = NEW.campaign_id;
END;
CREATE TRIGGER totals_of_complete_tasks AFTER UPDATE OF status ON tasks WHEN NEW.status = 'complete' AND OLD.status <> 'complete' BEGIN
    UPDATE campaign_totals SET complete = complete + 1 WHERE campaign_id = NEW.campaign_id;
END;
CREATE TRIGGER totals_of_given_up_tasks AFTER UPDATE OF status ON tasks WHEN NEW.status = 'given_up' AND OLD.status <> 'given_up' BEGIN
    UPDATE campaign_totals SET given_up = given_up + 1 WHERE campaign_id = NEW.campaign_id;
END;
CREATE TRIGGER totals_of_posts AFTER UPDATE OF status ON posts WHEN NEW.status = 'published' AND OLD.status <> 'published' BEGIN
    UPDATE campaign_totals SET published = published + 1 WHERE campaign_id = NEW.campaign_id;
END;

-- The newest failure of each agent's Workers. `last_post` is the number of its newest post then: a later one makes it good.
CREATE TABLE failures (
    agent_id    TEXT PRIMARY KEY NOT NULL,
    task_number INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    reason      TEXT NOT NULL,
    is_final    INTEGER NOT NULL, -- no attempt is left
    last_post   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Whose returned tasks they are, from the index alone.
DROP INDEX tasks_returned;
CREATE INDEX tasks_returned ON tasks (campaign_id, number, agent_id) WHERE status = 'returned';

-- A counter says in which units it counts; NULL where nobody told. Of a day, all agents' counters stand together.
ALTER TABLE budget_days ADD COLUMN decimals INTEGER;
UPDATE budget_days SET decimals = known.decimals
    FROM (SELECT chain_id, asset, max(decimals) AS decimals FROM transfers GROUP BY chain_id, asset) AS known
    WHERE budget_days.chain_id = known.chain_id AND budget_days.asset = known.asset;
CREATE INDEX budget_days_of_day ON budget_days (day, kind);
-- Confirmed payments to each payee.
ALTER TABLE payees ADD COLUMN payments INTEGER NOT NULL DEFAULT 0;
UPDATE payees SET payments = made.payments
    FROM (SELECT agent_id, chain_id, recipient, count(*) AS payments FROM transfers WHERE state = 'confirmed' GROUP BY 1, 2, 3) AS made
    WHERE payees.agent_id = made.agent_id AND payees.chain_id = made.chain_id AND payees.recipient = made.recipient;
CREATE INDEX transfers_of_agent ON transfers (agent_id);
CREATE INDEX ledger_of_task ON ledger (task_id) WHERE task_id <> '';

-- Rows have numbers to page by. None is ever deleted.
CREATE TABLE new_calendar (
    number        INTEGER PRIMARY KEY,
    entry_id      TEXT NOT NULL UNIQUE,
    campaign_id   TEXT NOT NULL,
    at            INTEGER NOT NULL, -- microseconds since 1970 UTC, when its task is made
    about         TEXT,
    agent_id      TEXT,
    platform      TEXT,
    content_type  TEXT NOT NULL,
    resource_uris TEXT NOT NULL,    -- JSON list
    status        TEXT NOT NULL,
    reason        TEXT
) STRICT;
INSERT INTO new_calendar (entry_id, campaign_id, at, about, agent_id, platform, content_type, resource_uris, status, reason)
    SELECT entry_id, campaign_id, at, about, agent_id, platform, content_type, resource_uris, status, reason FROM calendar ORDER BY at;
DROP TABLE calendar;
ALTER TABLE new_calendar RENAME TO calendar;
CREATE INDEX calendar_waiting ON calendar (at) WHERE status = 'waiting';
CREATE INDEX calendar_of_campaign ON calendar (campaign_id, at);
CREATE INDEX calendar_by_time ON calendar (at);

-- The story of a task is read from its events. They are found by its number, which rises: the index grows at its end.
ALTER TABLE events ADD COLUMN task_number INTEGER;
DROP TRIGGER events_stay;
UPDATE events SET task_number = (SELECT tasks.number FROM tasks WHERE tasks.task_id = events.task_id) WHERE task_id IS NOT NULL;
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events never change'); END;
CREATE INDEX events_of_task ON events (task_number) WHERE task_number IS NOT NULL;
CREATE INDEX events_of_campaigns ON events (campaign_id) WHERE kind = 'campaign';

-- Whose a decision is that has no task of ours.
ALTER TABLE decisions ADD COLUMN agent_id TEXT;
CREATE INDEX decisions_of_other_tasks ON decisions (task_id) WHERE task_number IS NULL;

DROP TRIGGER events_of_new_tasks;
DROP TRIGGER events_of_tasks;
DROP TRIGGER events_of_decisions;
DROP TRIGGER events_of_new_reviews;
DROP TRIGGER events_of_reviews;
DROP TRIGGER events_of_new_posts;
DROP TRIGGER events_of_posts;
DROP TRIGGER events_of_new_payments;
DROP TRIGGER events_of_payments;

-- As before, with the task's number, and with agent and campaign wherever they are known.
CREATE TRIGGER events_of_new_tasks AFTER INSERT ON tasks BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, task_number, campaign_id, agent_id, attempt)
        VALUES ((SELECT at FROM present), 'task', NEW.status, NEW.task_id, NEW.task_id, NEW.number, NEW.campaign_id, NEW.agent_id, NEW.attempt);
END;
CREATE TRIGGER events_of_tasks AFTER UPDATE OF status ON tasks WHEN NEW.status <> OLD.status OR NEW.lease_no <> OLD.lease_no BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, task_number, campaign_id, agent_id, attempt)
        VALUES ((SELECT at FROM present), 'task', NEW.status, NEW.task_id, NEW.task_id, NEW.number, NEW.campaign_id, NEW.agent_id, NEW.attempt);
END;
CREATE TRIGGER events_of_decisions AFTER INSERT ON decisions BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, task_number, campaign_id, agent_id)
        VALUES ((SELECT at FROM present), 'decision', NEW.verdict, ifnull(NEW.result_id, NEW.decision_id), NEW.task_id, NEW.task_number,
            (SELECT campaign_id FROM tasks WHERE number = NEW.task_number),
            ifnull(NEW.agent_id, (SELECT agent_id FROM tasks WHERE number = NEW.task_number)));
END;
CREATE TRIGGER events_of_new_reviews AFTER INSERT ON reviews BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, task_number, campaign_id, agent_id)
        VALUES ((SELECT at FROM present), 'review', NEW.status, NEW.review_id, NEW.task_id, (SELECT number FROM tasks WHERE task_id = NEW.task_id),
            (SELECT campaign_id FROM tasks WHERE task_id = NEW.task_id), NEW.agent_id);
END;
CREATE TRIGGER events_of_reviews AFTER UPDATE OF status ON reviews WHEN NEW.status <> OLD.status BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, task_number, campaign_id, agent_id)
        VALUES ((SELECT at FROM present), 'review', NEW.status, NEW.review_id, NEW.task_id, (SELECT number FROM tasks WHERE task_id = NEW.task_id),
            (SELECT campaign_id FROM tasks WHERE task_id = NEW.task_id), NEW.agent_id);
END;
CREATE TRIGGER events_of_new_posts AFTER INSERT ON posts BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, task_number, campaign_id, agent_id)
        VALUES ((SELECT at FROM present), 'post', NEW.status, NEW.post_id, NEW.task_id, NEW.task_number, NEW.campaign_id, NEW.agent_id);
END;
CREATE TRIGGER events_of_posts AFTER UPDATE OF status ON posts WHEN NEW.status <> OLD.status BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, task_number, campaign_id, agent_id)
        VALUES ((SELECT at FROM present), 'post', NEW.status, NEW.post_id, NEW.task_id, NEW.task_number, NEW.campaign_id, NEW.agent_id);
END;
CREATE TRIGGER events_of_new_payments AFTER INSERT ON transfers BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, task_number, campaign_id, agent_id)
        VALUES ((SELECT at FROM present), 'payment', NEW.state, NEW.transaction_id, NEW.task_id, (SELECT number FROM tasks WHERE task_id = NEW.task_id),
            (SELECT campaign_id FROM tasks WHERE task_id = NEW.task_id), NEW.agent_id);
END;
CREATE TRIGGER events_of_payments AFTER UPDATE OF state ON transfers WHEN NEW.state <> OLD.state BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, task_number, campaign_id, agent_id)
        VALUES ((SELECT at FROM present), 'payment', NEW.state, NEW.transaction_id, NEW.task_id, (SELECT number FROM tasks WHERE task_id = NEW.task_id),
            (SELECT campaign_id FROM tasks WHERE task_id = NEW.task_id), NEW.agent_id);
END;

-- A stop's subject is its scope: an agent's id, or '*' for the whole fleet.
CREATE TRIGGER events_of_freezes AFTER INSERT ON freezes BEGIN
    INSERT INTO events (at, kind, state, subject, agent_id)
        VALUES ((SELECT at FROM present), 'stop', 'frozen', NEW.scope, CASE WHEN NEW.scope <> '*' THEN NEW.scope END);
END;
CREATE TRIGGER events_of_unfreezes AFTER DELETE ON freezes BEGIN
    INSERT INTO events (at, kind, state, subject, agent_id)
        VALUES ((SELECT at FROM present), 'stop', 'unfrozen', OLD.scope, CASE WHEN OLD.scope <> '*' THEN OLD.scope END);
END;
CREATE TRIGGER events_of_holds AFTER INSERT ON wallet_holds BEGIN
    INSERT INTO events (at, kind, state, subject, agent_id) VALUES ((SELECT at FROM present), 'stop', 'held', NEW.agent_id, NEW.agent_id);
END;
CREATE TRIGGER events_of_releases AFTER DELETE ON wallet_holds BEGIN
    INSERT INTO events (at, kind, state, subject, agent_id) VALUES ((SELECT at FROM present), 'stop', 'released', OLD.agent_id, OLD.agent_id);
END;
CREATE TRIGGER events_of_pauses AFTER INSERT ON pauses BEGIN
    INSERT INTO events (at, kind, state, subject, agent_id)
        VALUES ((SELECT at FROM present), 'stop', 'paused', NEW.scope, CASE WHEN NEW.scope <> '*' THEN NEW.scope END);
END;
CREATE TRIGGER events_of_resumes AFTER DELETE ON pauses BEGIN
    INSERT INTO events (at, kind, state, subject, agent_id)
        VALUES ((SELECT at FROM present), 'stop', 'resumed', OLD.scope, CASE WHEN OLD.scope <> '*' THEN OLD.scope END);
END;
CREATE TRIGGER events_of_new_agents AFTER INSERT ON agents BEGIN
    INSERT INTO events (at, kind, state, subject, agent_id) VALUES ((SELECT at FROM present), 'agent', 'created', NEW.id, NEW.id);
END;
CREATE TRIGGER events_of_new_entries AFTER INSERT ON calendar BEGIN
    INSERT INTO events (at, kind, state, subject, campaign_id, agent_id)
        VALUES ((SELECT at FROM present), 'calendar', NEW.status, NEW.entry_id, NEW.campaign_id, NEW.agent_id);
END;
CREATE TRIGGER events_of_entries AFTER UPDATE OF status ON calendar WHEN NEW.status <> OLD.status BEGIN
    INSERT INTO events (at, kind, state, subject, campaign_id, agent_id)
        VALUES ((SELECT at FROM present), 'calendar', NEW.status, NEW.entry_id, NEW.campaign_id, NEW.agent_id);
END;
CREATE TRIGGER events_of_trends AFTER INSERT ON trend_alerts BEGIN
    INSERT INTO events (at, kind, state, subject, campaign_id, agent_id)
        VALUES ((SELECT at FROM present), 'trend', 'found', NEW.event_id, NEW.campaign_id, NEW.agent_id);
END;
