import type { Translation } from '../../../text/translation.ts'
import type { en } from './en.ts'

const NOTHING = 'لم يُخصم أي مبلغ.'
const NOTHING_MORE = 'لا يمكن خصم أي مبلغ آخر.'

/** The words of the payment flow, in Arabic. */
export const ar: Translation<typeof en> = {
  outcomes: {
    approved: {
      title: 'تمت الموافقة',
      text: 'ما يحدث الآن: يتابع التاجر طلبك، ويمكنه الخصم مرة واحدة وبما لا يزيد على ما وافقت عليه.',
    },
    failed: {
      title: 'لم تتم عملية الدفع',
      text: 'يمكن للتاجر أن يخبرك بالسبب، وبما إذا خُصم أي مبلغ.',
    },
    cancelled: { title: 'أُلغيت عملية الدفع', text: `لقد ألغيتها. ${NOTHING}` },
    expired: {
      title: 'انتهت صلاحية عملية الدفع هذه',
      text: `انتهى الوقت المخصص للموافقة عليها. ابدأ من جديد من الصفحة التي أتيت منها. ${NOTHING}`,
    },
    revoked: {
      title: 'سحب التاجر عملية الدفع هذه',
      text: `اسأل التاجر إذا لم تكن تتوقع هذا. ${NOTHING}`,
    },
  },
  buying: {
    title: 'جارٍ تقديم طلبك',
    text: 'لقد وافقت. نطلبه الآن لك من التاجر.',
    slow: 'يستغرق التاجر وقتًا أطول من المعتاد. يمكنك إغلاق هذه الصفحة: يستمر طلبك بدونها، ولا يُشترى أو يُخصم أي شيء مرتين.',
  },
  bought: {
    approved: {
      title: 'تم الطلب والدفع',
      text: 'ما يحدث الآن: وصل طلبك إلى التاجر. خُصم المبلغ منك مرة واحدة وبما لا يزيد على ما وافقت عليه.',
    },
    revoked: {
      title: 'سُحبت عملية الدفع هذه',
      text: `سُحبت من حيث بدأتها، ولن يُطلب أي شيء. ${NOTHING}`,
    },
  },
  failures: {
    SESSION_EXPIRED: `انتهى الوقت المخصص للموافقة عليها. ${NOTHING}`,
    SESSION_REVOKED: `سحبها التاجر. ${NOTHING}`,
    CANCELLED: `لقد ألغيتها. ${NOTHING}`,
    MANDATE_EXPIRED: `انتهت موافقتك قبل أن يبلغ التاجر عن عملية دفع. ${NOTHING_MORE}`,
    PAYMENT_DECLINED: 'أبلغ التاجر أن عملية الدفع رُفضت وأنه لم يُخصم أي مبلغ.',
    CARD_DECLINED: `رفض مصرفك ذلك. ${NOTHING}`,
    THRESHOLD_EXCEEDED: `المبلغ أكبر مما وافقت عليه، لذلك رُفض. ${NOTHING}`,
    MAX_CHARGES_EXCEEDED: 'كان ما وافقت عليه قد استُخدم بالفعل، لذلك رُفض هذا. لم يُخصم أي مبلغ آخر.',
    AGENT_LIMIT_EXCEEDED: `هذا أكثر مما تسمح به لوكيلك، لذلك رُفض. ${NOTHING}`,
    OWNER_DENIED: `لقد رفضت هذا. ${NOTHING}`,
    OWNER_TIMEOUT: `سُئلت ولم تجب في الوقت المحدد. ${NOTHING}`,
    DELIVERY_REFUSED: `لم يقبله المتجر. ${NOTHING}`,
    REPORT_TIMEOUT: `لم يبلغ التاجر عن أي عملية دفع في الوقت المحدد. ${NOTHING_MORE}`,
    CREDENTIAL_LAPSED: `لم يستخدم التاجر موافقتك في الوقت المحدد. ${NOTHING}`,
    INSUFFICIENT_FUNDS: `لم يكن في بطاقتك مال كافٍ لذلك. ${NOTHING}`,
    MERCHANT_PREPARE_FAILED: `لم يعد التاجر يبيع هذا، أو لا يبيعه بهذا السعر. ${NOTHING}`,
    MERCHANT_ACTION_REQUIRED: 'لم يتمكن التاجر من إكمال هذا الطلب. اسأل التاجر إذا رأيت مبلغًا مخصومًا.',
    PAYMENT_FAILED: `تعذر إعداد عملية الدفع ببطاقتك. ${NOTHING}`,
  },
  shared: {
    cancel: { start: 'ليس الآن', question: 'هل تريد إلغاء عملية الدفع هذه؟' },
    enterCard: 'الدفع بالبطاقة',
    keeping: {
      once: 'هذه المرة فقط: احذف بطاقتي بعدها',
      why: 'وإلا يحتفظ بها {operator} لدفعتك القادمة.',
      kept: 'يحتفظ {operator} بهذه البطاقة لدفعتك القادمة.',
      deleted: 'تُحذف عند انتهاء عملية الدفع هذه',
    },
    afterPasskey: 'تؤكد مرتين: مرة لإنشائه، ومرة للموافقة.',
    processing: {
      title: 'جارٍ تجهيز دفعتك',
      text: 'يستغرق هذا بضع ثوانٍ.',
      slow: 'تستغرق شبكة البطاقات وقتًا أطول من المعتاد. لقد وافقت بالفعل ولا يُخصم أي مبلغ مرتين؛ أبقِ هذه الصفحة مفتوحة.',
    },
  },
  approve: 'الموافقة على {amount}',
  approved: 'تمت الموافقة على {amount}',
  say: 'يحصل {merchant} على بطاقة لمرة واحدة بحد أقصى {amount}. لا تعمل إلا هناك، مرة واحدة. تبقى بطاقتك الحقيقية هنا.',
  sayBought: 'يطلب {operator} هذا لك الآن من {merchant} ويدفع {amount}، ولا أكثر من ذلك.',
  summary: {
    label: 'الدفع',
    states: {
      toPay: 'تدفع مرة واحدة',
      inProgress: 'قيد التنفيذ',
      approved: 'تمت الموافقة',
      paid: 'مدفوع',
      notCharged: 'لم يُخصم',
      notCompleted: 'لم يكتمل',
    },
    breakdown: {
      subtotal: 'المجموع الفرعي',
      shipping: 'التوصيل',
      tax: 'الضريبة',
      discount: 'التخفيض',
      otherCharges: 'رسوم أخرى لم يفصّلها التاجر',
      otherReductions: 'تخفيضات أخرى لم يفصّلها التاجر',
      total: 'المجموع',
    },
    folded: {
      subtotal: 'المجموع الفرعي',
      shipping: 'التوصيل',
      tax: 'الضريبة',
      discount: 'التخفيض',
      otherCharges: 'رسوم أخرى',
      otherReductions: 'تخفيضات أخرى',
      total: 'المجموع',
    },
    items: {
      zero: '{count} سلعة أخرى',
      one: 'سلعة أخرى واحدة',
      two: 'سلعتان أخريان',
      few: '{count} سلع أخرى',
      many: '{count} سلعة أخرى',
      other: '{count} سلعة أخرى',
    },
  },
  terms: {
    payee: 'يُدفع إلى',
    amount: 'المبلغ',
    breakdown: 'منه',
    valid: 'صالح',
    approveBy: 'آخر موعد للموافقة',
    ordered: 'الطلب',
    orderedHere: 'من أجلك، فور موافقتك',
    amountOf: {
      zero: '{amount}، حتى {count} مرة',
      one: '{amount}، مرة واحدة',
      two: '{amount}، حتى مرتين',
      few: '{amount}، حتى {count} مرات',
      many: '{amount}، حتى {count} مرة',
      other: '{amount}، حتى {count} مرة',
    },
    until: 'حتى {time}',
    fromApproval: '{span} من موافقتك',
    part: '{part}: {amount}',
  },
  receipt: {
    payee: 'يُدفع إلى',
    amount: 'المبلغ',
    time: 'وقت الموافقة',
  },
}
