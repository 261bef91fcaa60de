/** Said by what commits without waiting for the disk: what is lost with it led to nothing that was kept. */
const UNAWAITED = `set_config('synchronous_commit', 'off', true) is not null`

/** The eight requests of a payment take thirteen statements, of which eight wait for the disk. */
export const PAYMENT = {
  create: `with customer as (insert into customers values ($1, $3, $4, $5) on conflict do nothing)
    insert into payments (merchant, id, customer, state, created_at, expires_at, details, launch_hash, seal)
    values ($1, $2, $3, 'open', $5, $6, $7, $8, $9)`,
  read: `select customer, state, details, launch_hash, card_ref, credential, seal, outcome
    from payments where merchant = $1 and id = $2`,
  enter: `update payments set state = 'entered', card_sealed = $3 where merchant = $1 and id = $2 and state = 'open'
    returning details`,
  accept: `update payments set state = 'proven', card_ref = $3 where merchant = $1 and id = $2 and state = 'entered'`,
  challenge: `insert into challenges select $1, $2, 'registration', $3, '', $4 where ${UNAWAITED}
    on conflict (merchant, payment, kind) do update set challenge = excluded.challenge, expires_at = excluded.expires_at`,
  claim: `with claimed as (
      delete from challenges where merchant = $1 and payment = $2 and kind = $3 and challenge = $4 and expires_at > $5
      returning agreed)
    select p.customer, p.state, p.details, p.card_ref, p.seal, claimed.agreed, k.id, k.public_key
    from claimed join payments p on p.merchant = $1 and p.id = $2
    left join passkeys k on k.merchant = $1 and k.customer = p.customer where ${UNAWAITED}`,
  register: `with passkey as (insert into passkeys values ($1, $2, $3, $4, 0))
    insert into challenges values ($1, $5, 'assertion', $6, $7, $8)
    on conflict (merchant, payment, kind) do update set challenge = excluded.challenge, agreed = excluded.agreed`,
  approve: `with evidence as (insert into approvals values ($1, $2, $4, $5, $6, $7, $8, $9))
    update payments set state = 'minting', mandate = $3 where merchant = $1 and id = $2 and state = 'proven'`,
  minted: `with event as (insert into events values ($1, $4, 'payment.credentials_ready', $2, 1, $5, $6))
    update payments set state = 'awaiting', credential = $3 where merchant = $1 and id = $2 and state = 'minting'`,
  report: `update payments set state = 'reporting', outcome = $3, credential = null
    where merchant = $1 and id = $2 and state = 'awaiting' returning details`,
  paid: `with event as (insert into events values ($1, $3, 'payment.succeeded', $2, 2, $4, $5))
    update payments set state = 'completed' where merchant = $1 and id = $2 and state = 'reporting'`,
} as const

/** A charge against a mandate takes two, and both wait. */
export const CHARGE = {
  open: `with taken as (
      update mandates set spent = spent + $4, count = count + 1
      where merchant = $1 and id = $3 and spent + $4 <= cap returning cap, seal)
    insert into charges (merchant, id, mandate, reference, amount, state, fence, seal, created_at)
    select $1, $2, $3, $5, $4::bigint, 'minting', 1, $6, $7 from taken
    returning (select cap from taken), (select seal from taken)`,
  opened: `with event as (insert into events values ($1, $3, 'charge.credentials_ready', $2, 1, $4, $5))
    update charges set state = 'awaiting', credential = $6 where merchant = $1 and id = $2 and state = 'minting' and fence = 1`,
} as const

/** So many mandates to charge. */
export const FILL = `insert into mandates select $1, id, $4, 0, 0, seal from unnest($2::text[], $3::bytea[]) m (id, seal)`
