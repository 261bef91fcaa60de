import { WALLET_CUSTOMER_STATUSES, WALLET_CUSTOMER_TYPES } from '@mintmark/contract'
import { bigint, columns, nullable, oneOf, type RowOf, text, time, uuid } from '../../db/row.ts'
import { execute, many, one } from '../../db/statement.ts'
import { originList } from '../../platform/states.ts'
import { WALLET_CUSTOMER_TRANSITIONS } from './states.ts'

const CUSTOMER = {
  id: uuid,
  type: oneOf(WALLET_CUSTOMER_TYPES),
  status: oneOf(WALLET_CUSTOMER_STATUSES),
  firstName: text,
  lastName: text,
  email: text,
  createdAt: time,
  updatedAt: time,
}
export type CustomerRow = RowOf<typeof CUSTOMER>

/** No row: the merchant has a customer of this address. Where several callers come at once, the unique index lets one in. */
export const insertCustomer = one(
  'wallets.insert_customer',
  `insert into wallet_customers (merchant_id, id, type, status, signed_agreement_id, first_name, last_name, email, email_compared,
     phone, birth_date, street, city, subdivision, postal_code, country, created_at, updated_at)
   values ($merchantId, $customerId, $type, 'pending', $signedAgreementId, $firstName, $lastName, $email, $emailCompared,
     $phone, $birthDate, $street, $city, $subdivision, $postalCode, $country, $at, $at)
   on conflict on constraint wallet_customers_email_key do nothing
   returning ${columns(CUSTOMER)}`,
  CUSTOMER,
)

export const findCustomer = one(
  'wallets.find_customer',
  `select ${columns(CUSTOMER)} from wallet_customers where merchant_id = $merchantId and id = $customerId::uuid`,
  CUSTOMER,
)

/** The customer of an address, if made before `$before`. */
export const findCustomerByEmail = one(
  'wallets.find_customer_by_email',
  `select ${columns(CUSTOMER)} from wallet_customers
   where merchant_id = $merchantId and email_compared = $emailCompared and id < $before::uuid`,
  CUSTOMER,
)

/** Newest first. */
export const listCustomers = many(
  'wallets.list_customers',
  `select ${columns(CUSTOMER)} from wallet_customers where merchant_id = $merchantId and id < $before::uuid
   order by id desc limit $limit offset $offset`,
  CUSTOMER,
)

export const countCustomers = one(
  'wallets.count_customers',
  `select count(*) as counted from (
     select 1 from wallet_customers where merchant_id = $merchantId and id < $before::uuid limit $most) c`,
  { counted: bigint },
)

const move = (target: 'verified' | 'rejected') =>
  `update wallet_customers set status = '${target}', updated_at = $at
   where merchant_id = $merchantId and id = $customerId::uuid and status in (${originList(WALLET_CUSTOMER_TRANSITIONS, target)})
   returning ${columns(CUSTOMER)}` as const

/** No row: the customer is not pending, or not there. */
export const updateVerified = one('wallets.update_verified', move('verified'), CUSTOMER)
export const updateRejected = one('wallets.update_rejected', move('rejected'), CUSTOMER)

const ADDRESS = {
  id: uuid,
  customerId: uuid,
  name: text,
  address: text,
  city: text,
  state: text,
  postalCode: text,
  country: text,
  phone: nullable(text),
  email: nullable(text),
  createdAt: time,
  updatedAt: time,
}
export type AddressRow = RowOf<typeof ADDRESS>

/** No row: no such customer. */
export const insertAddress = one(
  'wallets.insert_address',
  `insert into wallet_addresses (merchant_id, id, customer_id, name, address, city, state, postal_code, country, phone, email,
     created_at, updated_at)
   select $merchantId, $addressId::uuid, id, $name, $address, $city, $state, $postalCode, $country, $phone, $email, $at, $at
   from wallet_customers where merchant_id = $merchantId and id = $customerId::uuid
   returning ${columns(ADDRESS)}`,
  ADDRESS,
)

/** Newest first. */
export const listAddresses = many(
  'wallets.list_addresses',
  `select ${columns(ADDRESS)} from wallet_addresses where merchant_id = $merchantId and customer_id = $customerId::uuid
   order by id desc limit $limit offset $offset`,
  ADDRESS,
)

export const countAddresses = one(
  'wallets.count_addresses',
  `select count(*) as counted from (
     select 1 from wallet_addresses where merchant_id = $merchantId and customer_id = $customerId::uuid limit $most) a`,
  { counted: bigint },
)

/** `$erased` says nothing of the customer, in columns that are never empty. No row: no such customer. */
export const eraseCustomer = one(
  'wallets.erase_customer',
  `update wallet_customers set first_name = $erased, last_name = $erased, email = $email, email_compared = $email,
     signed_agreement_id = null, phone = null, birth_date = null, street = null, city = null, subdivision = null,
     postal_code = null, country = null, updated_at = $at
   where merchant_id = $merchantId and id = $customerId::uuid
   returning ${columns(CUSTOMER)}`,
  CUSTOMER,
)

/** The country stays, for what is owed there. */
export const eraseAddresses = execute(
  'wallets.erase_addresses',
  `update wallet_addresses set name = $erased, address = $erased, city = $erased, state = $erased,
     postal_code = $erased, phone = null, email = null, updated_at = $at
   where merchant_id = $merchantId and customer_id = $customerId::uuid`,
)
