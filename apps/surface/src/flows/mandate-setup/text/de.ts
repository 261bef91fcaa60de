import type { Translation } from '../../../text/translation.ts'
import type { en } from './en.ts'

const NOTHING = 'Es wurde nichts erlaubt und nichts abgebucht.'
const FROM_PERMISSION = '7 Tage ab Ihrer Erlaubnis'

/** The words of a standing permission, in German. */
export const de: Translation<typeof en> = {
  outcomes: {
    approved: {
      title: 'Erlaubt',
      text: 'Von jetzt an kann von dieser Karte innerhalb dieser Grenzen abgebucht werden. Sie können das jederzeit unterbrechen oder beenden, ohne jemanden zu fragen. Jetzt wurde nichts abgebucht.',
    },
    failed: { title: 'Das konnte nicht erlaubt werden', text: `Der Händler kann Ihnen sagen, warum. ${NOTHING}` },
    cancelled: { title: 'Nicht erlaubt', text: `Sie haben abgebrochen. ${NOTHING}` },
    expired: {
      title: 'Diese Anfrage ist abgelaufen',
      text: `Die Zeit, sie zu erlauben, ist um. Beginnen Sie noch einmal auf der Seite, von der Sie kommen. ${NOTHING}`,
    },
    revoked: {
      title: 'Der Händler hat diese Anfrage zurückgezogen',
      text: `Fragen Sie den Händler, wenn Sie das nicht erwartet haben. ${NOTHING}`,
    },
  },
  failures: {
    SESSION_EXPIRED: `Die Zeit, es zu erlauben, ist um. ${NOTHING}`,
    SESSION_REVOKED: `Der Händler hat es zurückgezogen. ${NOTHING}`,
    CANCELLED: `Sie haben abgebrochen. ${NOTHING}`,
    CARD_DECLINED: `Ihre Bank hat das abgelehnt. ${NOTHING}`,
    PAYMENT_FAILED: `Das konnte mit Ihrer Karte nicht eingerichtet werden. ${NOTHING}`,
  },
  shared: {
    cancel: { start: 'Jetzt nicht', question: 'Abbrechen, ohne das zu erlauben?' },
    enterCard: 'Geben Sie die Karte ein, von der abgebucht werden darf',
    keeping: '{operator} bewahrt diese Karte für die Abbuchungen auf, die Sie erlauben, und für Ihre nächste Zahlung.',
    afterPasskey:
      'Sie bestätigen zweimal: einmal, um ihn zu erstellen, und einmal, um das zu erlauben. Jetzt wird nichts abgebucht.',
    processing: {
      title: 'Ihre Erlaubnis wird eingerichtet',
      text: 'Das dauert ein paar Sekunden. Jetzt wird nichts abgebucht.',
      slow: 'Das Kartennetz braucht länger als sonst. Sie haben es schon erlaubt, und jetzt wird nichts abgebucht; lassen Sie diese Seite offen.',
    },
  },
  allow: '{merchant} erlauben, von Ihrer Karte abzubuchen',
  each: {
    one_time: '{amount}, einmal',
    weekly: '{amount} pro Woche',
    monthly: '{amount} pro Monat',
    yearly: '{amount} pro Jahr',
  },
  action: 'Bis zu {limit} erlauben',
  say: '{merchant} darf bis zu {limit} abbuchen, {where}, {until}. Insgesamt kann Sie das nie mehr als {most} kosten. Sie können es jederzeit unterbrechen oder beenden: Fragen Sie {merchant}. Jetzt wird nichts abgebucht.',
  where: { listed: 'nur dort', any: 'in jedem Geschäft' },
  until: 'bis zum {date}',
  span: `für ${FROM_PERMISSION}`,
  limit: 'Bis zu {limit}',
  only: 'Nur bei {place}',
  anywhere: 'In jedem Geschäft',
  most: 'Insgesamt höchstens {amount}',
  summary: {
    label: 'Was Sie erlauben',
    states: {
      toAllow: 'Darf abbuchen, ohne noch einmal zu fragen, höchstens',
      inProgress: 'In Arbeit',
      allowed: 'Erlaubt',
      notAllowed: 'Nicht erlaubt',
      ended: 'Beendet',
    },
    count: { one: 'Höchstens einmal', other: 'Höchstens {count}-mal' },
    until: 'Bis zum {date}',
    fromPermission: `Für ${FROM_PERMISSION}`,
    stop: 'Sie können es jederzeit unterbrechen oder beenden',
    never: ['Sieht nie Ihre Kartennummer', 'Kann diese Grenzen nicht erhöhen'],
  },
  terms: {
    who: 'Wer abbuchen darf',
    limit: 'Wie viel',
    count: 'Wie oft',
    where: 'Wo',
    until: 'Bis',
    approveBy: 'Zu erlauben bis',
    several: 'Bis zu {limit}, in einer Abbuchung oder in mehreren',
    once: 'Einmal',
    anew: {
      weekly: 'Jede Woche neu, gezählt ab dem Tag, an dem Sie es erlauben',
      monthly: 'Jeden Monat neu, gezählt ab dem Tag, an dem Sie es erlauben',
      yearly: 'Jedes Jahr neu, gezählt ab dem Tag, an dem Sie es erlauben',
    },
    anewSoOften: { one: '{anew}; insgesamt höchstens einmal', other: '{anew}; insgesamt höchstens {count}-mal' },
    fromPermission: FROM_PERMISSION,
    most: 'Insgesamt',
    mostOf: 'Höchstens {total}',
  },
  receipt: { time: 'Erlaubt' },
  limits: {
    lower: 'Weniger erlauben',
    open: 'Grenzen ändern',
    amount: {
      one_time: 'Grenze, in {currency}',
      weekly: 'Grenze pro Woche, in {currency}',
      monthly: 'Grenze pro Monat, in {currency}',
      yearly: 'Grenze pro Jahr, in {currency}',
    },
    amountHint: 'Höchstens {most}',
    amountMissing: 'Geben Sie die Grenze ein.',
    amountUnreadable: 'Geben Sie die Grenze als Betrag ein, zum Beispiel {example}.',
    amountZero: 'Die Grenze muss mehr als null sein.',
    amountAbove: 'Die Grenze kann höchstens {most} sein: Sie kann gesenkt, nicht erhöht werden.',
    amountRefused: 'Diese Grenze wurde nicht angenommen. Geben Sie eine niedrigere ein.',
    until: 'Enddatum',
    untilHint: 'Spätestens {last}',
    untilMissing: 'Geben Sie das Enddatum ein.',
    untilPast: 'Das Enddatum muss nach heute liegen.',
    untilLate: 'Das Enddatum kann spätestens {last} sein: Es kann früher liegen, nicht später.',
    untilRefused: 'Dieses Enddatum wurde nicht angenommen. Geben Sie ein früheres ein.',
    submit: 'Diese Grenzen übernehmen',
    busy: 'Die Grenzen werden geändert…',
    changed: 'Die Grenzen sind geändert.',
  },
}
