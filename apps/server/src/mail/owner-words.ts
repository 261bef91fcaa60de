import { shown, text, type Words } from './words.ts'

// What owners are mailed. An agent and a shop are named as they call themselves: what they write must not become a link of ours.

/** A question as it is told. */
export type AskedFacts = {
  escalationId: string
  /** What the agent is called. */
  agent: string
  amount: string
  currency: string
  payeeName: string
  payeeHost: string
  until: string
}

/** The operator, who sends a mail, and where the page is. */
interface Sender {
  operatorName: string
  ownerUrl: string
}

/** Asks whether an address is its owner's. */
export function codeWords({ operatorName, ownerUrl }: Sender, { code, endsAt }: { code: string; endsAt: Date }): Words {
  return {
    subject: `${code} is your code`,
    heading: 'Is this address yours?',
    parts: [
      text('Somebody wants to be told here when an agent asks them. If it is you, type this code at the page:'),
      { type: 'facts', facts: [['Code', code]] },
      text(
        `It can be typed until ${shown(endsAt)}. If it is not you, do nothing: without it no further mail comes here.`,
      ),
    ],
    footer: `Sent by ${operatorName}, ${new URL(ownerUrl).host}. Nobody who writes or calls ever needs this code.`,
  }
}

/**
 * Says what an agent asks, until when, and where to answer. Nothing in it allows anything. The subject is read by whoever sees the phone, and
 * broken by programs where a name says so: no name is in it, and no amount.
 */
export function askedWords({ operatorName, ownerUrl }: Sender, asked: AskedFacts): Words {
  const agent = inert(asked.agent)
  const price = `${asked.amount} ${asked.currency}`
  return {
    subject: 'An agent of yours asks you for your word',
    heading: `${agent} asks for ${price}`,
    parts: [
      {
        type: 'facts',
        facts: [
          ['Agent', agent],
          ['Amount', price],
          ['Shop', `${inert(asked.payeeName)} (${inert(asked.payeeHost)})`],
          ['You can answer until', shown(new Date(asked.until))],
        ],
      },
      text('It is beyond what you let the agent spend, so nothing was charged. If you do nothing, it stays so.'),
      { type: 'link', text: 'See it and decide', url: `${ownerUrl}/escalations/${asked.escalationId}` },
      text('To allow it you need your passkey. Nobody can allow it by an answer to this mail.'),
    ],
    footer: `Sent by ${operatorName} because you want to be told of what your agents ask. To get no more of these, open ${ownerUrl} and stop them.`,
  }
}

/** Programs that show mails make links of what looks like an address: a joiner that no reader sees keeps them from it. */
function inert(name: string): string {
  return name.replaceAll(/(?<=\S)([.:/@])(?=\S)/g, '$1\u2060')
}
