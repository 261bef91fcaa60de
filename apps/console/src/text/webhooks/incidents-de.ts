import type { incidents as en } from './incidents-en.ts'

export const incidents: typeof en = {
  not_enabled: {
    title: 'Dieser Endpunkt ist ausgeschaltet. Neue Ereignisse werden für ihn nicht vorgesehen.',
    why: 'Er ist bestätigt, und Sie haben ihn nicht eingeschaltet oder angehalten. Was ansteht, wartet; im Feed ist alles.',
    cause: 'ausgeschaltet',
    steps: ['Einschalten', 'Ein Ereignis auslösen und ankommen sehen'],
  },
  unverified: {
    title: 'Dieser Endpunkt bekommt noch nichts: er ist nicht bestätigt.',
    why: 'Er muss einmal eine Aufgabe zurückgeben, damit nichts an einen fremden Server geht.',
    cause: 'nicht bestätigt',
    steps: ['Bestätigen', 'Einschalten'],
  },
  url_changed: {
    title: 'Dieser Endpunkt bekommt nichts, seit seine Adresse geändert wurde.',
    why: 'Die neue Adresse hat noch keine Aufgabe zurückgegeben. Was für die alte anstand, ist aufgehoben.',
    cause: 'neue Adresse',
    steps: ['Die neue Adresse bestätigen', 'Einschalten'],
  },
  circuit_open: {
    title: 'Dieser Endpunkt antwortet nicht gut, darum rufen wir ihn nicht mehr auf.',
    why: 'Fünf Versuche nacheinander wurden nicht bestätigt. Alle fünf Minuten wird einer versucht; was wartet, geht hinaus, sobald er 2xx antwortet.',
    cause: 'fünf Fehler nacheinander',
    steps: ['Den Server richten, bis er 2xx antwortet', 'Eines noch einmal senden und ankommen sehen'],
  },
  gone: {
    title: 'Dieser Endpunkt sagte, dass es ihn nicht mehr gibt, darum haben wir ihn abgeschaltet.',
    why: 'Er antwortete 410. Was für ihn anstand, ist aufgehoben; im Feed ist alles.',
    cause: 'er antwortete 410',
    steps: ['Ihn 2xx antworten lassen und bestätigen', 'Einschalten'],
  },
  forbidden_address: {
    title:
      'Der Name dieses Endpunkts führt zu einer Adresse, die wir nicht aufrufen dürfen, darum haben wir ihn abgeschaltet.',
    why: 'Die Adresse ist privat oder vorbehalten. Was für ihn anstand, ist aufgehoben; im Feed ist alles.',
    cause: 'eine private Adresse',
    steps: ['Name oder URL richtigstellen und bestätigen', 'Einschalten'],
  },
  failing: {
    title: 'Der neueste Versuch kam nicht an. Es wird von selbst weiter versucht.',
    why: 'Jedes Ereignis wird in 72 Stunden neunmal versucht.',
    cause: 'nicht bestätigt',
    steps: ['Den Server richten, bis er 2xx antwortet', 'Eines noch einmal senden und ankommen sehen'],
  },
}
