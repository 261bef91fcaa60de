import type { Translation } from '../../../text/translation.ts'
import type { en } from './en.ts'

const NOTHING = 'Rien n’a été débité.'
const NOTHING_MORE = 'Rien ne peut plus être débité.'

/** The words of the payment flow, in French. */
export const fr: Translation<typeof en> = {
  outcomes: {
    approved: {
      title: 'Approuvé',
      text: 'La suite\u00a0: le marchand poursuit votre commande, et peut débiter une seule fois, pas plus que ce que vous avez approuvé.',
    },
    failed: {
      title: 'Le paiement n’a pas abouti',
      text: 'Le marchand peut vous dire pourquoi, et si quelque chose a été débité.',
    },
    cancelled: { title: 'Paiement annulé', text: `Vous avez annulé. ${NOTHING}` },
    expired: {
      title: 'Ce paiement a expiré',
      text: `Le temps pour l’approuver est écoulé. Recommencez depuis la page d’où vous venez. ${NOTHING}`,
    },
    revoked: {
      title: 'Le marchand a retiré ce paiement',
      text: `Demandez au marchand si vous ne vous y attendiez pas. ${NOTHING}`,
    },
  },
  buying: {
    title: 'Votre commande est en cours d’envoi',
    text: 'Vous avez approuvé. Nous commandons maintenant chez le marchand pour vous.',
    slow: 'Le marchand met plus de temps que d’habitude. Vous pouvez fermer cette page\u00a0: votre commande continue sans elle, et rien n’est acheté ni débité deux fois.',
  },
  bought: {
    approved: {
      title: 'Commandé et payé',
      text: 'La suite\u00a0: le marchand a votre commande. Vous avez été débité une seule fois, pas plus que ce que vous avez approuvé.',
    },
    revoked: {
      title: 'Ce paiement a été retiré',
      text: `Il a été retiré là où vous l’avez commencé, et rien n’est commandé. ${NOTHING}`,
    },
  },
  failures: {
    SESSION_EXPIRED: `Le temps pour l’approuver est écoulé. ${NOTHING}`,
    SESSION_REVOKED: `Le marchand l’a retiré. ${NOTHING}`,
    CANCELLED: `Vous avez annulé. ${NOTHING}`,
    MANDATE_EXPIRED: `Votre accord a expiré avant que le marchand ne signale un paiement. ${NOTHING_MORE}`,
    PAYMENT_DECLINED: 'Le marchand a signalé que le paiement a été refusé et que rien n’a été débité.',
    CARD_DECLINED: `Votre banque a refusé. ${NOTHING}`,
    THRESHOLD_EXCEEDED: `Le montant dépasse ce que vous avez approuvé, il a donc été refusé. ${NOTHING}`,
    MAX_CHARGES_EXCEEDED:
      'Ce que vous avez approuvé était déjà utilisé, cela a donc été refusé. Rien de plus n’a été débité.',
    AGENT_LIMIT_EXCEEDED: `C’est plus que ce que vous autorisez à votre agent, cela a donc été refusé. ${NOTHING}`,
    OWNER_DENIED: `Vous avez refusé cela. ${NOTHING}`,
    OWNER_TIMEOUT: `Vous avez été consulté et n’avez pas répondu à temps. ${NOTHING}`,
    DELIVERY_REFUSED: `La boutique ne l’a pas accepté. ${NOTHING}`,
    REPORT_TIMEOUT: `Le marchand n’a pas signalé de paiement à temps. ${NOTHING_MORE}`,
    CREDENTIAL_LAPSED: `Le marchand n’a pas utilisé votre accord à temps. ${NOTHING}`,
    INSUFFICIENT_FUNDS: `Il n’y avait pas assez d’argent sur votre carte. ${NOTHING}`,
    MERCHANT_PREPARE_FAILED: `Le marchand ne vend plus cela, ou pas à ce prix. ${NOTHING}`,
    MERCHANT_ACTION_REQUIRED:
      'Le marchand n’a pas pu terminer cette commande. Demandez-lui si vous voyez que quelque chose a été débité.',
    PAYMENT_FAILED: `Le paiement n’a pas pu être préparé avec votre carte. ${NOTHING}`,
  },
  shared: {
    cancel: { start: 'Pas maintenant', question: 'Annuler ce paiement\u00a0?' },
    enterCard: 'Payer par carte',
    keeping: {
      once: 'Juste cette fois\u00a0: supprimer ma carte ensuite',
      why: 'Sinon {operator} la garde pour votre prochain paiement.',
      kept: '{operator} garde cette carte pour votre prochain paiement.',
      deleted: 'Supprimée quand ce paiement est terminé',
    },
    afterPasskey: 'Vous confirmez deux fois\u00a0: une fois pour la créer, et une fois pour approuver.',
    processing: {
      title: 'Préparation de votre paiement',
      text: 'Cela prend quelques secondes.',
      slow: 'Le réseau de cartes met plus de temps que d’habitude. Vous avez déjà approuvé et rien n’est débité deux fois\u00a0; gardez cette page ouverte.',
    },
  },
  approve: 'Approuver {amount}',
  approved: '{amount}\u00a0: approuvé',
  say: '{merchant} reçoit une carte à usage unique de {amount} au plus. Elle ne fonctionne que là, une seule fois. Votre vraie carte reste ici.',
  sayBought: '{operator} commande ceci pour vous maintenant chez {merchant} et paie {amount}, pas un centime de plus.',
  summary: {
    label: 'Paiement',
    states: {
      toPay: 'Vous payez une fois',
      inProgress: 'En cours',
      approved: 'Approuvé',
      paid: 'Payé',
      notCharged: 'Non débité',
      notCompleted: 'Non terminé',
    },
    breakdown: {
      subtotal: 'Sous-total',
      shipping: 'Livraison',
      tax: 'Taxe',
      discount: 'Remise',
      otherCharges: 'Autres frais, non détaillés par le marchand',
      otherReductions: 'Autres réductions, non détaillées par le marchand',
      total: 'Total',
    },
    folded: {
      subtotal: 'sous-total',
      shipping: 'livraison',
      tax: 'taxe',
      discount: 'remise',
      otherCharges: 'autres frais',
      otherReductions: 'autres réductions',
      total: 'total',
    },
    items: { one: '{count} autre article', other: '{count} autres articles' },
  },
  terms: {
    payee: 'Payé à',
    amount: 'Montant',
    breakdown: 'Dont',
    valid: 'Valable',
    approveBy: 'À approuver avant',
    ordered: 'Commandé',
    orderedHere: 'pour vous, juste après votre accord',
    amountOf: { one: '{amount}, une fois', other: '{amount}, jusqu’à {count} fois' },
    until: 'jusqu’au {time}',
    fromApproval: '{span} à compter de votre accord',
    part: '{part}\u00a0: {amount}',
  },
  receipt: {
    payee: 'Payé à',
    amount: 'Montant',
    time: 'Approuvé',
  },
}
