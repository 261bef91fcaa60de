import type { me as en } from './me-en.ts'

export const me: typeof en = {
  meTitle: 'Passkeys und Sitzungen',
  accounts: 'Konten, um die Sie sich kümmern',
  here: 'Hier sind Sie',
  open: 'Öffnen',
  openNamed: (name: string) => `Öffnen: ${name}`,
  passkeys: 'Passkeys',
  noPasskey:
    'Das Demokonto öffnet sich auf einen Druck und hat keinen Passkey. Laden Sie sich unter Team selbst ein, um mit einem hineinzukommen.',
  passkeyOf: (browser: string | null, system: string | null) =>
    browser === null && system === null
      ? 'Passkey'
      : `Passkey von ${[browser, system].filter((part) => part !== null).join(', ')}`,
  device: (browser: string | null, system: string | null) =>
    [browser, system].filter((part) => part !== null).join(', ') || 'Unbekannter Browser',
  thisOne: 'Damit angemeldet',
  blocked: 'Gesperrt: es gibt vielleicht eine Kopie',
  used: 'Benutzt',
  neverUsed: 'Nie benutzt',
  lastOne: 'Der letzte bleibt.',
  rename: 'Umbenennen',
  renameNamed: (name: string) => `Umbenennen: ${name}`,
  newName: 'Neuer Name',
  save: 'Speichern',
  end: 'Beenden',
  endNamed: (name: string) => `Beenden: ${name}`,
  endAsk: 'Er meldet nicht mehr an, und was er angemeldet hat, wird abgemeldet.',
  endThisAsk: 'Er meldet nicht mehr an, und Sie werden hier abgemeldet.',
  ended: 'Der Passkey ist beendet.',
  another: 'Noch ein Passkey',
  anotherWords:
    'Damit Sie hineinkommen, wenn einer verloren geht. Sie benutzen den, den Sie haben, und legen dann den anderen an.',
  passkeyName: 'Wie Sie ihn nennen',
  passkeyNameHint: 'Etwa: Telefon, oder Schlüssel in der Schublade',
  nameNeeded: 'Geben Sie einen Namen ein.',
  makeAnother: 'Anlegen',
  passkeyMade: 'Der Passkey wurde angelegt.',
  sessions: 'Wo Sie angemeldet sind',
  thisSession: 'Hier',
  signOutNamed: (device: string) => `Abmelden: ${device}`,
  signedOutOne: 'Es wurde abgemeldet.',
  signOutAll: 'Überall abmelden, auch hier',
}
