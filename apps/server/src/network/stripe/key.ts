import type { Environment } from '@mintmark/contract'
import type { Secret } from '../../platform/secret.ts'

export const KEY = /^(?:sk|rk)_(test|live)_[A-Za-z0-9_]{5,250}$/
const KINDS = { sandbox: 'test', production: 'live' } as const

/**
 * A sandbox moves no real money, and production no play money: a key of the other kind ends the start. What is wrong is
 * said without a letter of the key; null: it is good.
 */
export function keyProblem(key: Secret, environment: Environment): string | null {
  const [, kind] = KEY.exec(key.reveal()) ?? []
  const wanted = KINDS[environment]
  if (kind === undefined) return 'must be a secret or a restricted key: sk_… or rk_…'
  return kind === wanted ? null : `is of ${kind} mode; ${environment} takes keys of ${wanted} mode only`
}

/** Throws what is wrong with it. */
export function checkKey(key: Secret, environment: Environment): void {
  const problem = keyProblem(key, environment)
  if (problem !== null) throw new Error(`The Stripe key ${problem}.`)
}

/** As much of a key as an operator needs to tell one from another. */
export function endOfKey(key: Secret): string {
  return key.reveal().slice(-4)
}
