import type { en } from './en.ts'

export const de: typeof en = {
  sandbox: 'Sandbox',
  words: 'Es fließt kein echtes Geld.',
  itIs: 'Es ist',
  quarter: '+15 Min.',
  day: '+1 Tag',
  onTheClock: 'auf der Uhr der Sandbox',
  toRenewal: 'Zum nächsten Zeitraum',
  toRenewalWords: 'Stellt die Zeit der ganzen Sandbox vor; sie geht nie zurück.',
  moved: (time) => `In der Sandbox ist es jetzt ${time}.`,
  notKnown: 'Es kam keine Antwort. Die gezeigte Zeit sagt, ob sie verstellt wurde.',
}
