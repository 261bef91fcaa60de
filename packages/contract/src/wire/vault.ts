import { type Static, Type } from 'typebox'
import { optionalFreeText } from './common.ts'
import { nullable, STRICT, text } from './schema.ts'

const typed = (maxLength: number, description: string, example: string) =>
  Type.String({ minLength: 1, maxLength, format: 'clean-text', description, examples: [example] })
/** Digits, as a text or as a number: forms have the one, programs the other. */
const part = (maxLength: number, description: string, example: string) =>
  Type.Union([typed(maxLength, description, example), Type.Integer({ minimum: 0, maximum: 9999 })], {
    description,
    'x-message': 'must be digits, as a text or a number',
  })

export const VaultRecordBody = Type.Object(
  {
    card_number: typed(40, 'The number; blanks and hyphens are ignored.', '4242 4242 4242 4242'),
    expiry_month: part(2, 'Month of the expiry, 1 to 12.', '12'),
    expiry_year: part(4, 'Year of the expiry, of two or four digits.', '2029'),
    cvv: Type.Optional(
      typed(4, 'The security code. The card network is asked whether it is right; it is never stored.', '123'),
    ),
    cardholder_name: optionalFreeText(100, 'The name on the card. Accepted, and not kept.', 'Ann Example'),
  },
  { ...STRICT, title: 'VaultRecordRequest', description: 'A card to put in the vault.' },
)
export type VaultRecordBody = Static<typeof VaultRecordBody>

export const VaultRecord = Type.Object(
  {
    vault_ref_id: text('Names the record: a UUID.', '5f0c1d9e-0a53-4c36-9d1c-0e6f5d7b2a41'),
    card_last4: text('The last four digits.', '4242'),
    card_brand: nullable(text('In lower case.', 'visa'), 'The brand; null when it is not known.'),
    card_exp_month: Type.Integer({ minimum: 1, maximum: 12, description: 'Month of the expiry.' }),
    card_exp_year: Type.Integer({ description: 'Year of the expiry, four digits.' }),
  },
  { title: 'VaultRecord', description: 'A card in the vault, without its number.' },
)
export type VaultRecord = Static<typeof VaultRecord>
