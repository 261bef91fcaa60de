import type { Translation } from '../../../text/translation.ts'
import type { en } from './en.ts'

const NOTHING = 'Rien n’a été autorisé et rien n’a été débité.'
const FROM_PERMISSION = '7 jours à compter de votre autorisation'

/** The words of a standing permission, in French. */
export const fr: Translation<typeof en> = {
  outcomes: {
    approved: {
      title: 'Autorisé',
      text: 'Désormais cette carte peut être débitée dans ces limites. Vous pouvez suspendre cela ou y mettre fin à tout moment, sans rien demander à personne. Rien n’a été débité maintenant.',
    },
    failed: { title: 'Cela n’a pas pu être autorisé', text: `Le marchand peut vous dire pourquoi. ${NOTHING}` },
    cancelled: { title: 'Non autorisé', text: `Vous avez annulé. ${NOTHING}` },
    expired: {
      title: 'Cette demande a expiré',
      text: `Le temps pour l’autoriser est écoulé. Recommencez depuis la page d’où vous venez. ${NOTHING}`,
    },
    revoked: {
      title: 'Le marchand a retiré cette demande',
      text: `Demandez au marchand si vous ne vous y attendiez pas. ${NOTHING}`,
    },
  },
  failures: {
    SESSION_EXPIRED: `Le temps pour l’autoriser est écoulé. ${NOTHING}`,
    SESSION_REVOKED: `Le marchand l’a retiré. ${NOTHING}`,
    CANCELLED: `Vous avez annulé. ${NOTHING}`,
    CARD_DECLINED: `Votre banque a refusé cela. ${NOTHING}`,
    PAYMENT_FAILED: `Cela n’a pas pu être mis en place avec votre carte. ${NOTHING}`,
  },
  shared: {
    cancel: { start: 'Pas maintenant', question: 'Annuler sans autoriser cela\u00a0?' },
    enterCard: 'Saisissez la carte qui peut être débitée',
    keeping: '{operator} garde cette carte pour les débits que vous autorisez, et pour votre prochain paiement.',
    afterPasskey:
      'Vous confirmez deux fois\u00a0: une fois pour la créer, et une fois pour autoriser cela. Rien n’est débité maintenant.',
    processing: {
      title: 'Mise en place de votre autorisation',
      text: 'Cela prend quelques secondes. Rien n’est débité maintenant.',
      slow: 'Le réseau de cartes met plus de temps que d’habitude. Vous avez déjà autorisé cela et rien n’est débité maintenant\u00a0; gardez cette page ouverte.',
    },
  },
  allow: 'Autoriser {merchant} à débiter votre carte',
  each: {
    one_time: '{amount}, une fois',
    weekly: '{amount} par semaine',
    monthly: '{amount} par mois',
    yearly: '{amount} par an',
  },
  action: 'Autoriser jusqu’à {limit}',
  say: '{merchant} peut prélever jusqu’à {limit}, {where}, {until}. Cela ne pourra jamais vous coûter plus de {most} en tout. Vous pouvez suspendre cela ou y mettre fin à tout moment\u00a0: demandez à {merchant}. Rien n’est débité maintenant.',
  where: { listed: 'seulement là', any: 'dans n’importe quelle boutique' },
  until: 'jusqu’au {date}',
  span: `pendant ${FROM_PERMISSION}`,
  limit: 'Jusqu’à {limit}',
  only: 'Chez {place} seulement',
  anywhere: 'Dans n’importe quelle boutique',
  most: '{amount} au plus en tout',
  summary: {
    label: 'Ce que vous autorisez',
    states: {
      toAllow: 'Peut débiter, sans redemander, au plus',
      inProgress: 'En cours',
      allowed: 'Autorisé',
      notAllowed: 'Non autorisé',
      ended: 'Terminé',
    },
    count: { one: '{count} fois au plus', other: '{count} fois au plus' },
    until: 'Jusqu’au {date}',
    fromPermission: `Pendant ${FROM_PERMISSION}`,
    stop: 'Vous pouvez suspendre cela ou y mettre fin à tout moment',
    never: ['Ne voit jamais votre numéro de carte', 'Ne peut pas augmenter ces limites'],
  },
  terms: {
    who: 'Qui peut débiter',
    limit: 'Combien',
    count: 'Combien de fois',
    where: 'Où',
    until: 'Jusqu’à',
    approveBy: 'À autoriser avant',
    several: 'Jusqu’à {limit}, en un débit ou en plusieurs',
    once: 'Une fois',
    anew: {
      weekly: 'De nouveau chaque semaine, à compter du jour où vous l’autorisez',
      monthly: 'De nouveau chaque mois, à compter du jour où vous l’autorisez',
      yearly: 'De nouveau chaque année, à compter du jour où vous l’autorisez',
    },
    anewSoOften: {
      one: '{anew}\u00a0; {count} fois au plus en tout',
      other: '{anew}\u00a0; {count} fois au plus en tout',
    },
    fromPermission: FROM_PERMISSION,
    most: 'En tout',
    mostOf: '{total} au plus',
  },
  receipt: { time: 'Autorisé' },
  limits: {
    lower: 'Autoriser moins',
    open: 'Modifier les limites',
    amount: {
      one_time: 'Limite, en {currency}',
      weekly: 'Limite par semaine, en {currency}',
      monthly: 'Limite par mois, en {currency}',
      yearly: 'Limite par an, en {currency}',
    },
    amountHint: '{most} au plus',
    amountMissing: 'Saisissez la limite.',
    amountUnreadable: 'Saisissez la limite comme un montant, par exemple {example}.',
    amountZero: 'La limite doit être supérieure à zéro.',
    amountAbove: 'La limite peut être de {most} au plus\u00a0: elle peut être baissée, pas relevée.',
    amountRefused: 'Cette limite n’a pas été acceptée. Saisissez-en une plus basse.',
    until: 'Date de fin',
    untilHint: 'Au plus tard {last}',
    untilMissing: 'Saisissez la date de fin.',
    untilPast: 'La date de fin doit être après aujourd’hui.',
    untilLate: 'La date de fin peut être au plus tard {last}\u00a0: elle peut être avancée, pas reculée.',
    untilRefused: 'Cette date de fin n’a pas été acceptée. Saisissez-en une plus proche.',
    submit: 'Appliquer ces limites',
    busy: 'Modification des limites…',
    changed: 'Les limites sont modifiées.',
  },
}
