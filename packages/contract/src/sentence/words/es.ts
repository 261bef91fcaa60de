import type { End, SentenceWords } from '../words.ts'

const EACH = { one_time: '', weekly: ' cada semana', monthly: ' cada mes', yearly: ' cada año' }
const until = ({ kind, text }: End) => (kind === 'span' ? `durante ${text} desde su aprobación` : `hasta el ${text}`)

export const es: SentenceWords = {
  payment: ({ agent, payee, amount, end }) =>
    agent === null
      ? `${payee} recibe una tarjeta de un solo uso por ${amount} como máximo. Solo sirve allí, una vez, ${until(end)}. ` +
        'Su tarjeta real se queda aquí.'
      : `${agent} recibe una tarjeta de un solo uso por ${amount} como máximo, para pagar a ${payee}. Solo sirve allí, una vez, ` +
        `${until(end)}. Su tarjeta real se queda aquí.`,
  quote: ({ operator, agent, payee, amount }) =>
    `${operator} pide esto ahora para usted en ${payee}${agent === null ? '' : `, como solicita ${agent},`} y paga ${amount}, ni un céntimo más.`,
  mandate({ agent, payee, amount, frequency, onlyThere, times, end, most }) {
    const count = times === null ? '' : `, ${times === 1 ? 'una vez' : `${times} veces`} como máximo`
    const limit = `hasta ${amount}${EACH[frequency]}${count}`
    const cap = `Esto nunca podrá costarle más de ${most} en total.`
    if (agent !== null) {
      const where = onlyThere ? `en ${payee}, y en ningún otro sitio,` : 'en cualquier tienda'
      return `${agent} puede pagar ${where} ${limit}, ${until(end)}, sin volver a preguntar. ${cap} Su tarjeta real se queda aquí.`
    }
    return `${payee} puede cobrar ${limit}, ${onlyThere ? 'solo allí' : 'en cualquier tienda'}, ${until(end)}. ${cap}`
  },
  enrollment: ({ operator, payee }) =>
    `${operator} guarda esta tarjeta para usted. ${payee} le pregunta antes de cada pago.`,
  charge: ({ agent, payee, amount, span }) =>
    `${agent} puede pagar ${amount} a ${payee}, solo esta vez, aunque es más de lo que usted permite sin preguntar. ` +
    `Recibe una tarjeta de un solo uso que solo sirve allí, durante ${span}. Sus límites no cambian y su tarjeta real se queda aquí.`,
  link({ agent, merchants, hours, caps, asks }) {
    const when = hours === null ? '' : ` entre las ${hours.from} y las ${hours.to} (${hours.zone})`
    return (
      `${agent} puede pedirle compras y permisos. Dentro de los permisos que usted dé, puede pagar ` +
      `${merchants === null ? 'en cualquier tienda' : `en ${merchants}`}${when} sin volver a preguntar, ` +
      `${caps === null ? 'sin límite propio' : `como máximo ${caps}`}. ${asks === null ? '' : `Le pregunta antes ${asks}. `}` +
      'Nunca ve su tarjeta real, y usted puede terminarlo en cualquier momento.'
    )
  },
  join: ({ asks, agent, may }) =>
    `Desde ahora ${asks} actúa como su agente ${agent}, dentro de los límites que este tiene. ${may}`,
  caps: {
    charge: (amount) => `${amount} por cobro`,
    day: (amount) => `${amount} al día`,
    month: (amount) => `${amount} al mes`,
    open: (count) => (count === 1 ? 'un cobro abierto a la vez' : `${count} cobros abiertos a la vez`),
  },
  asks: {
    above: (amount) => `cuando un cobro supera ${amount}`,
    repeats: 'cuando un cobro repite otro de los últimos cinco minutos',
  },
  changes: {
    said: ({ agent, changes }) =>
      `Desde ahora valen otros límites para ${agent}: ${changes.join('; ')}. Lo demás sigue igual, y usted puede cambiarlo o terminarlo en cualquier momento.`,
    instead: (now, was) => `${now} en lugar de ${was}`,
    charge: (amount) => `${amount ?? 'cualquier importe'} por cobro`,
    day: (amount) => `${amount ?? 'cualquier importe'} al día`,
    month: (amount) => `${amount ?? 'cualquier importe'} al mes`,
    open: (count) =>
      count === 1 ? 'un cobro abierto a la vez' : `${count ?? 'cualquier número de'} cobros abiertos a la vez`,
    merchants: (list) => (list === null ? 'cualquier tienda' : `solo ${list}`),
    hours: (hours) =>
      hours === null ? 'a cualquier hora' : `entre las ${hours.from} y las ${hours.to} (${hours.zone})`,
    above: (amount) => (amount === null ? 'sin consulta por el importe' : `consulta previa por encima de ${amount}`),
    repeats: (asks) =>
      asks
        ? 'consulta previa cuando un cobro repite otro de los últimos cinco minutos'
        : 'sin consulta por cobros repetidos',
  },
}
