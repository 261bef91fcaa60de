import type { en } from './en.ts'

export const de: typeof en = {
  lost: 'Ich habe meinen Passkey verloren',
  goOn: 'Weiter mit meinem neuen Passkey',

  addressTitle: 'Ein neuer Passkey',
  addressWords:
    'Sind Sie auf einem anderen Gerät noch angemeldet? Dann lassen Sie dieses von dort herein: Das dauert eine Minute. Sonst geben Sie Ihre Adresse und eine Karte an, die Sie hier benutzen, und warten 24 Stunden.',
  unknownTitle: 'Diese Adresse hat hier niemand',
  unknownWords: 'Mit dieser Adresse hat hier niemand einen Passkey. Versuchen Sie die, mit der Sie gekommen sind.',
  noCardTitle: 'Es gibt keine Karte dafür',
  noCardWords:
    'Ein neuer Passkey entsteht mit einer aktiven Karte, mit der Sie hier bezahlt haben, und Sie haben keine. Schreiben Sie dem Betreiber dieses Dienstes: Er kann Ihre Agenten beenden.',

  cardTitle: 'Karte nachweisen',
  cardWords: 'Geben Sie die Prüfziffer ein, die auf der Karte steht. Ihre Bank schickt dann einen Code.',
  which: 'Welche Karte',
  card: (brand: string, last4: string) => `${brand} mit den letzten Ziffern ${last4}`,
  someCard: 'Karte',
  cvv: 'Prüfziffer',
  cvvHint: 'Drei Ziffern auf der Rückseite, oder vier auf der Vorderseite.',
  cvvWrong: 'Die Prüfziffer hat drei oder vier Ziffern.',
  proveCard: 'Code der Bank anfordern',
  codeTitle: 'Code Ihrer Bank eingeben',
  codeWords: 'Ihre Bank hat Ihnen einen Code geschickt, wie beim Bezahlen.',
  code: 'Code Ihrer Bank',
  codeHint: 'Er kam nicht? Geben Sie die Prüfziffer noch einmal ein.',
  codeNeeded: 'Geben Sie den Code ein, den Ihre Bank geschickt hat.',
  proveCode: 'Weiter',
  again: 'Prüfziffer noch einmal',

  waitsTitle: 'Jetzt wird 24 Stunden gewartet',
  waitsWords: (when: string) =>
    `Ab ${when} erstellen Sie einen neuen Passkey, auf diesem Gerät und in diesem Browser. Bis dahin erfahren es Ihre anderen Geräte und Ihre Adresse, und können es aufhalten.`,
  waitsLeave: 'Sie können diese Seite schließen und dann wiederkommen. Ihre Agenten bleiben, wie sie sind.',
  stop: 'Aufhalten',
  stopWords: 'Dann entsteht kein Passkey. Sie müssten neu beginnen und neu warten.',
  stopNow: 'Jetzt aufhalten',
  keep: 'Weiter warten',
  readyTitle: 'Die Zeit ist um',
  readyWords: (when: string) =>
    `Erstellen Sie Ihren neuen Passkey bis ${when}. Er tritt an die Stelle aller bisherigen und meldet Ihre anderen Geräte ab.`,
  makePasskey: 'Passkey erstellen',
  readyFoot: 'Sieben Tage lang darf kein Agent mehr als bisher.',
  stoppedTitle: 'Es wurde aufgehalten',
  stoppedWords:
    'Es wurde auf einem Ihrer Geräte, über Ihre E-Mail oder durch ein späteres aufgehalten. Es entstand kein Passkey. Waren Sie das nicht, sehen Sie in Ihre E-Mails.',
  overTitle: 'Es ist vorbei',
  overWords:
    'Es hat zu lange gedauert oder ist schon zu Ende. Haben Sie noch keinen Passkey, beginnen Sie noch einmal.',
  begin: 'Noch einmal beginnen',
  back: 'Zurück zum Anmelden',

  noticeTitle: 'Ein neuer Passkey wurde verlangt',
  noticeWords: (device: string, place: string, when: string) =>
    `${device}, aus ${place}, hat Ihre Adresse und eine Ihrer Karten nachgewiesen. Ab ${when} kann dort ein Passkey entstehen, der an die Stelle von Ihrem tritt.`,
  notMe: 'Das war ich nicht: aufhalten',
  noticeStopped: 'Es wurde aufgehalten. Es entsteht kein Passkey.',
  noticeOver: 'Es war schon zu Ende.',
  madeOn: (date: string) => `Am ${date} wurde ein neuer Passkey erstellt.`,
  frozen: (when: string) => `Bis ${when} darf kein Agent mehr als bisher, und keiner kommt dazu.`,

  stopTitle: 'Den neuen Passkey aufhalten?',
  stopPageWords: 'Haben Sie ihn nicht verlangt, halten Sie ihn auf. Ihre Passkeys bleiben, wie sie sind.',
  stoppedByMail:
    'Wer ihn verlangt hat, kann Ihre E-Mails lesen und kennt Ihre Karte. Ändern Sie das Passwort Ihres Postfachs, und sagen Sie es Ihrer Bank.',
  tooLateTitle: 'Es kann nicht mehr aufgehalten werden',
  tooLateWords:
    'Ein Passkey wurde erstellt, oder es ist vorbei. Waren Sie es nicht, schreiben Sie sofort dem Betreiber dieses Dienstes.',
  unknownLinkTitle: 'Dieser Link hält nichts auf',
  unknownLinkWords: 'Öffnen Sie den ganzen Link der neuesten E-Mail.',

  refusals: {
    INVALID_STATE: 'Es ist vorbei, oder ein späteres trat an seine Stelle. Beginnen Sie noch einmal.',
    CARD_NOT_FOUND: 'Diese Karte ist nicht mehr aktiv. Beginnen Sie noch einmal.',
    CARD_INACTIVE: 'Diese Karte ist nicht mehr aktiv. Beginnen Sie noch einmal.',
    CARD_REFUSED: 'Die Bank hat es nicht angenommen. Prüfen Sie die Prüfziffer und versuchen Sie es noch einmal.',
    STEP_UP_INVALID: 'Das ist nicht der Code. Sehen Sie in die Nachricht Ihrer Bank und geben Sie ihn noch einmal ein.',
    NETWORK_UNAVAILABLE: 'Die Bank hat nicht geantwortet. Versuchen Sie es gleich noch einmal.',
    RATE_LIMITED: 'Heute wurden zu oft Prüfziffern eingegeben. Versuchen Sie es morgen noch einmal.',
    PASSKEY_FAILED: 'Der Passkey konnte nicht erstellt werden. Versuchen Sie es noch einmal.',
  },
}
