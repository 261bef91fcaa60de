import type { MailReason } from './states.ts'

/** A mail as it goes out: its sender, its recipient, and its bytes. */
export interface OutgoingMail {
  id: string
  from: string
  to: string
  /** The whole message, headers first, the same in every try. */
  bytes: Buffer
}

type FailureReason = Exclude<MailReason, 'refused' | 'no_recipient'>

/** What became of a try. */
export type MailAnswer =
  | { outcome: 'accepted' }
  /** For good, by a 5xx about this mail. */
  | { outcome: 'refused'; replyCode: number }
  /** Not taken, as is certain. */
  | { outcome: 'deferred'; reason: FailureReason; replyCode: number | null }
  /** The mail server was handed all of it and nothing was heard: it may have taken it. */
  | { outcome: 'unknown'; reason: FailureReason }
  /** It was not to be handed over. */
  | { outcome: 'withheld' }

/** Sends one mail. Never throws for what a mail server does. */
export interface Mailer {
  /** For the operator who starts the program; shows no secret. */
  description: string
  /** False: nothing leaves before the operator has set it up. */
  sends: boolean
  /**
   * `mayHandOver` is asked once, when the other side waits for the text and has none of it yet. What happens later may
   * have been the mail's arrival.
   */
  send(mail: OutgoingMail, mayHandOver: () => Promise<boolean>): Promise<MailAnswer>
}
