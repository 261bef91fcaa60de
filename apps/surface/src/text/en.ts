import type { CardRefusal, PasskeyRefusal, SurfaceErrorCode } from '@mintmark/contract/surface'
import type { BlockedReason, PasskeyFailure } from '../screen.ts'

interface TitledText {
  title: string
  text: string
}

const UNKNOWN_LINK = 'This link does not work.'
const OUR_FAULT = 'Something went wrong on our side.'
const CHECK = 'Check what you entered and try again.'

/** A code of the contract without words does not compile. */
const errors = {
  AUTH_1001: UNKNOWN_LINK,
  AUTH_1002: UNKNOWN_LINK,
  AUTH_1003: 'The time for this is over.',
  AUTH_1004: 'The merchant withdrew this request.',
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
  TRIES_EXHAUSTED: 'There were too many tries. Ask the merchant for a new link.',
  CARD_NOT_FOUND: 'This card is no longer saved. Choose another one.',
  CARD_INACTIVE: 'This card cannot be used any more. Choose another one.',
  CARD_REFUSED: 'The card network did not accept this card. Check the details or use another card.',
  STEP_UP_INVALID: 'That code is not right. Check the latest message from your bank.',
  MANDATE_EXPIRED: 'The time for this approval is over.',
  NETWORK_UNAVAILABLE: 'We could not reach your bank. Nothing was charged.',
  PASSKEY_REQUIRED: 'A passkey is needed first.',
  PASSKEY_FAILED: 'The passkey could not be verified. Nothing was approved.',
  PASSKEY_FRAME_REFUSED: 'This browser does not allow passkeys inside another page.',
} as const satisfies Record<SurfaceErrorCode, string>

const cardRefusals = {
  CARD_NUMBER_INVALID: 'This card number is not right. Check the digits.',
  CARD_EXPIRED: 'This card has expired. Use another card.',
  CVV_MISMATCH: 'The security code does not match this card. Check the code.',
  CARD_DECLINED: 'Your bank said no to this card. Use another card. Nothing was charged.',
  STEP_UP_EXHAUSTED: 'There were too many wrong codes. Use another card, or enter this one again.',
  DEVICE_BINDING_FAILED: 'The card could not be linked to this device. Try again.',
} as const satisfies Record<CardRefusal, string>

const passkeyFailures = {
  cancelled: {
    title: 'The passkey was not used.',
    text: 'Nothing was approved. Your browser does not say why: the dialog was closed, its time ran out, or it found no passkey here.',
  },
  exists: {
    title: 'This device has a passkey already.',
    text: 'Try again and choose another device or security key, for example your phone.',
  },
  refused: {
    title: 'The passkey could not be verified.',
    text: 'Nothing was approved. Try again with the passkey you use for this merchant.',
  },
  unusable: {
    title: 'Your device could not use a passkey.',
    text: 'Check that a screen lock is set up, or use another device or browser.',
  },
} as const satisfies Record<PasskeyFailure, TitledText>

/** Whether the passkey is on this device no page can know. */
const passkeyOnPhone = 'Use your phone'
/** For who cannot use the passkey that there is. */
const passkeyLost = 'If you no longer have your passkey, ask the merchant: they can let you create a new one.'

const passkeyRefusals = {
  PASSKEY_IN_USE: 'This passkey cannot be used here. Use another one. Nothing was approved.',
  PASSKEY_BLOCKED: 'This passkey can no longer be used. Nothing was approved.',
} as const satisfies Record<PasskeyRefusal, string>

const blocked = {
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
    text: 'Nothing is left to do here. The merchant knows the result.',
  },
  // The service also says so of what ended long ago, in any way: nothing can be said of earlier charges.
  expired: {
    title: 'This link has expired',
    text: 'Start again from the page you came from. If you had approved already, the merchant can tell how it ended. Opening this link charged nothing.',
  },
  revoked: {
    title: 'The merchant withdrew this request',
    text: 'Ask the merchant if you did not expect this. Nothing was charged.',
  },
} as const satisfies Record<BlockedReason, TitledText>

