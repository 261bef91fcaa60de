import type { Translation } from '../../../text/translation.ts'
import type { en } from './en.ts'

const NOTHING = 'Rien n’a été débité.'

/** The words of saving a card without a payment, in French. */
export const fr: Translation<typeof en> = {
  outcomes: {
    approved: {
      title: 'Votre carte est enregistrée',
      text: `Vous approuvez chaque paiement avec votre clé d’accès avant qu’il soit effectué. ${NOTHING}`,
    },
    failed: {
      title: 'Cette carte n’a pas pu être enregistrée',
      text: `Le marchand peut vous dire pourquoi. ${NOTHING}`,
    },
    cancelled: { title: 'Annulé', text: `Vous avez annulé. ${NOTHING}` },
    expired: {
      title: 'Cette demande a expiré',
      text: `Le temps pour enregistrer une carte ici est écoulé. Recommencez depuis la page d’où vous venez. ${NOTHING}`,
    },
    revoked: {
      title: 'Le marchand a retiré cette demande',
      text: `Demandez au marchand si vous ne vous y attendiez pas. ${NOTHING}`,
    },
  },
  failures: {
    CARD_DECLINED: `Cette carte n’est pas acceptée ici. Recommencez depuis la page d’où vous venez pour en utiliser une autre. ${NOTHING}`,
    PASSKEY_BLOCKED: `Votre clé d’accès ne peut plus être utilisée. Demandez de l’aide au marchand. ${NOTHING}`,
  },
  shared: {
    cancel: { start: 'Pas maintenant', question: 'Annuler sans enregistrer de carte\u00a0?' },
    enterCard: 'Saisissez la carte à enregistrer',
    keeping: '{operator} garde cette carte pour votre prochain paiement.',
    afterPasskey: 'Ensuite votre carte est enregistrée. Rien n’est débité maintenant.',
    processing: {
      title: 'Enregistrement de votre carte',
      text: 'Cela prend quelques secondes. Rien n’est débité.',
      slow: 'Le réseau de cartes met plus de temps que d’habitude. Rien n’est débité\u00a0; gardez cette page ouverte.',
    },
  },
  action: 'Confirmer avec la clé d’accès',
  say: '{operator} garde cette carte pour vous. {merchant} vous demande votre accord avant chaque paiement.',
  save: 'Enregistrer votre carte chez {merchant}',
  summary: {
    label: 'Ce que vous enregistrez',
    states: {
      toSave: 'À enregistrer',
      inProgress: 'En cours',
      saved: 'Enregistrée',
      notSaved: 'Non enregistrée',
      ended: 'Terminé',
    },
    what: 'Votre carte',
  },
  terms: {
    who: 'Enregistrée chez',
    charged: 'Débité maintenant',
    nothing: 'Rien',
    approveBy: 'À confirmer avant',
    passkey: 'Clé d’accès',
    passkeys: { registered: 'Créée à l’instant', existing: 'Celle que vous aviez déjà' },
  },
}
