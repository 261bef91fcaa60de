import type { en } from './en.ts'

export const de: typeof en = {
  product: 'Mintmark',
  title: (page: string) => `${page} · Mintmark-Konsole`,
  loading: 'Einen Moment',
  again: 'Noch einmal',
  skip: 'Zum Inhalt',

  nav: {
    label: 'Konsole',
    home: 'Start',
    payments: 'Zahlungen',
    permissions: 'Erlaubnisse',
    webhooks: 'Webhooks',
    events: 'Ereignisse',
    keys: 'Schlüssel',
    team: 'Team',
    acts: 'Wer was getan hat',
    me: 'Passkeys und Sitzungen',
  },
  environments: { sandbox: 'Sandbox', production: 'Produktion' },

  person: (initials: string, name: string) => `${initials}: ${name}, Ihr Konto`,
  roles: {
    viewer: 'Lesend',
    support: 'Support',
    developer: 'Entwicklung',
    admin: 'Verwaltung',
    owner: 'Inhaber',
  },
  signOut: 'Abmelden',

  find: 'Suchen',
  findLabel: 'Alles nach seiner Id finden',
  findHint: 'Eine Id einfügen',
  findKeys: 'Strg K',
  kinds: {
    payment: 'Zahlung',
    permission: 'Erlaubnis',
    event: 'Ereignis',
    endpoint: 'Webhook-Endpunkt',
    delivery: 'Zustellung',
  },
  finding: 'Wird gesucht',
  foundNone:
    'Nichts hat hier diese Id. Es gelten ganze Ids: von Zahlungen, Sessions, Erlaubnissen, Ereignissen, Endpunkten und Zustellungen.',
  found: (count: number) => `${count} gefunden`,
  findFailed: 'Es kam keine Antwort. Enter fragt noch einmal.',

  signInTitle: 'Die Konsole dieses Dienstes',
  withPasskey: 'Mit Ihrem Passkey anmelden',
  invitedOnly:
    'Hinein kommen Sie mit einer Einladung, die Ihnen ein Inhaber oder die Verwaltung des Kontos per Mail schickt.',
  signInWords: 'Sehen Sie, was aus jeder Zahlung, jedem Webhook und jedem Ereignis wurde, ohne Logdatei.',
  signedOut: 'Sie wurden abgemeldet. Melden Sie sich wieder an: Sie kommen auf diese Seite zurück.',
  openDemo: 'Demokonto öffnen',
  demoNote: (account: string) => `${account}, in der Sandbox. Kein Passwort, keine Mail, kein echtes Geld.`,
  passkeyNotUsed:
    'Es wurde kein Passkey benutzt. Drücken Sie noch einmal, und wählen Sie einen, den Sie hier angelegt haben.',
  passkeyUnusable: 'In diesem Browser lässt sich der Passkey nicht benutzen. Versuchen Sie es in einem anderen.',
  passkeyUnknown: 'Dieser Passkey ist hier nicht bekannt, oder er wurde beendet. Wählen Sie einen anderen.',

  newOnes: (count: number) => `${count} neu`,
  changed: 'Hier hat sich etwas geändert.',
  showIt: 'Anzeigen',
  stale: 'Es kam keine Antwort. Was Sie sehen, kann alt sein; wir fragen weiter.',
  more: 'Mehr zeigen',
  moreBack: 'Weiter zurück suchen',
  noneOf: 'Bisher nichts von dieser Art.',
  showAll: 'Alles zeigen',

  copy: 'Kopieren',
  copyOf: (what: string) => `${what} kopieren`,
  copied: 'Kopiert',
  notCopied: 'Es konnte nicht kopiert werden. Es ist jetzt markiert: kopieren Sie es mit der Tastatur.',
  copyCurl: 'Als curl kopieren',
  codeWords: 'KEY steht für Ihren geheimen Schlüssel: die Konsole hat ihn nie.',

  lost: {
    unknown: {
      title: 'Das gibt es hier nicht',
      words: 'Die Adresse ist abgeschnitten, oder es gehört einem anderen Konto.',
    },
    unreachable: { title: 'Wir sind nicht erreichbar', words: 'Prüfen Sie Ihre Verbindung. Es wurde nichts geändert.' },
    no_rights: { title: 'Ihre Rolle zeigt das nicht', words: 'Bitten Sie die Verwaltung des Kontos um eine andere.' },
    broken: {
      title: 'Das hat nicht geklappt',
      words: 'Der Dienst konnte nicht antworten. Versuchen Sie es gleich noch einmal.',
    },
    signed_out: { title: 'Sie wurden abgemeldet', words: 'Melden Sie sich wieder an.' },
  },
  acts: {
    unknown: 'Das gibt es nicht mehr.',
    unreachable:
      'Es kam keine Antwort, darum wissen wir nicht, ob es getan ist. Drücken Sie noch einmal: es geschieht trotzdem nur einmal.',
    no_rights: 'Ihre Rolle erlaubt das nicht. Fragen Sie die Verwaltung des Kontos.',
    broken: 'Das hat nicht geklappt. Versuchen Sie es gleich noch einmal.',
    signed_out: '',
  },
  tooOften: 'Das waren zu viele Versuche. Warten Sie eine Minute.',
}
