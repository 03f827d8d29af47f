-- Made once from an item's text and kept with it; absent until it is needed. Its form is that of perception/rounded.rs.
ALTER TABLE items ADD COLUMN vector BLOB;
CREATE INDEX story_alerts_of_story ON story_alerts (cluster_id);

-- When a resource last showed the item, to the day: what nobody shows any more is forgotten.
ALTER TABLE items ADD COLUMN last_seen_at INTEGER NOT NULL DEFAULT 0;
UPDATE items SET last_seen_at = seen_at;
CREATE INDEX items_last_seen ON items (last_seen_at);
