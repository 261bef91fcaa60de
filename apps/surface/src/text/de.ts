import type { en } from './en.ts'
import type { Translation } from './translation.ts'

const UNKNOWN_LINK = 'Dieser Link funktioniert nicht.'
const CHECK = 'Prüfen Sie Ihre Eingaben und versuchen Sie es noch einmal.'
const NOTHING = 'Es wurde nichts abgebucht.'

/** The words every kind of session shares, in German. */
export const de: Translation<typeof en> = {
  errors: {
    AUTH_1001: UNKNOWN_LINK,
    AUTH_1002: UNKNOWN_LINK,
    AUTH_1003: 'Die Zeit dafür ist abgelaufen.',
    AUTH_1004: 'Der Händler hat diese Anfrage zurückgezogen.',
    NOT_FOUND: UNKNOWN_LINK,
    VAL_2001: CHECK,
    INVALID_REQUEST: CHECK,
    INVALID_STATE: 'Hier ging es an anderer Stelle schon weiter.',
    RATE_LIMITED: 'Einen Moment: Es waren zu viele Versuche.',
    INTERNAL_ERROR: 'Bei uns ist etwas schiefgegangen.',
    SERVICE_UNAVAILABLE: 'Der Zahlungsdienst ist gerade ausgelastet.',
    NOT_IMPLEMENTED: 'Der Zahlungsdienst bietet das nicht an.',
    CONFIG_ERROR: 'Das Konto des Händlers ist dafür nicht eingerichtet.',
    MERCHANT_LOOKUP_ERROR:
      'Dieser Händler nimmt zurzeit keine Zahlungen an. Wenn Sie schon eine freigegeben haben, fragen Sie den Händler, wie sie ausgegangen ist.',
    TRIES_EXHAUSTED: 'Es waren zu viele Versuche. Bitten Sie den Händler um einen neuen Link.',
    CARD_NOT_FOUND: 'Diese Karte ist nicht mehr gespeichert. Wählen Sie eine andere.',
    CARD_INACTIVE: 'Diese Karte kann nicht mehr verwendet werden. Wählen Sie eine andere.',
    CARD_REFUSED:
      'Das Kartennetz hat diese Karte nicht angenommen. Prüfen Sie die Angaben oder nehmen Sie eine andere Karte.',
    STEP_UP_INVALID: 'Dieser Code stimmt nicht. Sehen Sie in der neuesten Nachricht Ihrer Bank nach.',
    MANDATE_EXPIRED: 'Die Zeit für diese Freigabe ist abgelaufen.',
    NETWORK_UNAVAILABLE: `Wir konnten Ihre Bank nicht erreichen. ${NOTHING}`,
    PASSKEY_REQUIRED: 'Zuerst wird ein Passkey gebraucht.',
    PASSKEY_FAILED: 'Der Passkey konnte nicht geprüft werden. Es wurde nichts freigegeben.',
    PASSKEY_FRAME_REFUSED: 'Dieser Browser erlaubt keine Passkeys innerhalb einer anderen Seite.',
  },
  unknownError: 'Hier geht es nicht weiter.',
  cardRefusals: {
    CARD_NUMBER_INVALID: 'Diese Kartennummer stimmt nicht. Prüfen Sie die Ziffern.',
    CARD_EXPIRED: 'Diese Karte ist abgelaufen. Nehmen Sie eine andere Karte.',
    CVV_MISMATCH: 'Die Prüfnummer passt nicht zu dieser Karte. Prüfen Sie die Nummer.',
    CARD_DECLINED: `Ihre Bank hat diese Karte abgelehnt. Nehmen Sie eine andere Karte. ${NOTHING}`,
    STEP_UP_EXHAUSTED:
      'Es waren zu viele falsche Codes. Nehmen Sie eine andere Karte oder geben Sie diese noch einmal ein.',
    DEVICE_BINDING_FAILED: 'Die Karte konnte nicht mit diesem Gerät verbunden werden. Versuchen Sie es noch einmal.',
  },
  passkeyFailures: {
    cancelled: {
      title: 'Der Passkey wurde nicht verwendet.',
      text: 'Es wurde nichts freigegeben. Ihr Browser sagt nicht, warum: Das Fenster wurde geschlossen, seine Zeit lief ab, oder hier wurde kein Passkey gefunden.',
    },
    exists: {
      title: 'Dieses Gerät hat schon einen Passkey.',
      text: 'Versuchen Sie es noch einmal und wählen Sie ein anderes Gerät oder einen Sicherheitsschlüssel, zum Beispiel Ihr Telefon.',
    },
    refused: {
      title: 'Der Passkey konnte nicht geprüft werden.',
      text: 'Es wurde nichts freigegeben. Versuchen Sie es noch einmal mit dem Passkey, den Sie für diesen Händler verwenden.',
    },
    unusable: {
      title: 'Ihr Gerät konnte keinen Passkey verwenden.',
      text: 'Prüfen Sie, ob eine Bildschirmsperre eingerichtet ist, oder nehmen Sie ein anderes Gerät oder einen anderen Browser.',
    },
  },
  passkeyOnPhone: 'Mit dem Telefon',
  passkeyLost:
    'Wenn Sie Ihren Passkey nicht mehr haben, fragen Sie den Händler: Er kann Ihnen erlauben, einen neuen zu erstellen.',
  passkeyRefusals: {
    PASSKEY_IN_USE:
      'Dieser Passkey kann hier nicht verwendet werden. Nehmen Sie einen anderen. Es wurde nichts freigegeben.',
    PASSKEY_BLOCKED: 'Dieser Passkey kann nicht mehr verwendet werden. Es wurde nichts freigegeben.',
  },
  blocked: {
    incomplete_link: {
      title: 'Dieser Link ist unvollständig',
      text: 'Sein letzter Teil fehlt. Öffnen Sie ihn noch einmal von der Seite, von der Sie kommen, oder kopieren Sie ihn ganz.',
    },
    unknown_link: {
      title: 'Dieser Link funktioniert nicht',
      text: 'Er ist vielleicht falsch geschrieben oder zu alt. Beginnen Sie noch einmal auf der Seite, von der Sie kommen.',
    },
    not_embeddable: {
      title: 'Diese Seite kann hier nicht eingebettet werden',
      text: 'Die Website um diese Seite herum hat der Händler nicht angemeldet. Geben Sie hier keine Kartendaten ein.',
    },
    unsupported: {
      title: 'Dieser Browser kann keine Passkeys verwenden',
      text: 'Sie geben mit einem Passkey frei. Öffnen Sie diese Seite in einem aktuellen Browser, auf einem Gerät mit Bildschirmsperre.',
    },
    finished: {
      title: 'Das ist schon abgeschlossen',
      text: 'Hier ist nichts mehr zu tun. Der Händler kennt das Ergebnis.',
    },
    expired: {
      title: 'Dieser Link ist abgelaufen',
      text: 'Beginnen Sie noch einmal auf der Seite, von der Sie kommen. Wenn Sie schon freigegeben hatten, kann der Händler sagen, wie es ausgegangen ist. Durch das Öffnen dieses Links wurde nichts abgebucht.',
    },
    revoked: {
      title: 'Der Händler hat diese Anfrage zurückgezogen',
      text: `Fragen Sie den Händler, wenn Sie das nicht erwartet haben. ${NOTHING}`,
    },
  },
  buttons: {
    continue: 'Weiter',
    tryAgain: 'Noch einmal versuchen',
    tryNow: 'Jetzt versuchen',
    openTab: 'In neuem Tab öffnen',
    returnTo: 'Zurück zu {place}',
  },
  trust: 'Ihre Kartendaten erreichen {merchant} nie.',
  operator: { privacy: 'Datenschutz', terms: 'Bedingungen', support: 'Hilfe' },
  sandbox: {
    badge: 'Sandbox',
    testCard:
      'Es fließt kein echtes Geld. Testkarte {card}, ein beliebiges künftiges Datum, eine beliebige Prüfnummer.',
    testCode: 'Es wurde keine Nachricht verschickt: Das ist die Sandbox. Der Code ist {code}.',
  },
  terms: {
    purpose: 'Für',
    card: 'Karte',
    orderNumber: 'Bestellnummer',
    reference: 'Referenz',
    agent: 'Angefragt von',
  },
  cancel: {
    yes: 'Ja, abbrechen',
    busy: 'Wird abgebrochen…',
    no: 'Nein, weiter',
    tooLate: 'Zum Abbrechen ist es zu spät.',
  },
  countdown: {
    shown: 'Noch {clock} zum Freigeben',
    said: { one: 'Noch {count} Sekunde zum Freigeben.', other: 'Noch {count} Sekunden zum Freigeben.' },
    more: 'Mehr Zeit',
    busy: 'Einen Moment…',
    given: 'Sie haben zehn Minuten mehr.',
    noMore: 'Mehr Zeit gibt es dafür nicht.',
  },
  card: {
    unknownBrand: 'Karte',
    named: '{brand} mit den Endziffern\u00a0{last4}',
    expires: 'Gültig bis {date}',
    expired: 'Abgelaufen {date}',
    kept: 'Hier aufbewahrt von {operator}',
  },
  cardNumber: {
    label: 'Kartennummer',
    example: '1234 1234 1234 1234',
    missing: 'Geben Sie die Kartennummer ein.',
    short: 'Die Kartennummer ist zu kurz.',
    wrong: 'Diese Kartennummer stimmt nicht. Prüfen Sie die Ziffern.',
  },
  expiry: {
    label: 'Gültig bis',
    example: 'MM / JJ',
    missing: 'Geben Sie das Ablaufdatum ein.',
    unreadable: 'Geben Sie Monat und Jahr ein, zum Beispiel 09 / 30.',
    past: 'Diese Karte ist abgelaufen.',
    far: 'Prüfen Sie das Jahr.',
    refused: 'Prüfen Sie das Ablaufdatum.',
  },
  securityCode: {
    label: 'Prüfnummer',
    missing: 'Geben Sie die Prüfnummer ein.',
    wrong: 'Die Prüfnummer hat {count} Ziffern.',
    wrongEither: 'Geben Sie die 3 oder 4 Ziffern der Prüfnummer ein.',
    refused: 'Prüfen Sie die Prüfnummer.',
    front: '4 Ziffern auf der Vorderseite',
    whereFront: 'Die 4 Ziffern auf der Vorderseite der Karte',
    whereBack: 'Die 3 Ziffern auf der Rückseite der Karte',
    whereEither: 'Die 3 Ziffern auf der Rückseite der Karte oder die 4 auf der Vorderseite',
  },
  oneTimeCode: {
    label: 'Einmalcode',
    missing: 'Geben Sie den Code ein.',
    wrong: 'Geben Sie den Code so ein, wie er in der Nachricht steht: 4 bis 10 Ziffern oder Buchstaben.',
    refused: 'Prüfen Sie den Code.',
    letters: 'Mein Code hat Buchstaben',
  },
  enterCard: { useSaved: 'Gespeicherte Karte verwenden', busy: 'Ihre Karte wird geprüft…' },
  madeCard: {
    title: 'Dafür wird eine Karte erstellt',
    text: 'Bezahlt wird vom Konto des Unternehmens, das Ihre Karten aufbewahrt. Sie müssen nichts eingeben.',
    busy: 'Ihre Karte wird erstellt…',
  },
  noCard: {
    title: 'Keine Karte verfügbar',
    text: 'Hier lassen sich keine Karten hinzufügen. Es wurde nichts abgebucht; bezahlen Sie beim Händler auf einem anderen Weg.',
  },
  savedCards: {
    title: 'Karte wählen',
    legend: 'Gespeicherte Karten',
    another: 'Andere Karte verwenden',
    busy: 'Einen Moment…',
    change: 'Ändern',
    changeNamed: 'Karte ändern',
    more: { one: '{count} weitere', other: '{count} weitere' },
    remove: 'Entfernen',
    removing: '{card} wird gelöscht, und Erlaubnisse, die mit ihr bezahlt werden, enden.',
    removeYes: 'Karte entfernen',
    keep: 'Behalten',
  },
  cardCvv: { title: 'Karte bestätigen' },
  cardVerification: {
    title: 'Geben Sie den Code Ihrer Bank ein',
    sent: 'Ihre Bank hat Ihnen einen Einmalcode geschickt. Es kann eine Minute dauern, bis er ankommt.',
    sentFor: 'Ihre Bank hat Ihnen einen Einmalcode für {card} geschickt. Es kann eine Minute dauern, bis er ankommt.',
    sentAnew: 'Ihre Bank hat Ihnen einen neuen Code geschickt. Nur dieser gilt jetzt.',
    anew: 'Neuen Code anfordern',
    triesLeft: { one: '{why} Noch {count} Versuch.', other: '{why} Noch {count} Versuche.' },
    submit: 'Bestätigen',
    busy: 'Der Code wird geprüft…',
  },
  passkeyRegistration: {
    title: 'Passkey erstellen',
    why: 'Mit einem Passkey geben Sie Zahlungen mit Fingerabdruck, Gesicht oder Bildschirmsperre frei, damit niemand sonst mit Ihrer Karte zahlen kann.',
    submit: 'Passkey erstellen',
    busy: 'Warten auf Ihren Passkey…',
  },
  approval: {
    busy: 'Warten auf Ihren Passkey…',
    how: 'Bestätigt mit Gesicht, Fingerabdruck oder Bildschirmsperre.',
    all: 'Alles, Zeile für Zeile',
    choosing: 'Wählen Sie zuerst eine Karte.',
    newPasskey:
      'Für Sie wurde ein neuer Passkey erstellt: {when}. Wenn Sie das nicht waren, geben Sie nichts frei und sagen Sie es dem Händler.',
    limitsPending:
      'Sie haben die Grenzen geändert. Übernehmen Sie sie zuerst, oder schließen Sie sie, damit alles bleibt, wie es ist.',
    notSeen:
      'Zu Ihrem Schutz geht diese Schaltfläche erst, wenn alles zu sehen ist. Scrollen Sie zu ihr, oder entfernen Sie, was sie verdeckt.',
    unreadable:
      'Diese Seite versteht nicht, was freigegeben werden soll. Laden Sie sie neu, um die aktuelle Fassung zu erhalten.',
  },
  offline: {
    title: 'Sie sind offline',
    unreachable: 'Wir erreichen den Zahlungsdienst nicht',
    text: 'Was Sie eingegeben haben, bleibt erhalten. Wir versuchen es von selbst wieder, sobald die Verbindung da ist.',
  },
  otherTab: {
    title: 'Weiter in einem neuen Tab',
    text: 'Sie geben mit einem Passkey frei, der auf einer eigenen Seite geöffnet wird. Diese Seite wartet darauf.',
    open: 'Weiter in neuem Tab',
    waitingTitle: 'Schließen Sie es im anderen Tab ab',
    waitingText: 'Diese Seite merkt, wenn Sie fertig sind.',
    openAgain: 'Tab noch einmal öffnen',
  },
  rateLimited: {
    title: 'Einen Moment, bitte',
    text: 'Das waren zu viele Versuche in kurzer Zeit. Was Sie eingegeben haben, bleibt erhalten.',
    goOn: 'Es geht {time} weiter.',
  },
  error: {
    title: 'Das hat nicht geklappt',
    page: 'Auf dieser Seite ist etwas schiefgegangen.',
    reference: 'Referenz {code}',
  },
  outcome: {
    endUnknown:
      'Die Zeit, es hier freizugeben, ist abgelaufen. Wenn Sie es anderswo freigegeben haben, kann der Händler sagen, wie es ausgegangen ist. Diese Seite hat nichts abgebucht.',
    anotherCard: 'Zurück zu {place}, für eine andere Karte',
    returning: 'Wir bringen Sie gleich zurück zu {place}.',
    closing: 'Dieser Tab schließt sich gleich.',
    closeNow: 'Diesen Tab schließen',
    kept: 'Wort für Wort festgehalten:',
    more: 'Mehr',
    stop: 'Jederzeit selbst pausieren oder beenden',
    print: 'Drucken',
    canStay: 'Mit einer Schaltfläche können Sie auf dieser Seite bleiben.',
    stay: 'Auf dieser Seite bleiben',
    staying: 'Diese Seite bleibt. Gehen Sie zurück, wann Sie möchten.',
    embedded: 'Auf der Seite um diese herum geht es weiter.',
    close: 'Sie können dieses Fenster schließen.',
    closeAndReturn: 'Sie können dieses Fenster schließen und zu der Seite zurückgehen, von der Sie kommen.',
  },
}
