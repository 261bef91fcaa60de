-- What:   how the cardholder of a session reads, and how a merchant's pages look.
-- Why:    the page speaks six languages, and wears the colours of the merchant.
-- Impact: two columns without a value: no row is rewritten.
-- Compatible with the previous release: yes, it reads the columns it knows by name.

alter table sessions add column locale text;
-- Checked when it is set: an accent that can be read, a shape and a scheme of the page, and the digest of an image that is kept apart.
alter table merchants add column brand jsonb;
