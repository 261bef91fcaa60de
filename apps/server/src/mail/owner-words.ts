import { inert, shown, text, type Words } from './words.ts'

// What owners are mailed. An agent and a shop are named as they call themselves: what they write must not become a link
// of ours.

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

/** Asks whether an address is its owner's. */
export function codeWords(ownerUrl: string, { code, endsAt }: { code: string; endsAt: Date }): Words {
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
    footer: `Sent by Mintmark, ${new URL(ownerUrl).host}. Nobody who writes or calls ever needs this code.`,
  }
}

/** The code for a person who comes to the page and is not known yet. */
export function visitWords(ownerUrl: string, { code, endsAt }: { code: string; endsAt: Date }): Words {
  const { host } = new URL(ownerUrl)
  return {
    subject: `${code} is your code`,
    heading: 'Your code',
    parts: [
      text(`This address was typed at ${host}. If it was you, type this code there:`),
      { type: 'facts', facts: [['Code', code]] },
      text(`It can be typed until ${shown(endsAt)}. If it was not you, do nothing: without the code nothing happens.`),
    ],
    footer: `Sent by Mintmark, ${host}. Nobody who writes or calls ever needs this code.`,
  }
}

/** Says what an agent asks, until when, and where to answer. Nothing in it allows anything. */
export function askedWords(ownerUrl: string, asked: AskedFacts): Words {
  const agent = inert(asked.agent)
  const price = `${asked.amount} ${asked.currency}`
  return {
    subject: `${agent} asks for ${price}`,
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
    footer: `Sent by Mintmark because you want to be told of what your agents ask. To get no more of these, open ${ownerUrl} and stop them.`,
  }
}
