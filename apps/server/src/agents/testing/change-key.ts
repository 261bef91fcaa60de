import { sign } from 'node:crypto'
import type { LinkedAgent, TestAgent } from '../../../test/agents.ts'
import { thumbprintOf } from './thumbprint.ts'

/** What an agent sends to change its key, with the proof of the new one. */
export function changeBody(agent: LinkedAgent, next: TestAgent, changes: object = {}) {
  const lines = [
    'mintmark-agent-key-change',
    agent.agentId,
    thumbprintOf(agent.privateKey),
    thumbprintOf(next.privateKey),
  ]
  const proof = sign(null, Buffer.from(lines.join('\n')), next.privateKey).toString('base64')
  return { public_key: next.publicKey, proof, ...changes }
}

export const changeKey = (agent: LinkedAgent, body: object) => agent.send('POST', '/v1/agents/me/keys', body)
