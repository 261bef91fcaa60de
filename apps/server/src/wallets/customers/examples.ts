// One customer and one address, as the published description shows them.

const AT = '2026-11-21T12:00:00.000Z'
const TIMES = { created_at: AT, updated_at: AT }
const CUSTOMER_ID = '019aa660-7400-7b44-8e0d-5a3c9b1f2d60'
const NAMES = { first_name: 'Ann', last_name: 'Example', email: 'ann@example.com' }

export const NEW_CUSTOMER_EXAMPLE = {
  type: 'individual',
  signed_agreement_id: 'agreement-77',
  ...NAMES,
  phone: '+1 212 555 0100',
  birth_date: '1990-04-30',
  address: {
    street_line_1: '1 Tea Lane',
    city: 'New York',
    subdivision: 'NY',
    postal_code: '10001',
    country: 'US',
  },
} as const

export const CUSTOMER_EXAMPLE = {
  id: CUSTOMER_ID,
  type: 'individual',
  status: 'pending',
  ...NAMES,
  ...TIMES,
} as const

export const NEW_ADDRESS_EXAMPLE = {
  name: 'Ann Example',
  address: '1 Tea Lane',
  city: 'New York',
  state: 'NY',
  postal_code: '10001',
  country: 'US',
  contact_information: { phone: '+1 212 555 0100', email: 'ann@example.com' },
} as const

export const ADDED_EXAMPLE = {
  address_id: '019aa660-7800-7c15-9a21-6b0f3d8e4c72',
  customer_id: CUSTOMER_ID,
  status: 'created',
  ...TIMES,
} as const

export const ADDRESS_EXAMPLE = { ...ADDED_EXAMPLE, ...NEW_ADDRESS_EXAMPLE } as const
