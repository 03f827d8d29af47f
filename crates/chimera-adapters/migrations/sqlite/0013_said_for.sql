-- What was said for which campaign: its agents do not quote one sentence twice.
ALTER TABLE memories ADD COLUMN campaign_id TEXT;
CREATE INDEX memories_of_campaign ON memories (campaign_id, role, number) WHERE campaign_id IS NOT NULL;
