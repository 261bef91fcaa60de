/** Words of a mailed invitation. */
export const invitation = {
  invitation: 'Invitation',
  invitedTo: (account: string) => `You are invited to ${account}`,
  invitedAs: (inviter: string | null, role: string) =>
    `${inviter ?? 'The operator of this service'} invites you to look after this account. Your role: ${role}.`,
  opensUntil: 'it opens until',
  overTitle: 'This invitation opens nothing',
  overWords:
    'It was accepted or taken back, its time is over, or the address is cut off. Have yourself invited once more.',
  toConsole: 'To the console',
  codeFirst: 'First we mail a code to this address, so that we know it is yours.',
  mailCode: 'Mail me a code',
  codeMailed: (email: string) => `A code of six digits is on its way to ${email}. It can be typed for ten minutes.`,
  codeSaid: 'A code was mailed.',
  code: 'Code',
  codeDigits: 'Type the six digits of the mail.',
  confirmCode: 'Confirm',
  codeAgain: 'Mail another code',
  codeRefusals: {
    STEP_UP_INVALID: 'That is not the code. Look at the newest mail.',
    INVALID_STATE: 'The code is over: its time, or its tries. Have another one mailed.',
    RATE_LIMITED: 'Many codes were mailed to this address. Wait an hour.',
  },
  passkeyFirst: 'Now make a passkey: from then on you sign in with it, and need neither a password nor a mail.',
  yourName: 'Your name',
  yourNameHint: 'The others read it beside what you do.',
  makePasskey: 'Make a passkey and come in',
  passkeyRefusals: {
    PASSKEY_FAILED: 'The passkey was not taken. Try again.',
    INVALID_STATE: 'The code or the invitation is over. Open the link of the mail again.',
  },
  knownWords: (email: string) =>
    `${email} looks after an account here already. You take this one with the passkey that you have.`,
  join: 'Look after this account too',
  signInAndJoin: 'Sign in with your passkey, and join',
  joinRefusals: {
    PASSKEY_FAILED: 'This passkey is not known here, or was ended. Choose another one.',
    INVALID_STATE: 'The invitation is over, or is to another address than the one that you signed in with.',
  },
}
