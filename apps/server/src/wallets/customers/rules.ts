import { domainToASCII } from 'node:url'

/**
 * An address as it is compared: in one spelling of letters, host names in the ASCII of the name system. Mail servers
 * tell upper from lower case before the `@` in theory only; one person with two customers would have two wallets.
 */
export function comparedEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return `${email.slice(0, at).normalize('NFC').toLowerCase()}@${domainToASCII(email.slice(at + 1)).toLowerCase()}`
}
