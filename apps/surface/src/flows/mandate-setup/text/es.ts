import type { Translation } from '../../../text/translation.ts'
import type { en } from './en.ts'

const NOTHING = 'No se ha permitido nada y no se ha cobrado nada.'
const FROM_PERMISSION = '7 días desde su permiso'

/** The words of a standing permission, in Spanish. */
export const es: Translation<typeof en> = {
  outcomes: {
    approved: {
      title: 'Permitido',
      text: 'Desde ahora se puede cobrar en esta tarjeta dentro de estos límites. Puede pausarlo o terminarlo en cualquier momento, sin pedírselo a nadie. Ahora no se ha cobrado nada.',
    },
    failed: { title: 'Esto no se ha podido permitir', text: `El comercio puede decirle por qué. ${NOTHING}` },
    cancelled: { title: 'No permitido', text: `Usted lo canceló. ${NOTHING}` },
    expired: {
      title: 'Esta solicitud ha caducado',
      text: `El tiempo para permitirlo ha terminado. Empiece de nuevo desde la página de la que viene. ${NOTHING}`,
    },
    revoked: {
      title: 'El comercio retiró esta solicitud',
      text: `Pregunte al comercio si no lo esperaba. ${NOTHING}`,
    },
  },
  failures: {
    SESSION_EXPIRED: `El tiempo para permitirlo ha terminado. ${NOTHING}`,
    SESSION_REVOKED: `El comercio lo retiró. ${NOTHING}`,
    CANCELLED: `Usted lo canceló. ${NOTHING}`,
    CARD_DECLINED: `Su banco lo ha rechazado. ${NOTHING}`,
    PAYMENT_FAILED: `Esto no se ha podido preparar con su tarjeta. ${NOTHING}`,
  },
  shared: {
    cancel: { start: 'Ahora no', question: '¿Cancelar sin permitir esto?' },
    enterCard: 'Introduzca la tarjeta en la que se puede cobrar',
    keeping: '{operator} guarda esta tarjeta para los cobros que usted permite y para su próximo pago.',
    afterPasskey: 'Usted confirma dos veces: una para crearla y otra para permitir esto. Ahora no se cobra nada.',
    processing: {
      title: 'Preparando lo que ha permitido',
      text: 'Esto tarda unos segundos. Ahora no se cobra nada.',
      slow: 'La red de tarjetas tarda más de lo habitual. Usted ya lo ha permitido y ahora no se cobra nada; deje esta página abierta.',
    },
  },
  allow: 'Permitir que {merchant} cobre en su tarjeta',
  each: {
    one_time: '{amount}, una vez',
    weekly: '{amount} cada semana',
    monthly: '{amount} cada mes',
    yearly: '{amount} cada año',
  },
  action: 'Permitir hasta {limit}',
  say: '{merchant} puede cobrar hasta {limit}, {where}, {until}. Esto nunca podrá costarle más de {most} en total. Puede pausarlo o terminarlo en cualquier momento: pregunte a {merchant}. Ahora no se cobra nada.',
  where: { listed: 'solo allí', any: 'en cualquier tienda' },
  until: 'hasta el {date}',
  span: `durante ${FROM_PERMISSION}`,
  limit: 'Hasta {limit}',
  only: 'Solo en {place}',
  anywhere: 'En cualquier tienda',
  most: 'Como máximo {amount} en total',
  summary: {
    label: 'Lo que usted permite',
    states: {
      toAllow: 'Puede cobrar, sin volver a preguntar, como máximo',
      inProgress: 'En curso',
      allowed: 'Permitido',
      notAllowed: 'No permitido',
      ended: 'Terminado',
    },
    count: { one: 'Como máximo una vez', other: 'Como máximo {count} veces' },
    until: 'Hasta el {date}',
    fromPermission: `Durante ${FROM_PERMISSION}`,
    stop: 'Puede pausarlo o terminarlo en cualquier momento',
    never: ['Nunca ve su número de tarjeta', 'No puede aumentar estos límites'],
  },
  terms: {
    who: 'Quién puede cobrar',
    limit: 'Cuánto',
    count: 'Cuántas veces',
    where: 'Dónde',
    until: 'Hasta',
    approveBy: 'Permitir antes de',
    several: 'Hasta {limit}, en un cobro o en varios',
    once: 'Una vez',
    anew: {
      weekly: 'De nuevo cada semana, contado desde el día en que lo permite',
      monthly: 'De nuevo cada mes, contado desde el día en que lo permite',
      yearly: 'De nuevo cada año, contado desde el día en que lo permite',
    },
    anewSoOften: {
      one: '{anew}; como máximo una vez en total',
      other: '{anew}; como máximo {count} veces en total',
    },
    fromPermission: FROM_PERMISSION,
    most: 'En total',
    mostOf: 'Como máximo {total}',
  },
  receipt: { time: 'Permitido' },
  limits: {
    lower: 'Permitir menos',
    open: 'Cambiar los límites',
    amount: {
      one_time: 'Límite, en {currency}',
      weekly: 'Límite cada semana, en {currency}',
      monthly: 'Límite cada mes, en {currency}',
      yearly: 'Límite cada año, en {currency}',
    },
    amountHint: 'Como máximo {most}',
    amountMissing: 'Introduzca el límite.',
    amountUnreadable: 'Introduzca el límite como un importe, por ejemplo {example}.',
    amountZero: 'El límite debe ser mayor que cero.',
    amountAbove: 'El límite puede ser {most} como máximo: se puede bajar, no subir.',
    amountRefused: 'Este límite no se ha aceptado. Introduzca uno más bajo.',
    until: 'Fecha final',
    untilHint: 'A más tardar {last}',
    untilMissing: 'Introduzca la fecha final.',
    untilPast: 'La fecha final debe ser posterior a hoy.',
    untilLate: 'La fecha final puede ser a más tardar {last}: puede ser anterior, no posterior.',
    untilRefused: 'Esta fecha final no se ha aceptado. Introduzca una anterior.',
    submit: 'Aplicar estos límites',
    busy: 'Cambiando los límites…',
    changed: 'Los límites se han cambiado.',
  },
}
