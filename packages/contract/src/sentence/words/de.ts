import type { End, SentenceWords } from '../words.ts'

const EACH = { one_time: '', weekly: ' pro Woche', monthly: ' pro Monat', yearly: ' pro Jahr' }
const until = ({ kind, text }: End) => (kind === 'span' ? `für ${text} ab Ihrer Freigabe` : `bis zum ${text}`)

export const de: SentenceWords = {
  payment: ({ agent, payee, amount, end }) =>
    agent === null
      ? `${payee} bekommt eine Einmalkarte über höchstens ${amount}. Sie gilt nur dort, einmal, ${until(end)}. ` +
        'Ihre echte Karte bleibt hier.'
      : `${agent} bekommt eine Einmalkarte über höchstens ${amount}, um bei ${payee} zu bezahlen. Sie gilt nur dort, einmal, ` +
        `${until(end)}. Ihre echte Karte bleibt hier.`,
  quote: ({ operator, agent, payee, amount }) =>
    `${operator} bestellt das${agent === null ? '' : ` auf Wunsch von ${agent}`} jetzt für Sie bei ${payee} und zahlt ${amount}, keinen Cent mehr.`,
  mandate({ agent, payee, amount, frequency, onlyThere, times, end, most }) {
    const count = times === null ? '' : `, höchstens ${times === 1 ? 'einmal' : `${times}-mal`}`
    const limit = `bis zu ${amount}${EACH[frequency]}${count}`
    const cap = `Insgesamt kann Sie das nie mehr als ${most} kosten.`
    if (agent !== null) {
      const where = onlyThere ? `bei ${payee} und sonst nirgends` : 'in jedem Geschäft'
      return `${agent} darf ${where} ${limit} bezahlen, ${until(end)}, ohne noch einmal zu fragen. ${cap} Ihre echte Karte bleibt hier.`
    }
    return `${payee} darf ${limit} abbuchen, ${onlyThere ? 'nur dort' : 'in jedem Geschäft'}, ${until(end)}. ${cap}`
  },
  enrollment: ({ operator, payee }) =>
    `${operator} bewahrt diese Karte für Sie auf. ${payee} fragt Sie vor jeder Zahlung.`,
  charge: ({ agent, payee, amount, span }) =>
    `${agent} darf dieses eine Mal ${amount} an ${payee} zahlen, obwohl das mehr ist, als Sie ohne Rückfrage erlauben. ` +
    `Dafür gibt es eine Einmalkarte, die nur dort gilt, für ${span}. Ihre Grenzen bleiben, wie sie sind, und Ihre echte Karte bleibt hier.`,
  link({ agent, merchants, hours, caps, asks }) {
    const when = hours === null ? '' : ` zwischen ${hours.from} und ${hours.to} (${hours.zone})`
    return (
      `${agent} darf Sie um Käufe und Erlaubnisse bitten. Innerhalb der Erlaubnisse, die Sie geben, darf ${agent}${when} ` +
      `${merchants === null ? 'in jedem Geschäft' : `bei ${merchants}`} bezahlen, ohne noch einmal zu fragen, ` +
      `${caps === null ? 'ohne eigene Grenze' : `höchstens ${caps}`}. ${asks === null ? '' : `Vorher gefragt werden Sie, ${asks}. `}` +
      `${agent} sieht nie Ihre echte Karte, und Sie können das jederzeit beenden.`
    )
  },
  join: ({ asks, agent, may }) =>
    `${asks} handelt von jetzt an als Ihr Agent ${agent}, in den Grenzen, die dieser hat. ${may}`,
  caps: {
    charge: (amount) => `${amount} je Zahlung`,
    day: (amount) => `${amount} am Tag`,
    month: (amount) => `${amount} im Monat`,
    open: (count) => (count === 1 ? 'eine offene Zahlung auf einmal' : `${count} offene Zahlungen auf einmal`),
  },
  asks: {
    above: (amount) => `wenn eine Zahlung mehr als ${amount} beträgt`,
    repeats: 'wenn eine Zahlung eine andere der letzten fünf Minuten wiederholt',
  },
  changes: {
    said: ({ agent, changes }) =>
      `Ab jetzt gelten für ${agent} andere Grenzen: ${changes.join('; ')}. Alles andere bleibt, wie es ist, und Sie können das jederzeit ändern oder beenden.`,
    instead: (now, was) => `${now} statt ${was}`,
    charge: (amount) => `${amount ?? 'beliebig viel'} je Zahlung`,
    day: (amount) => `${amount ?? 'beliebig viel'} am Tag`,
    month: (amount) => `${amount ?? 'beliebig viel'} im Monat`,
    open: (count) =>
      count === 1 ? 'eine offene Zahlung auf einmal' : `${count ?? 'beliebig viele'} offene Zahlungen auf einmal`,
    merchants: (list) => (list === null ? 'jedes Geschäft' : `nur ${list}`),
    hours: (hours) => (hours === null ? 'jederzeit' : `zwischen ${hours.from} und ${hours.to} (${hours.zone})`),
    above: (amount) => (amount === null ? 'keine Rückfrage wegen der Höhe' : `Rückfrage über ${amount}`),
    repeats: (asks) =>
      asks
        ? 'Rückfrage, wenn eine Zahlung eine andere der letzten fünf Minuten wiederholt'
        : 'keine Rückfrage bei wiederholten Zahlungen',
  },
}
