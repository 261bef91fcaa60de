import type { Translation } from '../../../text/translation.ts'
import type { en } from './en.ts'

const NOTHING = '何も許可されておらず、請求も発生していません。'
const FROM_PERMISSION = '許可から7日間'

/** The words of a standing permission, in Japanese. */
export const ja: Translation<typeof en> = {
  outcomes: {
    approved: {
      title: '許可しました',
      text: '今後、この上限の範囲でこのカードに請求できます。いつでも一時停止または終了でき、誰かに申し出る必要はありません。今回の請求はありません。',
    },
    failed: { title: '許可できませんでした', text: `理由はお店に確認できます。${NOTHING}` },
    cancelled: { title: '許可していません', text: `お客様が中止しました。${NOTHING}` },
    expired: {
      title: 'この依頼は期限切れです',
      text: `許可できる時間が過ぎました。元のページからもう一度始めてください。${NOTHING}`,
    },
    revoked: {
      title: 'お店がこの依頼を取り下げました',
      text: `お心当たりがない場合は、お店にお問い合わせください。${NOTHING}`,
    },
  },
  failures: {
    SESSION_EXPIRED: `許可できる時間が過ぎました。${NOTHING}`,
    SESSION_REVOKED: `お店が取り下げました。${NOTHING}`,
    CANCELLED: `お客様が中止しました。${NOTHING}`,
    CARD_DECLINED: `銀行がこれを承認しませんでした。${NOTHING}`,
    PAYMENT_FAILED: `このカードでは設定できませんでした。${NOTHING}`,
  },
  shared: {
    cancel: { start: '今はしない', question: '許可せずに中止しますか？' },
    enterCard: '請求を許可するカードを入力',
    keeping: '{operator}が、お客様が許可する請求と次回のお支払いのために、このカードを保管します。',
    afterPasskey: '確認は2回です。1回はパスキーの作成、もう1回はこの許可のためです。今は請求されません。',
    processing: {
      title: '許可した内容を設定しています',
      text: '数秒かかります。今は請求されません。',
      slow: 'カードネットワークの応答に通常より時間がかかっています。許可はすでに済んでおり、今は請求されません。このページを開いたままにしてください。',
    },
  },
  allow: '{merchant}にカードへの請求を許可する',
  each: {
    one_time: '{amount}（1回）',
    weekly: '毎週{amount}',
    monthly: '毎月{amount}',
    yearly: '毎年{amount}',
  },
  action: '{limit}まで許可する',
  say: '{merchant}は、{where}、{limit}まで、{until}、請求することができます。お客様の負担は合計で{most}を超えることはありません。いつでも一時停止または終了できます。{merchant}にお申し付けください。今は請求されません。',
  where: { listed: 'この店に限り', any: 'どの店でも' },
  until: '{date}まで',
  span: FROM_PERMISSION,
  limit: '{limit}まで',
  only: '{place}のみ',
  anywhere: 'どの店でも',
  most: '合計で最大{amount}',
  summary: {
    label: '許可する内容',
    states: {
      toAllow: '再度確認せずに請求できる上限',
      inProgress: '処理中',
      allowed: '許可済み',
      notAllowed: '許可していません',
      ended: '終了',
    },
    count: { other: '最大{count}回' },
    until: '{date}まで',
    fromPermission: FROM_PERMISSION,
    stop: 'いつでも一時停止または終了できます',
    never: ['カード番号を見ることはありません', 'この上限を引き上げることはできません'],
  },
  terms: {
    who: '請求できる相手',
    limit: '金額',
    count: '回数',
    where: '場所',
    until: '期限',
    approveBy: '許可の期限',
    several: '{limit}まで、1回または複数回の請求で',
    once: '1回',
    anew: {
      weekly: '許可した日から数えて、1週間ごとに更新',
      monthly: '許可した日から数えて、1か月ごとに更新',
      yearly: '許可した日から数えて、1年ごとに更新',
    },
    anewSoOften: { other: '{anew}。合計で最大{count}回' },
    fromPermission: FROM_PERMISSION,
    most: '合計',
    mostOf: '最大{total}',
  },
  receipt: { time: '許可日時' },
  limits: {
    lower: '少なく許可する',
    open: '上限を変更',
    amount: {
      one_time: '上限（{currency}）',
      weekly: '毎週の上限（{currency}）',
      monthly: '毎月の上限（{currency}）',
      yearly: '毎年の上限（{currency}）',
    },
    amountHint: '最大{most}',
    amountMissing: '上限を入力してください。',
    amountUnreadable: '上限を {example} のような金額で入力してください。',
    amountZero: '上限はゼロより大きくしてください。',
    amountAbove: '上限は最大{most}です。引き下げることはできますが、引き上げることはできません。',
    amountRefused: 'この上限は受け付けられませんでした。より低い上限を入力してください。',
    until: '終了日',
    untilHint: '遅くとも{last}',
    untilMissing: '終了日を入力してください。',
    untilPast: '終了日は明日以降にしてください。',
    untilLate: '終了日は遅くとも{last}です。早めることはできますが、遅らせることはできません。',
    untilRefused: 'この終了日は受け付けられませんでした。より早い日を入力してください。',
    submit: 'この上限を使う',
    busy: '上限を変更しています…',
    changed: '上限を変更しました。',
  },
}
