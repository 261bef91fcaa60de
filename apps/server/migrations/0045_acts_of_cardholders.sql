-- What:   what a cardholder signs beside an approval: that a card is removed, that a permission goes on; and who comes to their permissions.
-- Why:    a card was removed, and a permission paused, by its merchant alone.
-- Impact: two checks that look at no row: 0046 does.
-- Compatible with the previous release: yes, it writes none of them.

alter table approvals drop constraint approvals_subject_type_check,
  add constraint approvals_subject_type_check
    check (subject_type = any ('{session,agent_link,agent_limits,escalation,card_removal,permission}')) not valid;
alter table passkey_challenges drop constraint passkey_challenges_subject_type_check,
  add constraint passkey_challenges_subject_type_check
    check (subject_type = any ('{session,agent_link,agent_limits,escalation,owner_visit,card_removal,permission,permissions_visit}')) not valid;
