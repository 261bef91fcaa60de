import type { StoryTable } from '../../payments/story.ts'

const REPORT = 'Melden Sie, was daraus wurde, dann ist sie abgeschlossen.'
const NEW_SESSION = 'Legen Sie eine neue Session an, wenn der Kunde es noch einmal versuchen will.'
const NOTHING = 'Es ist nichts zu tun.'
const WAIT =
  'Warten Sie und bezahlen Sie nicht auf anderem Weg: wir fragen das Netzwerk weiter, und diese Seite sagt, wenn es antwortet.'

export const de: StoryTable = {
  initiated: {
    described: {
      what: 'Sie wartet auf den Karteninhaber, der noch nicht zugestimmt hat.',
      next: 'Zeigen Sie Ihrem Kunden die Seite der Session.',
    },
    quoted: {
      what: 'Sie wartet auf den Karteninhaber, der dem Angebot noch nicht zugestimmt hat.',
      next: 'Zeigen Sie Ihrem Kunden die Seite der Session.',
    },
    permission: {
      what: 'Die Belastung ist angenommen, das Netzwerk wurde noch nicht nach ihrer Einmalkarte gefragt.',
      next: 'Lesen Sie gleich ihr Ergebnis.',
    },
  },
  minting: { what: 'Das Netzwerk wurde nach einer Einmalkarte gefragt und hat noch nicht geantwortet.', next: WAIT },
  awaiting_result: {
    nothing_yet: { what: 'Ihr wurde zugestimmt, ihre Einmalkarte entsteht.', next: 'Lesen Sie gleich ihr Ergebnis.' },
    held: {
      what: 'Ihre Einmalkarte ist da, und niemand hat gesagt, was aus ihr wurde.',
      next: 'Zahlen Sie mit der Karte, dann melden Sie das Ergebnis.',
    },
    charged: { what: 'Das Netzwerk hat die Zahlung gesehen, Ihre Meldung fehlt.', next: REPORT },
    not_charged: { what: 'Das Netzwerk hat gesehen, dass nicht bezahlt wurde; Ihre Meldung fehlt.', next: REPORT },
    not_known: { what: 'Die Karte kann benutzt worden sein, und niemand hat gesagt, was daraus wurde.', next: REPORT },
  },
  completed: {
    nothing_yet: { what: 'Sie wurde als bezahlt gemeldet.', next: NOTHING },
    held: { what: 'Sie wurde als bezahlt gemeldet, das Netzwerk hat das Geld noch nicht eingezogen.', next: NOTHING },
    charged: { what: 'Sie wurde bezahlt.', next: NOTHING },
    not_charged: { what: 'Sie wurde bezahlt, und das Geld wurde seither zurückgegeben.', next: NOTHING },
    not_known: { what: 'Sie wurde als bezahlt gemeldet, das Netzwerk hat es noch nicht bestätigt.', next: WAIT },
  },
  failed: {
    SESSION_EXPIRED: { what: 'Der Karteninhaber hat nicht rechtzeitig zugestimmt.', next: NEW_SESSION },
    SESSION_REVOKED: { what: 'Ihr Backend hat die Session zurückgezogen, bevor bezahlt wurde.', next: NOTHING },
    CANCELLED: { what: 'Der Karteninhaber hat auf der Seite abgelehnt.', next: NEW_SESSION },
    MANDATE_EXPIRED: {
      what: 'Was erlaubt war, lief ab, bevor ein Ergebnis gemeldet wurde.',
      next: 'Sehen Sie nach, ob Ihr Geschäft die Zahlung nahm. Melden Sie, solange die Karte gilt.',
    },
    PAYMENT_DECLINED: {
      what: 'Sie haben gemeldet, dass das Geschäft die Zahlung abgelehnt hat.',
      next: 'Fragen Sie das Geschäft nach dem Grund, dann legen Sie eine neue Session an.',
    },
    CARD_DECLINED: {
      what: 'Die Bank hat die Karte abgelehnt.',
      next: 'Lassen Sie den Kunden in einer neuen Session mit einer anderen Karte zahlen.',
    },
    THRESHOLD_EXCEEDED: {
      what: 'Der Betrag ist höher, als erlaubt wurde oder davon übrig ist.',
      next: 'Belasten Sie weniger, warten Sie auf den nächsten Zeitraum, oder bitten Sie um eine größere Erlaubnis.',
    },
    MAX_CHARGES_EXCEEDED: {
      what: 'Die Erlaubnis gilt für keine weitere Belastung.',
      next: 'Bitten Sie den Kunden um eine neue Erlaubnis.',
    },
    AGENT_LIMIT_EXCEEDED: {
      what: 'Der Inhaber des Agenten erlaubt ihm weniger.',
      next: 'Bitten Sie den Inhaber um eine höhere Grenze, oder belasten Sie weniger.',
    },
    OWNER_DENIED: { what: 'Der Inhaber des Agenten wurde gefragt und hat abgelehnt.', next: NOTHING },
    OWNER_TIMEOUT: {
      what: 'Der Inhaber des Agenten wurde gefragt und hat nicht rechtzeitig geantwortet.',
      next: 'Lassen Sie den Agenten wieder fragen, wenn sein Inhaber da ist.',
    },
    DELIVERY_REFUSED: {
      what: 'Das Geschäft nimmt diese Belastung für seine Kasse nicht an.',
      next: 'Beginnen Sie den Kauf im Geschäft neu, dann belasten Sie noch einmal.',
    },
    REPORT_TIMEOUT: {
      what: 'In 30 Tagen wurde kein Ergebnis gemeldet.',
      next: 'Sehen Sie in den Büchern Ihres Geschäfts nach, und melden Sie künftig rechtzeitig.',
    },
    CREDENTIAL_LAPSED: {
      what: 'Die Einmalkarte lief ab, bevor sie benutzt wurde.',
      next: 'Lassen Sie eine neue erzeugen, und zahlen Sie gleich mit ihr.',
    },
    INSUFFICIENT_FUNDS: {
      what: 'Auf der Karte ist nicht genug Geld.',
      next: 'Lassen Sie den Kunden in einer neuen Session mit einer anderen Karte zahlen.',
    },
    MERCHANT_PREPARE_FAILED: {
      what: 'Das Geschäft verkauft das Angebotene nicht mehr, oder nicht zu diesem Preis.',
      next: 'Holen Sie ein neues Angebot.',
    },
    MERCHANT_ACTION_REQUIRED: {
      what: 'Das Geschäft wollte etwas, das nur ein Mensch geben kann.',
      next: 'Lassen Sie den Kunden selbst im Geschäft kaufen.',
    },
    PAYMENT_FAILED: {
      what: 'Die Zahlung kam nicht zustande.',
      next: 'Versuchen Sie es später in einer neuen Session.',
    },
  },
  failedWithout: {
    what: 'Sie endete ohne Zahlung, ein Grund ist nicht bekannt.',
    next: 'Versuchen Sie es später noch einmal.',
  },
  failedBut: {
    held: 'Ihre Einmalkarte kann noch benutzt werden: lassen Sie keine zweite erzeugen, bevor sie abläuft.',
    charged: 'Das Netzwerk hat trotzdem Geld eingezogen: erstatten Sie es im Geschäft, oder liefern Sie.',
    not_known: WAIT,
  },
  money: {
    nothing_yet: () => 'Noch ist kein Geld geflossen.',
    held: (sum) => `${sum} dürfen eingezogen werden; bisher ist nichts belastet.`,
    charged: (sum) => `${sum} wurden belastet.`,
    not_charged: () => 'Es wurde nichts belastet.',
    not_known: (sum) => `Ob ${sum} belastet wurden, ist noch nicht bekannt.`,
  },
}
