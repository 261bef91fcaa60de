-- What:   the logo of a merchant's pages.
-- Why:    the page shows who asks, and serves the image itself: no other host learns who pays.
-- Impact: a column without a value: no row is rewritten.
-- Compatible with the previous release: yes, it reads the columns it knows by name.

-- A PNG that was decoded and encoded anew when it was set.
alter table merchants add column brand_logo bytea;
