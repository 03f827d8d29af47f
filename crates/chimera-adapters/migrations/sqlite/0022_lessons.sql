-- What people taught by a decision on a text: what was written, what they made of it, and why, in JSON.
ALTER TABLE memories ADD COLUMN lesson TEXT;
CREATE INDEX memories_lessons ON memories (agent_id, number) WHERE lesson IS NOT NULL;
