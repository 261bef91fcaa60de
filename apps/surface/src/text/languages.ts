import type { SentenceLanguage } from '@mintmark/contract/sentence/version'
import { ar as arEnrollment } from '../flows/enrollment/text/ar.ts'
import { de as deEnrollment } from '../flows/enrollment/text/de.ts'
import { en as enEnrollment } from '../flows/enrollment/text/en.ts'
import { es as esEnrollment } from '../flows/enrollment/text/es.ts'
import { fr as frEnrollment } from '../flows/enrollment/text/fr.ts'
import { ja as jaEnrollment } from '../flows/enrollment/text/ja.ts'
import { ar as arPermission } from '../flows/mandate-setup/text/ar.ts'
import { de as dePermission } from '../flows/mandate-setup/text/de.ts'
import { en as enPermission } from '../flows/mandate-setup/text/en.ts'
import { es as esPermission } from '../flows/mandate-setup/text/es.ts'
import { fr as frPermission } from '../flows/mandate-setup/text/fr.ts'
import { ja as jaPermission } from '../flows/mandate-setup/text/ja.ts'
import { ar as arPayment } from '../flows/payment/text/ar.ts'
import { de as dePayment } from '../flows/payment/text/de.ts'
import { en as enPayment } from '../flows/payment/text/en.ts'
import { es as esPayment } from '../flows/payment/text/es.ts'
import { fr as frPayment } from '../flows/payment/text/fr.ts'
import { ja as jaPayment } from '../flows/payment/text/ja.ts'
import { ar as arPage } from './ar.ts'
import { de as dePage } from './de.ts'
import { en as enPage } from './en.ts'
import { es as esPage } from './es.ts'
import { fr as frPage } from './fr.ts'
import { ja as jaPage } from './ja.ts'
import type { Translation } from './translation.ts'

const en = { page: enPage, payment: enPayment, permission: enPermission, enrollment: enEnrollment }
type English = typeof en

/** The languages of the sentence. One that is missing, or that lacks a text, does not compile. */
const WORDS: Record<SentenceLanguage, Translation<English>> = {
  en,
  de: { page: dePage, payment: dePayment, permission: dePermission, enrollment: deEnrollment },
  fr: { page: frPage, payment: frPayment, permission: frPermission, enrollment: frEnrollment },
  es: { page: esPage, payment: esPayment, permission: esPermission, enrollment: esEnrollment },
  ja: { page: jaPage, payment: jaPayment, permission: jaPermission, enrollment: jaEnrollment },
  ar: { page: arPage, payment: arPayment, permission: arPermission, enrollment: arEnrollment },
}

/** All that the page says once its script runs. The compiler knows the texts by the English ones, holes and all. */
export interface Texts extends English {
  language: SentenceLanguage
  /** The languages of all texts of the build. */
  version?: string
}

/** The same as data, as a document brings it. */
export function textsIn(language: SentenceLanguage): Texts {
  return { language, ...(WORDS[language] as English) }
}
