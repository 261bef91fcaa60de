import type { en } from './en.ts'

export const de: typeof en = {
  signInTitle: 'Anmelden',
  signIn: 'Mit einem Passkey anmelden',
  firstTime: 'Ich bin zum ersten Mal hier',

  otherDevice: 'Von meinem anderen Gerät hereingelassen',
  back: 'Zurück',

  deviceTitle: 'Code Ihres anderen Geräts eingeben',
  deviceWords:
    'Öffnen Sie diese Seite auf dem Gerät, auf dem Sie angemeldet sind, drücken Sie Ihren Namen, dann „Ihre Passkeys“ und „Anderes Gerät hinzufügen“. Es zeigt einen Code.',
  deviceCode: 'Code',
  deviceCodeHint: 'Acht Buchstaben und Ziffern.',
  deviceCodeWrong: 'Der Code hat acht Buchstaben und Ziffern.',
  waitsTitle: 'Erlauben Sie es auf Ihrem anderen Gerät',
  waitsWords: 'Ihr anderes Gerät fragt Sie jetzt, ob dieses Ihres ist. Lassen Sie diese Seite offen.',
  allowedTitle: 'Sie sind hereingelassen',
  allowedWords: 'Erstellen Sie auf diesem Gerät einen Passkey. Von da an öffnet es diese Seite von selbst.',
  refusedTitle: 'Ihr anderes Gerät hat abgelehnt',
  refusedWords: 'Mit diesem Code kommt kein Gerät herein. Waren Sie es, beginnen Sie noch einmal.',
  deviceOverTitle: 'Dieser Code ist abgelaufen',
  deviceOverWords: 'Codes gelten zehn Minuten. Lassen Sie sich von Ihrem anderen Gerät einen neuen zeigen.',
  anotherDeviceCode: 'Anderen Code eingeben',

  addressTitle: 'Ihre E-Mail-Adresse',
  addressWords:
    'Ein Passwort gibt es hier nicht: Sie kommen mit einem Passkey wieder. An der Adresse erfahren Sie, was Ihre Agenten fragen.',
  address: 'Ihre E-Mail-Adresse',
  addressHint: 'Wir schicken einen Code dorthin.',
  addressWrong: 'Schreiben Sie eine Adresse wie ann@example.com.',
  mailCode: 'Code schicken',
  haveOne: 'Ich habe schon einen Passkey',

  codeTitle: 'Code eingeben',
  codeSent: 'Wir haben sechs Ziffern geschickt an',
  codeNewest: 'Hier gilt nur der neueste.',
  code: 'Code',
  codeUntil: (time: string) => `Er kann bis ${time} eingegeben werden.`,
  codeDigits: 'Der Code hat sechs Ziffern.',
  confirmCode: 'Weiter',
  otherAddress: 'Andere Adresse',
  codeMailed: 'Ein Code wurde geschickt.',

  overTitle: 'Dieser Code ist abgelaufen',
  overWords: 'Ein Code kann zehn Minuten lang und fünfmal eingegeben werden. Wir können einen neuen schicken an',
  anotherCode: 'Neuen Code schicken',

  knownTitle: 'Sie sind schon hier',
  knownWords: 'Zu dieser Adresse gibt es hier schon einen Passkey. Sind Sie es, melden Sie sich damit an:',

  passkeyTitle: 'Passkey erstellen',
  passkeyWords:
    'Ein Passkey ist Ihr Schlüssel zu dieser Seite: Ihr Gerät bewahrt ihn auf. Mit ihm entscheiden Sie, was Agenten für Sie zahlen dürfen.',
  name: 'Wie sollen wir Sie nennen?',
  nameHint: 'Ihr Gerät zeigt es neben dem Passkey.',
  nameNeeded: 'Geben Sie einen Namen ein, damit Sie den Passkey wiederfinden.',
  createPasskey: 'Passkey erstellen',
  useShopPasskey: 'Passkey nehmen, mit dem ich zahle',
  ofShop:
    'Haben Sie beim Zahlen in einem Geschäft einen Passkey erstellt? Er kann auch diese Seite öffnen. Das Geschäft erfährt davon nichts, und Ihre Karten dort stehen hier nicht.',

  signInRefusals: {
    PASSKEY_FAILED:
      'Dieser Passkey öffnet diese Seite nicht. Haben Sie ihn beim Zahlen in einem Geschäft erstellt, drücken Sie „Ich bin zum ersten Mal hier“ und nehmen Sie ihn dort.',
  },
  shopRefusals: {
    PASSKEY_FAILED: 'Dieser Passkey kann hier nicht genommen werden. Erstellen Sie stattdessen einen neuen.',
    PASSKEY_IN_USE: 'Dieser Passkey öffnet diese Seite schon. Melden Sie sich mit ihm an, ohne Ihre Adresse.',
    INVALID_STATE: 'Es hat zu lange gedauert, oder diese Adresse hat schon jemand. Beginnen Sie noch einmal mit ihr.',
  },
  addressRefusals: {
    INVALID_STATE:
      'Hier werden zurzeit keine E-Mails verschickt, deshalb kommt niemand neu herein. Haben Sie einen Passkey, melden Sie sich damit an.',
    VAL_2001: 'Diese Adresse wird nicht angenommen. Sehen Sie noch einmal hin.',
  },
  deviceRefusals: {
    INVALID_STATE: 'Kein Gerät zeigt diesen Code, oder er ist abgelaufen. Sehen Sie noch einmal auf Ihr anderes Gerät.',
  },
  codeRefusals: {
    STEP_UP_INVALID: 'Das ist nicht der Code. Sehen Sie in die neueste E-Mail und geben Sie ihn noch einmal ein.',
  },
  passkeyRefusals: {
    INVALID_STATE: 'Es hat zu lange gedauert, oder diese Adresse hat schon jemand. Beginnen Sie noch einmal mit ihr.',
  },
}
