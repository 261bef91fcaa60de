import type { invitation as en } from './invitation-en.ts'

export const invitation: typeof en = {
  invitation: 'Einladung',
  invitedTo: (account: string) => `Sie sind eingeladen zu ${account}`,
  invitedAs: (inviter: string | null, role: string) =>
    `${inviter ?? 'Der Betreiber dieses Dienstes'} lädt Sie ein, sich um dieses Konto zu kümmern. Ihre Rolle: ${role}.`,
  opensUntil: 'sie öffnet sich bis',
  overTitle: 'Diese Einladung öffnet nichts',
  overWords:
    'Sie wurde angenommen oder zurückgenommen, ihre Zeit ist um, oder die Adresse ist abgeschnitten. Lassen Sie sich noch einmal einladen.',
  toConsole: 'Zur Konsole',
  codeFirst: 'Zuerst schicken wir einen Code an diese Adresse, damit wir wissen, dass sie Ihre ist.',
  mailCode: 'Code schicken',
  codeMailed: (email: string) => `Ein Code aus sechs Ziffern ist unterwegs an ${email}. Er gilt zehn Minuten.`,
  codeSaid: 'Ein Code ist unterwegs.',
  code: 'Code',
  codeDigits: 'Geben Sie die sechs Ziffern aus der Mail ein.',
  confirmCode: 'Bestätigen',
  codeAgain: 'Noch einen Code schicken',
  codeRefusals: {
    STEP_UP_INVALID: 'Das ist nicht der Code. Sehen Sie in die neueste Mail.',
    INVALID_STATE:
      'Der Code gilt nicht mehr: seine Zeit oder seine Versuche sind um. Lassen Sie sich einen neuen schicken.',
    RATE_LIMITED: 'An diese Adresse gingen viele Codes. Warten Sie eine Stunde.',
  },
  passkeyFirst: 'Legen Sie jetzt einen Passkey an: Damit melden Sie sich von nun an an, ohne Passwort und ohne Mail.',
  yourName: 'Ihr Name',
  yourNameHint: 'Die anderen lesen ihn neben dem, was Sie tun.',
  makePasskey: 'Passkey anlegen und hineingehen',
  passkeyRefusals: {
    PASSKEY_FAILED: 'Der Passkey wurde nicht angenommen. Versuchen Sie es noch einmal.',
    INVALID_STATE: 'Der Code oder die Einladung gilt nicht mehr. Öffnen Sie den Link der Mail noch einmal.',
  },
  knownWords: (email: string) =>
    `${email} kümmert sich hier schon um ein Konto. Dieses nehmen Sie mit dem Passkey an, den Sie haben.`,
  join: 'Auch um dieses Konto kümmern',
  signInAndJoin: 'Mit dem Passkey anmelden und annehmen',
  joinRefusals: {
    PASSKEY_FAILED: 'Dieser Passkey ist hier nicht bekannt, oder er wurde beendet. Wählen Sie einen anderen.',
    INVALID_STATE:
      'Die Einladung gilt nicht mehr, oder sie geht an eine andere Adresse als die, mit der Sie angemeldet sind.',
  },
}
