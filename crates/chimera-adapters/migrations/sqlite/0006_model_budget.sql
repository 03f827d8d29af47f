-- Calls of language models: held before they are made, settled with what they took. A call that never ended stays held.
CREATE TABLE model_calls (
    call_id       TEXT PRIMARY KEY,
    agent_id      TEXT NOT NULL,
    day           TEXT NOT NULL, -- UTC
    at            INTEGER NOT NULL,
    model         TEXT NOT NULL,
    state         TEXT NOT NULL, -- held | settled | released
    held_tokens   INTEGER NOT NULL,
    input_tokens  INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    is_estimated  INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX model_calls_of_day ON model_calls (agent_id, day, state, held_tokens, input_tokens, output_tokens);

-- What memories mean, as the embedder of the time put it: f32, little-endian. One without a vector is embedded when it is next looked for.
CREATE TABLE memory_vectors (
    memory_number INTEGER PRIMARY KEY,
    agent_id      TEXT NOT NULL,
    vector        BLOB NOT NULL
) STRICT;
CREATE INDEX memory_vectors_of_agent ON memory_vectors (agent_id, memory_number);

-- How often an agent's vectors were changed or taken away, for whoever keeps a copy of them.
CREATE TABLE memory_changes (
    agent_id TEXT PRIMARY KEY,
    changes  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
