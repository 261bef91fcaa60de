import type { Translation } from '../../../text/translation.ts'
import type { en } from './en.ts'

const NOTHING = 'لم يُخصم أي مبلغ.'

/** The words of saving a card without a payment, in Arabic. */
export const ar: Translation<typeof en> = {
  outcomes: {
    approved: {
      title: 'تم حفظ بطاقتك',
      text: `توافق على كل دفعة بمفتاح المرور قبل تنفيذها. ${NOTHING}`,
    },
    failed: { title: 'تعذر حفظ هذه البطاقة', text: `يمكن للتاجر أن يخبرك بالسبب. ${NOTHING}` },
    cancelled: { title: 'أُلغي', text: `لقد ألغيته. ${NOTHING}` },
    expired: {
      title: 'انتهت صلاحية هذا الطلب',
      text: `انتهى الوقت المخصص لحفظ بطاقة هنا. ابدأ من جديد من الصفحة التي أتيت منها. ${NOTHING}`,
    },
    revoked: {
      title: 'سحب التاجر هذا الطلب',
      text: `اسأل التاجر إذا لم تكن تتوقع هذا. ${NOTHING}`,
    },
  },
  failures: {
    CARD_DECLINED: `هذه البطاقة غير مقبولة هنا. ابدأ من جديد من الصفحة التي أتيت منها لاستخدام بطاقة أخرى. ${NOTHING}`,
    PASSKEY_BLOCKED: `لم يعد من الممكن استخدام مفتاح المرور الخاص بك. اطلب المساعدة من التاجر. ${NOTHING}`,
  },
  shared: {
    cancel: { start: 'ليس الآن', question: 'هل تريد الإلغاء دون حفظ بطاقة؟' },
    enterCard: 'أدخل البطاقة المراد حفظها',
    keeping: 'يحتفظ {operator} بهذه البطاقة لدفعتك القادمة.',
    afterPasskey: 'بعد ذلك تُحفظ بطاقتك. لا يُخصم أي مبلغ الآن.',
    processing: {
      title: 'جارٍ حفظ بطاقتك',
      text: 'يستغرق هذا بضع ثوانٍ. لا يُخصم أي مبلغ.',
      slow: 'تستغرق شبكة البطاقات وقتًا أطول من المعتاد. لا يُخصم أي مبلغ؛ أبقِ هذه الصفحة مفتوحة.',
    },
  },
  action: 'التأكيد بمفتاح المرور',
  say: 'يحتفظ {operator} بهذه البطاقة من أجلك. يسألك {merchant} قبل كل عملية دفع.',
  save: 'حفظ بطاقتك لدى {merchant}',
  summary: {
    label: 'ما تحفظه',
    states: {
      toSave: 'للحفظ',
      inProgress: 'قيد التنفيذ',
      saved: 'محفوظة',
      notSaved: 'غير محفوظة',
      ended: 'انتهى',
    },
    what: 'بطاقتك',
  },
  terms: {
    who: 'محفوظة لدى',
    charged: 'المخصوم الآن',
    nothing: 'لا شيء',
    approveBy: 'آخر موعد للتأكيد',
    passkey: 'مفتاح المرور',
    passkeys: { registered: 'أُنشئ الآن', existing: 'المفتاح الموجود لديك من قبل' },
  },
}
