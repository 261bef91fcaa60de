/**
 * Why a change captures no event. Each change that has none names the reason that is true of it; a new reason is a line here, with the words
 * for it, so that what its readers are not told is decided in one place.
 */
export const SILENT = {
  unapproved:
    'Nothing was approved with it: until then no event tells that a session, a quote or a passkey was made or changed, but that a session was revoked.',
  middle:
    'It is a step of a payment, a setup, an enrollment or a card’s deletion: what it leads to has an event of its own, or came to nothing.',
  statement: 'The statement inserts the event itself.',
  card: 'No event tells of customers, cards and numbers, but that an accepted card is deleted, and that a new passkey is allowed; sessions tell of enrollments.',
  work: 'Which process has a piece of work in hand, when it is due and that it is done is the service’s own.',
  challenge: 'What is good for one use was given out or used up; what is done with it is the change.',
  idempotency:
    'It is a caller’s key or the response under it: what was made by it says for itself whether an event tells of it.',
  resealed: 'It is the same value under another seal.',
  past: 'Its time was over before: that it is deleted is no news.',
  telling:
    'It is how a merchant is told (numbers, endpoints, deliveries, contacts, mails), and no part of what is told.',
  owner: 'It is a matter of an owner and their agents, who have no feed.',
  operator: 'It is how the deployment is set up and how it stands: the operator’s, and no resource of a merchant.',
  logged: 'It is for the operator, whom the log tells of it: by an alarm, or by a line of the audit log.',
  wallet: 'The wallet API has no events: it tells how things stand when it is asked.',
  test_only: 'It is a change that only a test or a benchmark makes.',
} as const
export type SilentReason = keyof typeof SILENT

/** A change that captures nothing. */
export interface SilentChange {
  name: string
  silent: SilentReason
}
