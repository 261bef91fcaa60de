-- What:   the name under which an agent's owner has published it.
-- Why:    an agent changes what it calls itself, and shops read what its owner has seen. It is sealed with the publication.
-- Impact: a column without a value: no row is rewritten.
-- Compatible with the previous release: yes, it reads the columns it knows by name. What an old process publishes has no name, and shops read none
--         until it is published again; where a new one had published it before, the name that is left is refused by the seal.
alter table agents add column published_name text;
