/** Words of the screens before the sign-in. */
export const en = {
  signInTitle: 'Sign in',
  signIn: 'Sign in with a passkey',
  firstTime: 'I am here for the first time',

  otherDevice: 'Let in by my other device',
  back: 'Back',

  deviceTitle: 'Type the code of your other device',
  deviceWords:
    'Open this page on the device that you are signed in on, press your name, then “Your passkeys” and “Add another device”. It shows a code.',
  deviceCode: 'Code',
  deviceCodeHint: 'Eight letters and digits.',
  deviceCodeWrong: 'The code has eight letters and digits.',
  waitsTitle: 'Allow it on your other device',
  waitsWords: 'Your other device asks you now whether this is yours. Keep this page open.',
  allowedTitle: 'You are let in',
  allowedWords: 'Make a passkey on this device. From then on it opens this page by itself.',
  refusedTitle: 'Your other device said no',
  refusedWords: 'No device is let in by this code. If it was you who pressed it, begin again.',
  deviceOverTitle: 'This code has run out',
  deviceOverWords: 'Codes are good for ten minutes. Let your other device show another one.',
  anotherDeviceCode: 'Type another code',

  addressTitle: 'Your email address',
  addressWords:
    'There is no password here: you come back with a passkey. The address is where you are told what your agents ask.',
  address: 'Your email address',
  addressHint: 'We mail a code there.',
  addressWrong: 'Write an address such as ann@example.com.',
  mailCode: 'Mail me a code',
  haveOne: 'I have a passkey already',

  codeTitle: 'Type the code',
  codeSent: 'We mailed six digits to',
  codeNewest: 'Only the newest one is good here.',
  code: 'Code',
  codeUntil: (time: string) => `It can be typed until ${time}.`,
  codeDigits: 'The code has six digits.',
  confirmCode: 'Go on',
  otherAddress: 'Other address',
  codeMailed: 'A code was mailed.',

  overTitle: 'This code has run out',
  overWords: 'A code can be typed for ten minutes, five times. Another one can be mailed to',
  anotherCode: 'Mail another code',

  knownTitle: 'You are here already',
  knownWords: 'An owner with this address has a passkey here. If it is you, sign in with it:',

  passkeyTitle: 'Create your passkey',
  passkeyWords:
    'A passkey is your key to this page: your device keeps it. With it you decide what agents may pay for you.',
  name: 'What should we call you?',
  nameHint: 'Your device shows it beside the passkey.',
  nameNeeded: 'Type a name, so that you find the passkey again.',
  createPasskey: 'Create a passkey',
  useShopPasskey: 'Use the passkey I pay with',
  ofShop:
    'Have you made a passkey when you paid at a shop? It can open this page, too. The shop is told nothing, and your cards there are not shown here.',

  signInRefusals: {
    PASSKEY_FAILED:
      'This passkey does not open this page. If you have made it when you paid at a shop, press “I am here for the first time”, and use it there.',
  } as Record<string, string>,
  shopRefusals: {
    PASSKEY_FAILED: 'This passkey cannot be used here. Create one instead.',
    PASSKEY_IN_USE: 'This passkey opens this page already. Sign in with it, without your address.',
    INVALID_STATE: 'It took too long, or somebody with this address was faster. Begin again with your address.',
  } as Record<string, string>,
  addressRefusals: {
    INVALID_STATE:
      'No mails are sent here at the moment, so new owners cannot come in. If you have a passkey, sign in with it.',
    VAL_2001: 'The service does not take this address. Look at it again.',
  } as Record<string, string>,
  deviceRefusals: {
    INVALID_STATE: 'No device shows this code, or it has run out. Look at your other device again.',
  } as Record<string, string>,
  codeRefusals: {
    STEP_UP_INVALID: 'That is not the code. Look at the newest mail, and type it again.',
  } as Record<string, string>,
  passkeyRefusals: {
    INVALID_STATE: 'It took too long, or somebody with this address was faster. Begin again with your address.',
  } as Record<string, string>,
}
