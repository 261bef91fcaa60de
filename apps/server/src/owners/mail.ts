import type { Queryable } from '../db/statement.ts'
import type { OwnerAddress } from '../mail/service.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'

// Where an owner is mailed what their agents ask. It is no credential: whoever reads those mails can allow nothing.

/** Null: no mails are sent here. */
export type OwnersMail = { address: OwnerAddress | undefined } | null

export async function mailOf(
  { mail }: OwnerDeps,
  on: Queryable,
  { merchantId, customerId }: OwnerCaller,
): Promise<OwnersMail> {
  return mail.sendsMail() ? { address: await mail.ownerAddress(on, { merchantId, customerId }) } : null
}

export async function askForMail(
  { mail }: OwnerDeps,
  { merchantId, customerId }: OwnerCaller,
  email: string,
): Promise<void> {
  await mail.askOwnerAddress({ merchantId, customerId }, email)
}

export async function confirmMail(
  { mail }: OwnerDeps,
  { merchantId, customerId }: OwnerCaller,
  code: string,
): Promise<void> {
  await mail.confirmOwnerAddress({ merchantId, customerId }, code)
}

export async function stopMail({ mail }: OwnerDeps, { merchantId, customerId }: OwnerCaller): Promise<void> {
  await mail.removeOwnerAddress({ merchantId, customerId })
}
