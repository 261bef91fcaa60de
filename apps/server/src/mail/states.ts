import type { Transitions } from '../platform/states.ts'

/** Where a mail stands. */
export const MAIL_STATES = ['queued', 'sent', 'refused', 'unconfirmed', 'expired', 'dropped'] as const
export type MailState = (typeof MAIL_STATES)[number]

/** What may become of a mail. */
export const MAIL_TRANSITIONS: Transitions<MailState> = {
  /** In the outbox, and tried until its end. */
  queued: ['sent', 'refused', 'unconfirmed', 'expired', 'dropped'],
  /** The mail server took it. */
  sent: [],
  /** The mail server refused it for good. */
  refused: [],
  /** Handed over twice without a word of what became of it. A third time might be the third one that arrives. */
  unconfirmed: [],
  /** Its time was over before a mail server took it. */
  expired: [],
  /**
   * There is no one to write to any more, another link or code took the place of this one, or what it asks was
   * answered.
   */
  dropped: [],
}

export const MAIL_KINDS = [
  'contact_link',
  'incident_opened',
  'incident_closed',
  'owner_code',
  'owner_asked',
  'visit_code',
  'recovery_begun',
  'recovery_stopped',
  'recovery_done',
  'address_replaced',
  'console_invitation',
] as const
export type MailKind = (typeof MAIL_KINDS)[number]

/** Why a mail was not sent. */
export const MAIL_REASONS = [
  'not_configured',
  'file',
  'dns',
  'connection',
  'tls',
  'login',
  'timeout',
  'protocol',
  'deferred',
  'refused',
  'no_recipient',
  /** What it would have asked was answered already. */
  'answered',
] as const
export type MailReason = (typeof MAIL_REASONS)[number]
