import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import type { AuthorizationDeps } from './deps.ts'
import { consumeEntry, deleteEntry, deleteOfGrant, findEntry, writeEntry } from './entries.ts'
import { consumeRefreshToken, isRepeatable } from './successors.ts'

/**
 * What oidc-provider stores, in the database alone: any node goes on with what another has begun. The name of a grant says which agent it
 * is for (`grant.ts`), so that all tokens of an agent are found by it.
 */
export function createAdapter(deps: AuthorizationDeps, kind: string): Adapter {
  const isRefreshed = kind === 'RefreshToken'
  return {
    async upsert(id, payload, seconds) {
      await writeEntry(deps, { kind, id }, payload, seconds as number | undefined)
    },
    async find(id) {
      const found = await findEntry(deps, { kind, id })
      if (found === undefined) return undefined
      const { content, consumedAt } = found
      if (consumedAt === null || (isRefreshed && isRepeatable(deps, consumedAt))) return content as AdapterPayload
      return { ...content, consumed: Math.floor(consumedAt.getTime() / 1000) } as AdapterPayload
    },
    // The library looks for no session by another name: none outlives its authorization.
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    // Where several requests bring one code at the same moment, one gets tokens. Those that bring one refresh token get the same ones.
    async consume(id) {
      if (isRefreshed) return consumeRefreshToken(deps, id)
      if (!(await consumeEntry(deps, { kind, id }))) throw new errors.InvalidGrant('it was used already')
    },
    destroy: (id) => deleteEntry(deps, { kind, id }),
    revokeByGrantId: (grantId) => deleteOfGrant(deps, kind, grantId),
  }
}
