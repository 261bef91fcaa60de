import type { Translation } from '../../../text/translation.ts'
import type { en } from './en.ts'

const NOTHING = '請求は発生していません。'
const NOTHING_MORE = 'これ以上請求されることはありません。'

/** The words of the payment flow, in Japanese. */
export const ja: Translation<typeof en> = {
  outcomes: {
    approved: {
      title: '承認しました',
      text: 'この後の流れ：お店がご注文の手続きを進めます。請求できるのは1回だけで、承認された金額を超えることはありません。',
    },
    failed: {
      title: 'お支払いは完了しませんでした',
      text: '理由と、請求があったかどうかは、お店に確認できます。',
    },
    cancelled: { title: 'お支払いを中止しました', text: `お客様が中止しました。${NOTHING}` },
    expired: {
      title: 'このお支払いは期限切れです',
      text: `承認できる時間が過ぎました。元のページからもう一度始めてください。${NOTHING}`,
    },
    revoked: {
      title: 'お店がこのお支払いを取り下げました',
      text: `お心当たりがない場合は、お店にお問い合わせください。${NOTHING}`,
    },
  },
  buying: {
    title: '注文しています',
    text: '承認されました。お客様に代わって、今お店に注文しています。',
    slow: 'お店の応答に通常より時間がかかっています。このページを閉じてもかまいません。ご注文はそのまま進み、二重に購入や請求がされることはありません。',
  },
  bought: {
    approved: {
      title: '注文し、支払いました',
      text: 'この後の流れ：お店がご注文を受け付けました。請求は1回だけで、承認された金額を超えていません。',
    },
    revoked: {
      title: 'このお支払いは取り下げられました',
      text: `開始された場所で取り下げられ、何も注文されません。${NOTHING}`,
    },
  },
  failures: {
    SESSION_EXPIRED: `承認できる時間が過ぎました。${NOTHING}`,
    SESSION_REVOKED: `お店が取り下げました。${NOTHING}`,
    CANCELLED: `お客様が中止しました。${NOTHING}`,
    MANDATE_EXPIRED: `お店が支払いを報告する前に、承認の期限が切れました。${NOTHING_MORE}`,
    PAYMENT_DECLINED: '支払いは拒否され、何も請求されなかったと、お店が報告しました。',
    CARD_DECLINED: `銀行が承認しませんでした。${NOTHING}`,
    THRESHOLD_EXCEEDED: `金額が承認された額を超えたため、拒否されました。${NOTHING}`,
    MAX_CHARGES_EXCEEDED: '承認された分はすでに使われていたため、拒否されました。それ以上の請求は発生していません。',
    AGENT_LIMIT_EXCEEDED: `お客様がエージェントに許可した範囲を超えるため、拒否されました。${NOTHING}`,
    OWNER_DENIED: `お客様がこれを断りました。${NOTHING}`,
    OWNER_TIMEOUT: `確認のご連絡に、時間内にお返事がありませんでした。${NOTHING}`,
    DELIVERY_REFUSED: `お店がこれを受け付けませんでした。${NOTHING}`,
    REPORT_TIMEOUT: `お店から時間内に支払いの報告がありませんでした。${NOTHING_MORE}`,
    CREDENTIAL_LAPSED: `お店が時間内に承認を使いませんでした。${NOTHING}`,
    INSUFFICIENT_FUNDS: `カードの残高または利用可能額が足りませんでした。${NOTHING}`,
    MERCHANT_PREPARE_FAILED: `お店はこの商品をもう販売していないか、この価格では販売していません。${NOTHING}`,
    MERCHANT_ACTION_REQUIRED:
      'お店はこの注文を完了できませんでした。請求が見つかった場合は、お店にお問い合わせください。',
    PAYMENT_FAILED: `このカードではお支払いを準備できませんでした。${NOTHING}`,
  },
  shared: {
    cancel: { start: '今はしない', question: 'このお支払いを中止しますか？' },
    enterCard: 'カードで支払う',
    keeping: {
      once: '今回だけ：終了後にカードを削除する',
      why: '選ばない場合は、{operator}が次回のお支払いのために保管します。',
      kept: '{operator}が次回のお支払いのためにこのカードを保管します。',
      deleted: 'このお支払いが終わると削除されます',
    },
    afterPasskey: '確認は2回です。1回はパスキーの作成、もう1回は承認のためです。',
    processing: {
      title: 'お支払いを準備しています',
      text: '数秒かかります。',
      slow: 'カードネットワークの応答に通常より時間がかかっています。承認はすでに済んでおり、二重に請求されることはありません。このページを開いたままにしてください。',
    },
  },
  approve: '{amount}を承認する',
  approved: '{amount}を承認しました',
  say: '{merchant}は、上限{amount}の使い切りカードを受け取ります。使えるのはこの店だけで、1回限りです。お客様の実際のカードはここから出ません。',
  sayBought:
    '{operator}がお客様に代わって今{merchant}に注文し、{amount}を支払います。これを超えて支払うことはありません。',
  summary: {
    label: 'お支払い',
    states: {
      toPay: 'お支払いは1回です',
      inProgress: '処理中',
      approved: '承認済み',
      paid: '支払い済み',
      notCharged: '請求なし',
      notCompleted: '未完了',
    },
    breakdown: {
      subtotal: '小計',
      shipping: '配送料',
      tax: '税',
      discount: '割引',
      otherCharges: 'その他の費用（お店による内訳なし）',
      otherReductions: 'その他の値引き（お店による内訳なし）',
      total: '合計',
    },
    folded: {
      subtotal: '小計',
      shipping: '配送料',
      tax: '税',
      discount: '割引',
      otherCharges: 'その他の費用',
      otherReductions: 'その他の値引き',
      total: '合計',
    },
    items: { other: 'ほか{count}点' },
  },
  terms: {
    payee: '支払先',
    amount: '金額',
    breakdown: '内訳',
    valid: '有効期間',
    approveBy: '承認の期限',
    ordered: '注文',
    orderedHere: '承認後すぐに、お客様に代わって',
    amountOf: { other: '{amount}、最大{count}回' },
    until: '{time}まで',
    fromApproval: '承認から{span}',
    part: '{part}：{amount}',
  },
  receipt: {
    payee: '支払先',
    amount: '金額',
    time: '承認日時',
  },
}
