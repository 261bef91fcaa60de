import type { en } from './en.ts'
import type { Translation } from './translation.ts'

const UNKNOWN_LINK = 'このリンクは使えません。'
const CHECK = '入力内容を確認して、もう一度お試しください。'
const NOTHING = '請求は発生していません。'
const NOT_APPROVED = '何も承認されていません。'

/** The words every kind of session shares, in Japanese. */
export const ja: Translation<typeof en> = {
  errors: {
    AUTH_1001: UNKNOWN_LINK,
    AUTH_1002: UNKNOWN_LINK,
    AUTH_1003: 'この手続きの時間が過ぎました。',
    AUTH_1004: 'お店がこの依頼を取り下げました。',
    NOT_FOUND: UNKNOWN_LINK,
    VAL_2001: CHECK,
    INVALID_REQUEST: CHECK,
    INVALID_STATE: 'この手続きは別の場所で先に進みました。',
    RATE_LIMITED: '少しお待ちください。試行回数が多すぎました。',
    INTERNAL_ERROR: '当方で問題が発生しました。',
    SERVICE_UNAVAILABLE: '決済サービスがただいま混み合っています。',
    NOT_IMPLEMENTED: '決済サービスはこれに対応していません。',
    CONFIG_ERROR: 'お店のアカウントは、これに対応するよう設定されていません。',
    MERCHANT_LOOKUP_ERROR:
      'このお店は現在、支払いを受け付けていません。すでに承認された場合は、結果をお店にお問い合わせください。',
    TRIES_EXHAUSTED: '試行回数が多すぎました。お店に新しいリンクを依頼してください。',
    CARD_NOT_FOUND: 'このカードはもう保存されていません。別のカードを選んでください。',
    CARD_INACTIVE: 'このカードはもう使えません。別のカードを選んでください。',
    CARD_REFUSED:
      'カードネットワークがこのカードを受け付けませんでした。内容を確認するか、別のカードをお使いください。',
    STEP_UP_INVALID: 'このコードは正しくありません。銀行からの最新のメッセージを確認してください。',
    MANDATE_EXPIRED: 'この承認の時間が過ぎました。',
    NETWORK_UNAVAILABLE: `お客様の銀行に接続できませんでした。${NOTHING}`,
    PASSKEY_REQUIRED: '先にパスキーが必要です。',
    PASSKEY_FAILED: `パスキーを確認できませんでした。${NOT_APPROVED}`,
    PASSKEY_FRAME_REFUSED: 'このブラウザでは、別のページの中でパスキーを使えません。',
  },
  unknownError: 'これ以上進めません。',
  cardRefusals: {
    CARD_NUMBER_INVALID: 'このカード番号は正しくありません。数字を確認してください。',
    CARD_EXPIRED: 'このカードは有効期限が切れています。別のカードをお使いください。',
    CVV_MISMATCH: 'セキュリティコードがこのカードと一致しません。コードを確認してください。',
    CARD_DECLINED: `銀行がこのカードを承認しませんでした。別のカードをお使いください。${NOTHING}`,
    STEP_UP_EXHAUSTED: '誤ったコードの回数が多すぎました。別のカードを使うか、このカードをもう一度入力してください。',
    DEVICE_BINDING_FAILED: 'カードをこの端末に関連付けられませんでした。もう一度お試しください。',
  },
  passkeyFailures: {
    cancelled: {
      title: 'パスキーは使われませんでした。',
      text: `${NOT_APPROVED}ブラウザは理由を示しません。画面が閉じられたか、時間が切れたか、ここにパスキーが見つかりませんでした。`,
    },
    exists: {
      title: 'この端末にはすでにパスキーがあります。',
      text: 'もう一度お試しになり、別の端末またはセキュリティキー（お手持ちの電話など）を選んでください。',
    },
    refused: {
      title: 'パスキーを確認できませんでした。',
      text: `${NOT_APPROVED}このお店でお使いのパスキーでもう一度お試しください。`,
    },
    unusable: {
      title: 'この端末ではパスキーを使えませんでした。',
      text: '画面ロックが設定されているか確認するか、別の端末またはブラウザをお使いください。',
    },
  },
  passkeyOnPhone: '電話を使う',
  passkeyLost:
    'パスキーをもうお持ちでない場合は、お店にお問い合わせください。新しいパスキーを作成できるようにしてもらえます。',
  passkeyRefusals: {
    PASSKEY_IN_USE: `このパスキーはここでは使えません。別のパスキーをお使いください。${NOT_APPROVED}`,
    PASSKEY_BLOCKED: `このパスキーはもう使えません。${NOT_APPROVED}`,
  },
  blocked: {
    incomplete_link: {
      title: 'このリンクは不完全です',
      text: '最後の部分がありません。元のページからもう一度開くか、全体をコピーしてください。',
    },
    unknown_link: {
      title: 'このリンクは使えません',
      text: '入力の誤りか、古すぎる可能性があります。元のページからもう一度始めてください。',
    },
    not_embeddable: {
      title: 'このページはここに埋め込めません',
      text: 'このページを囲むサイトは、お店が登録したものではありません。ここにカード情報を入力しないでください。',
    },
    unsupported: {
      title: 'このブラウザではパスキーを使えません',
      text: '承認にはパスキーを使います。画面ロックのある端末の最新のブラウザで、このページを開いてください。',
    },
    finished: {
      title: 'この手続きはすでに終わっています',
      text: 'ここですることはもうありません。お店は結果を知っています。',
    },
    expired: {
      title: 'このリンクは期限切れです',
      text: '元のページからもう一度始めてください。すでに承認された場合は、結果をお店に確認できます。このリンクを開いたことによる請求はありません。',
    },
    revoked: {
      title: 'お店がこの依頼を取り下げました',
      text: `お心当たりがない場合は、お店にお問い合わせください。${NOTHING}`,
    },
  },
  buttons: {
    continue: '続ける',
    tryAgain: 'もう一度試す',
    tryNow: '今すぐ試す',
    openTab: '新しいタブで開く',
    returnTo: '{place}に戻る',
  },
  trust: 'お客様のカード情報が{merchant}に渡ることはありません。',
  operator: { privacy: 'プライバシー', terms: '利用規約', support: 'ヘルプ' },
  sandbox: {
    badge: 'テスト環境',
    testCard: '実際のお金は動きません。テストカード {card}、将来の任意の日付、任意のコードを使えます。',
    testCode: 'テスト環境のため、メッセージは送られていません。コードは {code} です。',
  },
  terms: {
    purpose: '内容',
    card: 'カード',
    orderNumber: '注文番号',
    reference: '参照番号',
    agent: '依頼者',
  },
  cancel: {
    yes: 'はい、中止する',
    busy: '中止しています…',
    no: 'いいえ、続ける',
    tooLate: '中止するには遅すぎます。',
  },
  countdown: {
    shown: '承認できる時間は残り{clock}',
    said: { other: '承認できる時間は残り{count}秒です。' },
    more: '時間を延ばす',
    busy: '少しお待ちください…',
    given: '10分延長されました。',
    noMore: 'これ以上の延長はできません。',
  },
  card: {
    unknownBrand: 'カード',
    named: '{brand}（末尾\u00a0{last4}）',
    expires: '有効期限 {date}',
    expired: '期限切れ {date}',
    kept: '{operator}がここで保管しています',
  },
  cardNumber: {
    label: 'カード番号',
    example: '1234 1234 1234 1234',
    missing: 'カード番号を入力してください。',
    short: 'カード番号が短すぎます。',
    wrong: 'このカード番号は正しくありません。数字を確認してください。',
  },
  expiry: {
    label: '有効期限',
    example: 'MM / YY',
    missing: '有効期限を入力してください。',
    unreadable: '月と年を 09 / 30 のように入力してください。',
    past: 'このカードは有効期限が切れています。',
    far: '年を確認してください。',
    refused: '有効期限を確認してください。',
  },
  securityCode: {
    label: 'セキュリティコード',
    missing: 'セキュリティコードを入力してください。',
    wrong: 'セキュリティコードは{count}桁です。',
    wrongEither: 'セキュリティコードの3桁または4桁を入力してください。',
    refused: 'セキュリティコードを確認してください。',
    front: '表面の4桁',
    whereFront: 'カード表面の4桁の数字',
    whereBack: 'カード裏面の3桁の数字',
    whereEither: 'カード裏面の3桁、または表面の4桁の数字',
  },
  oneTimeCode: {
    label: 'ワンタイムコード',
    missing: 'コードを入力してください。',
    wrong: 'メッセージにあるとおりにコードを入力してください（数字または文字で4〜10桁）。',
    refused: 'コードを確認してください。',
    letters: 'コードに文字が含まれています',
  },
  enterCard: { useSaved: '保存したカードを使う', busy: 'カードを確認しています…' },
  madeCard: {
    title: 'このためのカードを作成します',
    text: 'お支払いは、カードを保管する会社の口座から行われます。入力は必要ありません。',
    busy: 'カードを作成しています…',
  },
  noCard: {
    title: '利用できるカードがありません',
    text: 'ここではカードを追加できません。請求は行われていません。ショップに戻り、別の方法でお支払いください。',
  },
  savedCards: {
    title: 'カードを選ぶ',
    legend: '保存したカード',
    another: '別のカードを使う',
    busy: '少しお待ちください…',
    change: '変更',
    changeNamed: 'カードを変更',
    more: { other: 'ほか{count}枚' },
    remove: '削除',
    removing: '{card}は削除され、このカードで支払う許可は終了します。',
    removeYes: 'カードを削除',
    keep: '残す',
  },
  cardCvv: { title: 'カードを確認してください' },
  cardVerification: {
    title: '銀行からのコードを入力してください',
    sent: '銀行からワンタイムコードが送られました。届くまで1分ほどかかることがあります。',
    sentFor: '{card}のワンタイムコードが銀行から送られました。届くまで1分ほどかかることがあります。',
    sentAnew: 'カード発行会社から新しいコードが送られました。今はこのコードだけが有効です。',
    anew: '新しいコードを受け取る',
    triesLeft: { other: '{why}あと{count}回試せます。' },
    submit: '確認する',
    busy: 'コードを確認しています…',
  },
  passkeyRegistration: {
    title: 'パスキーを作成',
    why: 'パスキーがあれば、指紋、顔、または画面ロックで支払いを承認できます。ほかの人がお客様のカードで支払うことはできません。',
    submit: 'パスキーを作成',
    busy: 'パスキーを待っています…',
  },
  approval: {
    busy: 'パスキーを待っています…',
    how: '顔、指紋、または画面ロックで確認します。',
    all: 'すべての内容を1行ずつ',
    choosing: '先にカードを選んでください。',
    newPasskey:
      'お客様の新しいパスキーが作成されました：{when}。お心当たりがない場合は、承認せずにお店に知らせてください。',
    limitsPending: '上限が変更されています。先に適用するか、閉じてすべて元のままにしてください。',
    notSeen:
      '安全のため、このボタンはすべてが見えてから使えます。ボタンまでスクロールするか、覆っているものを取り除いてください。',
    unreadable: 'このページは承認する内容を理解できません。再読み込みして最新版にしてください。',
  },
  offline: {
    title: 'オフラインです',
    unreachable: '決済サービスに接続できません',
    text: '入力された内容は残っています。接続が戻りしだい、自動的にもう一度試します。',
  },
  otherTab: {
    title: '新しいタブで続けてください',
    text: '承認にはパスキーを使います。パスキーは専用のページで開きます。このページはその完了を待ちます。',
    open: '新しいタブで続ける',
    waitingTitle: '別のタブで完了してください',
    waitingText: '完了すると、このページに反映されます。',
    openAgain: 'タブをもう一度開く',
  },
  rateLimited: {
    title: '少しお待ちください',
    text: '短い時間に試行回数が多すぎました。入力された内容は残っています。',
    goOn: '{time}に再開します。',
  },
  error: {
    title: 'うまくいきませんでした',
    page: 'このページで問題が発生しました。',
    reference: '参照番号 {code}',
  },
  outcome: {
    endUnknown:
      'ここで承認できる時間は過ぎました。別の場所で承認された場合は、結果をお店に確認できます。このページによる請求はありません。',
    anotherCard: '{place}に戻って別のカードを試す',
    returning: 'まもなく{place}に戻ります。',
    closing: 'このタブはまもなく閉じます。',
    closeNow: 'このタブを閉じる',
    kept: '一字一句そのまま記録されました：',
    more: '詳細',
    stop: 'いつでもご自身で一時停止・終了できます',
    print: '印刷',
    canStay: 'このページにとどまるボタンがあります。',
    stay: 'このページにとどまる',
    staying: 'このページはそのままです。お好きなときにお戻りください。',
    embedded: 'このページを囲むページで続けられます。',
    close: 'このウィンドウを閉じてかまいません。',
    closeAndReturn: 'このウィンドウを閉じて、元のページに戻ってかまいません。',
  },
}
