import type { ApprovalOptions, SurfaceView } from '@mintmark/contract/wire/surface'
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'

/** How much of a challenge's life may pass before the page asks for another one; the rest is for the dialog, and for another device in it. */
const OLD_AFTER = 0.25
/** Timers of a page that is out of sight come late: it is looked at when the page is seen again as well. */
const LOOK_EVERY_MILLIS = 5_000

/** Terms to sign, and how long the service takes a signature over them. */
export interface Challenge {
  terms: ApprovalOptions['terms']
  /** The request, with the time that is left for its dialog. */
  request(): PublicKeyCredentialRequestOptionsJSON
  /** So much of its life is over that its dialog may be short of time. */
  isOld(): boolean
  /** The service takes no answer to it any more. */
  isOver(): boolean
}

/** `askedAt`: when it was asked for, by the clock `now`, which goes on while a phone sleeps. */
export function challengeOf({ terms, options }: ApprovalOptions, askedAt: number, now = () => Date.now()): Challenge {
  // The contract leaves the request open, because its shape is the WebAuthn specification's.
  const request = options as unknown as PublicKeyCredentialRequestOptionsJSON
  const lifeMillis = request.timeout ?? Number.POSITIVE_INFINITY
  const leftMillis = () => lifeMillis - (now() - askedAt)
  return {
    terms,
    request: () => (request.timeout === undefined ? request : { ...request, timeout: Math.max(0, leftMillis()) }),
    isOld: () => leftMillis() < lifeMillis * (1 - OLD_AFTER),
    isOver: () => leftMillis() <= 0,
  }
}

/** Equal terms are equal bytes, so that one challenge may take the other's place under what is read. Until when they may be approved is not read. */
export function hasSameTerms(one: Challenge, other: Challenge): boolean {
  return JSON.stringify({ ...one.terms, approve_by: null }) === JSON.stringify({ ...other.terms, approve_by: null })
}

/** Another one should be asked for: it is old, or more time was given since, and a signature over it is good until the former end only. */
export function isOutdated(challenge: Challenge, view: SurfaceView): boolean {
  return challenge.isOld() || Date.parse(challenge.terms.approve_by) < Date.parse(view.expires_at)
}

/** Calls `look` every few seconds, and when the page is seen again; one at a time. Returns what ends that. */
export function lookingNowAndThen(look: () => Promise<void>): () => void {
  let isLooking = false
  const once = async () => {
    if (isLooking || document.hidden) return
    isLooking = true
    await look().finally(() => {
      isLooking = false
    })
  }
  const timer = setInterval(() => void once(), LOOK_EVERY_MILLIS)
  const seen = () => void once()
  document.addEventListener('visibilitychange', seen)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', seen)
  }
}
