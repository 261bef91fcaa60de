import type { Receipt } from '@mintmark/contract/wire/receipts'
import { amountFromMinor } from '../platform/money.ts'
import type { DraftDeps } from './facts.ts'
import type * as store from './facts-store.ts'
import { hashLines } from './lines.ts'
import type { Evidence } from './proof.ts'

/** A receipt before it has a place in a chain. */
export interface Draft {
  customerId: string
  /** One receipt a cause. */
  cause: { kind: 'approval' | 'act'; id: string }
  /** The session in which it was allowed, whose receipt it names. */
  allowedIn: string | null
  said: Said
}

/** What a receipt says, but for who signs it and where it stands. */
export type Said = Omit<Receipt, 'iss' | 'jti' | 'iat' | 'sub' | 'v' | 'environment' | 'permission' | 'chain'>

const NOTHING = {
  ...{ code: null, sentence: null, agent: null, amount: null, shop: null, lines_sha256: null, proof: null },
} as const satisfies Partial<Said>

/** The receipt of something: what is not said is null. */
export const saying = (said: Omit<Said, keyof typeof NOTHING> & Partial<Said>): Said => ({ ...NOTHING, ...said })

/** An agent as a receipt names it, with the key that it had then; null: there is none, or it had none yet. */
export async function agentAt({ facts }: DraftDeps, agentId: string | null, at: Date): Promise<Receipt['agent']> {
  const found = agentId === null ? undefined : await facts.agent(agentId)
  if (found === undefined) return null
  const key = found.keys.find(({ createdAt }) => createdAt <= at)
  return { name: found.name, jkt: key?.thumbprint ?? null }
}

interface Payee {
  payeeName: string
  payeeUrl: string
  payeeCountry: string
}

const shopOf = ({ payeeName: name, payeeUrl: url, payeeCountry: country }: Payee): Receipt['shop'] => ({
  ...{ name, url, country },
})

export const amountOf = (minor: bigint, currency: string): Receipt['amount'] => ({
  value: amountFromMinor(minor),
  currency,
})

type Charge = NonNullable<Awaited<ReturnType<typeof store.listCharges>>[number]>
type Mandate = NonNullable<Awaited<ReturnType<typeof store.findMandate>>>

/** What a charge says of itself. */
export const chargeFacts = (charge: Pick<Charge, 'amountMinor' | 'currency' | 'products'> & Payee) => ({
  amount: amountOf(charge.amountMinor, charge.currency),
  shop: shopOf(charge),
  lines_sha256: hashLines(charge.products),
})

export const mandateFacts = (mandate: Mandate) => ({
  amount: amountOf(mandate.approvedMinor, mandate.currency),
  shop: shopOf(mandate),
})

/** The approval of a session: its evidence, and what it was about. */
export function approvalDraft(
  sessionId: string,
  { customerId, sentence, proof, approvedAt }: Evidence,
  about: Pick<Said, 'about'> & Partial<Said>,
): Draft {
  const said = saying({
    ...{ act: 'approval', outcome: 'allowed', occurred_at: approvedAt.toISOString(), ...about },
    ...{ sentence, proof },
  })
  return { customerId, cause: { kind: 'approval', id: sessionId }, allowedIn: null, said }
}
