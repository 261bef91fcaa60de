import type {
  ActivityCharge,
  ActivityList,
  ActivityQuery,
  ChargeLifeView,
} from '@mintmark/contract/wire/owner-activity'
import {
  type ActivityFilter,
  type ActivityPage,
  type ActivityRow,
  type ChargeLife,
  outcomeOf,
} from '../../owners/service.ts'
import { amountFromMinor } from '../../platform/money.ts'

const PAGE = 50
const FILE_PAGE = 2000

export function fromWireActivity({ agent, shop, month, outcome, before, size }: ActivityQuery): ActivityFilter {
  const [at = '', ...id] = before?.split('_') ?? []
  return {
    ...{ agentId: agent, shop, outcome, ...(month !== undefined && timesOf(month)) },
    before: before === undefined ? undefined : { at: new Date(Number(at)), id: id.join('_') },
    limit: size === 'file' ? FILE_PAGE : PAGE,
  }
}

function timesOf(month: string): { from: Date; to: Date } {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return { from: new Date(Date.UTC(year, number - 1)), to: new Date(Date.UTC(year, number)) }
}

export function toWireCharge(row: ActivityRow): ActivityCharge {
  return {
    ...{ charge_id: row.id, agent_id: row.agentId, agent: row.agentName, mandate_id: row.mandateId },
    ...{ amount: amountFromMinor(row.amountMinor), currency: row.currency },
    ...{ shop: row.payeeName, shop_host: new URL(row.payeeUrl).hostname },
    ...{ outcome: outcomeOf(row), code: row.failure, limit: row.limitKind, escalation_id: row.escalationId },
    ...{ possible_duplicate: row.isRepeated, created_at: row.createdAt.toISOString() },
  }
}

export function toWireActivity({ charges, before }: ActivityPage): ActivityList {
  return {
    charges: charges.map(toWireCharge),
    next_before: before === null ? null : `${before.at.getTime()}_${before.id}`,
  }
}

type Moment = ChargeLifeView['moments'][number]

/** What happened to a charge, in its order. What the feed has not told yet is known of the charge itself. */
export function toWireLife({ charge, told }: ChargeLife, now: Date): ChargeLifeView {
  const toldAt = (type: string) => told.find((event) => event.type === type)?.occurredAt
  const outcome = outcomeOf(charge)
  const ends = { paid: toldAt('payment.succeeded'), refused: charge.createdAt, given_back: toldAt('payment.failed') }
  const moment = (what: Moment['what'], at: Date | null | undefined): Moment[] =>
    at === null || at === undefined ? [] : [{ what, at: at.toISOString() }]
  const isLapsed = outcome === 'held' && charge.lapsesAt !== null && charge.lapsesAt <= now
  return {
    charge: toWireCharge(charge),
    reference: charge.reference,
    lapses_at: charge.lapsesAt?.toISOString() ?? null,
    moments: [
      ...moment('asked', charge.createdAt),
      ...moment('number_made', charge.hadNumber ? (toldAt('payment.credentials_ready') ?? charge.createdAt) : null),
      ...moment('lapsed', isLapsed ? charge.lapsesAt : null),
      ...moment('reported', charge.reportedAt),
      ...(outcome === 'held' ? [] : moment(outcome, ends[outcome] ?? charge.updatedAt)),
    ],
  }
}
