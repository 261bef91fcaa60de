import type { FirstStep, Need } from '@mintmark/contract/console'

/** Words of the first page. */
export const en = {
  title: 'Home',
  firstTitle: 'Your first payment',
  firstWords: 'Four steps, about three minutes. Each ticks itself as soon as it has happened.',
  steps: {
    key_used: { title: 'Use your key', words: 'Take the secret key that your sandbox has made. In its folder:' },
    session_made: { title: 'Make a session', words: 'One purchase, by one customer. Its answer has the session_id:' },
    approved: {
      title: 'Approve it',
      words: 'Open the iframe_url of the answer and pay with 4242 4242 4242 4242, or let the sandbox do it:',
    },
    event_received: {
      title: 'Receive an event',
      words:
        'Start the sandbox anew so that it may send to your machine, then a receiver, then make an event; each in a terminal of its own:',
    },
  } satisfies Record<FirstStep, { title: string; words: string }>,
  stepStates: { done: 'Done', next: 'Next', later: 'Later' },
  stepLine: (step: string) => `The line for: ${step}`,

  money: 'Money, last 24 hours',
  moneyNone: 'No payment in the last 24 hours.',
  moneyIn: (currency: string) => `In ${currency}`,
  payments: (count: number) => (count === 1 ? '1 payment' : `${count} payments`),
  moreThan: 'There were more than are counted here: these are the newest.',

  needs: 'Needs you',
  need: {
    endpoint_paused: (count: number) =>
      count === 1 ? 'A webhook endpoint gets nothing now.' : `${count} webhook endpoints get nothing now.`,
    endpoint_unverified: (count: number) =>
      count === 1 ? 'A webhook endpoint waits to be verified.' : `${count} webhook endpoints wait to be verified.`,
    report_overdue: (count: number) =>
      count === 1
        ? 'The report of a payment is overdue: tell us what became of it.'
        : `The reports of ${count} payments are overdue: tell us what became of them.`,
    outcome_unknown: (count: number) =>
      count === 1
        ? 'It is not known yet what became of a payment.'
        : `It is not known yet what became of ${count} payments.`,
  } satisfies Record<Need, (count: number) => string>,

  failures: 'What failed, last 24 hours',
  failuresNone: 'Nothing failed.',
}
