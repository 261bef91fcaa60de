import { type CommandContext, commandOnce, outcomeOf } from '../db/command.ts'
import { checkActive, newWebhookSecret } from '../merchants/service.ts'
import { addSeconds } from '../platform/clock.ts'
import { notFound, unavailable } from '../platform/errors.ts'
import type { Secret } from '../platform/secret.ts'
import { checkDelivering } from './delivering.ts'
import type { WebhookDeps } from './deps.ts'
import type { Endpoint, Once } from './endpoints.ts'
import { rotationInProgress } from './errors.ts'
import type { EndpointRef } from './ref.ts'
import { ROTATION_SECONDS } from './rules.ts'
import { checkedDestination } from './seal.ts'
import { formerSecretCell, openSecrets, secretCell } from './secrets.ts'
import * as store from './store.ts'

/** As `Once`; the answer says as well until when the former secret signs. */
interface RotateOnce extends Omit<Once, 'answer'> {
  answer(endpoint: Endpoint, formerUntil: Date): string
}

export interface Rotated {
  answer: string
  /** Null: the key was used before. The secret is shown once; a caller who lost the answer rotates again when that is possible. */
  secret: Secret | null
}

/** Everything that is sealed for a rotation. Sealed before the transaction: the key provider may be a network away. */
interface Prepared {
  secret: Secret
  former: { formerSealed: Buffer; formerKeyId: string }
  store(context: CommandContext<never>, formerUntil: Date): Promise<boolean>
}

/**
 * A new secret. The one before signs beside it for a day, so that receivers are changed without losing a request. Only then may it
 * be rotated again: a third secret would be one that no receiver has heard of in time.
 */
export async function rotate(
  deps: WebhookDeps,
  ref: EndpointRef,
  { key, input, answer }: RotateOnce,
): Promise<Rotated> {
  checkDelivering(deps)
  const prepared = await prepare(deps, ref)
  const idempotencyKey = { merchantId: ref.merchantId, operation: 'webhooks.rotate', key, input }
  const declaration = { name: 'webhooks.rotate', silent: 'telling' } as const
  const rotated = outcomeOf(
    await commandOnce(deps, declaration, idempotencyKey, async (context) => {
      // Only here: a key that was used before gets its answer, whatever has become of the endpoint.
      if (prepared === undefined) throw notFound()
      await checkActive(context.tx, ref.merchantId)
      const formerUntil = addSeconds(context.at, ROTATION_SECONDS)
      if (!(await prepared.store(context, formerUntil))) await refuse(context, ref)
      const endpoint = await store.findEndpoint(context.tx, { ...ref })
      if (endpoint === undefined) throw notFound()
      return { answer: answer(endpoint, formerUntil) }
    }),
  )
  if (rotated === null) throw unavailable()
  const { outcome, replayed } = rotated
  return { answer: outcome.answer, secret: replayed ? null : (prepared?.secret ?? null) }
}

async function prepare(deps: WebhookDeps, ref: EndpointRef): Promise<Prepared | undefined> {
  const row = await store.findSendable(deps.pool, { ...ref })
  if (row === undefined) return undefined
  checkedDestination(deps, ref.merchantId, row)
  const [current] = await openSecrets(deps, ref, row)
  if (current === undefined) return undefined
  const { sealed: formerSealed, keyId: formerKeyId } = await deps.vault.sealText(formerSecretCell(ref), current)
  const former = { formerSealed, formerKeyId }
  return row.isAccount ? ofAccount(deps, ref, former) : ofItself(deps, ref, former, row.secretSealed)
}

async function ofItself(
  { vault }: WebhookDeps,
  ref: EndpointRef,
  former: Prepared['former'],
  before: Buffer | null,
): Promise<Prepared> {
  const secret = newWebhookSecret()
  const { sealed: secretSealed, keyId: secretKeyId } = await vault.sealText(secretCell(ref), secret)
  return {
    secret,
    former,
    store: async ({ tx, at }, formerUntil) =>
      (await store.updateSecret(tx, { ...ref, ...former, before, secretSealed, secretKeyId, formerUntil, at })) === 1,
  }
}

/** The account's own secret is replaced with it, in the same transaction: account and endpoint have one. */
async function ofAccount({ merchants }: WebhookDeps, ref: EndpointRef, former: Prepared['former']): Promise<Prepared> {
  const next = await merchants.prepareWebhookSecret(ref.merchantId)
  const none = { before: null, secretSealed: null, secretKeyId: null }
  return {
    secret: next.secret,
    former,
    async store({ tx, at }, formerUntil) {
      // The endpoint first: two rotations at the same time then wait for each other there.
      if ((await store.updateSecret(tx, { ...ref, ...former, ...none, formerUntil, at })) === 0) return false
      return merchants.replaceWebhookSecret(tx, ref.merchantId, next)
    },
  }
}

/** Why nothing was stored. */
async function refuse({ tx, at }: CommandContext<never>, ref: EndpointRef): Promise<never> {
  const row = await store.findSendable(tx, { ...ref })
  if (row === undefined) throw notFound()
  if (row.formerSecretUntil !== null && row.formerSecretUntil > at) throw rotationInProgress()
  // Wrapped by another key meanwhile: the same request, sent again, succeeds.
  throw unavailable()
}
