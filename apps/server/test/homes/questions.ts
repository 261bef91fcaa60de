import { createPrivateKey, type KeyObject } from 'node:crypto'
import { newAgent } from '../agents.ts'
import { call, type TestService, walletCaller } from '../service.ts'

/** The callers: with a secret key, at the wallet API, or with the key of an agent. */
type Asker = { secretKey: string } | { walletKey: string } | { agentId: string; privateKey: string }

/** Something to read. */
export interface Question {
  by: Asker
  path: string
}

/** What was answered. */
export interface Told extends Question {
  status: number
  body: unknown
}

export const privateKeyOf = (key: KeyObject) => key.export({ format: 'pem', type: 'pkcs8' }).toString()

export async function ask(service: TestService, questions: readonly Question[]): Promise<Told[]> {
  const told: Told[] = []
  for (const { by, path } of questions) {
    const { status, body } = await answerTo(service, { by, path })
    told.push({ by, path, status, body: JSON.parse(JSON.stringify(body, lasting)) })
  }
  return told
}

/** Without what is new in each answer. A payload is encrypted anew each time it is read. */
const lasting = (key: string, value: unknown) => {
  if (key === 'request_id' || key === 'timestamp') return undefined
  return key === 'encrypted_payload' ? Object.keys(value as object) : value
}

function answerTo(service: TestService, { by, path }: Question) {
  if ('secretKey' in by) return call(service.apiUrl + path, { headers: { authorization: `Bearer ${by.secretKey}` } })
  if ('walletKey' in by) return walletCaller(service.walletUrl, by.walletKey).get(path)
  const privateKey = createPrivateKey(by.privateKey)
  const agent = newAgent(service, by.agentId, { privateKey, publicKey: privateKey })
  return agent.send('GET', path)
}
