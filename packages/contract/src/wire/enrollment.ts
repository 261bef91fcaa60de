import { type Static, Type } from 'typebox'
import {
  CONSENT_STATUSES,
  ENROLLED_PASSKEYS,
  ENROLLMENT_ERROR_CODES,
  ENROLLMENT_MODES,
  ENROLLMENT_OUTCOMES,
  ENROLLMENT_STATUSES,
  INTEGRATION_TYPES,
} from '../states.ts'
import { dateTime, httpsUrl, LanguageTag, userId } from './common.ts'
import { about, nullable, oneOf, STRICT, text } from './schema.ts'

/** A text without control characters that says something. */
const said = (maxLength: number, description: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    format: 'clean-text',
    not: { type: 'string', pattern: '^\\s*$', 'x-message': 'must not be blank' },
    description,
    examples: [example],
  })

export const EnrollCardBody = Type.Object(
  {
    enrollment_mode: Type.Optional(
      oneOf(ENROLLMENT_MODES, {
        title: 'EnrollmentMode',
        default: 'provision_only',
        description: 'The card alone, at once; or card and passkey, by the cardholder at `iframe_url`.',
      }),
    ),
    user_id: userId('refused'),
    user_email: Type.Optional(
      Type.String({
        format: 'email',
        maxLength: 320,
        description: "The customer's email address. May be left out of a customer whose address you have given before.",
        examples: ['ann@example.com'],
      }),
    ),
    consent_id: Type.Optional(
      said(255, 'Your reference of the consent. That there is one is kept, not what it is.', 'consent-77'),
    ),
    vault_ref_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'A vault record of yours. Required for `provision_only`; otherwise it spares entering the card.',
        examples: ['0190a1b2-c3d4-4e5f-8a9b-0c1d2e3f4a5b'],
      }),
    ),
    integration_type: Type.Optional(
      oneOf(INTEGRATION_TYPES, {
        title: 'IntegrationType',
        default: 'full_checkout',
        description:
          'Only for `full_enrollment`: whether the page is opened as a tab (`full_checkout`) or framed by yours (`embedding`).',
      }),
    ),
    callback_url: Type.Optional(
      httpsUrl(
        'Only for `full_enrollment`: where a hosted page returns to, with `session_id` added.',
        'https://shop.example/done',
      ),
    ),
    locale: Type.Optional(
      about('Only for `full_enrollment`: how the cardholder reads, as a language tag of BCP 47.', LanguageTag),
    ),
  },
  { ...STRICT, title: 'EnrollCardRequest', description: 'One card of one customer.' },
)
export type EnrollCardBody = Static<typeof EnrollCardBody>

const ProvisionedCard = Type.Object(
  { card_id: text('The card, which its cardholder has still to prove.', 'card_8k1q6t3x5v0n2hd4fz9w2r7c0m') },
  { title: 'ProvisionedCard', description: 'The card, of `provision_only`.' },
)

export const EnrollmentSession = Type.Object(
  {
    session_id: text('The session.', 'sess_4fz9w2r7c0m8k1q6t3x5v0n2hd'),
    session_token: text('JWT for the client SDK; expires with the session.'),
    expires_at: dateTime('When the cardholder can no longer finish.'),
    iframe_url: text('The secure surface. Use exactly as returned, in an iframe or a tab.'),
  },
  { title: 'EnrollmentSession', description: 'Where the cardholder enrolls the card, of `full_enrollment`.' },
)
export type EnrollmentSession = Static<typeof EnrollmentSession>

export const EnrollCardResponse = Type.Union([ProvisionedCard, EnrollmentSession], {
  title: 'EnrollCardResponse',
  description: 'The card, or the session in which it is enrolled: by `enrollment_mode`.',
})
export type EnrollCardResponse = Static<typeof EnrollCardResponse>

export const EnrollmentStatusResource = Type.Object(
  {
    session_id: text('The session.', 'sess_4fz9w2r7c0m8k1q6t3x5v0n2hd'),
    status: oneOf(ENROLLMENT_STATUSES, {
      title: 'EnrollmentStatus',
      description: 'How it stands. Poll while it is `requires_action` or `processing`.',
    }),
    outcome: oneOf(ENROLLMENT_OUTCOMES, { title: 'EnrollmentOutcome', description: 'How far the card came.' }),
    card_id: nullable(Type.String(), 'The card, once the network has accepted it; whatever comes of the passkey.'),
    passkey: nullable(
      oneOf(ENROLLED_PASSKEYS, { title: 'EnrolledPasskey' }),
      'Made in this session, or there before and verified; null until it is completed.',
    ),
    consent_status: oneOf(CONSENT_STATUSES, {
      title: 'ConsentStatus',
      description: 'Whether the creation named a consent.',
    }),
    error: nullable(
      Type.Object(
        {
          code: oneOf(ENROLLMENT_ERROR_CODES, { title: 'EnrollmentErrorCode', description: 'Stable; branch on this.' }),
          message: text('The same in words.'),
          retryable: Type.Boolean({
            description: 'Whether the cardholder can try again at the same page. There is no retry by the API.',
          }),
        },
        { title: 'EnrollmentError', description: 'What went wrong.' },
      ),
      'Why it failed, or the last try; null when nothing stands against it, and after completion, cancellation or expiry.',
    ),
  },
  { title: 'EnrollmentStatusResource', description: 'The enrollment of a card; the same fields in every state.' },
)
export type EnrollmentStatusResource = Static<typeof EnrollmentStatusResource>
