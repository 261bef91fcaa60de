import type { en } from './en.ts'

export const de: typeof en = {
  title: 'Start',
  firstTitle: 'Ihre erste Zahlung',
  firstWords: 'Vier Schritte, etwa drei Minuten. Jeder hakt sich selbst ab, sobald er geschehen ist.',
  steps: {
    key_used: {
      title: 'Den Schlüssel benutzen',
      words: 'Nehmen Sie den geheimen Schlüssel, den Ihre Sandbox gemacht hat. In deren Ordner:',
    },
    session_made: {
      title: 'Eine Session anlegen',
      words: 'Ein Kauf, von einem Kunden. In der Antwort steht die session_id:',
    },
    approved: {
      title: 'Zustimmen',
      words:
        'Öffnen Sie die iframe_url der Antwort und zahlen Sie mit 4242 4242 4242 4242, oder lassen Sie die Sandbox:',
    },
    event_received: {
      title: 'Ein Ereignis empfangen',
      words:
        'Starten Sie die Sandbox neu, damit sie an Ihren Rechner senden darf, dann einen Empfänger, dann lösen Sie ein Ereignis aus; jedes in einem eigenen Terminal:',
    },
  },
  stepStates: { done: 'Erledigt', next: 'Als Nächstes', later: 'Später' },
  stepLine: (step: string) => `Die Zeile für: ${step}`,

  money: 'Geld, letzte 24 Stunden',
  moneyNone: 'Keine Zahlung in den letzten 24 Stunden.',
  moneyIn: (currency: string) => `In ${currency}`,
  payments: (count: number) => (count === 1 ? '1 Zahlung' : `${count} Zahlungen`),
  moreThan: 'Es waren mehr, als hier gezählt werden: das sind die neuesten.',

  needs: 'Braucht Sie',
  need: {
    endpoint_paused: (count: number) =>
      count === 1
        ? 'Ein Webhook-Endpunkt bekommt gerade nichts.'
        : `${count} Webhook-Endpunkte bekommen gerade nichts.`,
    endpoint_unverified: (count: number) =>
      count === 1
        ? 'Ein Webhook-Endpunkt ist noch nicht bestätigt.'
        : `${count} Webhook-Endpunkte sind noch nicht bestätigt.`,
    report_overdue: (count: number) =>
      count === 1
        ? 'Die Meldung einer Zahlung ist überfällig: sagen Sie uns, was aus ihr wurde.'
        : `Die Meldungen von ${count} Zahlungen sind überfällig: sagen Sie uns, was aus ihnen wurde.`,
    outcome_unknown: (count: number) =>
      count === 1
        ? 'Von einer Zahlung ist noch nicht bekannt, was aus ihr wurde.'
        : `Von ${count} Zahlungen ist noch nicht bekannt, was aus ihnen wurde.`,
  },

  failures: 'Was scheiterte, letzte 24 Stunden',
  failuresNone: 'Nichts ist gescheitert.',
}
