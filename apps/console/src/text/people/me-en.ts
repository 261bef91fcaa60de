/** Words of what is a person's own. */
export const me = {
  meTitle: 'Passkeys and sessions',
  accounts: 'Accounts that you look after',
  here: 'You are here',
  open: 'Open',
  openNamed: (name: string) => `Open: ${name}`,
  passkeys: 'Passkeys',
  noPasskey:
    'The demo account is opened by one press, and has no passkey. Invite yourself in Team to come in with one.',
  passkeyOf: (browser: string | null, system: string | null) =>
    browser === null && system === null
      ? 'Passkey'
      : `Passkey of ${[browser, system].filter((part) => part !== null).join(' on ')}`,
  device: (browser: string | null, system: string | null) =>
    [browser, system].filter((part) => part !== null).join(' on ') || 'An unknown browser',
  thisOne: 'Signed in with it',
  blocked: 'Blocked: there may be a copy',
  used: 'Used',
  neverUsed: 'Never used',
  lastOne: 'The last one stays.',
  rename: 'Rename',
  renameNamed: (name: string) => `Rename: ${name}`,
  newName: 'New name',
  save: 'Save',
  end: 'End',
  endNamed: (name: string) => `End: ${name}`,
  endAsk: 'It signs in no more, and what it signed in is signed out.',
  endThisAsk: 'It signs in no more, and you are signed out here.',
  ended: 'The passkey has ended.',
  another: 'Another passkey',
  anotherWords: 'So that you come in when one is lost. You use the one that you have, then make the other.',
  passkeyName: 'What you call it',
  passkeyNameHint: 'Such as: phone, or key in the drawer',
  nameNeeded: 'Type a name.',
  makeAnother: 'Make it',
  passkeyMade: 'The passkey was made.',
  sessions: 'Where you are signed in',
  thisSession: 'Here',
  signOutNamed: (device: string) => `Sign out: ${device}`,
  signedOutOne: 'It was signed out.',
  signOutAll: 'Sign out everywhere, here as well',
}
