import type { AgentLimits } from '@mintmark/contract/wire/agents'
import type { EscalationView } from '@mintmark/contract/wire/owner'
import { expect, test } from 'vitest'
import { raisedFor, raisedTo } from './raise.ts'

// Guarantee: the limits that are proposed with a request let a charge like it pass, and widen nothing else.

const TERMS: AgentLimits = {
  ...{ currency: 'USD', charge: '20.00', day: '50.00', month: '200.00', open: 3 },
  ...{ merchants: ['tea.example'], hours: null, ask_above: '10.00' },
}
const asked = (limit: EscalationView['limit'], used: string | null = null) =>
  ({
    agent: { terms: TERMS },
    ...{ amount: '25.50', limit, payee: { url: 'https://coffee.example/shop', name: 'Coffee' } },
    limits: [{ kind: limit, limit: '', used, left: null, renews_at: null }],
  }) as unknown as EscalationView

test.each<[EscalationView['limit'], string | null, Partial<AgentLimits> | null]>([
  ['charge', null, { charge: '25.50' }],
  ['ask_above', null, { ask_above: '25.50' }],
  ['day', '30.05', { day: '55.55' }],
  ['month', '199.99', { month: '225.49' }],
  ['merchants', null, { merchants: ['tea.example', 'coffee.example'] }],
  ['hours', null, null],
  ['mandate', null, null],
])('%s', (limit, used, change) => {
  expect(raisedFor(asked(limit, used))).toEqual(change === null ? null : { ...TERMS, ...change })
})

test.each<[EscalationView['limit'], string]>([
  ['charge', '25.50'],
  ['month', '200.00'],
  ['merchants', 'Coffee'],
])('what a limit is raised to is said before: %s', (limit, to) => {
  const request = asked(limit)
  expect(raisedTo(request, { ...TERMS, charge: '25.50' })).toBe(to)
})
