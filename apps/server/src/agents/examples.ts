import type { AgentMe } from '@mintmark/contract/wire/agents'

const PUBLIC_KEY = 'MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='
const THUMBPRINT = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'
const AGENT = 'aa_01jd3x8p6v0q4r5s6t7v8w9xyz'
const PLAIN = { used: null, left: null, renews_at: null }

export const LINK_EXAMPLE = {
  body: { public_key: PUBLIC_KEY, name: 'Pantry', platform: 'Acme Assistant', description: 'Orders groceries.' },
  response: {
    link_id: 'lk_01jd3x8p6v0q4r5s6t7v8w9xyz',
    link_url: 'http://localhost:3004/links/lk_01jd3x8p6v0q4r5s6t7v8w9xyz',
    expires_at: '2026-11-21T12:15:00.000Z',
  },
}

export const ME_EXAMPLE: AgentMe = {
  agent_id: AGENT,
  name: 'Pantry',
  platform: 'Acme Assistant',
  description: 'Orders groceries.',
  owner: 'own_3m5n7p9q1r3s5t7v9w1x3y5z7a',
  card_url: null,
  key_thumbprint: THUMBPRINT,
  limits: [
    { kind: 'currency', limit: 'USD', ...PLAIN },
    { kind: 'charge', limit: '100.00', ...PLAIN },
    { kind: 'month', limit: '1000.00', ...PLAIN },
  ],
  operations: ['getAgent', 'changeAgent', 'changeAgentKey'],
  waiting: [],
}

export const KEY_CHANGE_EXAMPLE = {
  body: { public_key: PUBLIC_KEY, proof: `${'A'.repeat(86)}==`, old_key_seconds: 3600 },
  response: { agent_id: AGENT, key_thumbprint: THUMBPRINT, old_key_valid_until: '2026-11-21T13:00:00.000Z' },
}
