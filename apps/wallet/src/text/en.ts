import type { AgentMe } from '@mintmark/contract/wire/agents'
import type { EscalationView, HomeView } from '@mintmark/contract/wire/owner'

type Limit = AgentMe['limits'][number]
type Frequency = HomeView['agents'][number]['mandates'][number]['frequency']
const EACH: Record<Frequency, string> = { one_time: '', weekly: ' a week', monthly: ' a month', yearly: ' a year' }
type Refused = Pick<EscalationView, 'limit' | 'limits' | 'mandate' | 'payee'>

/** All words of the page. Another language is another file. */
export const text = {
  loading: 'One moment',
  again: 'Try again',
  signOut: 'Sign out',
  confirms: 'Confirms with your face, fingerprint or screen lock.',

  signInTitle: 'Sign in',
  signIn: 'Sign in with a passkey',
  firstTime: 'I am here for the first time',
  firstTitle: 'Create your passkey',
  firstWords:
    'A passkey is your key to this page: there is no password, and no address to type. With it you decide what agents may pay for you.',
  name: 'What should we call you?',
  nameHint: 'Your device shows it beside the passkey.',
  nameNeeded: 'Type a name, so that you find the passkey again.',
  createPasskey: 'Create a passkey',
  haveOne: 'I have a passkey already',
  whyLink: 'An agent asks to pay for you. Sign in to see who it is and to decide.',
  whyEscalation: 'An agent asks you to allow a charge. Sign in to see it and to decide.',
  whyHome: 'See who may spend for you, and end it at any time.',

  offlineTitle: 'We cannot be reached',
  offlineWords: 'Check your connection and try again. Nothing was decided.',
  unreachable: 'No answer came. Check your connection and try again: whether it was decided, the page shows then.',
  passkeyNotUsed: 'The passkey was not used, so nothing was decided. Try again, perhaps with another device.',
  passkeyUnusable: 'Your device could not use a passkey. Check that a screen lock is set up, or use another device.',
  passkeyRefused: 'The passkey could not be verified, so nothing was decided. Try again with the one you use here.',
  passkeyReasons: {
    PASSKEY_IN_USE: 'This passkey cannot be used here. Use another one. Nothing was decided.',
    PASSKEY_BLOCKED: 'This passkey can no longer be used. Nothing was decided. Ask whoever runs this service.',
    PASSKEY_CHANGED:
      'Your device has changed this passkey since you created it, so it can no longer be used here. Nothing was decided. Ask whoever runs this service.',
  } as Record<string, string>,
  tooOften: 'One moment: there were too many tries. Try again in a minute.',
  failed: 'That did not work. Try again in a moment. Nothing was decided.',
  changed: 'The agent has changed meanwhile. Read the sentence again, then approve it.',
  refusals: {
    PASSKEY_REQUIRED: 'You have no passkey here any more. Sign in again.',
    INVALID_STATE: 'This was decided elsewhere meanwhile.',
    AGENT_KEY_LINKED: 'This agent is linked already. Ask it to begin anew with another key.',
    NOT_FOUND: 'This is not there any more.',
    VAL_2001: 'The service does not take these limits. Look at them again.',
  } as Record<string, string>,

  homeTitle: 'Your agents',
  homeNone: 'No agent may spend for you.',
  toHome: 'See your agents',

  end: 'End',
  endNamed: (name: string) => `End ${name}`,
  endWords: (name: string) =>
    `${name} may spend nothing from now on, and what it has asked for ends. It cannot be undone: it would have to ask anew.`,
  keep: 'Keep it',
  endNow: 'End it now',
  hasEnded: (name: string) => `${name} has ended.`,
  ended: 'Ended',
  endedOn: (ended: string) => `ended on ${ended}`,
  maySpendNothing: 'may spend nothing',
  mayCharge: 'Your permissions:',
  endsWithIt: 'Your permissions end with it:',
  endedWithIt: 'Ended with it:',
  upTo: (price: string, frequency: Frequency) => `up to ${price}${EACH[frequency]}`,
  isOld: (at: string) => `The service does not answer. This is how it stood at ${at}; it is asked again by itself.`,
  waitsForYou: 'Waits for you',
  asksFor: (agent: string, price: string) => `${agent} asks for ${price}`,
  leftOf: (kind: string, left: string, limit: string) =>
    `${left} left of ${limit} ${kind === 'day' ? 'today' : 'this month'}`,
  renews: (date: string) => `until ${date}`,
  /** The limits in which nothing adds up. */
  limitWords({ kind, limit, left }: Limit, money: (amount: string) => string): string[] {
    switch (kind) {
      case 'charge':
        return [`${money(limit)} a charge`]
      case 'ask_above':
        return [`asks above ${money(limit)}`]
      case 'ask_repeats':
        return ['asks before it repeats a charge']
      case 'open':
        return [`${left} of ${limit} may still be open`]
      case 'merchants':
        return [`only ${limit}`]
      case 'hours':
        return [`from ${limit}`]
      default:
        return []
    }
  },

  isPublic: 'Shops can verify it',
  isPrivate: 'Shops cannot verify it',
  showCard: 'Its card',
  cardNamed: (name: string) => `Its card: ${name}`,
  privateWords: (name: string) =>
    `If you publish this card, shops can check that a request comes from ${name}. Everybody can read it. Nothing in it is about you, but all shops see the same key.`,
  publicWords: (name: string) =>
    `Everybody can read this card, and shops check requests of ${name} by it. If you take it back, it is gone within a minute.`,
  cardName: 'Name',
  cardKey: 'Key',
  cardAt: 'Address',
  cardWhole: 'The whole card',
  keepPrivate: 'Keep it private',
  closeCard: 'Close',
  publish: 'Publish it',
  unpublish: 'Take it back',
  cardNameless: 'none',
  cardRenamed: (name: string, published = 'no name') =>
    `It calls itself ${name} by now. Shops read ${published} until you publish it again.`,
  publishAgain: 'Publish it by its new name',
  hasPublished: 'Shops can verify it now.',
  hasUnpublished: 'Shops cannot verify it any more.',

  mailTitle: 'Mail when an agent asks',
  mailNone:
    'What an agent asks runs out after 30 minutes. A mail tells you in time; to allow anything you still come here.',
  address: 'Your email address',
  addressWrong: 'Write an address such as ann@example.com.',
  mailCode: 'Mail me a code',
  codeMailed: 'A code was mailed.',
  codeSent: 'We mailed six digits to',
  code: 'Code',
  codeHint: 'It can be typed for ten minutes.',
  codeDigits: 'The code has six digits.',
  confirmCode: 'Confirm',
  otherAddress: 'Other address',
  codeOver: 'The code has run out that was mailed to',
  anotherCode: 'Mail another code',
  mailedTo: 'What agents ask is mailed to',
  stop: 'Stop',
  stopMails: 'Stop the mails',
  mailConfirmed: 'From now on you are mailed what agents ask.',
  mailStopped: 'You are mailed nothing any more.',
  mailRefusals: {
    STEP_UP_INVALID: 'That is not the code. Look at the newest mail, and type it again.',
    INVALID_STATE: 'Not just now: a code was mailed a moment ago, or too many were. Wait a little and try again.',
    VAL_2001: 'The service does not take this address. Look at it again.',
  } as Record<string, string>,

  escalationTitle: (price: string) => `Allow ${price} once?`,
  escalationUnknown:
    'Open the link again from where you got it. Perhaps it is another person’s, then only they can answer it.',
  asks: (name: string) => `${name} asks you`,
  anAgent: 'your agent',
  /** Before and after the name that its owner knows it by. */
  called: 'called',
  whenYouLinkedIt: 'when you linked it',
  anAgentOn: (platform: string) => `your agent on ${platform}`,
  at: 'at',
  times: (name: string, quantity: number) => `${name} × ${quantity}`,
  /** Why it was refused, so far. */
  why({ limit, limits, mandate, payee }: Refused, money: (amount: string) => string): string {
    const found = limits.find(({ kind }) => kind === limit)
    const reasons: Record<string, string> = {
      charge: `it is more than ${money(found?.limit ?? '0')}, the most you allow a charge`,
      day: `only ${money(found?.left ?? '0')} is left of ${money(found?.limit ?? '0')} today`,
      month: `only ${money(found?.left ?? '0')} is left of ${money(found?.limit ?? '0')} this month`,
      ask_above: `it is more than ${money(found?.limit ?? '0')}, above which you are asked`,
      merchants: `${payee.name} is none of the shops that you named`,
      hours: `it came outside of the hours that you named (${found?.limit ?? ''})`,
      mandate: `only ${money(mandate.left)} is left of the ${money(mandate.amount)} that you permitted at ${mandate.merchant_name}`,
      max_charges: 'the permission is for no more charges',
      shop: `your permission is for ${mandate.merchant_name} alone`,
      ask_repeats: 'it repeats a charge of the last five minutes',
    }
    return `Refused so far, because ${reasons[limit] ?? 'a limit of yours does not allow it'}. Nothing was charged.`
  },
  allowOnce: (price: string) => `Allow ${price} once`,
  goOn: (price: string) => `Go on to permit ${price}`,
  leaveRefused: 'Leave it refused',
  beyond: (name: string) =>
    `This is beyond what you have permitted. You can give ${name} a permission for this one charge, at this shop alone, within seven days. Your other permissions stay as they are.`,
  beyondFoot: 'The next page asks for your card and your passkey.',
  beforeTitle: 'Before it, by this permission',
  nothingBefore: 'Nothing was charged by this permission before.',
  duplicate: 'Possible duplicate',
  theSame: 'The same',
  mayRepeat: (name: string) =>
    `Possible duplicate: ${name} has charged the same at this shop in the five minutes before. Allow it only if you want it twice.`,
  chargeStatus: {
    minting: 'On its way',
    awaiting_result: 'Open',
    completed: 'Paid',
    failed: 'Not charged',
  } as Record<string, string>,
  escalationEnds: {
    pending: { title: (price: string) => `${price} waits`, words: () => 'Load the page again.' },
    allowed: {
      title: (price: string) => `${price} is allowed, once`,
      words: (agent: string, payee: string, until?: string) =>
        `${agent} may pay ${payee} with a one-time card${until === undefined ? '' : ` until ${until}`}. Your limits stay as they are.`,
    },
    charged: {
      title: (price: string) => `${price} is on its way`,
      words: (agent: string, payee: string, at?: string) =>
        `${agent} took what you allowed to ${payee}, ${at}. How it went is not known yet.`,
    },
    paid: {
      title: (price: string) => `${price} was paid`,
      words: (agent: string, payee: string, at?: string) => `${agent} paid ${payee}, ${at}, as you allowed it.`,
    },
    failed: {
      title: (price: string) => `${price} was not charged`,
      words: (agent: string, payee: string, at?: string) =>
        `You allowed it, and ${agent} tried at ${payee}, ${at}. It did not go through.`,
    },
    unused: {
      title: (price: string) => `${price} was allowed, and not used`,
      words: (agent: string, _payee: string, until?: string) =>
        `${agent} did not come back for it until ${until}. Nothing was charged.`,
    },
    denied: {
      title: (price: string) => `${price} stays refused`,
      words: (agent: string) => `Nothing was charged, and ${agent} was told that you said no.`,
    },
    expired: {
      title: () => 'This request has run out',
      words: (agent: string) => `Nobody answered in time. Nothing was charged, and ${agent} was told so.`,
    },
    revoked: {
      title: () => 'This agent has ended',
      words: (agent: string) => `${agent} may spend nothing any more. Nothing was charged.`,
    },
  },

  linkTitle: (name: string) => `May ${name} spend for you?`,
  agentAsks: 'an agent asks',
  agentOn: (platform: string) => `an agent on ${platform} asks`,
  until: (time: string) => `Until ${time}`,
  ownWord:
    'Name, platform and description are what the agent says of itself. Nobody has checked them: approve only what you asked for.',
  key: 'Its key',
  clientFrom: 'It comes from',
  clientOfNobody: 'Nobody has checked where it comes from.',
  clientTo: 'Your answer goes to',
  scopes: {
    'payments:read': 'It reads your cards without their numbers, and what it has asked you for.',
    'mandates:write': 'It asks you for standing permissions, and may pause or end them.',
    'checkout:write': 'It asks you for purchases, each of which you approve.',
  },
  whichAgent: 'Which of your agents is this?',
  whichAgentHint: 'One that you have keeps its limits and what you have permitted it. Whatever acts as it shares them.',
  newAgent: 'A new agent, with limits of its own',
  withKey: 'has a key',
  withoutKey: 'has no key',
  linkedOn: (date: string) => `linked ${date}`,
  approve: 'Approve with passkey',
  approving: 'Approving …',
  deny: 'Deny',
  sentenceWaits: 'Correct the limits above to see what you would allow.',
  linkUnknownTitle: 'There is no such request',
  linkUnknown: 'Open the link again from where you got it, or ask the agent for a new one. Nothing was allowed.',
  linkEnded: (ended: string) => ({
    title: (name: string) => `${name} has ended`,
    words: (name: string) => `It ended on ${ended}. ${name} may spend nothing any more, and you can close this page.`,
  }),
  linkEnds: {
    approved: {
      title: (name: string) => `${name} may spend for you`,
      words: () => 'You can close this page, and end it at any time under “Your agents”.',
    },
    denied: {
      title: (name: string) => `You said no to ${name}`,
      words: () => 'It may spend nothing, and was told that you said no. You can close this page.',
    },
    expired: {
      title: () => 'This request has run out',
      words: (name: string) => `Nobody answered in time, so ${name} may spend nothing. It can ask again.`,
    },
    taken: {
      title: () => 'This request is somebody else’s',
      words: () => 'Another person has answered it. Nothing of yours was allowed.',
    },
  },

  limitsTitle: 'What it may spend without asking',
  limitsOf: (name: string) => `The limits of ${name}`,
  showLimits: 'Its limits',
  limitsNamed: (name: string) => `Its limits: ${name}`,
  keepLimits: 'Leave it as it is',
  changeLimits: 'Change',
  changeByPasskey: 'Change with passkey',
  nothingChanged: 'Nothing is changed yet. To allow more takes your passkey, to allow less does not.',
  changedElsewhere: 'The limits were changed elsewhere meanwhile. The form shows those that hold now.',
  hasChangedLimits: (name: string) => `Other limits hold for ${name} now.`,
  limitsRefusals: {
    INVALID_STATE: 'The limits were changed elsewhere meanwhile. The form shows those that hold now.',
  } as Record<string, string>,
  limitsHintIn: (currency: string) =>
    `In ${currency}. Whatever is beyond it asks you, and so does more than “Ask me above”. An empty field is no limit of that kind.`,
  limitsHint:
    'Whatever is beyond it asks you, and so does more than “Ask me above”. An empty field is no limit of that kind.',
  charge: 'A charge',
  day: 'A day',
  month: 'A month',
  open: 'Open at once',
  askAbove: 'Ask me above',
  currency: 'Currency',
  askRepeats: 'Ask me first when a charge repeats another one of the last five minutes',
  onlyShops: 'Only at shops that I name',
  shops: 'Shops',
  shopsHint: 'Their web addresses, one after the other.',
  onlyHours: 'Only at certain hours',
  from: 'From',
  to: 'To',
  amountWrong: 'Write an amount such as 20 or 20.50.',
  countWrong: 'Write a number from 1 to 1000.',
  shopsNeeded: 'Name at least one shop.',
  shopWrong: (name: string) => `“${name}” is no web address such as shop.example.`,
  hoursWrong: 'Choose both times.',
}
