import type { SentenceLanguage } from '@mintmark/contract/sentence/version'
import type { PlainPage } from './plain-page.ts'

/** Why an address gives no page: there is none, it is asked for too often, or the service cannot show it now. */
interface ErrorWords {
  lost: PlainPage
  busy: PlainPage
  broken: PlainPage
}

/** What a person reads in place of the page. A language that lacks one does not compile. */
export const ERROR_WORDS: Record<SentenceLanguage, ErrorWords> = {
  en: {
    lost: {
      title: 'Page not found',
      heading: 'This address leads nowhere',
      text: 'No payment is here. Open the link again from the page you came from, or copy all of it. Nothing was charged by opening this address.',
    },
    busy: {
      title: 'One moment, please',
      heading: 'One moment, please',
      text: 'This page is asked for too often right now. Load it again in a minute. Nothing was charged by opening it.',
    },
    broken: {
      title: 'That did not work',
      heading: 'That did not work',
      text: 'The payment page cannot be shown right now. Load it again in a moment. Nothing was charged by opening it.',
    },
  },
  de: {
    lost: {
      title: 'Seite nicht gefunden',
      heading: 'Diese Adresse führt nirgendwohin',
      text: 'Hier ist keine Zahlung. Öffnen Sie den Link noch einmal von der Seite, von der Sie kommen, oder kopieren Sie ihn ganz. Durch das Öffnen dieser Adresse wurde nichts abgebucht.',
    },
    busy: {
      title: 'Einen Moment, bitte',
      heading: 'Einen Moment, bitte',
      text: 'Diese Seite wird gerade zu oft aufgerufen. Laden Sie sie in einer Minute neu. Durch das Öffnen wurde nichts abgebucht.',
    },
    broken: {
      title: 'Das hat nicht geklappt',
      heading: 'Das hat nicht geklappt',
      text: 'Die Zahlungsseite kann gerade nicht angezeigt werden. Laden Sie sie gleich noch einmal. Durch das Öffnen wurde nichts abgebucht.',
    },
  },
  fr: {
    lost: {
      title: 'Page introuvable',
      heading: 'Cette adresse ne mène nulle part',
      text: 'Il n’y a pas de paiement ici. Ouvrez de nouveau le lien depuis la page d’où vous venez, ou copiez-le en entier. L’ouverture de cette adresse n’a rien débité.',
    },
    busy: {
      title: 'Un instant, s’il vous plaît',
      heading: 'Un instant, s’il vous plaît',
      text: 'Cette page est demandée trop souvent en ce moment. Rechargez-la dans une minute. Son ouverture n’a rien débité.',
    },
    broken: {
      title: 'Cela n’a pas fonctionné',
      heading: 'Cela n’a pas fonctionné',
      text: 'La page de paiement ne peut pas être affichée en ce moment. Rechargez-la dans un instant. Son ouverture n’a rien débité.',
    },
  },
  es: {
    lost: {
      title: 'Página no encontrada',
      heading: 'Esta dirección no lleva a ninguna parte',
      text: 'Aquí no hay ningún pago. Abra el enlace de nuevo desde la página de la que viene, o cópielo entero. Abrir esta dirección no ha cobrado nada.',
    },
    busy: {
      title: 'Un momento, por favor',
      heading: 'Un momento, por favor',
      text: 'Esta página se solicita demasiado a menudo en este momento. Cárguela de nuevo dentro de un minuto. Abrirla no ha cobrado nada.',
    },
    broken: {
      title: 'Eso no ha funcionado',
      heading: 'Eso no ha funcionado',
      text: 'La página de pago no se puede mostrar en este momento. Cárguela de nuevo dentro de un momento. Abrirla no ha cobrado nada.',
    },
  },
  ja: {
    lost: {
      title: 'ページが見つかりません',
      heading: 'このアドレスには何もありません',
      text: 'ここにお支払いはありません。元のページからリンクをもう一度開くか、全体をコピーしてください。このアドレスを開いたことによる請求はありません。',
    },
    busy: {
      title: '少しお待ちください',
      heading: '少しお待ちください',
      text: 'このページへのアクセスが今多すぎます。1分後にもう一度読み込んでください。開いたことによる請求はありません。',
    },
    broken: {
      title: 'うまくいきませんでした',
      heading: 'うまくいきませんでした',
      text: 'お支払いページを今表示できません。少ししてからもう一度読み込んでください。開いたことによる請求はありません。',
    },
  },
  ar: {
    lost: {
      title: 'الصفحة غير موجودة',
      heading: 'هذا العنوان لا يؤدي إلى أي مكان',
      text: 'لا توجد عملية دفع هنا. افتح الرابط مرة أخرى من الصفحة التي أتيت منها، أو انسخه كاملًا. لم يُخصم أي مبلغ بفتح هذا العنوان.',
    },
    busy: {
      title: 'لحظة من فضلك',
      heading: 'لحظة من فضلك',
      text: 'تُطلب هذه الصفحة كثيرًا جدًا الآن. أعد تحميلها بعد دقيقة. لم يُخصم أي مبلغ بفتحها.',
    },
    broken: {
      title: 'لم ينجح ذلك',
      heading: 'لم ينجح ذلك',
      text: 'لا يمكن عرض صفحة الدفع الآن. أعد تحميلها بعد لحظة. لم يُخصم أي مبلغ بفتحها.',
    },
  },
}
