-- What an entry moved, as JSON; '[]' when it moved nothing. And the node's signature over the entry's hash, in hex.
--
-- Both are NULL in entries from before this step. Those keep the hash they have: their rows do not change, and their hashes were made
-- without these columns. The first entry after them is hashed with the last of them and signed, and so vouches for all of them; so
-- does the signed head that is written when the node's key is made, before anything is signed.
--
-- An entry without an agent (the whole fleet) or without a task has '' there; no id is ever empty.
ALTER TABLE ledger ADD COLUMN postings TEXT;
ALTER TABLE ledger ADD COLUMN signature TEXT;
