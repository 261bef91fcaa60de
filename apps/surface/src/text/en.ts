import type { CardRefusal, PasskeyRefusal, SurfaceErrorCode } from '@mintmark/contract/surface'
import type { Foreign, Phrase } from '../phrase.ts'
import type { BlockedReason, PasskeyFailure } from '../screen.ts'

interface TitledText {
  title: string
  text: string
}

const UNKNOWN_LINK = 'This link does not work.'
const OUR_FAULT = 'Something went wrong on our side.'
const CHECK = 'Check what you entered and try again.'

/** A code of the contract without words does not compile. */
const errors: Record<SurfaceErrorCode, string> = {
  AUTH_1001: UNKNOWN_LINK,
  AUTH_1002: UNKNOWN_LINK,
  AUTH_1003: 'The time for this is over.',
  AUTH_1004: 'This request was withdrawn.',
  NOT_FOUND: UNKNOWN_LINK,
  VAL_2001: CHECK,
  INVALID_REQUEST: CHECK,
  INVALID_STATE: 'This moved on elsewhere.',
  RATE_LIMITED: 'One moment: there were too many tries.',
  INTERNAL_ERROR: OUR_FAULT,
  SERVICE_UNAVAILABLE: 'The payment service is busy at the moment.',
  NOT_IMPLEMENTED: 'The payment service does not offer this.',
  CONFIG_ERROR: 'The merchant’s account is not set up for this.',
  // The account is suspended, also after an approval.
  MERCHANT_LOOKUP_ERROR:
    'This merchant takes no payments at the moment. If you have approved one already, ask the merchant how it ended.',
  TRIES_EXHAUSTED: 'There were too many tries. Ask for a new link where you got this one.',
  CARD_NOT_FOUND: 'This card is no longer saved. Choose another one.',
  CARD_INACTIVE: 'This card cannot be used any more. Choose another one.',
  CARD_REFUSED: 'The card network did not accept this card. Check the details or use another card.',
  STEP_UP_INVALID: 'That code is not right. Check the latest message from your bank.',
  MANDATE_EXPIRED: 'The time for this approval is over.',
  NETWORK_UNAVAILABLE: 'We could not reach your bank. Nothing was charged.',
  PASSKEY_REQUIRED: 'A passkey is needed first.',
  PASSKEY_FAILED: 'The passkey could not be verified. Nothing was approved.',
  PASSKEY_FRAME_REFUSED: 'This browser does not allow passkeys inside another page.',
}

const cardRefusals: Record<CardRefusal, string> = {
  CARD_NUMBER_INVALID: 'This card number is not right. Check the digits.',
  CARD_EXPIRED: 'This card has expired. Use another card.',
  CVV_MISMATCH: 'The security code does not match this card. Check the code.',
  CARD_DECLINED: 'Your bank said no to this card. Use another card. Nothing was charged.',
  STEP_UP_EXHAUSTED: 'There were too many wrong codes. Use another card, or enter this one again.',
  DEVICE_BINDING_FAILED: 'The card could not be linked to this device. Try again.',
}

const passkeyFailures: Record<PasskeyFailure, TitledText> = {
  exists: {
    title: 'This device has a passkey already',
    text: 'Try again and choose another device or security key, for example your phone.',
  },
  refused: {
    title: 'The passkey could not be verified',
    text: 'Nothing was approved. Try again with the passkey you use for this merchant.',
  },
  unusable: {
    title: 'Your device could not use a passkey',
    text: 'Check that a screen lock is set up, or use another device or browser.',
  },
}

/** Why it closed no browser says: by the person, because its time ran out, or because it found no passkey. */
const passkeyClosed = {
  registration: 'The dialog closed, and no passkey was created. Press the button to try again.',
  approval: 'The passkey dialog closed. Nothing was approved. Press the button to try again.',
  trouble: 'Trouble with your passkey?',
}

/** Whether the passkey is on this device no page can know. */
const passkeyElsewhere =
  'If your passkey is on another device, such as your phone, try again and choose that device in the dialog.'
/** For who cannot use the passkey that there is. */
const passkeyLost = 'If you no longer have your passkey, ask the merchant: they can let you create a new one.'

