-- What:   new pages of charges are filled to 70 in 100.
-- Why:    a payment writes its row ten times. A version that finds no room on its page is logged as a whole, and in each index
--         anew: of the row, which has its mandate since 0064, that is more than the mandate's own row was.
-- Impact: none for rows that are there; the table grows a little faster.
-- Compatible with the previous release: yes, as 0065.

alter table charges set (fillfactor = 70);
