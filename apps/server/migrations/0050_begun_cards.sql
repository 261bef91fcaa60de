-- What:   the indexes of the cards that were begun and left are for their lists alone.
-- Why:    a plan that is made while a service is young found the one card of an entry in them, among all that its merchant's customers have
--         begun in a day, and was kept. Enrolments count from one, and only the lists say so.
-- Impact: two partial indexes, of the cards that wait for the network's word, are built anew in a moment; readers and writers of cards wait for that.
-- Compatible with the previous release: yes, it reads all cards for that list, once in a while, as long as it runs.
drop index cards_begun_updated_at_idx;
drop index cards_merchant_begun_updated_at_idx;
create index cards_begun_updated_at_idx on cards (updated_at) where status = 'provisioning' and enrolment > 0;
create index cards_merchant_begun_updated_at_idx on cards (merchant_id, updated_at) where status = 'provisioning' and enrolment > 0;