/** The words every kind of session shares, in English. The words of one kind are with its flow. */
export const en = {
  errors,
  /** A code of a later version that no try can change. */
  unknownError: 'This cannot go on.',
  cardRefusals,
  passkeyFailures,
  passkeyOnPhone,
  passkeyLost,
  passkeyRefusals,
  blocked,
  buttons: {
    continue: 'Continue',
    tryAgain: 'Try again',
    tryNow: 'Try now',
    openTab: 'Open in a new tab',
    returnTo: 'Return to {place}',
  },
  trust: 'Your card details never reach {merchant}.',
  operator: { privacy: 'Privacy', terms: 'Terms', support: 'Help' },
  sandbox: {
    badge: 'Sandbox',
    testCard: 'No real money moves. Test card {card}, any future date, any code.',
    testCode: 'No message was sent: this is the sandbox. The code is {code}.',
  },
  /** Labels of what is approved and of what is kept of it. */
  terms: {
    purpose: 'For',
    card: 'Card',
    orderNumber: 'Order number',
    reference: 'Reference',
    agent: 'Asked for by',
  },
  cancel: {
    yes: 'Yes, cancel',
    busy: 'Cancelling…',
    no: 'No, go on',
    tooLate: 'It is too late to cancel.',
  },
  countdown: {
    shown: '{clock} left to approve',
    said: { one: '{count} second left to approve.', other: '{count} seconds left to approve.' },
    more: 'More time',
    busy: 'One moment…',
    given: 'You have ten minutes more.',
    noMore: 'There is no more time for this.',
  },
  card: {
    unknownBrand: 'Card',
    // A no-break space: the digits must not stand alone on the next line.
    named: '{brand} ending in\u00a0{last4}',
    expires: 'Expires {date}',
    expired: 'Expired {date}',
    kept: 'Kept here by {operator}',
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
    wrong: 'The security code has {count} digits.',
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
  madeCard: {
    title: 'A card is made for this',
    text: 'It is paid from the account of the company that keeps your cards. There is nothing to type.',
    busy: 'Your card is being made…',
  },
  noCard: {
    title: 'There is no card to use',
    text: 'Cards cannot be added here. Nothing was charged; go back to the shop to pay in another way.',
  },
  savedCards: {
    title: 'Choose a card',
    legend: 'Saved cards',
    another: 'Use another card',
    busy: 'One moment…',
    change: 'Change',
    changeNamed: 'Change the card',
    more: { one: '{count} more', other: '{count} more' },
    remove: 'Remove',
    removing: '{card} is deleted, and permissions paid with it end.',
    removeYes: 'Remove card',
    keep: 'Keep it',
  },
  cardCvv: { title: 'Confirm your card' },
  cardVerification: {
    title: 'Enter the code from your bank',
    sent: 'Your bank sent you a one-time code. It may take a minute to arrive.',
    sentFor: 'Your bank sent you a one-time code for {card}. It may take a minute to arrive.',
    sentAnew: 'Your bank sent you a new code. Only this one works now.',
    anew: 'Send a new code',
    triesLeft: { one: '{why} {count} try left.', other: '{why} {count} tries left.' },
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
    how: 'Confirms with your face, fingerprint or screen lock.',
    all: 'All of it, line by line',
    choosing: 'Choose a card first.',
    newPasskey: 'A new passkey was made for you: {when}. If that was not you, do not approve, and tell the merchant.',
    limitsPending: 'You have changed the limits. Use them first, or close them to leave everything as it is.',
    notSeen: 'To protect you, this button works once all of it can be seen. Scroll to it, or remove what covers it.',
    unreadable: 'This page does not understand the terms to approve. Load it again to get its latest version.',
  },
  offline: {
    title: 'You are offline',
    unreachable: 'We cannot reach the payment service',
    text: 'What you typed is kept. We try again on our own as soon as the connection is back.',
  },
  otherTab: {
    title: 'Continue in a new tab',
    text: 'You approve with a passkey, which opens on a page of its own. This page waits for it.',
    open: 'Continue in a new tab',
    waitingTitle: 'Finish in the other tab',
    waitingText: 'This page notices when you are done.',
    openAgain: 'Open the tab again',
  },
  rateLimited: {
    title: 'One moment, please',
    text: 'That was too many tries in a short time. What you typed is kept.',
    // "in 15 minutes"
    goOn: 'We go on {time}.',
  },
  error: {
    title: 'That did not work',
    page: 'Something went wrong on this page.',
    reference: 'Reference {code}',
  },
  outcome: {
    endUnknown:
      'The time to approve it here is over. If you approved it elsewhere, the merchant can tell how it ended. This page charged nothing.',
    anotherCard: 'Back to {place} to try another card',
    returning: 'We take you back to {place} in a moment.',
    kept: 'Kept word for word:',
    more: 'More',
    stop: 'Pause or end it yourself, at any time',
    print: 'Print',
    canStay: 'There is a button to stay on this page.',
    stay: 'Stay on this page',
    staying: 'This page stays. Go back whenever you are ready.',
    closing: 'This tab closes in a moment.',
    closeNow: 'Close this tab',
    embedded: 'You can go on in the page around this one.',
    close: 'You may close this window.',
    closeAndReturn: 'You may close this window and go back to the page you came from.',
  },
} as const
