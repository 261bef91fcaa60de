// Guarantee: what an owner signs is told as they read the page, and the service says it of itself: the same sentence
// for the same locale, and English for one that it does not know.
import { readingOf, sentenceOf } from '@mintmark/contract/sentence'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askForLink, newAgent } from '../../test/agents.ts'
import { expectInvalid } from '../../test/flows.ts'
import { NARROW } from '../../test/owner-examples.ts'
import { ownerWithCard } from '../../test/recovery.ts'
import { startTestService, type TestService } from '../../test/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ env: { SMTP_URL: 'smtp://127.0.0.1:9' } })
})
afterAll(async () => service?.close())

test('the sentence of a link, of other limits and of a charge', async () => {
  const { owner, agent, mandate } = await ownerWithCard(service)
  const linkId = await askForLink(newAgent(service), { name: 'Atlas' })
  const asked = await agent.send('POST', `/v1/mandates/${mandate}/charge`, { amount: '30.00', reference: 'r-1' })
  const { agent_id, version, terms, name } = (await owner.get('/api/home')).body.agents[0]
  const limits = { ...terms, charge: '40.00' }
  const payee = { payee: 'Tea House', amount: '30.00', currency: 'USD' }
  const asks = [
    [`links/${linkId}`, { limits: NARROW }, { type: 'link', agent: 'Atlas', ...NARROW }],
    [`agents/${agent_id}/limits`, { version, limits }, { type: 'limits', agent: name, was: terms, limits }],
    [`escalations/${asked.body.escalation.id}`, {}, { type: 'charge', agent: name, ...payee }],
  ] as const
  for (const [path, body, said] of asks) {
    const sentence = async (locale?: string) =>
      (await owner.post(`/api/${path}/approval-options`, { ...body, locale })).body.terms.sentence
    for (const [locale, language, written] of [
      ['de-AT', 'de', 'de-AT'],
      ['xx', 'en', 'en'],
      [undefined, 'en', 'en'],
    ] as const) {
      const text = sentenceOf(said as Parameters<typeof sentenceOf>[0], readingOf([locale]))
      expect(await sentence(locale)).toMatchObject({ language, locale: written, time_zone: null, text })
    }
    const long = { ...body, locale: 'd'.repeat(65) }
    expectInvalid(await owner.post(`/api/${path}/approval-options`, long), 'locale')
  }
})
