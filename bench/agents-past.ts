import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { EmbeddedConnection } from '@mintmark/embedded-postgres'
import { signRequest } from '@mintmark/node'
import { sealedAgent, sealedKey } from '../apps/server/src/agents/seal.ts'
import type { RowSeals } from '../apps/server/src/platform/row-seals.ts'
import { filling } from './charges-past.ts'
import type { BenchedService } from './service.ts'
import type { Signer } from './workload.ts'

const WIDE = { currency: 'USD', charge: null, day: null, month: null, open: null, merchants: null, hours: null }

/** An agent that is linked, with a mandate that it was given, as they are made over HTTP. Returns their ids. */
export async function setUpAgent({ url, secretKey }: BenchedService): Promise<{ agentId: string; mandateId: string }> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const signed = (path: string, given: object) => {
    const body = JSON.stringify(given)
    return post(url + path, body, { ...signRequest({ method: 'POST', url: url + path, body }, { privateKey }) })
  }
  const helped = (path: string, given: object) =>
    post(`${url}/v1/test_helpers/${path}`, JSON.stringify(given), { authorization: `Bearer ${secretKey}` })
  const { link_id } = await signed('/v1/agents/links', { public_key: key, name: 'Bench' })
  const { agent_id: agentId = '' } = await helped(`agent_links/${link_id}/approve`, {
    limits: { ...WIDE, ask_above: null },
  })
  const { session_id, mandate_id: mandateId = '' } = await signed('/v1/sessions/agent', {
    ...{ total_amount: '9999999999.99', currency: 'USD', mandate_setup: { recurring_frequency: 'yearly' } },
    ...{ merchant_name: 'Tea House', merchant_url: 'https://tea.example', merchant_country: 'US' },
    products: [{ description: 'Tea', unit_price: '9999999999.99' }],
  })
  await helped(`sessions/${session_id}/complete`, {})
  return { agentId, mandateId }
}

async function post(url: string, body: string, headers: Record<string, string>) {
  const answer = await fetch(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url} was answered ${answer.status}: ${text}`)
  return JSON.parse(text) as Record<string, string | undefined>
}

/** As many more of the same owner, each with a key of its own. */
export async function addAgents(
  connection: EmbeddedConnection,
  seals: RowSeals,
  template: string,
  count: number,
): Promise<Signer[]> {
  const signers: Signer[] = []
  await filling(connection, async (client) => {
    const { rows } = await client.query('select * from agents where id = $1', [template])
    const { merchant_id: merchantId, customer_id: customerId, limits } = rows[0]
    for (let number = 1; number <= count; number += 1) {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519')
      const bytes = Buffer.from(String(createPublicKey(privateKey).export({ format: 'jwk' }).x), 'base64url')
      const agentId = `aa_${String(number).padStart(26, '0')}`
      const key = { thumbprint: `bench-${number}`, publicKey: bytes, encryptionKey: null, mandateKey: null }
      await client.query(
        `insert into agents (merchant_id, id, customer_id, link_id, name, limits, created_at, updated_at, seal)
         select merchant_id, $2, customer_id, link_id, name, limits, created_at, updated_at, $3 from agents where id = $1`,
        [template, agentId, seals.seal(sealedAgent({ merchantId, id: agentId, customerId, limits, limitsVersion: 1 }))],
      )
      await client.query(
        'insert into agent_keys (merchant_id, thumbprint, agent_id, public_key, created_at, seal) values ($1, $2, $3, $4, now(), $5)',
        [
          merchantId,
          key.thumbprint,
          agentId,
          bytes,
          seals.seal(sealedKey({ ...key, merchantId, agentId, validUntil: null })),
        ],
      )
      await client.query('insert into agent_spending (merchant_id, agent_id) values ($1, $2)', [merchantId, agentId])
      signers.push({ keyId: agentId, privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() })
      void publicKey
    }
    await client.query('vacuum analyze agents, agent_keys, agent_spending')
  })
  return signers
}
