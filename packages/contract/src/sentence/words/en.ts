import type { End, SentenceWords } from '../words.ts'

const EACH = { one_time: '', weekly: ' each week', monthly: ' each month', yearly: ' each year' }
const until = ({ kind, text }: End) => (kind === 'span' ? `within ${text} of your approval` : `until ${text}`)

export const en: SentenceWords = {
  payment: ({ agent, payee, amount, end }) =>
    agent === null
      ? `${payee} gets a one-time card for up to ${amount}. It works only there, once, ${until(end)}. Your real card stays here.`
      : `${agent} gets a one-time card for up to ${amount}, to pay ${payee}. It works only there, once, ${until(end)}. ` +
        'Your real card stays here.',
  quote: ({ operator, agent, payee, amount }) =>
    `${operator} orders this at ${payee} for you now${agent === null ? '' : `, as ${agent} asks,`} and pays ${amount}, not a cent more.`,
  mandate({ agent, payee, amount, frequency, onlyThere, times, end, most }) {
    const count = times === null ? '' : `, ${times === 1 ? 'once' : `${times} times`} at most`
    const limit = `up to ${amount}${EACH[frequency]}${count}`
    const cap = `The most this can ever cost you is ${most}.`
    if (agent !== null) {
      const where = onlyThere ? `${payee}, and nobody else,` : 'any shop'
      return `${agent} may pay ${where} ${limit}, ${until(end)}, without asking again. ${cap} Your real card stays here.`
    }
    return `${payee} may charge ${limit}, ${onlyThere ? 'only there' : 'at any shop'}, ${until(end)}. ${cap}`
  },
  enrollment: ({ operator, payee }) => `${operator} keeps this card for you. ${payee} asks you before each payment.`,
  charge: ({ agent, payee, amount, span }) =>
    `${agent} may pay ${payee} ${amount}, this once, although that is more than you allow without asking. ` +
    `It gets a one-time card that works only there, within ${span}. Your limits stay as they are, and your real card stays here.`,
  link({ agent, merchants, hours, caps, asks }) {
    const when = hours === null ? '' : ` between ${hours.from} and ${hours.to} (${hours.zone})`
    return (
      `${agent} may ask you for purchases and permissions. Within the permissions you give it, it may pay ${merchants ?? 'any shop'}${when} ` +
      `without asking again, ${caps === null ? 'without a limit of its own' : `at most ${caps}`}. ` +
      `${asks === null ? '' : `It asks you first ${asks}. `}It never sees your real card, and you can end this at any time.`
    )
  },
  join: ({ asks, agent, may }) =>
    `From now on ${asks} acts as your agent ${agent}, within the limits that it has. ${may}`,
  caps: {
    charge: (amount) => `${amount} a charge`,
    day: (amount) => `${amount} a day`,
    month: (amount) => `${amount} a month`,
    open: (count) => (count === 1 ? 'one charge open at a time' : `${count} charges open at once`),
  },
  asks: {
    above: (amount) => `when a charge is more than ${amount}`,
    repeats: 'when a charge repeats another of the last five minutes',
  },
  changes: {
    said: ({ agent, changes }) =>
      `From now on other limits hold for ${agent}: ${changes.join('; ')}. All else stays as it is, and you can change or end this at any time.`,
    instead: (now, was) => `${now} instead of ${was}`,
    charge: (amount) => `${amount ?? 'any amount'} a charge`,
    day: (amount) => `${amount ?? 'any amount'} a day`,
    month: (amount) => `${amount ?? 'any amount'} a month`,
    open: (count) => `${count ?? 'any number of'} ${count === 1 ? 'charge' : 'charges'} open at once`,
    merchants: (list) => (list === null ? 'any shop' : `only ${list}`),
    hours: (hours) => (hours === null ? 'at any time' : `between ${hours.from} and ${hours.to} (${hours.zone})`),
    above: (amount) => (amount === null ? 'no question for the amount' : `a question first above ${amount}`),
    repeats: (asks) =>
      asks
        ? 'a question first when a charge repeats another of the last five minutes'
        : 'no question for a repeated charge',
  },
}
