import type { RefusalText } from './list.ts'

const WAIT = 'Sie müssen nichts tun.'
const ASK_AGAIN = 'Lassen Sie den Agenten es noch einmal versuchen.'

export const de: RefusalText = {
  causes: {
    SESSION_EXPIRED: { why: 'Niemand hat rechtzeitig zugestimmt.', next: ASK_AGAIN },
    SESSION_REVOKED: { why: 'Es wurde zurückgezogen, bevor Sie zugestimmt haben.', next: WAIT },
    CANCELLED: { why: 'Sie haben auf der Seite abgelehnt, auf der zuzustimmen war.', next: WAIT },
    MANDATE_EXPIRED: {
      why: 'Die Erlaubnis war zu Ende, oder niemand hat rechtzeitig gesagt, was aus der Zahlung wurde.',
      next: 'Bitten Sie den Agenten um eine neue Erlaubnis, wenn er weitermachen soll.',
    },
    PAYMENT_DECLINED: {
      why: 'Das Geschäft hat gemeldet, dass nicht bezahlt wurde.',
      next: 'Fragen Sie das Geschäft, und lassen Sie den Agenten es dann noch einmal versuchen.',
    },
    CARD_DECLINED: {
      why: 'Die Bank Ihrer Karte hat abgelehnt.',
      next: 'Fragen Sie Ihre Bank, oder lassen Sie den Agenten mit einer anderen Karte zahlen.',
    },
    THRESHOLD_EXCEEDED: {
      why: 'Es ist mehr, als von der Erlaubnis übrig ist.',
      next: 'Warten Sie, bis die Erlaubnis neu beginnt, oder erlauben Sie mehr.',
    },
    MAX_CHARGES_EXCEEDED: {
      why: 'Die Erlaubnis gilt für keine weitere Zahlung.',
      next: 'Geben Sie dem Agenten eine neue Erlaubnis, wenn er weitermachen soll.',
    },
    AGENT_LIMIT_EXCEEDED: {
      why: 'Es ist über einer Grenze, die Sie dem Agenten gesetzt haben.',
      next: 'Sehen Sie die Grenzen des Agenten an, und heben Sie die zu niedrige an.',
    },
    OWNER_DENIED: { why: 'Sie wurden gefragt und haben abgelehnt.', next: WAIT },
    OWNER_TIMEOUT: {
      why: 'Sie wurden gefragt, und niemand hat rechtzeitig geantwortet.',
      next: 'Heben Sie die Grenze an, wenn es nächstes Mal gehen soll.',
    },
    DELIVERY_REFUSED: { why: 'Das Geschäft hat die Zahlung für diesen Kauf nicht angenommen.', next: ASK_AGAIN },
    REPORT_TIMEOUT: {
      why: '30 Tage lang hat niemand gemeldet, was daraus wurde.',
      next: 'Sehen Sie auf Ihre Kartenabrechnung: Wurde abgebucht, sagen Sie es dem Geschäft.',
    },
    CREDENTIAL_LAPSED: { why: 'Die erzeugte Nummer wurde nicht rechtzeitig benutzt.', next: ASK_AGAIN },
    INSUFFICIENT_FUNDS: {
      why: 'Auf Ihrer Karte ist nicht genug Geld.',
      next: 'Laden Sie die Karte auf, oder lassen Sie den Agenten mit einer anderen zahlen.',
    },
    MERCHANT_PREPARE_FAILED: {
      why: 'Das Geschäft verkauft es nicht mehr, oder nicht zu diesem Preis.',
      next: 'Lassen Sie den Agenten noch einmal danach suchen.',
    },
    MERCHANT_ACTION_REQUIRED: {
      why: 'Das Geschäft wollte etwas, das nur ein Mensch geben kann.',
      next: 'Kaufen Sie es selbst im Geschäft.',
    },
    PAYMENT_FAILED: {
      why: 'Die Zahlung kam nicht zustande.',
      next: 'Lassen Sie den Agenten es später noch einmal versuchen.',
    },
    MANDATE_NOT_ACTIVE: {
      why: 'Die Erlaubnis ist angehalten oder zu Ende.',
      next: 'Lassen Sie die Erlaubnis weitergehen, oder geben Sie eine neue.',
    },
    MANDATE_MERCHANT_NOT_ALLOWED: {
      why: 'Die Erlaubnis gilt für ein anderes Geschäft.',
      next: 'Geben Sie dem Agenten eine Erlaubnis für dieses Geschäft, wenn Sie es wollen.',
    },
    NO_INSTRUCTION: {
      why: 'Das Kartennetz kennt die Erlaubnis noch nicht.',
      next: 'Warten Sie eine Minute, und lassen Sie den Agenten es dann noch einmal versuchen.',
    },
    NO_ORDER: { why: 'Die Erlaubnis gehört zu keiner Bestellung.', next: 'Geben Sie dem Agenten eine neue Erlaubnis.' },
    NO_TOKEN: {
      why: 'Das Kartennetz hat noch nicht geantwortet.',
      next: 'Warten Sie: Nichts geht verloren, und nichts wird zweimal belastet.',
    },
  },
  limits: {
    currency: {
      why: 'Es ist in einer anderen Währung, als Sie erlauben.',
      next: 'Ändern Sie die Währung der Grenzen, wenn Sie es wollen.',
    },
    merchants: {
      why: 'Es ist bei einem Geschäft, das Sie nicht genannt haben.',
      next: 'Nehmen Sie das Geschäft in die Grenzen auf, wenn Sie es wollen.',
    },
    hours: {
      why: 'Es kam außerhalb der Zeiten, die Sie genannt haben.',
      next: 'Lassen Sie den Agenten es in diesen Zeiten versuchen, oder erweitern Sie sie.',
    },
    charge: {
      why: 'Es ist mehr, als Sie für eine Zahlung erlauben.',
      next: 'Erlauben Sie diese, solange sie wartet, oder heben Sie die Grenze je Zahlung an.',
    },
    open: {
      why: 'Zu viele Zahlungen sind zugleich offen.',
      next: 'Warten Sie, bis eine gemeldet ist, oder erlauben Sie mehr zugleich.',
    },
    day: {
      why: 'Es wäre über der Grenze des Tages.',
      next: 'Erlauben Sie diese, solange sie wartet, oder warten Sie bis morgen.',
    },
    month: {
      why: 'Es wäre über der Grenze des Monats.',
      next: 'Erlauben Sie diese, solange sie wartet, oder heben Sie die Monatsgrenze an.',
    },
    ask_above: { why: 'Bei diesem Betrag wollen Sie gefragt werden.', next: 'Antworten Sie, solange es wartet.' },
    ask_repeats: {
      why: 'Es wiederholt eine Zahlung der letzten fünf Minuten.',
      next: 'Erlauben Sie es nur, wenn Sie es zweimal wollen.',
    },
    mandate: {
      why: 'Es ist mehr, als von der Erlaubnis übrig ist.',
      next: 'Erlauben Sie diese, solange sie wartet, oder erlauben Sie mehr.',
    },
    max_charges: {
      why: 'Die Erlaubnis gilt für keine weitere Zahlung.',
      next: 'Erlauben Sie diese, solange sie wartet, oder geben Sie eine neue Erlaubnis.',
    },
    shop: {
      why: 'Die Erlaubnis gilt für ein anderes Geschäft.',
      next: 'Erlauben Sie diese, solange sie wartet, oder geben Sie eine Erlaubnis für dieses Geschäft.',
    },
  },
}
