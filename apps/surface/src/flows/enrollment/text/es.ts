import type { Translation } from '../../../text/translation.ts'
import type { en } from './en.ts'

const NOTHING = 'No se ha cobrado nada.'

/** The words of saving a card without a payment, in Spanish. */
export const es: Translation<typeof en> = {
  outcomes: {
    approved: {
      title: 'Su tarjeta está guardada',
      text: `Usted aprueba cada pago con su llave de acceso antes de que se haga. ${NOTHING}`,
    },
    failed: { title: 'Esta tarjeta no se ha podido guardar', text: `El comercio puede decirle por qué. ${NOTHING}` },
    cancelled: { title: 'Cancelado', text: `Usted lo canceló. ${NOTHING}` },
    expired: {
      title: 'Esta solicitud ha caducado',
      text: `El tiempo para guardar una tarjeta aquí ha terminado. Empiece de nuevo desde la página de la que viene. ${NOTHING}`,
    },
    revoked: {
      title: 'El comercio retiró esta solicitud',
      text: `Pregunte al comercio si no lo esperaba. ${NOTHING}`,
    },
  },
  failures: {
    CARD_DECLINED: `Esta tarjeta no se acepta aquí. Empiece de nuevo desde la página de la que viene para usar otra. ${NOTHING}`,
    PASSKEY_BLOCKED: `Su llave de acceso ya no se puede usar. Pida ayuda al comercio. ${NOTHING}`,
  },
  shared: {
    cancel: { start: 'Ahora no', question: '¿Cancelar sin guardar una tarjeta?' },
    enterCard: 'Introduzca la tarjeta que quiere guardar',
    keeping: '{operator} guarda esta tarjeta para su próximo pago.',
    afterPasskey: 'Después su tarjeta queda guardada. Ahora no se cobra nada.',
    processing: {
      title: 'Guardando su tarjeta',
      text: 'Esto tarda unos segundos. No se cobra nada.',
      slow: 'La red de tarjetas tarda más de lo habitual. No se cobra nada; deje esta página abierta.',
    },
  },
  action: 'Confirmar con la llave de acceso',
  say: '{operator} guarda esta tarjeta para usted. {merchant} le pregunta antes de cada pago.',
  save: 'Guardar su tarjeta en {merchant}',
  summary: {
    label: 'Lo que usted guarda',
    states: {
      toSave: 'Para guardar',
      inProgress: 'En curso',
      saved: 'Guardada',
      notSaved: 'No guardada',
      ended: 'Terminado',
    },
    what: 'Su tarjeta',
  },
  terms: {
    who: 'Guardada en',
    charged: 'Cobrado ahora',
    nothing: 'Nada',
    approveBy: 'Confirmar antes de',
    passkey: 'Llave de acceso',
    passkeys: { registered: 'Creada ahora mismo', existing: 'La que ya tenía' },
  },
}
