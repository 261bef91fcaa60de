/** The type that a column of a key is compared as. */
export type KeyType = 'text' | 'uuid' | 'integer'

export interface TableRules {
  /** The columns of the primary key behind `merchant_id`, in their order. */
  key: Readonly<Record<string, KeyType>>
  /** SQL that holds of each row, or is null, by what it is about. */
  holds: Readonly<Record<string, string>>
  /** Columns that name a row of the same merchant by its id, and the table where it is. */
  names: Readonly<Record<string, string>>
}

/** A column has one of these words, or none. */
const oneOf = (column: string, words: string) => `${column} = any ('{${words}}')`
/** The first column is null where the second one is, and nowhere else. */
const together = (one: string, other: string) => `(${one} is null) = (${other} is null)`

const REASONS = 'CUSTOMER_CONFIRMED,LOST,STOLEN,SUSPECTED_FRAUD,CLOSED_ACCOUNT,OTHER,JUST_ONCE'

/**
 * What is true of each row of the hot tables, whoever wrote it. PostgreSQL does not hold them to it: it would read all of this from text
 * with every statement that writes one (ADR 0120). Words are those of the program; a test compares.
 */
export const RULES: Readonly<Record<string, TableRules>> = Object.freeze({
  sessions: {
    key: { id: 'text' },
    holds: {
      agent: `${together('agent_id', 'agent_name')} and ${together('agent_id', 'agent_seal')}`,
      effective_minutes: 'effective_minutes >= 1',
      integration_type: oneOf('integration_type', 'full_checkout,embedding'),
      kind: oneOf('kind', 'payment,mandate_setup,enrollment'),
      order: `(kind = 'enrollment') = (order_id is null) and ${together('order_id', 'effective_minutes')}`,
      proof: oneOf('proof', 'entered,code'),
      proven: together('proven_card_id', 'proof'),
      subject: `(kind = 'payment') = (charge_id is not null) and (kind = 'mandate_setup') = (mandate_id is not null)`,
    },
    names: {
      customer_id: 'customers',
      charge_id: 'charges',
      mandate_id: 'mandates',
      card_id: 'cards',
      preselected_vault_record_id: 'vault_records',
    },
  },
  charges: {
    key: { id: 'text' },
    holds: {
      amount_minor: 'amount_minor > 0',
      delivery: `${together('delivery_shop_id', 'delivery_session_id')} and (delivery_shop_id is null or agent_id is not null)`,
      failure: `(status = 'failed') = (failure_code is not null)`,
      life_minutes: 'life_minutes >= 1',
      likeness: 'likeness is null or agent_id is not null',
      network_confirmation: oneOf('network_confirmation', 'SUCCESS,FAILURE'),
      paid_minor: 'paid_minor >= 0',
      reference_freed: `not reference_freed or reference is not null and status = 'failed'`,
      reference_held: `reference_freed or reference is null or status <> 'failed'`,
      reported_outcome: oneOf('reported_outcome', 'APPROVED,DECLINED'),
      waits: `coalesce(attempts >= 0, false) = (quote_id is null and ${oneOf('status', 'minting,awaiting_result')})`,
      work: `${together('work_due_at', 'attempts')} and (lease_until is null or attempts is not null)`,
    },
    names: { card_id: 'cards', mandate_id: 'mandates', standing_mandate_id: 'mandates' },
  },
  mandates: {
    key: { id: 'text' },
    holds: {
      approved: `num_nulls(card_id, approval_hash, seal) = 0
        or num_nonnulls(card_id, approval_hash, seal) = 0 and activated_at is null and not per_checkout`,
      approved_minor: 'approved_minor > 0',
      charge_count: 'charge_count >= 0 and charge_count <= max_charges',
      failure: `failure_code is null or activated_at is null and ${oneOf('status', 'cancelled,expired')} and not per_checkout`,
      frequency: oneOf('frequency', 'one_time,weekly,monthly,yearly'),
      max_charges: 'max_charges >= 1',
      merchant_scope: oneOf('merchant_scope', 'any,listed'),
      one_time: `frequency <> 'one_time' or not max_charges is distinct from 1`,
      window: `per_checkout or activated_at is null
        or window_started_at is not null and (window_ends_at is null) = (frequency = 'one_time')`,
      window_spent: 'window_spent_minor >= 0 and window_spent_minor <= approved_minor',
    },
    names: { card_id: 'cards', customer_id: 'customers' },
  },
  cards: {
    key: { id: 'text' },
    holds: {
      deletion: `num_nulls(deleted_at, deletion_reason, was_default, network_token_deleted) = any (array[0, 4])
        and (deleted_at is null or status <> 'active' and accepted_at is not null)`,
      deletion_reason: oneOf('deletion_reason', REASONS),
      ending: `ending_reason is null or status = 'active'`,
      ending_reason: oneOf('ending_reason', REASONS),
      once: `once_sessions is null or status <> 'deleted' and not is_default`,
      token: `status <> 'active' or num_nulls(network_token_ref, seal, accepted_at) = 0`,
    },
    names: { customer_id: 'customers', vault_record_id: 'vault_records' },
  },
  passkeys: { key: { id: 'text' }, holds: {}, names: { customer_id: 'customers' } },
  approvals: {
    key: { subject_type: 'text', subject_id: 'text' },
    holds: { subject_type: oneOf('subject_type', 'session,agent_link,agent_limits,escalation') },
    names: {},
  },
  captured_events: {
    key: { resource_type: 'text', resource_id: 'text', resource_version: 'integer' },
    holds: { parked: oneOf('parked', 'too_large,duplicate') },
    names: {},
  },
  open_work: {
    key: { kind: 'text', id: 'text' },
    holds: { kind: oneOf('kind', 'mandate,card,deletion,token,endpoint,mail,purchase') },
    names: {},
  },
  passkey_challenges: {
    key: { subject_type: 'text', subject_id: 'text', challenge: 'text' },
    holds: {
      ceremony: oneOf('ceremony', 'registration,assertion'),
      subject_type: oneOf('subject_type', 'session,agent_link,agent_limits,escalation,owner_visit'),
    },
    names: {},
  },
  vault_records: {
    key: { id: 'uuid' },
    holds: {
      added_by: oneOf('added_by', 'cardholder,merchant'),
      exp_month: 'exp_month >= 1 and exp_month <= 12',
      last4: `last4 ~ '^[0-9]{4}$'`,
    },
    names: {},
  },
})
