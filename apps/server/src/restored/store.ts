import { API_KEY_KINDS } from '@mintmark/contract'
import type { AgentLimits } from '@mintmark/contract/wire/agents'
import { bool, columns, int, json, nullable, oneOf, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { LISTED_INSIDE } from '../jobs/fragments.ts'
import { SUBJECT_KINDS, WORDS } from './states.ts'

const RESTORED = { closedSince: nullable(time), isListed: bool, agentsHeldSince: nullable(time) }

export const findRestored = one('restored.find', `select ${columns(RESTORED)} from restored`, RESTORED)

export const listMerchants = many('restored.list_merchants', 'select id from merchants order by id', { id: text })

/**
 * What of a merchant the network has to be asked about, charges by the index of what is to be done, as those that wait are few: charges whose credential may be good and of which no report is known, standing
 * mandates, and cards. A charge that is paid for a purchase is not here: its shop is asked about it, when the door is open.
 */
export const insertSubjects = many(
  'restored.insert_subjects',
  `insert into restored_subjects (merchant_id, kind, id)
   select $merchantId, found.kind, found.id from (
     select 'charge' as kind, id from charges
     where merchant_id = $merchantId and ${LISTED_INSIDE} and status in ('minting', 'awaiting_result') and reported_outcome is null
     union all
     select 'mandate', id from mandates where merchant_id = $merchantId and not per_checkout and status in ('active', 'paused')
     union all
     select 'card', id from cards where merchant_id = $merchantId and status = 'active'
   ) found
   on conflict (merchant_id, kind, id) do nothing
   returning id`,
  { id: text },
)

/** From now on what has no word is missing. None: the door was opened meanwhile, or closed anew. */
export const updateListed = execute(
  'restored.update_listed',
  'update restored set is_listed = true where closed_since = $closedSince',
)

const SUBJECT = { merchantId: text, kind: oneOf(SUBJECT_KINDS), id: text }

/** Those with fewer tries first: one for which the network is silent keeps no other waiting. */
export const listUnheard = many(
  'restored.list_unheard',
  `select ${columns(SUBJECT)} from restored_subjects where word is null order by attempts, merchant_id, kind, id limit $limit`,
  SUBJECT,
)

export const updateWord = execute(
  'restored.update_word',
  `update restored_subjects set word = $word, heard_at = $at, attempts = attempts + 1
   where merchant_id = $merchantId and kind = $kind and id = $id and word is null`,
)

export const updateUnanswered = execute(
  'restored.update_unanswered',
  `update restored_subjects set attempts = attempts + 1
   where merchant_id = $merchantId and kind = $kind and id = $id and word is null`,
)

/** What an active card is at the network. None: it is not active any more. */
export const findCard = one(
  'restored.find_card',
  `select customer_id, enrolment, network_token_ref from cards where merchant_id = $merchantId and id = $id and status = 'active'`,
  { customerId: text, enrolment: int, networkTokenRef: nullable(text) },
)

/** Whether a mandate has not ended. */
export const findMandate = one(
  'restored.find_mandate',
  `select id from mandates where merchant_id = $merchantId and id = $id and status in ('active', 'paused')
     and valid_until > $at`,
  { id: text },
)

export const countSubjects = many(
  'restored.count_subjects',
  'select kind, word, count(*)::integer as count from restored_subjects group by kind, word order by kind, word',
  { kind: oneOf(SUBJECT_KINDS), word: nullable(oneOf(WORDS)), count: int },
)

export const listByWord = many(
  'restored.list_by_word',
  `select ${columns(SUBJECT)}, word, heard_at from restored_subjects
   where word in ('ended', 'used', 'not_found') order by merchant_id, kind, id limit $limit`,
  { ...SUBJECT, word: oneOf(WORDS), heardAt: time },
)

/** Keys that open, the one that was used last first: what was revoked since the backup is among them. */
export const listKeysUsedLast = many(
  'restored.list_keys_used_last',
  `select merchant_id, id, kind, last_used_at from api_keys where revoked_at is null and last_used_at is not null
   order by last_used_at desc, id limit $limit`,
  { merchantId: text, id: text, kind: oneOf(API_KEY_KINDS), lastUsedAt: time },
)

/** Agents of the operator's account that are good again, after `$after` in the order of their ids: what was revoked since the backup is among them. */
export const listAgents = many(
  'restored.list_agents',
  `select agents.id, agents.customer_id, agents.name, agents.limits,
     (select nullif(day, date '2000-01-01')::text from agent_spending where merchant_id = $merchantId and agent_id = agents.id) as last_charged_on,
     (select max(changed_at) from agent_limit_changes where merchant_id = $merchantId and agent_id = agents.id) as limits_changed_at,
     (select max(created_at) from agent_keys where merchant_id = $merchantId and agent_id = agents.id) as key_changed_at
   from agents where agents.merchant_id = $merchantId and agents.status = 'active' and agents.id > $after order by agents.id limit $limit`,
  {
    ...{ id: text, customerId: text, name: text, limits: json<AgentLimits>() },
    ...{ lastChargedOn: nullable(text), limitsChangedAt: nullable(time), keyChangedAt: nullable(time) },
  },
)

/** The door is opened by one. Zero rows: it was open. What agents have signed before that moment is not taken any more. */
export const updateOpen = execute(
  'restored.update_open',
  `update restored set closed_since = null, signatures_since = greatest(signatures_since, $signaturesSince)
   where closed_since = $closedSince`,
)

/** Agents are let in by one. Zero rows: they were. */
export const updateReleased = execute(
  'restored.update_released',
  'update restored set agents_held_since = null where agents_held_since = $heldSince',
)
