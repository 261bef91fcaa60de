/** Words of the recovery of an owner, and of what it means for their other devices. */
export const en = {
  lost: 'I have lost my passkey',
  goOn: 'Go on with my new passkey',

  addressTitle: 'A new passkey',
  addressWords:
    'Are you still signed in on another device? Then let this one in by it: that takes a minute. Otherwise type your address, a card that you use here, and wait for 24 hours.',
  unknownTitle: 'No owner has this address',
  unknownWords: 'With this address nobody has a passkey here. Try the one that you came with.',
  noCardTitle: 'There is no card to prove',
  noCardWords:
    'A new passkey is made by an active card that you have paid with here, and you have none. Write to the operator of this service: they can end your agents.',

  cardTitle: 'Prove your card',
  cardWords: 'Type the security code that is printed on the card. Your bank sends a code then.',
  which: 'Which card',
  card: (brand: string, last4: string) => `${brand} ending in ${last4}`,
  someCard: 'Card',
  cvv: 'Security code',
  cvvHint: 'Three digits on the back, or four on the front.',
  cvvWrong: 'The security code has three digits, or four.',
  proveCard: 'Ask my bank for a code',
  codeTitle: 'Type the code of your bank',
  codeWords: 'Your bank has sent a code to you, as it does when you pay.',
  code: 'Code of your bank',
  codeHint: 'It did not come? Type the security code again.',
  codeNeeded: 'Type the code that your bank has sent.',
  proveCode: 'Go on',
  again: 'Security code again',

  waitsTitle: 'Now it waits for 24 hours',
  waitsWords: (when: string) =>
    `From ${when} on you make a new passkey, on this device and in this browser. Until then your other devices and your address are told, and can stop it.`,
  waitsLeave: 'You may close this page, and come back then. Your agents go on as they are.',
  stop: 'Stop it',
  stopWords: 'No passkey is made then. You would begin again, and wait again.',
  stopNow: 'Stop it now',
  keep: 'Let it wait',
  readyTitle: 'You have waited',
  readyWords: (when: string) =>
    `Make your new passkey until ${when}. It takes the place of all that you had, and signs out your other devices.`,
  makePasskey: 'Create a passkey',
  readyFoot: 'For seven days no agent is allowed more than before.',
  stoppedTitle: 'It was stopped',
  stoppedWords:
    'It was stopped on one of your devices, by your mail, or by a later one. No passkey was made. If it was not you who stopped it, look at your mail.',
  overTitle: 'It is over',
  overWords: 'It took too long, or has come to its end. If you still have no passkey, begin again.',
  begin: 'Begin again',
  back: 'Back to the sign-in',

  noticeTitle: 'A new passkey was asked for',
  noticeWords: (device: string, place: string, when: string) =>
    `${device}, from ${place}, has proven your address and a card of yours. From ${when} on it can make a passkey that takes the place of yours.`,
  notMe: 'This was not me: stop it',
  noticeStopped: 'It was stopped. No passkey is made.',
  noticeOver: 'It had come to its end already.',
  madeOn: (date: string) => `A new passkey was made on ${date}.`,
  frozen: (when: string) => `Until ${when} no agent is allowed more than before, and none is linked.`,

  stopTitle: 'Stop the new passkey?',
  stopPageWords: 'If you did not ask for it, stop it. Your passkeys stay as they are.',
  stoppedByMail:
    'Whoever asked for it can read your mails and knows your card. Change the password of your mailbox, and tell your bank.',
  tooLateTitle: 'It cannot be stopped any more',
  tooLateWords: 'A passkey was made, or it is over. If it was not you, write to the operator of this service at once.',
  unknownLinkTitle: 'This link stops nothing',
  unknownLinkWords: 'Open the whole link of the newest mail.',

  refusals: {
    INVALID_STATE: 'This is over, or another one took its place. Begin again.',
    CARD_NOT_FOUND: 'This card is not active any more. Begin again.',
    CARD_INACTIVE: 'This card is not active any more. Begin again.',
    CARD_REFUSED: 'The bank did not accept it. Look at the security code, and try again.',
    STEP_UP_INVALID: 'That is not the code. Look at the message of your bank, and type it again.',
    NETWORK_UNAVAILABLE: 'The bank did not answer. Try again in a moment.',
    RATE_LIMITED: 'Security codes were tried too often today. Try again tomorrow.',
    PASSKEY_FAILED: 'The passkey could not be made. Try again.',
  } as Record<string, string>,
}