const passkeyRefusals: Record<PasskeyRefusal, string> = {
  PASSKEY_IN_USE: 'This passkey cannot be used here. Use another one. Nothing was approved.',
  PASSKEY_BLOCKED: 'This passkey can no longer be used. Nothing was approved.',
  PASSKEY_CHANGED:
    'Your device has changed this passkey since you created it, so it can no longer be used here. Nothing was approved. Ask the merchant: they can let you create a new one.',
}

const blocked: Record<BlockedReason, TitledText> = {
  incomplete_link: {
    title: 'This link is incomplete',
    text: 'Its last part is missing. Open it again from the page you came from, or copy all of it.',
  },
  unknown_link: {
    title: 'This link does not work',
    text: 'It may be mistyped or too old. Start again from the page you came from.',
  },
  not_embeddable: {
    title: 'This page cannot be embedded here',
    text: 'The site around this page is not one the merchant has registered. Do not enter card details here.',
  },
  unsupported: {
    title: 'This browser cannot use passkeys',
    text: 'You approve with a passkey. Open this page in an up-to-date browser, on a device with a screen lock.',
  },
  finished: {
    title: 'This is finished already',
    text: 'Nothing is left to do here. The result is known where you got this link.',
  },
  // The service also says so of what ended long ago, in any way: nothing can be said of earlier charges.
  expired: {
    title: 'This link has expired',
    text: 'Start again from the page you came from. If you had approved already, ask there how it ended. Opening this link charged nothing.',
  },
  revoked: {
    title: 'This request was withdrawn',
    text: 'Ask where you got this link if you did not expect this. Nothing was charged.',
  },
}

const UNITS = {
  minute: ['minute', 'minutes'],
  second: ['second', 'seconds'],
}

const count = (many: number, unit: keyof typeof UNITS) => `${many} ${UNITS[unit][many === 1 ? 0 : 1]}`

