import { single } from '../db/command.ts'
import { autocommit } from '../db/transaction.ts'
import { endOverdue, overdueRows } from '../jobs/overdue.ts'
import type { Secret } from '../platform/secret.ts'
import { type CellRef, countOf, MAX_COUNTED, type RowPlace, type SealedPlace } from '../vault/service.ts'
import type { WebhookDeps } from './deps.ts'
import type { EndpointRef } from './ref.ts'
import * as sealed from './sealed-store.ts'
import * as store from './store.ts'

export function secretCell({ merchantId, endpointId }: EndpointRef): CellRef {
  return { table: 'webhook_endpoints', merchantId, id: endpointId, field: 'secret' }
}

export function formerSecretCell({ merchantId, endpointId }: EndpointRef): CellRef {
  return { table: 'webhook_endpoints', merchantId, id: endpointId, field: 'former_secret' }
}

type SecretDeps = Pick<WebhookDeps, 'vault' | 'merchants' | 'clock'>

/** The secrets of an endpoint, as its row has them. */
export type SealedSecrets = store.SealedSecrets

/** What an endpoint's requests are signed with now, the newest first. The key provider may be asked: never in a transaction. */
export async function openSecrets(deps: SecretDeps, ref: EndpointRef, row: SealedSecrets): Promise<Secret[]> {
  const current = await openCurrent(deps, ref, row)
  const { formerSecretSealed: former, formerSecretKeyId: keyId, formerSecretUntil: until } = row
  if (former === null || keyId === null || until === null || until <= deps.clock.now()) return [current]
  return [current, await deps.vault.unsealText(formerSecretCell(ref), { sealed: former, keyId })]
}

/** The endpoint of the account signs with the secret of the account, which is kept there only. */
async function openCurrent(
  { vault, merchants }: SecretDeps,
  ref: EndpointRef,
  { secretSealed, secretKeyId }: SealedSecrets,
): Promise<Secret> {
  if (secretSealed === null || secretKeyId === null) return merchants.getWebhookSecret(ref.merchantId)
  return vault.unsealText(secretCell(ref), { sealed: secretSealed, keyId: secretKeyId })
}

/** Where the secrets of endpoints are, for the rotation of keys. */
export function sealedSecrets({ pool }: Pick<WebhookDeps, 'pool'>): SealedPlace[] {
  return [
    {
      name: 'webhook_endpoints.secret',
      count: (keyId) => sealed.countSecretsUnderKey(pool, { keyId, limit: MAX_COUNTED }).then(countOf),
      list: (keyId, after, limit) => sealed.listSecretsUnderKey(pool, { keyId, ...behind(after), limit }),
      cellOf: ({ merchantId, id }) => secretCell({ merchantId, endpointId: id }),
      update: ({ merchantId, id: endpointId, sealed: before }, fresh) =>
        autocommit(pool, (on) => sealed.updateSecretWrap(on, { merchantId, endpointId, before, ...fresh })),
    },
    {
      name: 'webhook_endpoints.former_secret',
      count: (keyId) => sealed.countFormerUnderKey(pool, { keyId, limit: MAX_COUNTED }).then(countOf),
      list: (keyId, after, limit) => sealed.listFormerUnderKey(pool, { keyId, ...behind(after), limit }),
      cellOf: ({ merchantId, id }) => formerSecretCell({ merchantId, endpointId: id }),
      update: ({ merchantId, id: endpointId, sealed: before }, fresh) =>
        autocommit(pool, (on) => sealed.updateFormerWrap(on, { merchantId, endpointId, before, ...fresh })),
    },
  ]
}

const behind = (after: RowPlace | null) => ({
  afterMerchantId: after?.merchantId ?? '',
  afterId: after?.id ?? '',
})

const FORMER = overdueRows('rotations', {
  table: 'webhook_endpoints',
  due: 'former_secret_until',
  where: 'former_secret_until is not null',
})

/** Destroys secrets that were replaced a day ago. */
export const forgetFormerSecrets = endOverdue<Pick<WebhookDeps, 'pool' | 'clock' | 'log'>>(FORMER, {
  name: 'webhooks.forget_former_secrets',
  async handle(deps, { merchantId, id: endpointId }) {
    const declaration = { name: 'webhooks.forget_former_secrets', silent: 'past' } as const
    return (
      (await single(deps, declaration, ({ on, at }) => store.deleteFormerSecret(on, { merchantId, endpointId, at }))) >
      0
    )
  },
})
