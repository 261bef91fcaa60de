import type { en } from './en.ts'

export const de: typeof en = {
  passkeysTitle: 'Ihre Passkeys',
  passkeysWords:
    'Jeder öffnet diese Seite und erlaubt in Ihrem Namen. Haben Sie das Gerät eines Passkeys verloren, beenden Sie ihn hier.',
  passkey: 'Ein Passkey',
  passkeyOf: (device: string) => `Passkey von ${device}`,
  madeOn: (date: string) => `erstellt am ${date}`,
  usedOn: (date: string) => `zuletzt benutzt am ${date}`,
  neverUsed: 'noch nicht benutzt',
  synced: 'in Ihrem Passkey-Manager, auch auf anderen Geräten',
  ofShop: 'Sie haben ihn beim Zahlen in einem Geschäft erstellt. Wenn Sie ihn hier beenden, zahlt er dort weiter.',
  thisOne: 'Dieser',
  blocked: 'Gesperrt',
  blockedWords: 'Mit ihm kann nichts bestätigt werden: eine Kopie könnte in anderen Händen sein. Beenden Sie ihn.',
  rename: 'Umbenennen',
  renameNamed: (name: string) => `${name} umbenennen`,
  newName: 'Wie Sie ihn nennen',
  nameNeeded: 'Geben Sie einen Namen ein, damit Sie ihn wiedererkennen.',
  saveName: 'Speichern',
  keepName: 'So lassen',
  end: 'Beenden',
  endNamed: (name: string) => `${name} beenden`,
  endWords: (name: string) =>
    `${name} öffnet diese Seite nicht mehr und wird abgemeldet. Ihre Agenten und Erlaubnisse bleiben.`,
  endThisWords: 'Sie werden hier abgemeldet und kommen mit einem anderen Ihrer Passkeys wieder.',
  endNow: 'Jetzt beenden',
  keep: 'Behalten',
  hasEnded: (name: string) => `${name} ist beendet.`,
  lastOne: 'Es ist Ihr einziger Passkey, deshalb kann er nicht beendet werden. Fügen Sie erst ein anderes Gerät hinzu.',
  refusals: {
    INVALID_STATE: 'Es ist der letzte gültige Passkey, deshalb bleibt er. Fügen Sie erst ein anderes Gerät hinzu.',
    NOT_FOUND: 'Er war schon beendet.',
  },

  toPasskeys: 'Ihre Passkeys',
  toSessions: 'Wo Sie angemeldet sind',
  why: 'Sehen Sie Ihre Passkeys und lassen Sie ein anderes Gerät herein.',

  addDevice: 'Anderes Gerät hinzufügen',
  codeTitle: 'Anderes Gerät hinzufügen',
  codeWords: (host: string) =>
    `Öffnen Sie auf dem anderen Gerät ${host}, drücken Sie „Von meinem anderen Gerät hereingelassen“ und geben Sie ein:`,
  codeUntil: (time: string) =>
    `Er kann bis ${time} eingegeben werden. Behalten Sie ihn für sich: wer ihn eingibt, will als Sie herein.`,
  stop: 'Abbrechen',
  typedTitle: 'Ist das Ihr anderes Gerät?',
  typedWords: 'Wenn nicht, lehnen Sie ab: jemand anderes hat den Code gesehen.',
  allow: 'Mit Passkey erlauben',
  refuse: 'Das ist nicht meins',
  allowedWords: 'Es ist hereingelassen. Machen Sie dort weiter: es erstellt einen eigenen Passkey.',
  madeWords: 'Ihr anderes Gerät hat seinen Passkey.',
  refusedWords: 'Es wurde nicht hereingelassen.',
  overWords: 'Der Code ist abgelaufen. Kein Gerät wurde hereingelassen.',
  close: 'Schließen',
  deviceRefusals: {
    INVALID_STATE: 'Der Code ist abgelaufen, oder ein anderer gilt an seiner Stelle. Beginnen Sie noch einmal.',
    NOT_FOUND: 'Ein anderer Code gilt an seiner Stelle. Beginnen Sie noch einmal.',
  },
}
