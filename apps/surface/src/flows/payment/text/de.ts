import type { Translation } from '../../../text/translation.ts'
import type { en } from './en.ts'

const NOTHING = 'Es wurde nichts abgebucht.'
const NOTHING_MORE = 'Es kann nichts mehr abgebucht werden.'

/** The words of the payment flow, in German. */
export const de: Translation<typeof en> = {
  outcomes: {
    approved: {
      title: 'Freigegeben',
      text: 'So geht es weiter: Der Händler bearbeitet Ihre Bestellung und kann einmal abbuchen, nicht mehr, als Sie freigegeben haben.',
    },
    failed: {
      title: 'Die Zahlung kam nicht zustande',
      text: 'Der Händler kann Ihnen sagen, warum, und ob etwas abgebucht wurde.',
    },
    cancelled: { title: 'Zahlung abgebrochen', text: `Sie haben abgebrochen. ${NOTHING}` },
    expired: {
      title: 'Diese Zahlung ist abgelaufen',
      text: `Die Zeit, sie freizugeben, ist um. Beginnen Sie noch einmal auf der Seite, von der Sie kommen. ${NOTHING}`,
    },
    revoked: {
      title: 'Der Händler hat diese Zahlung zurückgezogen',
      text: `Fragen Sie den Händler, wenn Sie das nicht erwartet haben. ${NOTHING}`,
    },
  },
  buying: {
    title: 'Ihre Bestellung wird aufgegeben',
    text: 'Sie haben freigegeben. Wir bestellen es jetzt beim Händler für Sie.',
    slow: 'Der Händler braucht länger als sonst. Sie können diese Seite schließen: Ihre Bestellung läuft ohne sie weiter, und nichts wird zweimal gekauft oder abgebucht.',
  },
  bought: {
    approved: {
      title: 'Bestellt und bezahlt',
      text: 'So geht es weiter: Der Händler hat Ihre Bestellung. Es wurde einmal abgebucht, nicht mehr, als Sie freigegeben haben.',
    },
    revoked: {
      title: 'Diese Zahlung wurde zurückgezogen',
      text: `Sie wurde dort zurückgezogen, wo Sie sie begonnen haben, und es wird nichts bestellt. ${NOTHING}`,
    },
  },
  failures: {
    SESSION_EXPIRED: `Die Zeit, sie freizugeben, ist um. ${NOTHING}`,
    SESSION_REVOKED: `Der Händler hat sie zurückgezogen. ${NOTHING}`,
    CANCELLED: `Sie haben abgebrochen. ${NOTHING}`,
    MANDATE_EXPIRED: `Ihre Freigabe lief ab, bevor der Händler eine Zahlung gemeldet hat. ${NOTHING_MORE}`,
    PAYMENT_DECLINED: 'Der Händler hat gemeldet, dass die Zahlung abgelehnt wurde und nichts abgebucht wurde.',
    CARD_DECLINED: `Ihre Bank hat abgelehnt. ${NOTHING}`,
    THRESHOLD_EXCEEDED: `Der Betrag ist höher als das, was Sie freigegeben haben, und wurde deshalb abgelehnt. ${NOTHING}`,
    MAX_CHARGES_EXCEEDED:
      'Was Sie freigegeben haben, war schon verbraucht, deshalb wurde das abgelehnt. Es wurde nichts weiter abgebucht.',
    AGENT_LIMIT_EXCEEDED: `Das ist mehr, als Sie Ihrem Agenten erlauben, und wurde deshalb abgelehnt. ${NOTHING}`,
    OWNER_DENIED: `Sie haben dazu Nein gesagt. ${NOTHING}`,
    OWNER_TIMEOUT: `Sie wurden gefragt und haben nicht rechtzeitig geantwortet. ${NOTHING}`,
    DELIVERY_REFUSED: `Das Geschäft hat es nicht angenommen. ${NOTHING}`,
    REPORT_TIMEOUT: `Der Händler hat nicht rechtzeitig eine Zahlung gemeldet. ${NOTHING_MORE}`,
    CREDENTIAL_LAPSED: `Der Händler hat Ihre Freigabe nicht rechtzeitig verwendet. ${NOTHING}`,
    INSUFFICIENT_FUNDS: `Auf Ihrer Karte war dafür nicht genug Geld. ${NOTHING}`,
    MERCHANT_PREPARE_FAILED: `Der Händler verkauft das nicht mehr oder nicht zu diesem Preis. ${NOTHING}`,
    MERCHANT_ACTION_REQUIRED:
      'Der Händler konnte diese Bestellung nicht abschließen. Fragen Sie den Händler, wenn Sie sehen, dass etwas abgebucht wurde.',
    PAYMENT_FAILED: `Die Zahlung konnte mit Ihrer Karte nicht vorbereitet werden. ${NOTHING}`,
  },
  shared: {
    cancel: { start: 'Jetzt nicht', question: 'Diese Zahlung abbrechen?' },
    enterCard: 'Mit Karte bezahlen',
    keeping: {
      once: 'Nur dieses Mal: meine Karte danach löschen',
      why: 'Sonst bewahrt {operator} sie für Ihre nächste Zahlung auf.',
      kept: '{operator} bewahrt diese Karte für Ihre nächste Zahlung auf.',
      deleted: 'Wird gelöscht, wenn diese Zahlung vorbei ist',
    },
    afterPasskey: 'Sie bestätigen zweimal: einmal, um ihn zu erstellen, und einmal, um freizugeben.',
    processing: {
      title: 'Ihre Zahlung wird vorbereitet',
      text: 'Das dauert ein paar Sekunden.',
      slow: 'Das Kartennetz braucht länger als sonst. Sie haben schon freigegeben, und nichts wird zweimal abgebucht; lassen Sie diese Seite offen.',
    },
  },
  approve: '{amount} freigeben',
  approved: '{amount} freigegeben',
  say: '{merchant} bekommt eine Einmalkarte über höchstens {amount}. Sie gilt nur dort, einmal. Ihre echte Karte bleibt hier.',
  sayBought: '{operator} bestellt das jetzt für Sie bei {merchant} und zahlt {amount}, keinen Cent mehr.',
  summary: {
    label: 'Zahlung',
    states: {
      toPay: 'Sie zahlen einmal',
      inProgress: 'In Arbeit',
      approved: 'Freigegeben',
      paid: 'Bezahlt',
      notCharged: 'Nicht abgebucht',
      notCompleted: 'Nicht abgeschlossen',
    },
    breakdown: {
      subtotal: 'Zwischensumme',
      shipping: 'Lieferung',
      tax: 'Steuer',
      discount: 'Rabatt',
      otherCharges: 'Weitere Kosten, vom Händler nicht aufgeführt',
      otherReductions: 'Weitere Abzüge, vom Händler nicht aufgeführt',
      total: 'Summe',
    },
    folded: {
      subtotal: 'Zwischensumme',
      shipping: 'Lieferung',
      tax: 'Steuer',
      discount: 'Rabatt',
      otherCharges: 'weitere Kosten',
      otherReductions: 'weitere Abzüge',
      total: 'Summe',
    },
    items: { one: '{count} weiterer Artikel', other: '{count} weitere Artikel' },
  },
  terms: {
    payee: 'Zahlung an',
    amount: 'Betrag',
    breakdown: 'Davon',
    valid: 'Gültig',
    approveBy: 'Freizugeben bis',
    ordered: 'Bestellt',
    orderedHere: 'für Sie, gleich nach Ihrer Freigabe',
    amountOf: { one: '{amount}, einmal', other: '{amount}, bis zu {count}-mal' },
    until: 'bis {time}',
    fromApproval: '{span} ab Ihrer Freigabe',
    part: '{part}: {amount}',
  },
  receipt: {
    payee: 'Zahlung an',
    amount: 'Betrag',
    time: 'Freigegeben',
  },
}
