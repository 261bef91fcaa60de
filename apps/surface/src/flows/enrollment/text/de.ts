import type { Translation } from '../../../text/translation.ts'
import type { en } from './en.ts'

const NOTHING = 'Es wurde nichts abgebucht.'

/** The words of saving a card without a payment, in German. */
export const de: Translation<typeof en> = {
  outcomes: {
    approved: {
      title: 'Ihre Karte ist gespeichert',
      text: `Sie geben jede Zahlung mit Ihrem Passkey frei, bevor sie erfolgt. ${NOTHING}`,
    },
    failed: {
      title: 'Diese Karte konnte nicht gespeichert werden',
      text: `Der Händler kann Ihnen sagen, warum. ${NOTHING}`,
    },
    cancelled: { title: 'Abgebrochen', text: `Sie haben abgebrochen. ${NOTHING}` },
    expired: {
      title: 'Diese Anfrage ist abgelaufen',
      text: `Die Zeit, hier eine Karte zu speichern, ist um. Beginnen Sie noch einmal auf der Seite, von der Sie kommen. ${NOTHING}`,
    },
    revoked: {
      title: 'Der Händler hat diese Anfrage zurückgezogen',
      text: `Fragen Sie den Händler, wenn Sie das nicht erwartet haben. ${NOTHING}`,
    },
  },
  failures: {
    CARD_DECLINED: `Diese Karte wird hier nicht angenommen. Beginnen Sie noch einmal auf der Seite, von der Sie kommen, um eine andere zu verwenden. ${NOTHING}`,
    PASSKEY_BLOCKED: `Ihr Passkey kann nicht mehr verwendet werden. Bitten Sie den Händler um Hilfe. ${NOTHING}`,
  },
  shared: {
    cancel: { start: 'Jetzt nicht', question: 'Abbrechen, ohne eine Karte zu speichern?' },
    enterCard: 'Geben Sie die Karte ein, die gespeichert werden soll',
    keeping: '{operator} bewahrt diese Karte für Ihre nächste Zahlung auf.',
    afterPasskey: 'Dann ist Ihre Karte gespeichert. Jetzt wird nichts abgebucht.',
    processing: {
      title: 'Ihre Karte wird gespeichert',
      text: 'Das dauert ein paar Sekunden. Es wird nichts abgebucht.',
      slow: 'Das Kartennetz braucht länger als sonst. Es wird nichts abgebucht; lassen Sie diese Seite offen.',
    },
  },
  action: 'Mit Passkey bestätigen',
  say: '{operator} bewahrt diese Karte für Sie auf. {merchant} fragt Sie vor jeder Zahlung.',
  save: 'Ihre Karte bei {merchant} speichern',
  summary: {
    label: 'Was Sie speichern',
    states: {
      toSave: 'Zu speichern',
      inProgress: 'In Arbeit',
      saved: 'Gespeichert',
      notSaved: 'Nicht gespeichert',
      ended: 'Beendet',
    },
    what: 'Ihre Karte',
  },
  terms: {
    who: 'Gespeichert bei',
    charged: 'Jetzt abgebucht',
    nothing: 'Nichts',
    approveBy: 'Zu bestätigen bis',
    passkey: 'Passkey',
    passkeys: { registered: 'Gerade erstellt', existing: 'Der, den Sie schon hatten' },
  },
}
