import type { Translation } from '../../../text/translation.ts'
import type { en } from './en.ts'

const NOTHING = '請求は発生していません。'

/** The words of saving a card without a payment, in Japanese. */
export const ja: Translation<typeof en> = {
  outcomes: {
    approved: {
      title: 'カードを保存しました',
      text: `お支払いのたびに、実行前にパスキーで承認していただきます。${NOTHING}`,
    },
    failed: { title: 'このカードは保存できませんでした', text: `理由はお店に確認できます。${NOTHING}` },
    cancelled: { title: '中止しました', text: `お客様が中止しました。${NOTHING}` },
    expired: {
      title: 'この依頼は期限切れです',
      text: `ここでカードを保存できる時間が過ぎました。元のページからもう一度始めてください。${NOTHING}`,
    },
    revoked: {
      title: 'お店がこの依頼を取り下げました',
      text: `お心当たりがない場合は、お店にお問い合わせください。${NOTHING}`,
    },
  },
  failures: {
    CARD_DECLINED: `このカードはここでは使えません。別のカードを使うには、元のページからもう一度始めてください。${NOTHING}`,
    PASSKEY_BLOCKED: `お客様のパスキーはもう使えません。お店にご相談ください。${NOTHING}`,
  },
  shared: {
    cancel: { start: '今はしない', question: 'カードを保存せずに中止しますか？' },
    enterCard: '保存するカードを入力',
    keeping: '{operator}が次回のお支払いのためにこのカードを保管します。',
    afterPasskey: 'これでカードが保存されます。今は請求されません。',
    processing: {
      title: 'カードを保存しています',
      text: '数秒かかります。請求はありません。',
      slow: 'カードネットワークの応答に通常より時間がかかっています。請求はありません。このページを開いたままにしてください。',
    },
  },
  action: 'パスキーで確認する',
  say: '{operator}がこのカードをお客様のために保管します。{merchant}は、お支払いのたびにお客様に確認します。',
  save: '{merchant}でカードを保存する',
  summary: {
    label: '保存するもの',
    states: {
      toSave: '保存するもの',
      inProgress: '処理中',
      saved: '保存済み',
      notSaved: '保存していません',
      ended: '終了',
    },
    what: 'お客様のカード',
  },
  terms: {
    who: '保存先',
    charged: '今回の請求',
    nothing: 'なし',
    approveBy: '確認の期限',
    passkey: 'パスキー',
    passkeys: { registered: '今作成したもの', existing: 'すでにお持ちのもの' },
  },
}
