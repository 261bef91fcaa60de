import type { DeliveryTable } from '../../webhooks/story.ts'

const MEND = 'Richten Sie Ihren Server, dann drücken Sie „Noch einmal senden“.'
const VERIFY = 'Bestätigen Sie den Endpunkt, dann schalten Sie ihn ein.'

export const deliveries: DeliveryTable = {
  arrived: (answer) => ({
    why: answer === null ? 'Sie kam an.' : `Sie kam an: Ihr Endpunkt antwortete ${answer}.`,
    next: 'Es ist nichts zu tun. Noch einmal senden geht trotzdem: die webhook-id bleibt dieselbe.',
  }),
  sending: { why: 'Sie wird gleich gesendet.', next: 'Es ist nichts zu tun.' },
  notYet: 'Sie ist noch nicht angekommen. Es wird von selbst weiter versucht.',
  never: 'Sie kam nicht an und wird nicht mehr versucht. Das Ereignis ist im Feed.',
  cancelled: {
    why: 'Sie wurde aufgehoben: ihr Endpunkt wurde gelöscht, abgeschaltet oder verlegt.',
    next: 'Das Ereignis ist im Feed. Senden Sie es noch einmal, wenn der Endpunkt wieder da ist.',
  },
  lostOnTheWay: {
    why: 'Der Prozess, der sie sandte, endete, bevor eine Antwort kam.',
    next: 'Es ist nichts zu tun: es wird weiter versucht.',
  },
  paused: {
    not_enabled: { why: 'Sie wartet, weil ihr Endpunkt ausgeschaltet ist.', next: 'Schalten Sie den Endpunkt ein.' },
    unverified: { why: 'Sie wartet, weil ihr Endpunkt nicht bestätigt ist.', next: VERIFY },
    url_changed: { why: 'Sie wartet, weil die Adresse ihres Endpunkts geändert wurde.', next: VERIFY },
    circuit_open: {
      why: 'Sie wartet, weil ihr Endpunkt fünfmal nacheinander versagt hat.',
      next: 'Richten Sie Ihren Server: alle fünf Minuten wird eine versucht, eine gute Antwort lässt alle durch.',
    },
    gone: { why: 'Sie wartet, weil ihr Endpunkt sagte, dass es ihn nicht mehr gibt.', next: VERIFY },
    forbidden_address: {
      why: 'Sie wartet, weil der Name ihres Endpunkts zu einer privaten Adresse führt.',
      next: 'Stellen Sie Name oder URL richtig, dann bestätigen Sie den Endpunkt.',
    },
  },
  failures: {
    forbidden_url: () => ({
      why: 'Ihre URL darf nicht aufgerufen werden.',
      next: 'Ändern Sie die URL des Endpunkts.',
    }),
    forbidden_address: () => ({
      why: 'Der Name führt zu einer privaten oder vorbehaltenen Adresse.',
      next: 'Stellen Sie den Namen richtig, oder ändern Sie die URL des Endpunkts.',
    }),
    dns: () => ({ why: 'Der Name hat keine Adresse.', next: 'Sehen Sie ins DNS des Namens.' }),
    connect: () => ({
      why: 'Es kam keine Verbindung zustande: sie wurde abgewiesen.',
      next: 'Sehen Sie nach, ob Ihr Server auf 443 lauscht.',
    }),
    connect_timeout: () => ({
      why: 'In drei Sekunden kam keine Verbindung zustande.',
      next: 'Sehen Sie auf die Firewall vor Ihrem Server.',
    }),
    tls: () => ({
      why: 'Das Zertifikat taugt nicht.',
      next: 'Erneuern Sie das Zertifikat, mit seiner ganzen Kette.',
    }),
    timeout: () => ({
      why: 'Ihr Server antwortete nicht in zehn Sekunden.',
      next: 'Antworten Sie zuerst 2xx, und arbeiten Sie danach.',
    }),
    reset: () => ({ why: 'Die Verbindung endete, bevor eine Antwort kam.', next: MEND }),
    protocol: () => ({ why: 'Was kam, war keine Antwort in HTTP/1.1.', next: MEND }),
    aborted: () => ({
      why: 'Wir haben sie selbst beendet, weil ein Prozess endete.',
      next: 'Es ist nichts zu tun.',
    }),
    redirect: (answer) => ({
      why: `Ihr Server antwortete ${answer ?? 'mit einer Weiterleitung'} und schickte uns weiter; dem wird nicht gefolgt.`,
      next: 'Ändern Sie die URL des Endpunkts dahin, wo er wirklich ist.',
    }),
    gone: () => ({ why: 'Ihr Server antwortete 410: dort ist kein Empfänger mehr.', next: VERIFY }),
    status: (answer) => ({ why: `Ihr Server antwortete ${answer ?? 'etwas anderes als 2xx'}.`, next: MEND }),
  },
}
