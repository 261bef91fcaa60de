import { shown, text, type Words } from './words.ts'

// What owners are mailed of a recovery. Nothing of their agents, cards or money is in it.

/** A browser, as it says of itself, and the network that it comes from. */
type Where = { device: string; place: string }
/** Which mail of the three it is, its kind says. */
export type RecoveryFacts = { recoveryId: string } & Where & { dueAt: string }
/** `isFormer`: to an address that another one has taken the place of. */
type Told = RecoveryFacts & { isFormer: boolean }

/** Says that a new passkey was asked for, and stops it by a press. */
export function begunWords(ownerUrl: string, facts: Told, stopUrl: string): Words {
  const due = shown(new Date(facts.dueAt))
  return {
    subject: 'A new passkey was asked for',
    heading: 'A new passkey was asked for',
    parts: [
      text(
        `Somebody has typed the code of ${addressOf(facts)}, the security code of a card that you use here, and the code that your bank sent. ` +
          `From ${due} on they can make a new passkey, which takes the place of all that you have.`,
      ),
      { type: 'facts', facts: [...factsOf(facts), ['Waits until', due]] },
      text('If it was you, there is nothing to do but wait. If it was not you, stop it now:'),
      { type: 'link', text: 'This was not me: stop it', url: stopUrl },
      text('Every device on which you are signed in can stop it as well.'),
    ],
    footer: footerOf(ownerUrl, facts),
  }
}

export function stoppedWords(ownerUrl: string, facts: Told): Words {
  return {
    subject: 'The new passkey was stopped',
    heading: 'The new passkey was stopped',
    parts: [
      { type: 'facts', facts: factsOf(facts) },
      text('It was stopped, so no passkey was made, and yours are as they were.'),
      text(
        `If you did not ask for it yourself: whoever did can read the mails of ${addressOf(facts)}, knows the security code of a card of yours, ` +
          'and got the code of your bank. Change the password of your mailbox, and tell your bank.',
      ),
    ],
    footer: footerOf(ownerUrl, facts),
  }
}

export function doneWords(ownerUrl: string, facts: Told): Words {
  return {
    subject: 'A new passkey was made',
    heading: 'A new passkey was made',
    parts: [
      { type: 'facts', facts: factsOf(facts) },
      text('It takes the place of all that you had, and every device is signed out. Your agents are as they were.'),
      text(
        'For seven days no agent is allowed more than before. For 30 days each approval says that the passkey is new.',
      ),
      text('If it was not you, write to the operator of the service at once: they can end your agents.'),
    ],
    footer: footerOf(ownerUrl, facts),
  }
}

/** Says at the address that was an owner's that it is not any more. Nothing in it changes anything. */
export function replacedWords(ownerUrl: string, at: Date, endsAt: Date): Words {
  const { host } = new URL(ownerUrl)
  return {
    subject: 'This address was taken off',
    heading: 'This address was taken off',
    parts: [
      text(
        `At ${host}, on a device that is signed in as you, another address was named in place of this one, or this one was removed. ` +
          'What your agents ask is mailed here no more.',
      ),
      { type: 'facts', facts: [['When', shown(at)]] },
      text(`Until ${shown(endsAt)} you are told here if a new passkey is asked for, and can stop it.`),
      text(
        'If it was you, there is nothing to do. If it was not you, sign in with your passkey, sign out the devices that are not yours, ' +
          'and name this address again:',
      ),
      { type: 'link', text: 'See where you are signed in', url: `${ownerUrl}/me` },
    ],
    footer: footerOf(ownerUrl, { isFormer: true }),
  }
}

const addressOf = ({ isFormer }: { isFormer: boolean }) =>
  isFormer ? 'the address that took the place of this one' : 'this address'

const factsOf = ({ device, place }: Where) => [['Device', device] as const, ['Network', place] as const]

const footerOf = (ownerUrl: string, { isFormer }: { isFormer: boolean }) =>
  `Sent by Mintmark, ${new URL(ownerUrl).host}, to ${isFormer ? 'an address that was of one who' : 'whoever'} has a passkey there. ` +
  'It is sent whatever else you are mailed.'
