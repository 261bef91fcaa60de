import type { Change } from '../db/command.ts'
import { wake } from '../jobs/wake.ts'
import { addSeconds } from '../platform/clock.ts'
import { idBefore, newOrderedId } from '../platform/ids.ts'
import { amountFromMinor } from '../platform/money.ts'
import { insertAsked } from './owner-store.ts'
import { HOUR, hostOf, MAX_ASKED } from './rules.ts'
import { SEND_JOB } from './store.ts'

/** What an agent asks its owner. */
export interface AskedOwner {
  merchantId: string
  escalationId: string
  agentId: string
  ownerId: string
  amountMinor: bigint
  currency: string
  payeeName: string
  payeeUrl: string
  askedUntil: Date
}

/**
 * Puts a mail to the owner into the outbox, in the transaction in which they are asked. Where they are not asked after all, where they want
 * no mails, and beyond so many an hour, it writes nothing.
 */
export async function queueAskedMail({ tx, at }: Change, asked: AskedOwner): Promise<void> {
  const { merchantId, escalationId, agentId, ownerId: customerId, amountMinor, currency, askedUntil: endsAt } = asked
  const facts = {
    ...{ escalationId, amount: amountFromMinor(amountMinor), currency },
    ...{ payeeName: asked.payeeName, payeeHost: hostOf(asked.payeeUrl), until: endsAt.toISOString() },
  }
  const bound = { since: idBefore('mail', addSeconds(at, -HOUR)), most: MAX_ASKED }
  const id = newOrderedId('mail', at)
  const queued = await insertAsked(tx, {
    merchantId,
    id,
    escalationId,
    agentId,
    customerId,
    facts,
    endsAt,
    at,
    ...bound,
  })
  if (queued !== undefined) wake(tx, SEND_JOB)
}
