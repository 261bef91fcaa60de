import type { End, SentenceWords } from '../words.ts'

const EACH = { one_time: '', weekly: '毎週', monthly: '毎月', yearly: '毎年' }
const until = ({ kind, text }: End) => (kind === 'span' ? `承認から${text}以内` : `${text}まで`)

export const ja: SentenceWords = {
  payment: ({ agent, payee, amount, end }) =>
    agent === null
      ? `${payee}は、上限${amount}の使い切りカードを受け取ります。使えるのはこの店だけで、1回限り、${until(end)}です。お客様の実際のカードはここから出ません。`
      : `${agent}は、${payee}への支払いのために、上限${amount}の使い切りカードを受け取ります。使えるのはこの店だけで、1回限り、${until(end)}です。` +
        'お客様の実際のカードはここから出ません。',
  quote: ({ operator, agent, payee, amount }) =>
    `${agent === null ? '' : `${agent}の依頼により、`}${operator}がお客様に代わって今${payee}に注文し、${amount}を支払います。これを超えて支払うことはありません。`,
  mandate({ agent, payee, amount, frequency, onlyThere, times, end, most }) {
    const count = times === null ? '' : `（最大${times}回）`
    const limit = `${EACH[frequency]}${amount}まで${count}`
    const cap = `お客様の負担は合計で${most}を超えることはありません。`
    if (agent !== null) {
      const where = onlyThere ? `${payee}に限り` : 'どの店でも'
      return `${agent}は、${where}、${limit}、${until(end)}、再度確認せずに支払うことができます。${cap}お客様の実際のカードはここから出ません。`
    }
    return `${payee}は、${onlyThere ? 'この店に限り' : 'どの店でも'}、${limit}、${until(end)}、請求することができます。${cap}`
  },
  enrollment: ({ operator, payee }) =>
    `${operator}がこのカードをお客様のために保管します。${payee}は、お支払いのたびにお客様に確認します。`,
  charge: ({ agent, payee, amount, span }) =>
    `${agent}は、お客様が確認なしで許可している額を超えますが、今回に限り${payee}に${amount}を支払うことができます。` +
    `そのために、この店だけで${span}以内に使える使い切りカードを受け取ります。お客様の上限は変わらず、実際のカードはここから出ません。`,
  link({ agent, merchants, hours, caps, asks }) {
    const when = hours === null ? '' : `${hours.from}から${hours.to}の間（${hours.zone}）、`
    return (
      `${agent}は、購入や許可をお客様に依頼できます。お客様が与える許可の範囲で、${when}${merchants === null ? 'どの店でも' : `${merchants}で`}、` +
      `${caps === null ? '独自の上限なしに' : `${caps}を上限として`}、再度確認せずに支払うことができます。` +
      `${asks === null ? '' : `${asks}は、先にお客様に確認します。`}実際のカードを見ることはなく、お客様はいつでもこれを終了できます。`
    )
  },
  join: ({ asks, agent, may }) =>
    `今後、${asks}はお客様のエージェント${agent}として、${agent}の今の上限の範囲で動作します。${may}`,
  caps: {
    charge: (amount) => `1回${amount}`,
    day: (amount) => `1日${amount}`,
    month: (amount) => `1か月${amount}`,
    open: (count) => `同時に${count}件`,
  },
  asks: {
    above: (amount) => `1回の支払いが${amount}を超えるとき`,
    repeats: '直近5分間の別の支払いと同じとき',
  },
  changes: {
    said: ({ agent, changes }) =>
      `今後、${agent}には別の上限が適用されます：${changes.join('；')}。その他は変わらず、お客様はいつでもこれを変更または終了できます。`,
    instead: (now, was) => `${was}から${now}に変更`,
    charge: (amount) => `1回${amount ?? '上限なし'}`,
    day: (amount) => `1日${amount ?? '上限なし'}`,
    month: (amount) => `1か月${amount ?? '上限なし'}`,
    open: (count) => (count === null ? '同時件数の上限なし' : `同時に${count}件`),
    merchants: (list) => (list === null ? 'どの店でも可' : `${list}のみ`),
    hours: (hours) => (hours === null ? '時間の制限なし' : `${hours.from}から${hours.to}の間（${hours.zone}）`),
    above: (amount) => (amount === null ? '金額による確認なし' : `${amount}を超えるときは先に確認`),
    repeats: (asks) => (asks ? '直近5分間の別の支払いと同じときは先に確認' : '同じ支払いの確認なし'),
  },
}
