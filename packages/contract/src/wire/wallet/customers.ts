import { type Static, Type } from 'typebox'
import { WALLET_CUSTOMER_STATUSES, WALLET_CUSTOMER_TYPES } from '../../wallet.ts'
import { CountryCode, dateTime, displayName, freeText, optionalFreeText, optionalReference } from '../common.ts'
import { about, oneOf, STRICT, text } from '../schema.ts'
import { behind, PAGE, uuid } from './common.ts'

const email = (description: string) =>
  Type.String({ format: 'email', maxLength: 320, description, examples: ['ann@example.com'] })
const type = oneOf(WALLET_CUSTOMER_TYPES, { description: 'A person, or a person who acts for a business.' })

export const CreateWalletCustomerBody = Type.Object(
  {
    type,
    signed_agreement_id: optionalReference(255, 'Your own name for what the customer has signed.', 'agreement-77'),
    first_name: displayName(100, 'Given name.', 'Ann'),
    last_name: displayName(100, 'Family name.', 'Example'),
    email: email('One customer an address: upper and lower case do not make two. May be international (RFC 6531).'),
    phone: optionalFreeText(50, 'Phone number.', '+1 212 555 0100'),
    birth_date: Type.Optional(
      Type.String({ format: 'date', description: 'The day, not in the future.', examples: ['1990-04-30'] }),
    ),
    address: Type.Optional(
      Type.Object(
        {
          street_line_1: freeText(200, 'Street and number.', '1 Tea Lane'),
          city: freeText(100, 'City.', 'New York'),
          subdivision: optionalFreeText(100, 'State, province or region.', 'NY'),
          postal_code: optionalFreeText(20, 'Postal code.', '10001'),
          country: CountryCode,
        },
        { ...STRICT, description: 'Where the customer lives or is registered. Orders go to an address of their own.' },
      ),
    ),
  },
  { ...STRICT, title: 'CreateCustomerRequest', description: 'A new customer.' },
)
export type CreateWalletCustomerBody = Static<typeof CreateWalletCustomerBody>

/** What was given besides is kept for the check of the customer, and shown nowhere. */
export const WalletCustomer = Type.Object(
  {
    id: uuid('Names the customer.'),
    type,
    status: oneOf(WALLET_CUSTOMER_STATUSES, {
      description: 'Whether the customer was checked. One who is `rejected` gets no deposit and orders nothing.',
    }),
    first_name: text('Given name.', 'Ann'),
    last_name: text('Family name.', 'Example'),
    email: text('Email address, as it was given.', 'ann@example.com'),
    created_at: dateTime('When the customer was made.'),
    updated_at: dateTime('Of the last change.'),
  },
  { title: 'Customer', description: 'A customer of the wallet API.' },
)
export type WalletCustomer = Static<typeof WalletCustomer>

export const WalletCustomerList = Type.Object(
  {
    count: Type.Integer({ minimum: 0, description: 'How many are on this page.' }),
    data: Type.Array(WalletCustomer, { description: 'Newest first.' }),
  },
  { title: 'CustomerList', description: 'One page of customers.' },
)
export type WalletCustomerList = Static<typeof WalletCustomerList>

export const ListWalletCustomersQuery = Type.Object(
  {
    ...PAGE,
    before: behind('customer'),
    email: Type.Optional(email('Only the customer of this address, in whatever spelling of letters: one, or none.')),
  },
  STRICT,
)
export type ListWalletCustomersQuery = Static<typeof ListWalletCustomersQuery>

/** No rule on the form: a text that is no id of ours names no customer, and that is not found. */
export const WalletCustomerParams = Type.Object({ customerId: uuid('The `id` of the customer.') })

const contact = {
  phone: optionalFreeText(50, 'Phone number.', '+1 212 555 0100'),
  email: Type.Optional(email('Email address.')),
}
const place = {
  name: displayName(100, 'Who lives there.', 'Ann Example'),
  address: freeText(200, 'Street and number.', '1 Tea Lane'),
  city: freeText(100, 'City.', 'New York'),
  state: freeText(100, 'State, province or region.', 'NY'),
  postal_code: freeText(20, 'Postal code.', '10001'),
  country: CountryCode,
}

export const CreateAddressBody = Type.Object(
  {
    ...place,
    contact_information: Type.Object(contact, { ...STRICT, description: 'How to reach who lives there.' }),
  },
  { ...STRICT, title: 'CreateAddressRequest', description: 'An address to send orders to.' },
)
export type CreateAddressBody = Static<typeof CreateAddressBody>

const ADDRESS = {
  address_id: uuid('Names the address; orders go there.'),
  customer_id: uuid('Whose it is.'),
  status: Type.Literal('created', { description: 'Always the same.' }),
}
const TIMES = { created_at: dateTime('When it was added.'), updated_at: dateTime('Of the last change.') }

export const CreatedAddress = Type.Object(
  { ...ADDRESS, ...TIMES },
  { title: 'CreatedAddress', description: 'That an address was added.' },
)
export type CreatedAddress = Static<typeof CreatedAddress>

export const WalletAddress = Type.Object(
  {
    ...ADDRESS,
    name: text('Who lives there.', 'Ann Example'),
    address: text('Street and number.', '1 Tea Lane'),
    city: text('City.', 'New York'),
    state: text('State, province or region.', 'NY'),
    postal_code: text('Postal code.', '10001'),
    country: about('Two letters of ISO 3166-1.', CountryCode),
    contact_information: Type.Object(
      {
        phone: Type.Optional(text('Phone number.', '+1 212 555 0100')),
        email: Type.Optional(text('Email address.', 'ann@example.com')),
      },
      { description: 'How to reach who lives there.' },
    ),
    ...TIMES,
  },
  { title: 'Address', description: 'An address of a customer.' },
)
export type WalletAddress = Static<typeof WalletAddress>

export const WalletAddressList = Type.Array(WalletAddress, { title: 'AddressList', description: 'Newest first.' })
