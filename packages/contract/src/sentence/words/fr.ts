import type { End, SentenceWords } from '../words.ts'

const EACH = { one_time: '', weekly: ' par semaine', monthly: ' par mois', yearly: ' par an' }
const until = ({ kind, text }: End) => (kind === 'span' ? `pendant ${text} après votre accord` : `jusqu’au ${text}`)

export const fr: SentenceWords = {
  payment: ({ agent, payee, amount, end }) =>
    agent === null
      ? `${payee} reçoit une carte à usage unique de ${amount} au plus. Elle ne fonctionne que là, une seule fois, ${until(end)}. ` +
        'Votre vraie carte reste ici.'
      : `${agent} reçoit une carte à usage unique de ${amount} au plus, pour payer ${payee}. Elle ne fonctionne que là, une seule fois, ` +
        `${until(end)}. Votre vraie carte reste ici.`,
  quote: ({ operator, agent, payee, amount }) =>
    `${operator} commande ceci pour vous maintenant chez ${payee}${agent === null ? '' : `, à la demande de ${agent},`} et paie ${amount}, ` +
    'pas un centime de plus.',
  mandate({ agent, payee, amount, frequency, onlyThere, times, end, most }) {
    const count = times === null ? '' : `, ${times} fois au plus`
    const limit = `jusqu’à ${amount}${EACH[frequency]}${count}`
    const cap = `Cela ne pourra jamais vous coûter plus de ${most} en tout.`
    if (agent !== null) {
      const where = onlyThere ? `chez ${payee}, et nulle part ailleurs,` : 'dans n’importe quelle boutique'
      return `${agent} peut payer ${where} ${limit}, ${until(end)}, sans redemander. ${cap} Votre vraie carte reste ici.`
    }
    const where = onlyThere ? 'seulement là' : 'dans n’importe quelle boutique'
    return `${payee} peut prélever ${limit}, ${where}, ${until(end)}. ${cap}`
  },
  enrollment: ({ operator, payee }) =>
    `${operator} garde cette carte pour vous. ${payee} vous demande votre accord avant chaque paiement.`,
  charge: ({ agent, payee, amount, span }) =>
    `${agent} peut payer ${amount} à ${payee}, cette fois seulement, bien que ce soit plus que ce que vous autorisez sans être consulté. ` +
    `Il lui faut pour cela une carte à usage unique qui ne fonctionne que là, pendant ${span}. Vos limites ne changent pas, et votre vraie carte reste ici.`,
  link({ agent, merchants, hours, caps, asks }) {
    const when = hours === null ? '' : ` entre ${hours.from} et ${hours.to} (${hours.zone})`
    return (
      `${agent} peut vous demander des achats et des autorisations. Dans les autorisations que vous donnez, ${agent} peut payer ` +
      `${merchants === null ? 'dans n’importe quelle boutique' : `chez ${merchants}`}${when} sans redemander, ` +
      `${caps === null ? 'sans limite propre' : `au plus ${caps}`}. ${asks === null ? '' : `Vous êtes consulté d’abord ${asks}. `}` +
      `${agent} ne voit jamais votre vraie carte, et vous pouvez y mettre fin à tout moment.`
    )
  },
  join: ({ asks, agent, may }) =>
    `Désormais ${asks} agit en tant que votre agent ${agent}, dans les limites qui sont les siennes. ${may}`,
  caps: {
    charge: (amount) => `${amount} par paiement`,
    day: (amount) => `${amount} par jour`,
    month: (amount) => `${amount} par mois`,
    open: (count) => (count === 1 ? 'un paiement en cours à la fois' : `${count} paiements en cours à la fois`),
  },
  asks: {
    above: (amount) => `quand un paiement dépasse ${amount}`,
    repeats: 'quand un paiement en répète un autre des cinq dernières minutes',
  },
  changes: {
    said: ({ agent, changes }) =>
      `Désormais d’autres limites valent pour ${agent} : ${changes.join(' ; ')}. Le reste ne change pas, et vous pouvez modifier cela ou y mettre fin à tout moment.`,
    instead: (now, was) => `${now} au lieu de ${was}`,
    charge: (amount) => `${amount ?? 'tout montant'} par paiement`,
    day: (amount) => `${amount ?? 'tout montant'} par jour`,
    month: (amount) => `${amount ?? 'tout montant'} par mois`,
    open: (count) =>
      count === 1 ? 'un paiement en cours à la fois' : `${count ?? 'tout nombre de'} paiements en cours à la fois`,
    merchants: (list) => (list === null ? 'toute boutique' : `seulement ${list}`),
    hours: (hours) => (hours === null ? 'à toute heure' : `entre ${hours.from} et ${hours.to} (${hours.zone})`),
    above: (amount) =>
      amount === null ? 'aucune question pour le montant' : `une question d’abord au-dessus de ${amount}`,
    repeats: (asks) =>
      asks
        ? 'une question d’abord quand un paiement en répète un autre des cinq dernières minutes'
        : 'aucune question pour un paiement répété',
  },
}
