-- What a mention says, for people who decide on the answer to it.

ALTER TABLE mentions ADD COLUMN text TEXT;                           -- a stranger's; NULL for those taken before
