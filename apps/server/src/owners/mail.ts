import type { OwnerAddress } from '../mail/service.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'

// Where an owner is mailed what their agents ask. It is no credential: whoever reads those mails can allow nothing.

/** Null: no mails are sent here. `former`: those that are told of recoveries until then. */
export type OwnersMail = { address: OwnerAddress | undefined; former: { email: string; endsAt: Date }[] } | null

export async function mailOf({ mail }: OwnerDeps, { merchantId, customerId }: OwnerCaller): Promise<OwnersMail> {
  if (!mail.sendsMail()) return null
  const owner = { merchantId, customerId }
  const [address, former] = await Promise.all([mail.ownerAddress(owner), mail.formerAddresses(owner)])
  return { address, former }
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
