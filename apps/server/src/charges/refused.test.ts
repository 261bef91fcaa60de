// Guarantee: a caller that reads a refusal knows which limit it was, what is left of it, when there will be more, and whether the owner is asked or
// why not, in words as well as in fields.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  approveLink,
  askForLink,
  decideFor,
  type LinkedAgent,
  linkedAgent,
  mandateOf,
  newAgent,
  WIDE,
} from '../../test/agents.ts'
import { atOnce, expectInvalid } from '../../test/flows.ts'
import { startTestService, type TestService } from '../../test/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ isForCrowds: true })
})
afterAll(() => service?.close())

const limited = (limits: object) => linkedAgent(service, { limits: { ...WIDE, ...limits } })
const charge = (agent: LinkedAgent, mandateId: string, body: object = {}, query = '') =>
  agent.send('POST', `/v1/mandates/${mandateId}/charge${query}`, { amount: '10.00', ...body })

const COFFEE = {
  purchase_context: [
    {
      merchant_details: { name: 'Coffee', url: 'https://coffee.example', country_code_iso2: 'US' },
      product_details: [{ description: 'Coffee', unit_price: '10.00' }],
    },
  ],
}
const MINUTE = 60_000
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z$/

/** The time of day in Tokyo, where the clocks never change, some minutes after the one that it is. */
function inTokyo(minutes: number): { time: string; at: string } {
  const at = new Date((Math.floor(service.clock.now().getTime() / MINUTE) + minutes) * MINUTE)
  const format = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'Asia/Tokyo' })
  return { time: format.format(at), at: at.toISOString() }
}

describe('the words of a refusal', () => {
  const OWNERS = 'AGENT_LIMIT_EXCEEDED: '
  const NEXT = String.raw`; it begins anew at \S+T00:00:00\.000Z\.`

  test.each([
    ['charge', { charge: '9.99' }, /^Your owner allows 9\.99 USD a charge\./],
    [
      'day',
      { day: '9.99' },
      new RegExp(String.raw`^Your owner allows 9\.99 USD a day \(UTC\), and 9\.99 USD of it is left${NEXT}`),
    ],
    [
      'month',
      { month: '9.99' },
      new RegExp(String.raw`^Your owner allows 9\.99 USD a calendar month \(UTC\), and 9\.99 USD of it is left${NEXT}`),
    ],
    [
      'merchants',
      { merchants: ['coffee.example', 'cake.example'] },
      /^Your owner allows these shops only: coffee\.example, cake\.example, and this charge is for tea\.example\./,
    ],
    ['currency', { currency: 'EUR' }, /^Your owner allows charges in EUR only, and this mandate is in USD\.$/],
    ['ask_above', { ask_above: '9.99' }, /^Your owner is asked first about a charge of more than 9\.99 USD\./],
  ])('for %s', async (limit, limits, words) => {
    const agent = await limited(limits)
    const { body } = await charge(agent, await mandateOf(service, agent), { reference: 'r' })
    expect(body).toMatchObject({ errorCode: 'AGENT_LIMIT_EXCEEDED', details: { limit } })
    expect(body.errorMessage).toMatch(new RegExp(`^${OWNERS}`))
    expect(body.errorMessage.slice(OWNERS.length)).toMatch(words)
  })

  test('for hours say which, what time it is there, and when they open', async () => {
    const [from, to] = [inTokyo(60), inTokyo(120)]
    const agent = await limited({ hours: { from: from.time, to: to.time, zone: 'Asia/Tokyo' } })
    const { body } = await charge(agent, await mandateOf(service, agent))
    const words = `Your owner allows charges from ${from.time} to ${to.time}, Asia/Tokyo, and it is `
    expect(body.details).toEqual({ limit: 'hours', left: null, renews_at: from.at, can_ask: true })
    expect(body.errorMessage).toContain(OWNERS + words)
    expect(body.errorMessage).toContain(` there: they open at ${from.at}.`)
    const { limits } = (await agent.send('GET', '/v1/agents/me')).body
    expect(limits).toContainEqual({
      ...{ kind: 'hours', limit: `${from.time} to ${to.time}, Asia/Tokyo` },
      ...{ used: null, left: null, renews_at: from.at },
    })
  })

  test('for what is open at once, a repeat, and what the mandate does not allow', async () => {
    const agent = await limited({ open: 1, ask_repeats: true })
    const id = await mandateOf(service, agent, { mandate_setup: { recurring_frequency: 'monthly', max_charges: 1 } })
    const messageOf = async (body: object) => (await charge(agent, id, body)).body.errorMessage
    expect(await messageOf({ amount: '60.00' })).toMatch(
      /^THRESHOLD_EXCEEDED: The mandate allows 50\.00 USD a month, and 50\.00 USD of it is left; it begins anew at \S+Z\. Send it with/,
    )
    expect(await messageOf(COFFEE)).toContain(
      'AGENT_LIMIT_EXCEEDED: The mandate is for Tea House (tea.example), and this charge is for coffee.example.',
    )
    expect(await messageOf({})).toBeNull()
    expect(await messageOf({})).toMatch(/^MAX_CHARGES_EXCEEDED: The mandate allows one charge, and it was made\./)
    const other = await mandateOf(service, agent)
    expect((await charge(agent, other)).body.errorMessage).toBe(
      'AGENT_LIMIT_EXCEEDED: Your owner allows 1 open at once, and 0 more can be opened now: report what became of one.',
    )
  })
})

