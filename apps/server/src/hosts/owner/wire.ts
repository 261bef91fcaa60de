import type { EscalationView, HomeView, LinkView, Decided as WireDecided } from '@mintmark/contract/wire/owner'
import { toWireLimits } from '../../agents/wire.ts'
import type { Decided, Home, LookedAtEscalation, LookedAtLink } from '../../owners/service.ts'
import { amountFromMinor } from '../../platform/money.ts'

export function toWireLink({
  linkId,
  status,
  asks,
  agentId,
  limits,
  joined,
  mayBe,
  last,
  endedAt,
  expiresAt,
  now,
  continueUrl,
}: LookedAtLink): LinkView {
  const agent = asks && {
    ...{ name: asks.name, platform: asks.platform, description: asks.description },
    ...{ key_thumbprint: asks.thumbprint, client: asks.client },
  }
  return {
    ...{ link_id: linkId, status, agent, agent_id: agentId, limits, joined, last, continue_url: continueUrl },
    may_be: mayBe.map(({ id, name, platform, hasKey, createdAt, limits: its }) => ({
      ...{ agent_id: id, name, platform, has_key: hasKey, created_at: createdAt.toISOString(), limits: its },
    })),
    ended_at: endedAt?.toISOString() ?? null,
    ...{ expires_at: expiresAt.toISOString(), now: now.toISOString() },
  }
}

export const toWireDecided = ({ continueUrl }: Decided): WireDecided => ({ continue_url: continueUrl })

export function toWireEscalation(looked: LookedAtEscalation): EscalationView {
  const { asked, status, agent, mandate, isDuplicate, before, charged, now } = looked
  const { id, amountMinor, currency, payeeName, payeeUrl, products, reference, limitKind, beyond, expiresAt } = asked
  return {
    ...{
      escalation_id: id,
      status,
      amount: amountFromMinor(amountMinor),
      currency,
      reference,
      limit: limitKind,
      beyond,
      possible_duplicate: isDuplicate,
    },
    agent: {
      ...{ agent_id: agent.id, name: agent.name, linked_as: agent.linkedAs },
      ...{ platform: agent.platform, status: agent.status },
    },
    payee: { name: payeeName, url: payeeUrl },
    products: products.map(({ name, quantity, unitPrice }) => ({ name, quantity, unit_price: unitPrice })),
    limits: toWireLimits(agent.limits, agent),
    mandate: {
      merchant_name: mandate.payeeName,
      amount: amountFromMinor(mandate.approvedMinor),
      left: amountFromMinor(mandate.remainingMinor),
      renews_at: mandate.renewsAt?.toISOString() ?? null,
    },
    before: before.map((charge) => ({
      ...{ amount: amountFromMinor(BigInt(charge.amount_minor)), currency: charge.currency, status: charge.status },
      ...{ created_at: new Date(charge.created_at).toISOString(), repeated: charge.isRepeated },
      possible_duplicate: charge.duplicate_of !== null,
    })),
    charged: charged && {
      ...{ amount: amountFromMinor(BigInt(charged.amount_minor)), currency: charged.currency },
      ...{ status: charged.status, created_at: new Date(charged.created_at).toISOString() },
    },
    good_until: asked.goodUntil?.toISOString() ?? null,
    ...{ expires_at: expiresAt.toISOString(), now: now.toISOString() },
  }
}

function toWireMail(mail: Home['mail']): HomeView['mail'] {
  if (mail === null) return null
  const { address } = mail
  if (address === undefined) return { status: 'none', address: null }
  const { email, isVerified, codeEndsAt } = address
  return { status: isVerified ? 'confirmed' : codeEndsAt === null ? 'over' : 'asked', address: email }
}

export function toWireHome({ name, agents, waiting, mail, now }: Home): HomeView {
  return {
    name,
    agents: agents.map((agent) => ({
      ...{
        agent_id: agent.id,
        name: agent.name,
        linked_as: agent.linkedAs,
        platform: agent.platform,
        status: agent.status,
      },
      ...{ has_key: agent.hasKey, published: agent.isPublished },
      ...{
        created_at: agent.createdAt.toISOString(),
        ended_at: agent.revokedAt?.toISOString() ?? null,
        terms: agent.limits,
        version: agent.limitsVersion,
        limits: toWireLimits(agent.limits, agent),
      },
      mandates: agent.mandates.map(({ payeeName, approvedMinor, currency, frequency }) => ({
        ...{ merchant_name: payeeName, amount: amountFromMinor(approvedMinor), currency, frequency },
      })),
    })),
    waiting: waiting.map(({ id, agent, amountMinor, currency, payeeName, expiresAt }) => ({
      ...{
        escalation_id: id,
        agent: agent?.name ?? '',
        linked_as: agent?.linkedAs ?? null,
        amount: amountFromMinor(amountMinor),
        currency,
        payee: payeeName,
      },
      expires_at: expiresAt.toISOString(),
    })),
    mail: toWireMail(mail),
    now: now.toISOString(),
  }
}
