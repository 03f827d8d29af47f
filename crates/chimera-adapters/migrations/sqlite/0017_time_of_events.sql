-- An event's time comes from a row that the writer sets when it begins a transaction, and a decision's verdict from a column of its own.
-- A trigger that calls a function may fail by it, and SQLite then keeps a copy of every page that its statement touches, to undo it by:
-- a third of what a task cost.
CREATE TABLE present (at INTEGER NOT NULL) STRICT; -- microseconds since 1970 UTC; one row
INSERT INTO present VALUES (0);

ALTER TABLE decisions ADD COLUMN verdict TEXT NOT NULL DEFAULT '';
UPDATE decisions SET verdict = json_extract(decision, '$.decision');

DROP TRIGGER events_of_new_tasks;
DROP TRIGGER events_of_tasks;
DROP TRIGGER events_of_decisions;
DROP TRIGGER events_of_new_reviews;
DROP TRIGGER events_of_reviews;
DROP TRIGGER events_of_new_posts;
DROP TRIGGER events_of_posts;
DROP TRIGGER events_of_new_payments;
DROP TRIGGER events_of_payments;
DROP TRIGGER events_of_new_campaigns;
DROP TRIGGER events_of_campaigns;

CREATE TRIGGER events_of_new_tasks AFTER INSERT ON tasks BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, campaign_id, agent_id, attempt)
        VALUES ((SELECT at FROM present), 'task', NEW.status, NEW.task_id, NEW.task_id, NEW.campaign_id, NEW.agent_id, NEW.attempt);
END;
CREATE TRIGGER events_of_tasks AFTER UPDATE OF status ON tasks WHEN NEW.status <> OLD.status OR NEW.lease_no <> OLD.lease_no BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, campaign_id, agent_id, attempt)
        VALUES ((SELECT at FROM present), 'task', NEW.status, NEW.task_id, NEW.task_id, NEW.campaign_id, NEW.agent_id, NEW.attempt);
END;
CREATE TRIGGER events_of_decisions AFTER INSERT ON decisions BEGIN
    INSERT INTO events (at, kind, state, subject, task_id)
        VALUES ((SELECT at FROM present), 'decision', NEW.verdict, ifnull(NEW.result_id, NEW.decision_id), NEW.task_id);
END;
CREATE TRIGGER events_of_new_reviews AFTER INSERT ON reviews BEGIN
    INSERT INTO events (at, kind, state, subject, task_id)
        VALUES ((SELECT at FROM present), 'review', NEW.status, NEW.review_id, NEW.task_id);
END;
CREATE TRIGGER events_of_reviews AFTER UPDATE OF status ON reviews WHEN NEW.status <> OLD.status BEGIN
    INSERT INTO events (at, kind, state, subject, task_id)
        VALUES ((SELECT at FROM present), 'review', NEW.status, NEW.review_id, NEW.task_id);
END;
CREATE TRIGGER events_of_new_posts AFTER INSERT ON posts BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, campaign_id, agent_id)
        VALUES ((SELECT at FROM present), 'post', NEW.status, NEW.post_id, NEW.task_id, NEW.campaign_id, NEW.agent_id);
END;
CREATE TRIGGER events_of_posts AFTER UPDATE OF status ON posts WHEN NEW.status <> OLD.status BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, campaign_id, agent_id)
        VALUES ((SELECT at FROM present), 'post', NEW.status, NEW.post_id, NEW.task_id, NEW.campaign_id, NEW.agent_id);
END;
CREATE TRIGGER events_of_new_payments AFTER INSERT ON transfers BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, agent_id)
        VALUES ((SELECT at FROM present), 'payment', NEW.state, NEW.transaction_id, NEW.task_id, NEW.agent_id);
END;
CREATE TRIGGER events_of_payments AFTER UPDATE OF state ON transfers WHEN NEW.state <> OLD.state BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, agent_id)
        VALUES ((SELECT at FROM present), 'payment', NEW.state, NEW.transaction_id, NEW.task_id, NEW.agent_id);
END;
CREATE TRIGGER events_of_new_campaigns AFTER INSERT ON campaigns BEGIN
    INSERT INTO events (at, kind, state, subject, campaign_id)
        VALUES ((SELECT at FROM present), 'campaign', NEW.status, NEW.campaign_id, NEW.campaign_id);
END;
CREATE TRIGGER events_of_campaigns AFTER UPDATE OF status ON campaigns WHEN NEW.status <> OLD.status OR NEW.state_version <> OLD.state_version BEGIN
    INSERT INTO events (at, kind, state, subject, campaign_id)
        VALUES ((SELECT at FROM present), 'campaign', NEW.status, NEW.campaign_id, NEW.campaign_id);
END;
