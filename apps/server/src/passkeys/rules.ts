import { createHash } from 'node:crypto'
import { originMatches } from '@mintmark/contract/origin-matching'
import { addSeconds } from '../platform/clock.ts'
import type { ClientData } from './client-data.ts'

/** The salt of a user id. */
export const SALT_BYTES = 16

/** Why a ceremony is refused. `frame`: it may succeed in a tab of its own. `because` never leaves the server. */
export interface Refusal {
  kind: 'failed' | 'frame'
  because: string
}

export interface FrameRule {
  /** Ours, where this ceremony belongs. */
  origin: string
  /** What the page said when it asked for the challenge. */
  embedded: boolean
  allowedOrigins: readonly string[]
}

/**
 * Where a ceremony may run: on our origin, and either in no foreign frame or in one of a registered origin, named by
 * the browser. The WebAuthn library accepts a cross-origin ceremony without `topOrigin` (Safari sends none): then it is
 * not known whose page the cardholder approved in, so it is refused here and the page continues in a tab. `topOrigin`
 * names only the outermost page; frames between it and ours are kept out by `frame-ancestors`, which every ancestor
 * must match.
 */
export function frameRefusal(clientData: ClientData, rule: FrameRule): Refusal | null {
  const { origin, crossOrigin, topOrigin } = clientData
  if (origin !== rule.origin) return failed('the origin is not that of our page')
  if (!crossOrigin) {
    if (topOrigin !== undefined) return failed('there is a top origin without a cross-origin frame')
    // A browser too old to report frames must not pass for one that reports there is none.
    return rule.embedded ? frame('the page is embedded, but the browser does not say so') : null
  }
  if (!rule.embedded) return frame('the browser reports a frame the page did not')
  if (topOrigin === undefined) return frame('the browser does not say who embeds the page')
  const allowed = rule.allowedOrigins.some((pattern) => originMatches(topOrigin, pattern))
  return allowed ? null : frame('the embedding origin is not registered')
}

/**
 * The WebAuthn user id: tells authenticators which account a passkey is for, without naming the person. An authenticator keeps one
 * passkey of a user id. So each registration has one of its own, by a fresh salt: the later one of two tabs, which is refused, would
 * otherwise replace the passkey that is stored, and its owner would have none.
 */
export function userHandle(
  { merchantId, customerId }: { merchantId: string; customerId: string },
  salt: Buffer,
): Buffer {
  const digest = createHash('sha256').update(`mintmark.user-handle:${merchantId}:${customerId}:`).update(salt).digest()
  return Buffer.concat([salt, digest])
}

/** A credential that says whose it is must say ours. Absent is fine: the request already named the credential. */
export function userHandleRefusal(
  owner: { merchantId: string; customerId: string },
  given: string | undefined,
): Refusal | null {
  if (given === undefined) return null
  const salt = Buffer.from(given, 'base64url').subarray(0, SALT_BYTES)
  return given === userHandle(owner, salt).toString('base64url') ? null : failed('the user handle is of somebody else')
}

/**
 * Backup eligibility is fixed for a credential's life; a change means that another authenticator holds the key. Some keychains turn it when
 * they begin to sync all the same, for good: so its owner is told, who cannot know otherwise why it fails each time.
 */
export function hasBackupTurned(stored: { backupEligible: boolean }, shown: { backupEligible: boolean }): boolean {
  return stored.backupEligible !== shown.backupEligible
}

/** True when the counter says a copy may exist. Synced passkeys do not count: they stay at zero. */
export function counterWentBack(stored: number, shown: number): boolean {
  return (stored > 0 || shown > 0) && shown <= stored
}

/**
 * True when a signature was made after its challenge was issued, but arrived after a later one: two tabs, one authenticator.
 * It is refused, and it says nothing of a copy. A copy's next signature cannot pass the counter of its own challenge.
 */
export function answersLate(countAtIssue: number, shown: number): boolean {
  return shown > countAtIssue
}

/** How long the owner is told, at every approval, that their passkey was replaced. */
const TOLD_SECONDS = 30 * 24 * 3600

/** When a passkey was made in place of another one; null when it was not, or when that is long ago. */
export function replacedAt(
  { replaces, createdAt }: { replaces: string | null; createdAt: Date },
  at: Date,
): Date | null {
  return replaces !== null && addSeconds(createdAt, TOLD_SECONDS) > at ? createdAt : null
}

export function failed(because: string): Refusal {
  return { kind: 'failed', because }
}

function frame(because: string): Refusal {
  return { kind: 'frame', because }
}
