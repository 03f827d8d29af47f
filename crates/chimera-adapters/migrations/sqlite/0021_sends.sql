-- Every time a post may have left is a row, and limits count rows: a post that is sent twice has used up two. What may have left says
-- through which upstream, and until when a second send of it makes no second post; NULL is never. A post that nobody can tell about
-- names the review that asks a person.
ALTER TABLE posts ADD COLUMN sends INTEGER NOT NULL DEFAULT 0; -- in all; `attempts` begin anew with a person's word
ALTER TABLE posts ADD COLUMN sent_through TEXT;
ALTER TABLE posts ADD COLUMN repeatable_until INTEGER;
ALTER TABLE posts ADD COLUMN review_id TEXT;
CREATE INDEX posts_asked_about ON posts (review_id) WHERE review_id IS NOT NULL;

CREATE TABLE sends (
    number      INTEGER PRIMARY KEY,
    post_number INTEGER NOT NULL,
    platform    TEXT NOT NULL,
    agent_id    TEXT NOT NULL,
    at          INTEGER NOT NULL
) STRICT;
CREATE INDEX sends_on_platform ON sends (platform, at);
CREATE INDEX sends_by_time ON sends (at, agent_id);

INSERT INTO sends (post_number, platform, agent_id, at)
    SELECT number, platform, agent_id, coalesce(marked_at, begun_at, 0) FROM posts WHERE status IN ('published', 'sending', 'unknown');
UPDATE posts SET sends = max(attempts, 1) WHERE status IN ('published', 'sending', 'unknown');
DROP INDEX posts_left;
DROP INDEX posts_published;

-- Nobody was asked about these so far; as what was sent and cannot be repeated they are asked about next.
UPDATE posts SET status = 'sending', not_before = 0 WHERE status = 'unknown';
