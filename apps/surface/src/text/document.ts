import type { SentenceLanguage } from '@mintmark/contract/sentence/version'

/** By their names in the document. */
interface DocumentText {
  TITLE: string
  LOADING: string
  NO_SCRIPT: string
}

/**
 * What the page says before its script runs. The build writes it into the document, so the script does not carry it.
 */
export const DOCUMENT_TEXT: Record<SentenceLanguage, DocumentText> = {
  en: {
    TITLE: 'Secure payment',
    LOADING: 'Loading the payment page',
    NO_SCRIPT: 'This page needs JavaScript to keep your card details between you and the payment service.',
  },
  de: {
    TITLE: 'Sichere Zahlung',
    LOADING: 'Die Zahlungsseite wird geladen',
    NO_SCRIPT: 'Diese Seite braucht JavaScript, damit Ihre Kartendaten zwischen Ihnen und dem Zahlungsdienst bleiben.',
  },
  fr: {
    TITLE: 'Paiement sécurisé',
    LOADING: 'Chargement de la page de paiement',
    NO_SCRIPT:
      'Cette page a besoin de JavaScript pour que les données de votre carte restent entre vous et le service de paiement.',
  },
  es: {
    TITLE: 'Pago seguro',
    LOADING: 'Cargando la página de pago',
    NO_SCRIPT:
      'Esta página necesita JavaScript para que los datos de su tarjeta queden entre usted y el servicio de pago.',
  },
  ja: {
    TITLE: '安全なお支払い',
    LOADING: 'お支払いページを読み込んでいます',
    NO_SCRIPT: 'カード情報をお客様と決済サービスの間だけにとどめるため、このページには JavaScript が必要です。',
  },
  ar: {
    TITLE: 'دفع آمن',
    LOADING: 'جارٍ تحميل صفحة الدفع',
    NO_SCRIPT: 'تحتاج هذه الصفحة إلى JavaScript لتبقى بيانات بطاقتك بينك وبين خدمة الدفع.',
  },
}
