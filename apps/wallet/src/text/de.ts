import type { en } from './en.ts'

export const de: typeof en = {
  brand: 'Mintmark',
  loading: 'Einen Moment',
  again: 'Noch einmal versuchen',
  signOut: 'Abmelden',
  confirms: 'Sie bestätigen mit Gesicht, Finger oder Bildschirmsperre.',

  whyLink: 'Ein Agent will für Sie zahlen. Melden Sie sich an, um zu sehen, wer es ist, und um zu entscheiden.',
  whyEscalation: 'Ein Agent bittet um eine Zahlung. Melden Sie sich an, um sie zu sehen und zu entscheiden.',
  whyHome: 'Sehen Sie, wer für Sie ausgeben darf, und beenden Sie es jederzeit.',

  offlineTitle: 'Wir sind nicht erreichbar',
  offlineWords: 'Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal. Es wurde nichts entschieden.',
  unreachable:
    'Es kam keine Antwort. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal: Ob entschieden wurde, zeigt die Seite dann.',
  passkeyNotUsed:
    'Der Passkey wurde nicht benutzt, also wurde nichts entschieden. Versuchen Sie es noch einmal, vielleicht mit einem anderen Gerät.',
  passkeyUnusable:
    'Ihr Gerät konnte keinen Passkey benutzen. Prüfen Sie, ob eine Bildschirmsperre eingerichtet ist, oder nehmen Sie ein anderes Gerät.',
  tooOften: 'Einen Moment: Es waren zu viele Versuche. Versuchen Sie es in einer Minute noch einmal.',
  failed: 'Das hat nicht geklappt. Versuchen Sie es gleich noch einmal. Es wurde nichts entschieden.',
  changed: 'Der Agent nennt sich inzwischen anders. Lesen Sie den Satz noch einmal und erlauben Sie ihn dann.',
  refusals: {
    PASSKEY_FAILED:
      'Der Passkey konnte nicht geprüft werden, also wurde nichts entschieden. Nehmen Sie den, den Sie hier benutzen.',
    PASSKEY_REQUIRED: 'Sie haben hier keinen Passkey mehr. Melden Sie sich noch einmal an.',
    INVALID_STATE: 'Das wurde inzwischen anderswo entschieden.',
    AGENT_KEY_LINKED: 'Dieser Agent ist schon verbunden. Er soll mit einem anderen Schlüssel neu beginnen.',
    NOT_FOUND: 'Das gibt es nicht mehr.',
    VAL_2001: 'Diese Grenzen werden nicht angenommen. Sehen Sie noch einmal hin.',
  },

  me: 'Sie',
  meNamed: (name: string) => (name === '' ? 'Sie, und wo Sie angemeldet sind' : `${name}, und wo Sie angemeldet sind`),
  whyMe: 'Sehen Sie, wo Sie angemeldet sind, und melden Sie sich dort ab.',
  meTitle: 'Wo Sie angemeldet sind',
  meWords:
    'Jede Anmeldung bleibt, bis Sie sie beenden, bis sie 30 Tage unbenutzt war, oder 90 Tage lang. Kennen Sie eine nicht, melden Sie sie ab.',
  thisOne: 'Diese hier',
  device: (browser: string | null, system: string | null) => {
    if (browser !== null && system !== null) return `${browser} auf ${system}`
    return browser ?? system ?? 'Ein unbekannter Browser'
  },
  signedIn: (date: string) => `seit ${date}`,
  lastUsed: (date: string) => `zuletzt benutzt am ${date}`,
  fromPlace: (place: string) => `aus ${place}`,
  signOutThere: 'Abmelden',
  signOutNamed: (device: string) => `${device} abmelden`,
  signOutHere: 'Hier abmelden',
  signOutAll: 'Überall abmelden',
  signOutAllWords:
    'Sie werden auch hier abgemeldet und kommen mit Ihrem Passkey wieder. Ihre Agenten bleiben, wie sie sind.',
  signOutAllNow: 'Jetzt überall abmelden',
  keepSignedIn: 'Angemeldet bleiben',
  signedOut: (device: string) => `${device} ist abgemeldet.`,
  meRefusals: { NOT_FOUND: 'Sie war schon beendet.' },

  homeTitle: 'Ihre Agenten',
  homeNone: 'Kein Agent darf für Sie ausgeben.',
  toHome: 'Zu Ihren Agenten',

  end: 'Beenden',
  endNamed: (name: string) => `${name} beenden`,
  endWords: (name: string) =>
    `${name} darf von jetzt an nichts mehr ausgeben, und was er erbeten hat, endet. Das lässt sich nicht zurücknehmen: Er müsste neu fragen.`,
  keep: 'Behalten',
  endNow: 'Jetzt beenden',
  hasEnded: (name: string) => `${name} ist beendet.`,
  ended: 'Beendet',
  maySpendNothing: 'darf nichts ausgeben',
  waitsForYou: 'Wartet auf Sie',
  asksFor: (agent: string, price: string) => `${agent} bittet um ${price}`,
  leftOf: (kind: string, left: string, limit: string) =>
    `${left} übrig von ${limit} ${kind === 'day' ? 'heute' : 'in diesem Monat'}`,
  renews: (date: string) => `bis ${date}`,
  limitWords({ kind, limit, left }, money) {
    switch (kind) {
      case 'charge':
        return [`${money(limit)} je Zahlung`]
      case 'ask_above':
        return [`fragt über ${money(limit)}`]
      case 'ask_repeats':
        return ['fragt, bevor er eine Zahlung wiederholt']
      case 'open':
        return [`${left} von ${limit} dürfen noch offen sein`]
      case 'merchants':
        return [`nur ${limit}`]
      case 'hours':
        return [`von ${limit}`]
      default:
        return []
    }
  },

  isPublic: 'Geschäfte können ihn prüfen',
  isPrivate: 'Geschäfte können ihn nicht prüfen',
  showCard: 'Seine Karteikarte',
  cardNamed: (name: string) => `Seine Karteikarte: ${name}`,
  privateWords: (name: string) =>
    `Veröffentlichen Sie diese Karteikarte, können Geschäfte prüfen, ob eine Anfrage von ${name} kommt. Jeder kann sie lesen. Über Sie steht nichts darin, aber alle Geschäfte sehen denselben Schlüssel.`,
  publicWords: (name: string) =>
    `Jeder kann diese Karteikarte lesen, und Geschäfte prüfen mit ihr die Anfragen von ${name}. Nehmen Sie sie zurück, ist sie binnen einer Minute fort.`,
  cardName: 'Name',
  cardKey: 'Schlüssel',
  cardAt: 'Adresse',
  cardWhole: 'Die ganze Karteikarte',
  keepPrivate: 'Nicht veröffentlichen',
  closeCard: 'Schließen',
  publish: 'Veröffentlichen',
  unpublish: 'Zurücknehmen',
  hasPublished: 'Geschäfte können ihn jetzt prüfen.',
  hasUnpublished: 'Geschäfte können ihn nicht mehr prüfen.',

  mailTitle: 'E-Mail, wenn ein Agent fragt',
  mailNone:
    'Was ein Agent fragt, verfällt nach 30 Minuten. Eine E-Mail sagt es Ihnen rechtzeitig; um etwas zu erlauben, kommen Sie trotzdem hierher.',
  address: 'Ihre E-Mail-Adresse',
  addressWrong: 'Schreiben Sie eine Adresse wie ann@example.com.',
  mailCode: 'Code schicken',
  codeMailed: 'Ein Code wurde geschickt.',
  codeSent: 'Wir haben sechs Ziffern geschickt an',
  code: 'Code',
  codeHint: 'Er kann zehn Minuten lang eingegeben werden.',
  codeDigits: 'Der Code hat sechs Ziffern.',
  confirmCode: 'Bestätigen',
  otherAddress: 'Andere Adresse',
  codeOver: 'Der Code ist abgelaufen, der geschickt wurde an',
  anotherCode: 'Neuen Code schicken',
  mailedTo: 'Was Agenten fragen, geht an',
  stop: 'Beenden',
  stopMails: 'E-Mails beenden',
  mailKept:
    'Beenden Sie die E-Mails oder nennen Sie eine andere Adresse, erfährt diese davon, und sieben Tage lang auch, wenn ein neuer Passkey verlangt wird.',
  formerWas: (date: string) =>
    `war vorher Ihre Adresse. Bis ${date} erfährt sie, wenn ein neuer Passkey verlangt wird, und kann ihn verhindern.`,
  formerNotMe: 'Haben Sie das nicht geändert, melden Sie ab, was nicht Ihres ist:',
  mailConfirmed: 'Von jetzt an erfahren Sie per E-Mail, was Agenten fragen.',
  mailStopped: 'Sie bekommen keine E-Mails mehr.',
  mailRefusals: {
    STEP_UP_INVALID: 'Das ist nicht der Code. Sehen Sie in die neueste E-Mail und geben Sie ihn noch einmal ein.',
    INVALID_STATE:
      'Gerade nicht: Eben erst wurde ein Code geschickt, oder es waren zu viele. Warten Sie etwas und versuchen Sie es noch einmal.',
    VAL_2001: 'Diese Adresse wird nicht angenommen. Sehen Sie noch einmal hin.',
  },

  escalationTitle: (price: string) => `${price} einmal erlauben?`,
  escalationUnknown:
    'Öffnen Sie den Link noch einmal von dort, wo Sie ihn herhaben. Vielleicht gehört er jemand anderem, dann kann nur dieser antworten.',
  asks: (name: string) => `${name} fragt Sie`,
  anAgent: 'Ihr Agent',
  anAgentOn: (platform: string) => `Ihr Agent auf ${platform}`,
  at: 'bei',
  times: (name: string, quantity: number) => `${name} × ${quantity}`,
  why({ limit, limits, mandate, payee }, money) {
    const found = limits.find(({ kind }) => kind === limit)
    const reasons: Record<string, string> = {
      charge: `es ist mehr als ${money(found?.limit ?? '0')}, so viel erlauben Sie je Zahlung`,
      day: `heute sind nur ${money(found?.left ?? '0')} von ${money(found?.limit ?? '0')} übrig`,
      month: `in diesem Monat sind nur ${money(found?.left ?? '0')} von ${money(found?.limit ?? '0')} übrig`,
      ask_above: `es ist mehr als ${money(found?.limit ?? '0')}, darüber werden Sie gefragt`,
      merchants: `${payee.name} ist keines der Geschäfte, die Sie genannt haben`,
      hours: `es kam außerhalb der Zeiten, die Sie genannt haben (${found?.limit ?? ''})`,
      mandate: `von den ${money(mandate.amount)}, die Sie bei ${mandate.merchant_name} erlaubt haben, sind nur ${money(mandate.left)} übrig`,
      max_charges: 'die Erlaubnis gilt für keine weiteren Zahlungen',
      shop: `Ihre Erlaubnis gilt nur für ${mandate.merchant_name}`,
      ask_repeats: 'es wiederholt eine Zahlung der letzten fünf Minuten',
    }
    return `Bisher abgelehnt, denn ${reasons[limit] ?? 'eine Ihrer Grenzen erlaubt es nicht'}. Es wurde nichts belastet.`
  },
  allowOnce: (price: string) => `${price} einmal erlauben`,
  goOn: (price: string) => `Weiter, um ${price} zu erlauben`,
  leaveRefused: 'Abgelehnt lassen',
  beyond: (name: string) =>
    `Das geht über das hinaus, was Sie erlaubt haben. Sie können ${name} für diese eine Zahlung eine Erlaubnis geben, nur bei diesem Geschäft, sieben Tage lang. Ihre anderen Erlaubnisse bleiben, wie sie sind.`,
  beyondFoot: 'Die nächste Seite fragt nach Ihrer Karte und Ihrem Passkey.',
  beforeTitle: 'Vorher mit dieser Erlaubnis',
  nothingBefore: 'Mit dieser Erlaubnis wurde vorher nichts belastet.',
  duplicate: 'Vielleicht doppelt',
  theSame: 'Dieselbe',
  mayRepeat: (name: string) =>
    `Vielleicht doppelt: ${name} hat in den fünf Minuten davor bei diesem Geschäft dasselbe belastet. Erlauben Sie es nur, wenn Sie es zweimal wollen.`,
  chargeStatus: {
    minting: 'Unterwegs',
    awaiting_result: 'Offen',
    completed: 'Bezahlt',
    failed: 'Nicht belastet',
  },
  escalationEnds: {
    pending: { title: (price: string) => `${price} wartet`, words: () => 'Laden Sie die Seite noch einmal.' },
    allowed: {
      title: (price: string) => `${price} ist erlaubt, einmal`,
      words: (agent: string, payee: string) => `${agent} darf jetzt ${payee} mit einer einmaligen Karte bezahlen.`,
    },
    denied: {
      title: (price: string) => `${price} bleibt abgelehnt`,
      words: (agent: string) => `Es wurde nichts belastet, und ${agent} weiß, dass Sie abgelehnt haben.`,
    },
    expired: {
      title: () => 'Diese Anfrage ist abgelaufen',
      words: (agent: string) => `Es kam keine rechtzeitige Antwort. Es wurde nichts belastet, und ${agent} weiß das.`,
    },
    revoked: {
      title: () => 'Dieser Agent ist beendet',
      words: (agent: string) => `${agent} darf nichts mehr ausgeben. Es wurde nichts belastet.`,
    },
  },

  notBack: (agent: string) => `${agent} ist dafür noch nicht zurückgekommen. Sobald es so weit ist, steht es hier.`,
  chargedAt: (time: string) => `Es wurde um ${time} belastet.`,
  triedAt: (time: string) => `Um ${time} kam der Agent zurück, und es wurde nichts belastet.`,
  seeCharge: 'Ansehen, was daraus wurde',

  linkTitle: (name: string) => `Darf ${name} für Sie ausgeben?`,
  agentAsks: 'ein Agent fragt',
  agentOn: (platform: string) => `ein Agent auf ${platform} fragt`,
  since: (time: string) => `seit ${time}`,
  until: (time: string) => `Bis ${time}`,
  ownWord:
    'Name, Plattform und Beschreibung sagt der Agent von sich selbst. Niemand hat das geprüft: Erlauben Sie nur, worum Sie gebeten haben.',
  key: 'Sein Schlüssel',
  clientFrom: 'Er kommt von',
  clientOfNobody: 'Niemand hat geprüft, woher er kommt.',
  clientTo: 'Ihre Antwort geht an',
  scopes: {
    'payments:read': 'Er liest Ihre Karten ohne Nummern, und was er von Ihnen erbeten hat.',
    'mandates:write': 'Er bittet Sie um dauerhafte Erlaubnisse und darf sie anhalten oder beenden.',
    'checkout:write': 'Er bittet Sie um Käufe, von denen Sie jeden erlauben.',
  },
  approve: 'Mit Passkey erlauben',
  approving: 'Wird erlaubt …',
  deny: 'Ablehnen',
  sentenceWaits: 'Berichtigen Sie oben die Grenzen, dann steht hier, was Sie erlauben.',
  linkUnknownTitle: 'Diese Anfrage gibt es nicht',
  linkUnknown:
    'Öffnen Sie den Link noch einmal von dort, wo Sie ihn herhaben, oder bitten Sie den Agenten um einen neuen. Es wurde nichts erlaubt.',
  linkEnds: {
    approved: {
      title: (name: string) => `${name} darf für Sie ausgeben`,
      words: () => 'Sie können diese Seite schließen und es jederzeit unter „Ihre Agenten“ beenden.',
    },
    denied: {
      title: (name: string) => `Sie haben ${name} abgelehnt`,
      words: () => 'Er darf nichts ausgeben und weiß, dass Sie abgelehnt haben. Sie können diese Seite schließen.',
    },
    expired: {
      title: () => 'Diese Anfrage ist abgelaufen',
      words: (name: string) =>
        `Es kam keine rechtzeitige Antwort, also darf ${name} nichts ausgeben. Er kann neu fragen.`,
    },
    taken: {
      title: () => 'Diese Anfrage gehört jemand anderem',
      words: () => 'Eine andere Person hat sie beantwortet. Von Ihnen wurde nichts erlaubt.',
    },
  },

  limitsTitle: 'Was er ausgeben darf, ohne zu fragen',
  limitsOf: (name: string) => `Die Grenzen von ${name}`,
  showLimits: 'Seine Grenzen',
  limitsNamed: (name: string) => `Seine Grenzen: ${name}`,
  keepLimits: 'So lassen',
  changeLimits: 'Ändern',
  changeByPasskey: 'Mit Passkey ändern',
  nothingChanged: 'Noch ist nichts geändert. Mehr zu erlauben braucht Ihren Passkey, weniger nicht.',
  changedElsewhere: 'Die Grenzen wurden inzwischen anderswo geändert. Das Formular zeigt die, die jetzt gelten.',
  hasChangedLimits: (name: string) => `Für ${name} gelten jetzt andere Grenzen.`,
  limitsRefusals: {
    INVALID_STATE: 'Die Grenzen wurden inzwischen anderswo geändert. Das Formular zeigt die, die jetzt gelten.',
  },
  limitsHintIn: (currency: string) =>
    `In ${currency}. Was darüber hinausgeht, fragt Sie, und ebenso mehr als „Fragen über“. Ein leeres Feld ist keine Grenze dieser Art.`,
  limitsHint:
    'Was darüber hinausgeht, fragt Sie, und ebenso mehr als „Fragen über“. Ein leeres Feld ist keine Grenze dieser Art.',
  charge: 'Je Zahlung',
  day: 'Je Tag',
  month: 'Je Monat',
  open: 'Zugleich offen',
  askAbove: 'Fragen über',
  currency: 'Währung',
  askRepeats: 'Vorher fragen, wenn eine Zahlung eine andere der letzten fünf Minuten wiederholt',
  onlyShops: 'Nur bei Geschäften, die ich nenne',
  shops: 'Geschäfte',
  shopsHint: 'Ihre Webadressen, eine nach der anderen.',
  onlyHours: 'Nur zu bestimmten Zeiten',
  from: 'Von',
  to: 'Bis',
  amountWrong: 'Schreiben Sie einen Betrag wie 20 oder 20,50.',
  countWrong: 'Schreiben Sie eine Zahl von 1 bis 1000.',
  shopsNeeded: 'Nennen Sie mindestens ein Geschäft.',
  shopWrong: (name: string) => `„${name}“ ist keine Webadresse wie shop.example.`,
  hoursWrong: 'Wählen Sie beide Zeiten.',
}
