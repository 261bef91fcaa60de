import type { Environment } from '@mintmark/contract/accounts'
import type { ConsoleRole, FoundKind } from '@mintmark/contract/console'
import type { Lost } from '../../session.ts'

/** Words around every page, and those that all pages have in common. */
export const en = {
  product: 'Mintmark',
  title: (page: string) => `${page} · Mintmark console`,
  loading: 'One moment',
  again: 'Try again',
  skip: 'Skip to the page',

  nav: {
    label: 'Console',
    home: 'Home',
    payments: 'Payments',
    permissions: 'Permissions',
    webhooks: 'Webhooks',
    events: 'Events',
    keys: 'Keys',
    team: 'Team',
    acts: 'Who did what',
    me: 'Passkeys and sessions',
  },
  environments: { sandbox: 'Sandbox', production: 'Production' } satisfies Record<Environment, string>,

  person: (initials: string, name: string) => `${initials}: ${name}, your account`,
  roles: {
    viewer: 'Viewer',
    support: 'Support',
    developer: 'Developer',
    admin: 'Admin',
    owner: 'Owner',
  } satisfies Record<ConsoleRole, string>,
  signOut: 'Sign out',

  find: 'Find',
  findLabel: 'Find anything by its id',
  findHint: 'Paste any id',
  findKeys: 'Ctrl K',
  kinds: {
    payment: 'Payment',
    permission: 'Permission',
    event: 'Event',
    endpoint: 'Webhook endpoint',
    delivery: 'Delivery',
  } satisfies Record<FoundKind, string>,
  finding: 'Looking for it',
  foundNone:
    'Nothing here has this id. It takes whole ids: of payments, sessions, permissions, events, endpoints and deliveries.',
  found: (count: number) => (count === 1 ? '1 found' : `${count} found`),
  findFailed: 'No answer came. Press Enter to ask again.',

  signInTitle: 'The console of this service',
  withPasskey: 'Sign in with your passkey',
  invitedOnly: 'You come in by an invitation, which an owner or an admin of the account mails to you.',
  signInWords: 'See what became of every payment, webhook and event, without the log file.',
  signedOut: 'You were signed out. Sign in again: you come back to this page.',
  openDemo: 'Open the demo account',
  demoNote: (account: string) => `${account}, in the sandbox. No password, no mail, no real money.`,
  passkeyNotUsed: 'No passkey was used. Press again, and choose one that you made here.',
  passkeyUnusable: 'The passkey cannot be used in this browser. Try another one.',
  passkeyUnknown: 'This passkey is not known here, or was ended. Choose another one.',

  newOnes: (count: number) => `${count} new`,
  changed: 'This has changed.',
  showIt: 'Show it',
  stale: 'No answer came. What you see may be old; we go on asking.',
  more: 'Show more',
  moreBack: 'Look further back',
  noneOf: 'Nothing of that kind so far.',
  showAll: 'Show all',

  copy: 'Copy',
  copyOf: (what: string) => `Copy ${what}`,
  copied: 'Copied',
  notCopied: 'It could not be copied. It is marked now: copy it by the keyboard.',
  copyCurl: 'Copy as curl',
  codeWords: 'What stands for your secret key is KEY: the console never has it.',

  lost: {
    unknown: { title: 'There is no such thing here', words: 'The address may be cut off, or it is another account’s.' },
    unreachable: { title: 'We cannot be reached', words: 'Check your connection and try again. Nothing was changed.' },
    no_rights: { title: 'Your role does not show this', words: 'Ask an admin of the account for another role.' },
    broken: { title: 'That did not work', words: 'The service could not answer. Try again in a moment.' },
    signed_out: { title: 'You were signed out', words: 'Sign in again.' },
  } satisfies Record<Lost, { title: string; words: string }>,
  acts: {
    unknown: 'It is not there any more.',
    unreachable: 'No answer came, so we do not know whether it was done. Press again: it is done once all the same.',
    no_rights: 'Your role does not allow it. Ask an admin of the account.',
    broken: 'That did not work. Try again in a moment.',
    signed_out: '',
  } satisfies Record<Lost, string>,
  tooOften: 'There were too many tries. Wait a minute.',
}