/** The words every kind of session shares, in English. The words of one kind are with its flow. */
export const en = {
  /** For the browser's own formatting of dates. */
  locale: 'en',
  errors,
  /** A code of a later version that no try can change. */
  unknownError: 'This cannot go on.',
  cardRefusals,
  passkeyFailures,
  passkeyClosed,
  passkeyElsewhere,
  passkeyLost,
  passkeyRefusals,
  blocked,
  buttons: {
    continue: 'Continue',
    tryAgain: 'Try again',
    tryNow: 'Try now',
    openTab: 'Open in a new tab',
    returnTo: (place: Foreign): Phrase => ['Return to ', place],
  },
  trust: (asker: Foreign): Phrase => ['Your card details never reach ', asker, '.'],
  /** Before the address of the page that has this name for its owner. */
  owners: 'You can change or end what your agent may do at any time, under “Your agents”:',
  sandbox: {
    badge: 'Sandbox',
    beforeTestCard: 'No real money moves. Test card ',
    afterTestCard: ', any future date, any code.',
    beforeTestCode: 'No message was sent: this is the sandbox. The code is ',
    afterTestCode: '.',
  },
  /** Labels of what is kept of an approval. */
  receipt: {
    card: 'Card',
    reference: 'Reference',
  },
  footer: {
    privacy: 'Privacy',
    terms: 'Terms',
    help: 'Help',
  },
  count,
  cancel: {
    start: 'Cancel',
    yes: 'Yes, cancel',
    busy: 'Cancelling…',
    no: 'No, go on',
    tooLate: 'It is too late to cancel.',
  },
  countdown: {
    shown: (clock: string) => `${clock} left to approve`,
    said: (seconds: number, isMoreOffered: boolean) =>
      `${seconds} seconds left to approve.${isMoreOffered ? ' There is a button: Need more time?' : ''}`,
    more: 'Need more time?',
    given: (minutes: number) => `There is more time: ${count(minutes, 'minute')} left to approve.`,
  },
  card: {
    unknownBrand: 'Card',
    // A no-break space: the digits must not stand alone on the next line.
    named: (brand: string, last4: string) => `${brand} ending in\u00a0${last4}`,
    expires: (date: string) => `Expires ${date}`,
    expired: (date: string) => `Expired ${date}`,
    keptBy: (operator: Foreign): Phrase => [operator, ' keeps this card'],
    change: 'Change',
  },
  cardNumber: {
    label: 'Card number',
    example: '1234 1234 1234 1234',
    missing: 'Enter the card number.',
    short: 'The card number is too short.',
    wrong: 'This card number is not right. Check the digits.',
  },
  expiry: {
    label: 'Expiry date',
    example: 'MM / YY',
    missing: 'Enter the expiry date.',
    unreadable: 'Enter the month and the year, such as 09 / 30.',
    past: 'This card has expired.',
    far: 'Check the year.',
    refused: 'Check the expiry date.',
  },
  securityCode: {
    label: 'Security code',
    missing: 'Enter the security code.',
    wrong: (length: number) => `The security code has ${length} digits.`,
    wrongEither: 'Enter the 3 or 4 digits of the security code.',
    refused: 'Check the security code.',
    front: '4 digits on the front',
    whereFront: 'The 4 digits on the front of the card',
    whereBack: 'The 3 digits on the back of the card',
    whereEither: 'The 3 digits on the back of the card, or the 4 on its front',
  },
  oneTimeCode: {
    label: 'One-time code',
    missing: 'Enter the code.',
    wrong: 'Enter the code as it stands in the message: 4 to 10 digits or letters.',
    refused: 'Check the code.',
    letters: 'My code has letters',
  },
  enterCard: { useSaved: 'Use a saved card', busy: 'Checking your card…' },
  savedCards: {
    title: 'Choose a card',
    legend: 'Saved cards',
    use: 'Use this card',
    another: 'Use another card',
    busy: 'One moment…',
  },
  cardCvv: { title: 'Confirm your card' },
  cardVerification: {
    title: 'Enter the code from your bank',
    sent: (card: string | null) =>
      `Your bank sent you a one-time code${card === null ? '' : ` for ${card}`}. It may take a minute to arrive.`,
    submit: 'Verify',
    busy: 'Checking the code…',
  },
  passkeyRegistration: {
    title: 'Create a passkey',
    why: 'A passkey lets you approve payments with your fingerprint, your face or your screen lock, so that nobody else can pay with your card.',
    submit: 'Create a passkey',
    busy: 'Waiting for your passkey…',
  },
  approval: {
    busy: 'Waiting for your passkey…',
    how: 'Confirms with your face, fingerprint or screen lock',
    newPasskey: (when: string) =>
      `A new passkey was made for you: ${when}. If that was not you, do not approve, and tell the merchant.`,
    cardPending: 'Choose the card first.',
    limitsPending: 'You have changed the limits. Use them first, or close them to leave everything as it is.',
    notSeen:
      'To protect you, this button works once it and the words above it can be seen. Scroll to them, or remove what covers them.',
    unreadable: 'This page does not understand the terms to approve. Load it again to get its latest version.',
  },
  offline: {
    title: 'You are offline',
    unreachable: 'We cannot reach the payment service',
    text: 'What you typed is kept. We try again on our own as soon as the connection is back.',
  },
  otherTab: {
    title: 'Continue in a new tab',
    text: 'Your browser allows passkeys only on a page of their own. Nothing you entered is lost.',
    open: 'Continue in a new tab',
    waitingTitle: 'Finish in the other tab',
    waitingText: 'This page notices when you are done.',
    openAgain: 'Open the tab again',
  },
  rateLimited: {
    title: 'One moment, please',
    text: 'That was too many tries in a short time. What you typed is kept.',
    beforeTime: 'We go on in ',
    afterTime: '.',
  },
  error: {
    title: 'That did not work',
    page: 'Something went wrong on this page.',
    reference: 'Reference ',
  },
  outcome: {
    endUnknown:
      'The time to approve it here is over. If you approved it elsewhere, ask where you got the link how it ended. This page charged nothing.',
    returning: (place: Foreign): Phrase => ['We take you back to ', place, ' in a moment.'],
    canStay: 'There is a button to stay on this page.',
    stay: 'Stay on this page',
    staying: 'This page stays. Go back whenever you are ready.',
    embedded: 'You can go on in the page around this one.',
    close: 'You may close this window.',
    closeAndReturn: 'You may close this window and go back to the page you came from.',
  },
}
