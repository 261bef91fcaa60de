const MINUTE = 60
export const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long a mailed link opens. */
export const LINK_SECONDS = 7 * DAY
/** A notice that is older says nothing any more. */
export const NOTICE_SECONDS = 3 * DAY
/**
 * Notices of one kind to one contact in an hour. An endpoint that answers its challenge and then 410 has an incident as often as a caller
 * verifies it: without a bound a stolen key would fill twenty mailboxes by the operator's mail server.
 */
export const MAX_NOTICES = 10
/** Between two links to one address, so that no mailbox is filled. */
export const LINK_REST_SECONDS = MINUTE
/** How long a mail that has ended is kept, so that it can be told what became of it. */
export const KEPT_SECONDS = 30 * DAY
export const MAX_CONTACTS = 20
/** How long a code that proves an owner's address can be typed, and how often. */
export const CODE_SECONDS = 10 * MINUTE
export const MAX_TRIES = 5
/** Between two codes of an owner; and how many an owner, and an address whoever asks, gets in an hour. */
export const CODE_REST_SECONDS = MINUTE
export const MAX_CODES = 5
/** Questions to one owner in an hour: an agent that was taken over must not fill a mailbox. */
export const MAX_ASKED = 10
/** Handed over without a word of what became of it: once more, and no further. */
export const MAX_UNSURE = 2

/** What fails a moment is tried soon, what fails for hours is not worth more than a try every quarter of an hour. */
const RESTS_SECONDS = [15, MINUTE, 5 * MINUTE]
const MAX_REST_SECONDS = 15 * MINUTE

/** Seconds to wait before a mail is tried again; `attempt` counts from 1. */
export function restSeconds(attempt: number): number {
  return RESTS_SECONDS[attempt - 1] ?? MAX_REST_SECONDS
}

/** The host of an endpoint, as it may be shown: what else is in a URL may be a secret. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'unknown'
}
