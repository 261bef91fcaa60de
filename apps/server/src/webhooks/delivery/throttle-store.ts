import { int, json, text, texts, times } from '../../db/row.ts'
import { execute, many, one } from '../../db/statement.ts'
import { dueWorkAt, LISTED } from '../../jobs/fragments.ts'

/**
 * Every claim of the merchant waits here for the one before it, so that what the throttle decides is true when it is
 * written.
 */
export const lockApplication = one(
  'webhooks.lock_application',
  `select last_claims, flights, waiting from webhook_applications where merchant_id = $merchantId for update`,
  { lastClaims: times, flights: json<Record<string, number>>(), waiting: texts },
)

/** A row that is not there cannot be locked. */
export const insertApplication = execute(
  'webhooks.insert_application',
  `insert into webhook_applications (merchant_id, last_claims, flights, waiting) values ($merchantId, '{}', '{}', '{}')
   on conflict on constraint webhook_applications_pkey do nothing`,
)

export const updateApplication = execute(
  'webhooks.update_application',
  `update webhook_applications set last_claims = $lastClaims, flights = $flights::jsonb, waiting = $waiting
   where merchant_id = $merchantId`,
)

/**
 * Endpoints that found no slot of their application are due now. One that is being sent to stays as
 * it is.
 */
export const updateWaiting = many(
  'webhooks.update_waiting',
  `${dueWorkAt('endpoint', 'any ($waiting)', '$at')} and due_at > $at and lease_until is null
   returning id`,
  { id: text },
)

/** How many other endpoints of the merchant have something to send now, or are being sent to. At most four. */
export const countOthersDue = one(
  'webhooks.count_others_due',
  `select count(*)::int as count from open_work
   where merchant_id = $merchantId and kind = 'endpoint' and ${LISTED} and due_at <= $soon and id <> $endpointId`,
  { count: int },
)
