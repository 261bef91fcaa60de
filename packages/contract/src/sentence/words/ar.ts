import type { End, SentenceWords } from '../words.ts'

const EACH = { one_time: '', weekly: ' كل أسبوع', monthly: ' كل شهر', yearly: ' كل سنة' }
const until = ({ kind, text }: End) => (kind === 'span' ? `خلال ${text} من موافقتك` : `حتى ${text}`)

export const ar: SentenceWords = {
  payment: ({ agent, payee, amount, end }) =>
    agent === null
      ? `يحصل ${payee} على بطاقة لمرة واحدة بحد أقصى ${amount}. لا تعمل إلا هناك، مرة واحدة، ${until(end)}. تبقى بطاقتك الحقيقية هنا.`
      : `يحصل ${agent} على بطاقة لمرة واحدة بحد أقصى ${amount} للدفع إلى ${payee}. لا تعمل إلا هناك، مرة واحدة، ${until(end)}. تبقى بطاقتك الحقيقية هنا.`,
  quote: ({ operator, agent, payee, amount }) =>
    `يطلب ${operator} هذا لك الآن من ${payee}${agent === null ? '' : ` بناءً على طلب ${agent}`} ويدفع ${amount}، ولا أكثر من ذلك.`,
  mandate({ agent, payee, amount, frequency, onlyThere, times, end, most }) {
    const count = times === null ? '' : `، بعدد مرات أقصاه ${times}`
    const limit = `حتى ${amount}${EACH[frequency]}${count}`
    const cap = `لا يمكن أن يكلفك هذا أبدًا أكثر من ${most} في المجموع.`
    if (agent !== null) {
      const where = onlyThere ? `إلى ${payee} وحده دون غيره` : 'إلى أي متجر'
      return `يجوز لـ ${agent} أن يدفع ${where} ${limit}، ${until(end)}، دون أن يسأل مرة أخرى. ${cap} تبقى بطاقتك الحقيقية هنا.`
    }
    return `يجوز لـ ${payee} أن يخصم ${limit}، ${onlyThere ? 'هناك فقط' : 'في أي متجر'}، ${until(end)}. ${cap}`
  },
  enrollment: ({ operator, payee }) => `يحتفظ ${operator} بهذه البطاقة من أجلك. يسألك ${payee} قبل كل عملية دفع.`,
  charge: ({ agent, payee, amount, span }) =>
    `يجوز لـ ${agent} أن يدفع إلى ${payee} مبلغ ${amount} هذه المرة فقط، مع أنه أكثر مما تسمح به دون سؤال. ` +
    `يحصل على بطاقة لمرة واحدة لا تعمل إلا هناك، خلال ${span}. تبقى حدودك كما هي، وتبقى بطاقتك الحقيقية هنا.`,
  link({ agent, merchants, hours, caps, asks }) {
    const when = hours === null ? '' : ` بين ${hours.from} و${hours.to} (${hours.zone})`
    return (
      `يجوز لـ ${agent} أن يطلب منك مشتريات وأذونات. وضمن الأذونات التي تمنحها يجوز له أن يدفع إلى ${merchants ?? 'أي متجر'}${when} ` +
      `دون أن يسأل مرة أخرى، ${caps === null ? 'دون حد خاص به' : `بحد أقصى ${caps}`}. ${asks === null ? '' : `يسألك أولًا ${asks}. `}` +
      'لا يرى بطاقتك الحقيقية أبدًا، ويمكنك إنهاء ذلك في أي وقت.'
    )
  },
  join: ({ asks, agent, may }) => `من الآن فصاعدًا يعمل ${asks} بصفة وكيلك ${agent}، ضمن الحدود المقررة له. ${may}`,
  caps: {
    charge: (amount) => `${amount} لكل عملية`,
    day: (amount) => `${amount} في اليوم`,
    month: (amount) => `${amount} في الشهر`,
    open: (count) => (count === 1 ? 'عملية مفتوحة واحدة' : `${count} عمليات مفتوحة في آن واحد`),
  },
  asks: {
    above: (amount) => `عندما تتجاوز العملية ${amount}`,
    repeats: 'عندما تكرر العملية أخرى من آخر خمس دقائق',
  },
  changes: {
    said: ({ agent, changes }) =>
      `من الآن تسري حدود أخرى على ${agent}: ${changes.join('؛ ')}. يبقى كل ما عدا ذلك كما هو، ويمكنك تغيير هذا أو إنهاؤه في أي وقت.`,
    instead: (now, was) => `${now} بدلاً من ${was}`,
    charge: (amount) => `${amount ?? 'أي مبلغ'} لكل عملية`,
    day: (amount) => `${amount ?? 'أي مبلغ'} في اليوم`,
    month: (amount) => `${amount ?? 'أي مبلغ'} في الشهر`,
    open: (count) => (count === null ? 'أي عدد من العمليات المفتوحة معاً' : `عدد العمليات المفتوحة معاً ${count}`),
    merchants: (list) => (list === null ? 'أي متجر' : `فقط ${list}`),
    hours: (hours) => (hours === null ? 'في أي وقت' : `بين ${hours.from} و${hours.to} (${hours.zone})`),
    above: (amount) => (amount === null ? 'بلا سؤال عن المبلغ' : `سؤال أولاً فوق ${amount}`),
    repeats: (asks) => (asks ? 'سؤال أولاً عندما تكرر عملية أخرى من الدقائق الخمس الأخيرة' : 'بلا سؤال عن عملية مكررة'),
  },
}
