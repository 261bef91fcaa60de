import type { Translation } from '../../../text/translation.ts'
import type { en } from './en.ts'

const NOTHING = 'No se ha cobrado nada.'
const NOTHING_MORE = 'Ya no se puede cobrar nada más.'

/** The words of the payment flow, in Spanish. */
export const es: Translation<typeof en> = {
  outcomes: {
    approved: {
      title: 'Aprobado',
      text: 'Qué pasa ahora: el comercio sigue con su pedido y puede cobrar una sola vez, no más de lo que usted aprobó.',
    },
    failed: {
      title: 'El pago no se ha realizado',
      text: 'El comercio puede decirle por qué, y si se ha cobrado algo.',
    },
    cancelled: { title: 'Pago cancelado', text: `Usted lo canceló. ${NOTHING}` },
    expired: {
      title: 'Este pago ha caducado',
      text: `El tiempo para aprobarlo ha terminado. Empiece de nuevo desde la página de la que viene. ${NOTHING}`,
    },
    revoked: {
      title: 'El comercio retiró este pago',
      text: `Pregunte al comercio si no lo esperaba. ${NOTHING}`,
    },
  },
  buying: {
    title: 'Haciendo su pedido',
    text: 'Usted ha aprobado. Ahora lo pedimos para usted en el comercio.',
    slow: 'El comercio tarda más de lo habitual. Puede cerrar esta página: su pedido sigue sin ella, y nada se compra ni se cobra dos veces.',
  },
  bought: {
    approved: {
      title: 'Pedido y pagado',
      text: 'Qué pasa ahora: el comercio tiene su pedido. Se le ha cobrado una sola vez, no más de lo que usted aprobó.',
    },
    revoked: {
      title: 'Este pago fue retirado',
      text: `Se retiró donde usted lo empezó, y no se pide nada. ${NOTHING}`,
    },
  },
  failures: {
    SESSION_EXPIRED: `El tiempo para aprobarlo ha terminado. ${NOTHING}`,
    SESSION_REVOKED: `El comercio lo retiró. ${NOTHING}`,
    CANCELLED: `Usted lo canceló. ${NOTHING}`,
    MANDATE_EXPIRED: `Su aprobación caducó antes de que el comercio comunicara un pago. ${NOTHING_MORE}`,
    PAYMENT_DECLINED: 'El comercio comunicó que el pago fue rechazado y que no se cobró nada.',
    CARD_DECLINED: `Su banco lo ha rechazado. ${NOTHING}`,
    THRESHOLD_EXCEEDED: `El importe supera lo que usted aprobó, por eso se rechazó. ${NOTHING}`,
    MAX_CHARGES_EXCEEDED: 'Lo que usted aprobó ya se había usado, por eso esto se rechazó. No se ha cobrado nada más.',
    AGENT_LIMIT_EXCEEDED: `Esto es más de lo que usted permite a su agente, por eso se rechazó. ${NOTHING}`,
    OWNER_DENIED: `Usted dijo que no a esto. ${NOTHING}`,
    OWNER_TIMEOUT: `Se le preguntó y no respondió a tiempo. ${NOTHING}`,
    DELIVERY_REFUSED: `La tienda no lo aceptó. ${NOTHING}`,
    REPORT_TIMEOUT: `El comercio no comunicó ningún pago a tiempo. ${NOTHING_MORE}`,
    CREDENTIAL_LAPSED: `El comercio no usó su aprobación a tiempo. ${NOTHING}`,
    INSUFFICIENT_FUNDS: `No había dinero suficiente en su tarjeta. ${NOTHING}`,
    MERCHANT_PREPARE_FAILED: `El comercio ya no vende esto, o no a este precio. ${NOTHING}`,
    MERCHANT_ACTION_REQUIRED:
      'El comercio no pudo completar este pedido. Pregunte al comercio si ve que se ha cobrado algo.',
    PAYMENT_FAILED: `El pago no se ha podido preparar con su tarjeta. ${NOTHING}`,
  },
  shared: {
    cancel: { start: 'Ahora no', question: '¿Cancelar este pago?' },
    enterCard: 'Pagar con tarjeta',
    keeping: {
      once: 'Solo esta vez: borrar mi tarjeta después',
      why: 'Si no, {operator} la guarda para su próximo pago.',
      kept: '{operator} guarda esta tarjeta para su próximo pago.',
      deleted: 'Se borra cuando termine este pago',
    },
    afterPasskey: 'Usted confirma dos veces: una para crearla y otra para aprobar.',
    processing: {
      title: 'Preparando su pago',
      text: 'Esto tarda unos segundos.',
      slow: 'La red de tarjetas tarda más de lo habitual. Usted ya ha aprobado y nada se cobra dos veces; deje esta página abierta.',
    },
  },
  approve: 'Aprobar {amount}',
  approved: '{amount}: aprobado',
  say: '{merchant} recibe una tarjeta de un solo uso por {amount} como máximo. Solo sirve allí, una vez. Su tarjeta real se queda aquí.',
  sayBought: '{operator} pide esto ahora para usted en {merchant} y paga {amount}, ni un céntimo más.',
  summary: {
    label: 'Pago',
    states: {
      toPay: 'Usted paga una vez',
      inProgress: 'En curso',
      approved: 'Aprobado',
      paid: 'Pagado',
      notCharged: 'No cobrado',
      notCompleted: 'No completado',
    },
    breakdown: {
      subtotal: 'Subtotal',
      shipping: 'Envío',
      tax: 'Impuestos',
      discount: 'Descuento',
      otherCharges: 'Otros cargos, no detallados por el comercio',
      otherReductions: 'Otras rebajas, no detalladas por el comercio',
      total: 'Total',
    },
    folded: {
      subtotal: 'subtotal',
      shipping: 'envío',
      tax: 'impuestos',
      discount: 'descuento',
      otherCharges: 'otros cargos',
      otherReductions: 'otras rebajas',
      total: 'total',
    },
    items: { one: '{count} artículo más', other: '{count} artículos más' },
  },
  terms: {
    payee: 'Pagado a',
    amount: 'Importe',
    breakdown: 'Desglose',
    valid: 'Válido',
    approveBy: 'Aprobar antes de',
    ordered: 'Pedido',
    orderedHere: 'para usted, justo después de aprobar',
    amountOf: { one: '{amount}, una vez', other: '{amount}, hasta {count} veces' },
    until: 'hasta {time}',
    fromApproval: '{span} desde su aprobación',
    part: '{part}: {amount}',
  },
  receipt: {
    payee: 'Pagado a',
    amount: 'Importe',
    time: 'Aprobado',
  },
}
