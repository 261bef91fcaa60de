import { createHmac, randomBytes } from 'node:crypto'
import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { unmoved } from '../platform/clock.ts'
import type { AuthorizationDeps } from './deps.ts'
import { consumeForRepeats, textAt } from './entries.ts'
import { REPEAT_SECONDS } from './lifetimes.ts'

// A refresh whose answer was lost, or that two processes of a client make at once, is no theft: for half a minute it is answered with the same
// tokens, and later it ends all (a thief's is later, or gets what the client has). Tokens are kept as hashes, so the same ones have to be made
// anew: they follow from the token that was brought, which is stored nowhere, and a seed, which is drawn by whoever uses it first. Neither the
// database nor the token alone says what they are.

const SEED_BYTES = 32

type NameOf = (kind: string) => string
/** What the tokens of a request are called that has brought a refresh token. */
const names = new WeakMap<KoaContextWithOIDC, NameOf>()

/** Whether a token that was used may be used again: by a client that did not hear the answer. */
export const isRepeatable = ({ clock }: Pick<AuthorizationDeps, 'clock'>, consumedAt: Date): boolean =>
  unmoved(clock).getTime() - consumedAt.getTime() < REPEAT_SECONDS * 1000

/** Uses up the refresh token that the request has brought. A request that brings it again in time gets the tokens of the first. */
export async function consumeRefreshToken(deps: AuthorizationDeps, id: string): Promise<void> {
  const drawn = randomBytes(SEED_BYTES).toString('base64url')
  const content = await consumeForRepeats(deps, { kind: 'RefreshToken', id }, { seed: drawn })
  const seed = textAt(content, 'seed')
  const ctx = Provider.ctx
  if (seed === undefined || ctx === undefined) throw new errors.InvalidGrant('it was used already')
  names.set(ctx, (kind) => createHmac('sha256', id).update(`${kind}:${seed}`).digest('base64url'))
}

/** What the library asks a token for that is saved for the first time, which its types do not say. */
interface Named {
  kind: string
  generateTokenId(): string
}

/** Lets the tokens that take the place of a refresh token have the names that follow from it; all others are drawn. */
export function nameSuccessors({ AccessToken, RefreshToken }: Provider): void {
  for (const prototype of [AccessToken.prototype, RefreshToken.prototype] as unknown as Named[]) {
    const draw = prototype.generateTokenId
    prototype.generateTokenId = function (this: Named) {
      const drawn = draw.call(this)
      const ctx = Provider.ctx
      return (ctx === undefined ? undefined : names.get(ctx)?.(this.kind)) ?? drawn
    }
  }
}
