import type { Country } from '@mintmark/contract'
import type {
  CreateAddressBody,
  CreatedAddress,
  CreateWalletCustomerBody,
  WalletAddress,
  WalletCustomer,
  WalletCustomerList,
} from '@mintmark/contract/wire/wallet/customers'
import type { ErrorDetails } from '../../platform/errors.ts'
import { isRecord } from '../../platform/json.ts'
import { foldWhiteSpace, optionalReference, optionalText } from '../../platform/text.ts'
import type { Address, Customer, NewAddress, NewCustomer } from './service.ts'

/** What the schema cannot say: a day that has not come is no birthday. */
export function customerProblems(now: () => Date) {
  return (body: unknown): ErrorDetails => {
    const day = isRecord(body) ? body.birth_date : undefined
    const isFuture = typeof day === 'string' && day > now().toISOString().slice(0, 10)
    return isFuture ? { birth_date: 'must not be in the future' } : {}
  }
}

export function fromWireCustomer(body: CreateWalletCustomerBody): NewCustomer {
  const { address } = body
  return {
    type: body.type,
    signedAgreementId: optionalReference(body.signed_agreement_id),
    firstName: foldWhiteSpace(body.first_name),
    lastName: foldWhiteSpace(body.last_name),
    email: body.email,
    phone: optionalText(body.phone),
    birthDate: body.birth_date ?? null,
    street: address === undefined ? null : foldWhiteSpace(address.street_line_1),
    city: address === undefined ? null : foldWhiteSpace(address.city),
    subdivision: optionalText(address?.subdivision),
    postalCode: optionalText(address?.postal_code),
    country: address?.country ?? null,
  }
}

export function toWireCustomer(customer: Customer): WalletCustomer {
  const { id, type, status, firstName, lastName, email, createdAt, updatedAt } = customer
  const names = { first_name: firstName, last_name: lastName, email }
  return { id, type, status, ...names, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() }
}

export function toWireCustomers(customers: readonly Customer[]): WalletCustomerList {
  return { count: customers.length, data: customers.map(toWireCustomer) }
}

export function fromWireAddress({ contact_information: contact, ...body }: CreateAddressBody): NewAddress {
  return {
    name: foldWhiteSpace(body.name),
    address: foldWhiteSpace(body.address),
    city: foldWhiteSpace(body.city),
    state: foldWhiteSpace(body.state),
    postalCode: foldWhiteSpace(body.postal_code),
    country: body.country,
    phone: optionalText(contact.phone),
    email: contact.email ?? null,
  }
}

export function toWireAdded({ id, customerId, createdAt, updatedAt }: Address): CreatedAddress {
  const times = { created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() }
  return { address_id: id, customer_id: customerId, status: 'created', ...times }
}

export function toWireAddress(address: Address): WalletAddress {
  const { name, address: street, city, state, postalCode, country, phone, email } = address
  return {
    ...toWireAdded(address),
    ...{ name, address: street, city, state, postal_code: postalCode, country: country as Country },
    contact_information: { ...(phone !== null && { phone }), ...(email !== null && { email }) },
  }
}
