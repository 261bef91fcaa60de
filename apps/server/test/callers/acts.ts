import { onNodes } from '../../src/charges/testing/charge.ts'
import { fromQuote, quoteBody, variantOf } from '../../src/checkout/quotes/testing/scripted-shop.ts'
import { CARDS, complete, paymentResult, report, revoke } from '../flows.ts'
import { type Answer, call, jsonRequest, sessionBody } from '../service.ts'
import type { World } from './world.ts'

// What callers do: merchants' backends, cardholders, time, and whatever befalls workers.

interface Session {
  id: string
  token: string
  user: string
  isEnrollment: boolean
}

/** What callers know of what was made so far. */
interface Known {
  sessions: Session[]
  cards: { user: string; id: string }[]
  mandates: string[]
  charges: { mandate: string; txn: string }[]
  quotes: string[]
}
export const nothingKnown = (): Known => ({ sessions: [], cards: [], mandates: [], charges: [], quotes: [] })

/** Called with each answer. */
export type Tell = (what: string, answer: Answer) => void

/** What a card makes the network do; most of them work. */
const NUMBERS = [
  ...[CARDS.success, CARDS.success, CARDS.success, '5555555555554444', CARDS.stepUp, CARDS.mintDeclined],
  ...[CARDS.mintAnswerLost, CARDS.mintRequestLost, CARDS.confirmationFailsOnce, CARDS.instructionAnswerLost],
  ...[CARDS.instructionRefused, CARDS.deviceBindingFailsOnce],
]
const USERS = ['ann', 'bea', 'cem']
/** So few of the newest are worked on, so that callers meet. */
const NEWEST = 6

/** One caller: how often each act is done, and the act. None: there is nothing yet to do it to. */
export function callerOf(world: World, known: Known, random: (below: number) => number, tell: Tell) {
  const pick = <T>(list: readonly T[]) => list.slice(-NEWEST)[random(Math.min(NEWEST, Math.max(1, list.length)))]
  const any = <T>(list: readonly T[]) => list[random(list.length)] as T
  const index = () => random(world.nodes.length)
  const merchants = onNodes(world.nodes[0].merchant, world.nodes)
  const merchant = () => any(merchants)
  const on = <T>(list: readonly T[], act: (one: T) => Promise<unknown>) => {
    const one = pick(list)
    return one === undefined ? Promise.resolve() : act(one)
  }
  const told = async (what: string, asking: Promise<Answer>) => {
    const answer = await asking
    tell(what, answer)
    return answer
  }
  const page = (what: string, path: string, body: (session: Session) => object) => () =>
    on(known.sessions, (session) => {
      const url = `${world.nodes[index()]?.surfaceUrl}/api/${path}`
      return told(what, call(url, jsonRequest(`Bearer ${session.token}`, body(session))))
    })

  async function create(what: string, path: string, user: string, body: object, isEnrollment = false) {
    const { status, body: made } = await told(what, merchant().post(path, { ...body, user_id: user }))
    if (status !== 201) return
    known.sessions.push({ id: made.session_id, token: made.session_token, user, isEnrollment })
    if (made.mandate_id !== undefined) known.mandates.push(made.mandate_id)
  }
  async function createQuoted(quoteId: string) {
    const { status, body } = await told('read a quote', merchant().get(`/v1/quotes/${quoteId}`))
    if (status === 200) await create('buy', '/v1/sessions', any(USERS), { ...sessionBody(), ...fromQuote(body) })
  }
  async function quote() {
    const items = [{ variant_id: variantOf({ id: world.shopId }), quantity: 1 }]
    const asked = quoteBody({ id: world.shopId }, { items })
    const { status, body } = await told('quote', merchant().post('/v1/quotes', asked))
    if (status === 201) known.quotes.push(body.quote_id)
  }
  async function finish({ id, user }: Session) {
    const own = known.cards.filter((card) => card.user === user)
    const card = pick(own)
    const choices = [{}, {}, { card_number: any(NUMBERS) }, card === undefined ? {} : { card_id: card.id }]
    const { body } = await told('complete', complete(merchant(), id, any<Record<string, string>>(choices)))
    if (typeof body?.card_id === 'string') known.cards.push({ user, id: body.card_id })
  }
  async function pay({ id, isEnrollment }: Session) {
    if (isEnrollment) return void (await told('status', merchant().get(`/v1/sessions/${id}/status`)))
    const { body } = await told('result', paymentResult(merchant(), id))
    const txn_ref_id = body.transactions?.[0]?.line_items?.[0]?.txn_ref_id
    const txn_status = random(3) === 0 ? 'DECLINED' : 'APPROVED'
    if (txn_ref_id !== undefined) await told('report', report(merchant(), id, { txn_ref_id, txn_status }))
  }
  async function charge(mandate: string) {
    const reference = random(2) === 0 ? {} : { reference: `r-${random(4)}` }
    const body = { amount: `${1 + random(20)}.00`, ...reference }
    const answer = await told('charge', merchant().post(`/v1/mandates/${mandate}/charge`, body))
    const txn = answer.body?.transactionId
    if (typeof txn === 'string') known.charges.push({ mandate, txn })
  }
  const entry = ({ isEnrollment }: Session) => ({
    ...{ card_number: any(NUMBERS), expiry_month: '12', expiry_year: '2040', cvv: '123' },
    ...(!isEnrollment && { once: random(2) === 0 }),
  })
  const enrolling = { enrollment_mode: 'full_enrollment', user_email: 'ann@example.com' }
  const ordinary = sessionBody()

  return [
    [14, () => create('create', '/v1/sessions', any(USERS), ordinary)],
    [
      4,
      () =>
        create('set up', '/v1/sessions', any(USERS), {
          ...ordinary,
          mandate_setup: { recurring_frequency: any(['weekly', 'one_time']) },
        }),
    ],
    [3, () => create('enroll', '/v1/sessions/enroll-card', any(USERS), enrolling, true)],
    [3, quote],
    [4, () => on(known.quotes, createQuoted)],
    [36, () => on(known.sessions, finish)],
    [5, page('enter', 'cards', entry)],
    [2, page('verify', 'cards/verify', () => ({ code: '123456' }))],
    [1, page('cancel', 'cancel', () => ({}))],
    [30, () => on(known.sessions, pay)],
    [2, () => on(known.sessions, ({ id }) => told('revoke', revoke(merchant(), id)))],
    [
      2,
      () =>
        on(known.cards, ({ id, user }) =>
          told('delete', merchant().post('/v1/deleteCard', { customer_id: user, card_id: id })),
        ),
    ],
    [12, () => on(known.mandates, charge)],
    [
      4,
      () =>
        on(known.charges, ({ mandate, txn }) =>
          told(
            'report a charge',
            merchant().post(`/v1/mandates/${mandate}/charges/${txn}/report`, {
              txn_status: any(['APPROVED', 'DECLINED']),
              txn_type: 'PURCHASE',
            }),
          ),
        ),
    ],
    [
      3,
      () =>
        on(known.mandates, (id) =>
          told('move', merchant().post(`/v1/mandates/${id}/${any(['pause', 'resume', 'resume', 'cancel'])}`)),
        ),
    ],
  ] as const satisfies [number, () => Promise<unknown>][]
}
