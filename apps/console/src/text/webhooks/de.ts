import { deliveries } from './deliveries-de.ts'
import type { en } from './en.ts'
import { incidents } from './incidents-de.ts'

export const de: typeof en = {
  title: 'Webhooks',
  none: 'Noch kein Endpunkt. Ereignisse sind trotzdem im Feed. Der erste Endpunkt kommt durch die API:',
  noneListen: 'Ohne öffentliche Adresse sehen Sie Ereignisse auf Ihrem Rechner, wie sie kommen:',
  endpoints: 'Endpunkte',
  endpointColumns: { endpoint: 'Endpunkt', state: 'Stand', kinds: 'Bekommt', id: 'Id' },
  states: {
    active: 'Bekommt Ereignisse',
    paused: 'Angehalten',
    unverified: 'Nicht bestätigt',
    circuit_open: 'Von uns angehalten',
    disabled: 'Von uns abgeschaltet',
  },
  kinds: (count: number) => (count === 1 ? '1 Art von Ereignis' : `${count} Arten von Ereignissen`),
  incidents,
  causeSeen: (cause: string) => `Grund gesehen: ${cause}`,
  waitingOf: (count: number, isMore: boolean) => {
    if (isMore) return `${count} oder mehr Ereignisse haben Sie nicht erreicht. Keines ist verloren.`
    return count === 1
      ? 'Ein Ereignis hat Sie nicht erreicht. Es ist nicht verloren.'
      : `${count} Ereignisse haben Sie nicht erreicht. Keines ist verloren.`
  },
  toEndpoint: 'Sehen, was nicht ankommt',
  doIt: 'Die Zeile für den nächsten Schritt',

  back: 'Webhooks',
  attempts: 'Versuche je Zustellung',
  attemptsOf: (count: number) => (count === 1 ? 'Die einzige Zustellung bisher' : `Die letzten ${count} Zustellungen`),
  attemptsText: (arrived: number, waiting: number, failed: number) =>
    `${arrived} angekommen, ${waiting} warten, ${failed} nicht angekommen.`,
  oldest: 'älteste',
  newest: 'neueste',
  figures: {
    delivered: 'Angekommen',
    queued: 'Wartend',
    failed: 'Nicht angekommen',
    answer: 'Mittlere Antwort',
  },
  noFigure: 'noch keine',
  deliveries: 'Zustellungen',
  deliveriesNone: 'Noch wurde nichts gesendet. Lassen Sie etwas geschehen, oder senden Sie eine Probe:',
  filterBy: 'Welche Zustellungen',
  all: 'Alle',
  deliveryStates: {
    queued: 'Wartet',
    delivered: 'Angekommen',
    failed: 'Nicht angekommen',
    cancelled: 'Aufgehoben',
  },
  attemptOf: (count: number) => (count === 1 ? '1 Versuch' : `${count} Versuche`),
  answered: (status: number) => `antwortete ${status}`,
  noAnswer: 'keine Antwort',
  test: 'Probe',
  replay: 'Noch einmal gesendet',

  columns: { event: 'Ereignis', state: 'Stand', attempts: 'Versuche', made: 'Eingereiht' },
  story: deliveries,
  next: (time: string) => `Nächster Versuch frühestens ${time}.`,
  until: (time: string) => `Versucht wird bis ${time}.`,
  attemptsTitle: 'Versuche',
  attemptsNone: 'Noch keiner.',
  attempt: (number: number) => `Versuch ${number}`,
  inFlight: 'unterwegs, oder mit seinem Prozess verloren',
  took: (time: string) => `in ${time}`,
  body: 'Was gesendet wird',
  bodyGone: 'Der Inhalt wird nicht mehr aufbewahrt.',
  sendAgain: 'Noch einmal senden',
  sentAgain: 'Es wird noch einmal gesendet. Das ist die neue Zustellung.',
  resendRefusals: {
    ENDPOINT_NOT_VERIFIED: 'Ihr Endpunkt ist nicht bestätigt. Bestätigen und schalten Sie ihn erst ein.',
    ENDPOINT_PAUSED: 'Ihr Endpunkt ist angehalten. Schalten Sie ihn erst ein.',
    ENDPOINT_DISABLED: 'Ihr Endpunkt wurde abgeschaltet. Bestätigen Sie ihn neu und schalten Sie ihn ein.',
    ENDPOINT_NOT_SUBSCRIBED: 'Ihr Endpunkt will diese Art nicht mehr.',
    DELIVERY_EXPIRED: 'Ihr Ereignis ist älter als 30 Tage und kann nicht mehr gesendet werden.',
    WEBHOOKS_DISABLED: 'Der Betreiber hat die Zustellung von Webhooks abgeschaltet. Lesen Sie solange den Feed.',
    NOT_FOUND: 'Ihren Endpunkt gibt es nicht mehr.',
  },
  ids: { delivery: 'Zustellung', event: 'Ereignis', endpoint: 'Endpunkt', replayOf: 'Wiederholt' },
  idsTitle: 'Ids',
}
