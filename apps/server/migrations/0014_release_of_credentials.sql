-- What:   the simulated network ends a credential that was not spent.
-- Why:    a credential lapses at the network too, and one that nobody will use gives back what it took.
-- Impact: a few columns of one table may be null; its checks are made anew, which reads it once.
-- Compatible with the previous release: yes, it writes no such rows.

-- A released row without terms is a tombstone: the release came before the mint.
alter table simnet.mints
  alter column mandate_id drop not null,
  alter column currency drop not null,
  alter column amount_minor drop not null,
  alter column asked_at drop not null,
  add column released_at timestamptz,
  drop constraint mints_state_check,
  add constraint mints_state_check check (state = any ('{deciding,minted,declined,released}')),
  drop constraint mints_minted_check,
  add constraint mints_minted_check check (
    case when state = 'minted' or (state = 'released' and mandate_id is not null)
      then num_nulls(merchant_host, window_started_at, number_sealed, number_lookup, cvv_sealed, expiry_month,
        expiry_year, valid_until, credential_state) = 0
      else num_nonnulls(number_sealed, number_lookup, cvv_sealed, credential_state, confirmed_outcome) = 0
    end
  ),
  add constraint mints_asked_check check (num_nulls(mandate_id, currency, amount_minor, asked_at) = 0
    or (state = 'released' and num_nonnulls(mandate_id, currency, amount_minor, asked_at) = 0)),
  add constraint mints_released_check check ((state = 'released') = (released_at is not null));
