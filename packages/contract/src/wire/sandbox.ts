import { type Static, Type } from 'typebox'
import { ENROLLMENT_STATUSES, SESSION_STATUSES, STOP_AFTER } from '../states.ts'
import { SURFACE_OUTCOMES, SURFACE_STEPS } from '../surface.ts'
import { AmountOrZero, CurrencyCode, dateTime, reference } from './common.ts'
import { about, nullable, oneOf, STRICT, text } from './schema.ts'

/** The test helpers of the main API. They exist in the sandbox only. */
const digits = (min: number, max: number, description: string, example: string) =>
  Type.String({
    pattern: `^[0-9]{${min},${max}}$`,
    'x-message': `must be ${min === max ? min : `${min} to ${max}`} digits`,
    description,
    examples: [example],
  })

export const CompleteBody = Type.Object(
  {
    card_number: Type.Optional(
      Type.String({
        minLength: 12,
        maxLength: 23,
        pattern: '^[0-9 -]+$',
        'x-message': 'must be a card number',
        description: 'The test card to enter. Without it: 4242 4242 4242 4242, or the card that is chosen already.',
        examples: ['4242 4242 4242 4242'],
      }),
    ),
    card_id: Type.Optional(reference(64, 'A saved card of the customer to use instead.')),
    stop_after: Type.Optional(
      oneOf(STOP_AFTER, { title: 'StopAfter', description: 'Walks away after this step. Without it: approves.' }),
    ),
  },
  { ...STRICT, title: 'CompleteRequest', description: 'What the headless cardholder does.' },
)
export type CompleteBody = Static<typeof CompleteBody>

export const CompleteResponse = Type.Object(
  {
    session_id: text('The session.'),
    status: oneOf([...new Set([...SESSION_STATUSES, ...ENROLLMENT_STATUSES])], {
      title: 'CompletedStatus',
      description: 'How the session stands, or its enrollment.',
    }),
    card_id: nullable(Type.String(), 'The card that was chosen; null when none was.'),
    next_step: oneOf(SURFACE_STEPS, { title: 'Step', description: 'What the page would show now.' }),
    outcome: nullable(
      oneOf(SURFACE_OUTCOMES, { title: 'Outcome' }),
      'What the cardholder is told at the end; null before.',
    ),
  },
  { title: 'CompleteResult', description: 'Where the cardholder stands.' },
)
export type CompleteResponse = Static<typeof CompleteResponse>

export const AdvanceBody = Type.Object(
  { seconds: Type.Integer({ minimum: 1, maximum: 315_360_000, description: 'How far.' }) },
  { ...STRICT, title: 'AdvanceClockRequest', description: 'How far the clock is moved.' },
)
export type AdvanceBody = Static<typeof AdvanceBody>

export const AdvanceResponse = Type.Object(
  { now: dateTime("The sandbox's time after the move.") },
  { title: 'ClockTime', description: "The sandbox's time." },
)
export type AdvanceResponse = Static<typeof AdvanceResponse>

export const AuthorizationBody = Type.Object(
  {
    token: digits(12, 19, 'Number of the virtual card.', '4000001234567899'),
    dynamic_cvv: digits(3, 4, 'Its CVV.', '123'),
    expiry_month: digits(2, 2, 'Month it is printed with.', '12'),
    expiry_year: digits(4, 4, 'Year it is printed with.', '2031'),
    amount: about('What is charged; zero asks whether the card is good, and uses nothing up.', AmountOrZero),
    currency: about('Of the amount.', CurrencyCode),
    merchant_url: Type.String({
      format: 'uri',
      maxLength: 2048,
      description: 'Address of the merchant who charges.',
      examples: ['https://tea.example'],
    }),
  },
  { ...STRICT, title: 'AuthorizationRequest', description: 'A purchase with a minted credential.' },
)
export type AuthorizationBody = Static<typeof AuthorizationBody>

export const AuthorizationResponse = Type.Object(
  {
    authorization_id: text('The attempt.'),
    approved: Type.Boolean({ description: 'Whether the card network said yes.' }),
    response_code: text('ISO 8583; 00 is approved.', '00'),
    authorization_code: Type.Optional(text('Only when approved.', '123456')),
  },
  { title: 'Authorization', description: 'What the card network said.' },
)
export type AuthorizationResponse = Static<typeof AuthorizationResponse>
