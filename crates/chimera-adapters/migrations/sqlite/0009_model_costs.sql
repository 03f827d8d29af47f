-- What calls of language models cost, in millionths of a US dollar: held before the call, settled with what it took at the model's price.
ALTER TABLE model_calls ADD COLUMN held_micro_usd INTEGER NOT NULL DEFAULT 0;
ALTER TABLE model_calls ADD COLUMN cost_micro_usd INTEGER NOT NULL DEFAULT 0;
DROP INDEX model_calls_of_day;
CREATE INDEX model_calls_of_day
    ON model_calls (agent_id, day, state, held_tokens, input_tokens, output_tokens, held_micro_usd, cost_micro_usd);
