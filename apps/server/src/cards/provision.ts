import type { CustomerRef } from '../customers/ref.ts'
import { command, rollback, single } from '../db/command.ts'
import type { DeclineReason } from '../network/port.ts'
import { type Secret, secret } from '../platform/secret.ts'
import { type CardDeps, NO_EVENT } from './deps.ts'
import { cardInactive, cardNotFound, cardRefused, networkUnavailable, stepUpInvalid } from './errors.ts'
import { abandonedAt } from './rules.ts'
import { shred } from './shred.ts'
import type { Card } from './store.ts'
import * as store from './store.ts'

/** Asks the network, idempotently on the card's id, and records its word. Also for an active card: the CVV is checked. */
export async function provision(deps: CardDeps, card: Card, cvv: Secret): Promise<Card> {
  const { merchantId, id: cardId, vaultRecordId: recordId } = card
  if (recordId === null) throw cardInactive()
  const answer = await deps.vault.provision({ merchantId, recordId, cardId, cvv })
  switch (answer.outcome) {
    case 'unknown':
      throw networkUnavailable({ cause: new Error(answer.cause) })
    case 'declined':
      return refuse(deps, card, answer.reason)
    case 'ok':
      return answer.value.state === 'provisioned'
        ? recordToken(deps, card, answer.value.tokenRef)
        : recordStepUp(deps, card)
  }
}

/** The code the network sent the cardholder. */
export async function verify(deps: CardDeps, customer: CustomerRef, cardId: string, code: string): Promise<Card> {
  const card = await store.findCard(deps.pool, { ...customer, cardId })
  if (card === undefined) throw cardNotFound()
  if (card.status === 'active') return card
  if (card.status !== 'provisioning' || !card.stepUpPending) throw cardInactive()
  const answer = await deps.network.completeStepUp({ cardId, code: secret(code) })
  switch (answer.outcome) {
    case 'unknown':
      throw networkUnavailable({ cause: new Error(answer.cause) })
    case 'declined':
      if (answer.reason === 'STEP_UP_CODE_WRONG') throw stepUpInvalid()
      return refuse(deps, card, answer.reason)
    case 'ok':
      return recordToken(deps, card, answer.value.tokenRef)
  }
}

/** The card is active with this token; a second confirmation of the same provisioning changes nothing. */
async function recordToken(deps: CardDeps, card: Card, tokenRef: string): Promise<Card> {
  const { merchantId, customerId, id: cardId } = card
  const updated = await single(deps, { name: 'cards.activate', silent: NO_EVENT }, ({ on, at }) =>
    store.updateActive(on, { merchantId, cardId, tokenRef, at }),
  )
  const current = updated ?? (await store.findCard(deps.pool, { merchantId, customerId, cardId }))
  if (current?.status !== 'active') throw cardInactive()
  return current
}

async function recordStepUp(deps: CardDeps, { merchantId, id: cardId }: Card): Promise<Card> {
  const updated = await single(deps, { name: 'cards.await_step_up', silent: NO_EVENT }, ({ on, at }) =>
    store.updateStepUp(on, { merchantId, cardId, dueAt: abandonedAt(at), at }),
  )
  if (updated === undefined) throw cardInactive()
  return updated
}

/** The network asks for the same card once more, under the same id: it would take another id for a first try. */
const TRY_AGAIN: ReadonlySet<DeclineReason> = new Set(['DEVICE_BINDING_FAILED'])

/** A refused card leaves nothing behind: its row ends and its number is shredded, unless it was enrolled before. */
async function refuse(deps: CardDeps, { merchantId, id: cardId }: Card, reason: DeclineReason): Promise<never> {
  if (!TRY_AGAIN.has(reason)) {
    await command(deps, { name: 'cards.refuse', silent: NO_EVENT }, async ({ tx, at }) =>
      (await shred(tx, { merchantId, cardId }, at)) ? true : rollback,
    )
  }
  throw cardRefused({ details: { reason } })
}