describe('whether the owner is asked', () => {
  const asked = async (limits: object = { charge: '9.99' }) => {
    const agent = await limited(limits)
    return { agent, id: await mandateOf(service, agent) }
  }
  const messageOf = async (sent: ReturnType<typeof charge>): Promise<string> => (await sent).body.errorMessage

  test('is said: with a reference, until when; without one, how; before it, that they would be', async () => {
    const { agent, id } = await asked()
    expect(await messageOf(charge(agent, id, { reference: 'a' }, '?dry_run=true'))).toMatch(
      /would be asked, and have 30 min/,
    )
    expect(await messageOf(charge(agent, id))).toMatch(
      /Send it with a `reference`, and your owner is asked to allow it\.$/,
    )
    const { body } = await charge(agent, id, { reference: 'a' })
    const until = `Your owner is asked, until ${body.escalation.expires_at}:`
    expect(body.errorMessage).toContain(until)
    // While they have not answered, the same, with what is left by now.
    const again = await charge(agent, id, { reference: 'a' })
    expect(again.body.errorMessage).toContain(`AGENT_LIMIT_EXCEEDED: Your owner allows 9.99 USD a charge. ${until}`)
    expect(again.body.details).toEqual({ limit: 'charge', left: '9.99', renews_at: null, can_ask: false })
  })

  test('while they have not answered a question, what is left and when there will be more is told as before', async () => {
    const { agent, id } = await asked({ day: '19.00' })
    expect((await charge(agent, id)).body.status).toBe('awaiting_result')
    const told = { limit: 'day', left: '9.00', renews_at: expect.stringMatching(ISO) }
    for (const can_ask of [true, false]) {
      expect((await charge(agent, id, { reference: 'a' })).body.details).toEqual({ ...told, can_ask })
    }
    const beyond = { reference: 'b', amount: '60.00' }
    for (const can_ask of [true, false]) {
      expect((await charge(agent, id, beyond)).body).toMatchObject({
        ...{ errorCode: 'THRESHOLD_EXCEEDED', details: { limit: 'mandate', left: '40.00', can_ask } },
        errorMessage: expect.stringMatching(
          /allows 50\.00 USD a month, and 40\.00 USD of it is left; .* Your owner is asked, until /,
        ),
      })
    }
  })

  test('no more than ten at once: the eleventh refusal says that ten wait, and where they are', async () => {
    const { agent, id } = await asked()
    const answers = await atOnce(11, (index) => charge(agent, id, { reference: `many-${index}` }))
    const unasked = answers.filter(({ body }) => body.escalation === undefined)
    expect(unasked).toHaveLength(1)
    const why =
      'Your owner is not asked: 10 questions of yours wait already, which `waiting` of GET /v1/agents/me lists.'
    expect(unasked[0]?.body).toMatchObject({ details: { can_ask: true }, errorMessage: expect.stringContaining(why) })
    const [open] = answers.filter(({ body }) => body.escalation !== undefined)
    await decideFor(service, open?.body.escalation.id, 'deny')
    expect((await charge(agent, id, { reference: 'later' })).body.escalation).toMatchObject({ status: 'pending' })
  })

  test('that they said no, or allowed something else, or what they allowed came to nothing', async () => {
    const { agent, id } = await asked()
    const escalationOf = async (reference: string) => (await charge(agent, id, { reference })).body.escalation.id
    await decideFor(service, await escalationOf('no'), 'deny')
    expect(await messageOf(charge(agent, id, { reference: 'no' }))).toBe(
      'OWNER_DENIED: The owner of the agent was asked, and said no. Your owner allows 9.99 USD a charge.',
    )
    await decideFor(service, await escalationOf('yes'), 'allow')
    expect(await messageOf(charge(agent, id, { reference: 'yes', amount: '11.00' }))).toMatch(
      /a charge\. By this reference your owner has allowed another amount or shop, or the time for it is over\.$/,
    )
    const { transactionId } = (await charge(agent, id, { reference: 'yes' })).body
    await agent.send('POST', `/v1/mandates/${id}/charges/${transactionId}/report`, {
      ...{ txn_status: 'DECLINED', txn_type: 'PURCHASE' },
    })
    expect(await messageOf(charge(agent, id, { reference: 'yes' }))).toMatch(
      /came to nothing: another reference asks anew\.$/,
    )
  })
})

test('a zone that is none, and a host, are refused by the reader as by the page, and no agent is made', async () => {
  const agent = newAgent(service)
  const linkId = await askForLink(agent)
  const limits = { ...WIDE, hours: { from: '12:00', to: '13:00', zone: 'Mars/Base' }, merchants: ['Tea'] }
  expectInvalid(await approveLink(service, linkId, { limits }), 'limits.hours.zone', 'limits.merchants.0')
  expect((await agent.send('GET', `/v1/agents/links/${linkId}`)).body.status).toBe('pending')
})
