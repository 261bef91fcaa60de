// Guarantee: wherever a verb of the key rotation dies, running it again goes on; the service reads everything all the time, and
// no key goes that something still needs.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, eventually, note, type Program, runProgram, startProgram } from '../processes/program.ts'
import { sessionBody } from '../service.ts'
import { approve, isKillPoint, openStage, outcomeOf, prepareApproval, STEP, type Stage } from './stage.ts'
import { startWireProxy, type WireMessage, type WireProxy } from './wire-proxy.ts'

const PAYMENTS = 5
/** Each kill starts the program anew: each third message of the long verbs is taken, and in the short form each ninth. */
const LONG_VERBS_STEP = process.env.CRASH_SWEEP === 'every' ? 1 : 3 * STEP

let stage: Stage
let service: Program
let merchant: Caller
let proxy: WireProxy
/** What each payment's credential is. */
const tokens = new Map<string, string>()

beforeAll(async () => {
  stage = await openStage()
  const started = await stage.start('recover')
  service = started.program
  merchant = started.merchant
  proxy = await startWireProxy(stage.database.connection)
  for (let count = 1; count <= PAYMENTS; count += 1) {
    const id = await prepareApproval(merchant, `keys-${count}`)
    await approve(merchant, id)
    tokens.set(id, (await outcomeOf(merchant, id)).transactions[0].line_items[0].token)
  }
})
afterAll(async () => {
  await service?.stop()
  await proxy?.close()
  await stage?.close()
})

const settings = (url: string) => ({ home: stage.home, env: { ...stage.env, DATABASE_URL: url } })

/** Runs a verb to its end, beside the proxy. */
async function verb(...words: string[]) {
  const { code, output } = await runProgram(['keys', ...words], settings(stage.database.url))
  return { code, output, json: () => JSON.parse(output.slice(output.indexOf('{'))) }
}

const DONE: { code?: number; output?: unknown } = { code: 0 }

/**
 * Kills runs of a verb at one message after the other, from the one in which it first asks for the keys, until one run ends
 * before its message comes. Returns how many messages there were, give or take the step.
 */
async function killAtEach(words: string[], step = STEP, ended = DONE): Promise<number> {
  for (let at = 1; ; at += step) {
    let isOwn = false
    const counts = (message: WireMessage) => {
      isOwn ||= message.direction === 'frontend' && message.bytes.includes('key_encryption_keys')
      return isOwn && isKillPoint(message)
    }
    const held = proxy.arm({ counts, at, when: 'after', action: 'hold' })
    const program = startProgram(['keys', ...words], settings(proxy.url))
    await Promise.race([held, program.ended])
    const { happened } = proxy.disarm()
    const { code } = await program.stop('SIGKILL')
    await expectReadable()
    if (happened) continue
    expect({ code, output: program.output() }).toMatchObject(ended)
    return at - step
  }
}

/** Every credential opens, and another card can be stored. */
async function expectReadable(): Promise<void> {
  for (const [id, token] of tokens) {
    const { status, body } = await merchant.get(`/v1/sessions/${id}/payment-result`)
    expect({ status, token: body.transactions?.[0].line_items[0].token }).toEqual({ status: 200, token })
  }
}

async function keysInUse(): Promise<string[]> {
  const { rows } = await stage.database.pool.query<{ id: string }>(
    `select number_key_id as id from vault_records union select webhook_secret_key_id from merchants
     union select credential_key_id from charges where credential_key_id is not null order by id`,
  )
  return rows.map(({ id }) => id)
}

test('killed after each message of add, rotate, rewrap and retire', { timeout: 900_000 }, async () => {
  const killed: Record<string, number> = {}
  killed.add = await killAtEach(['add', 'local'])
  const { id } = (await verb('add', 'local')).json()

  // The running service proves it first, by itself.
  await eventually(async () => ((await verb('rotate', id)).code === 0 ? true : undefined))
  await verb('rotate', 'local:1')
  killed.rotate = await killAtEach(['rotate', id])
  const { rows } = await stage.database.pool.query(`select id from key_encryption_keys where state = 'current'`)
  expect(rows).toEqual([{ id }])

  killed.rewrap = await killAtEach(['rewrap'], LONG_VERBS_STEP)
  await eventually(async () => {
    // The service takes up to five seconds to hear of the new key.
    const session = await prepareApproval(merchant, `keys-late-${Math.random()}`)
    expect(session).toBeDefined()
    await verb('rewrap')
    return (await keysInUse()).join() === id ? true : undefined
  })
  await eventually(async () => ((await verb('retire', 'local:1')).code === 0 ? true : undefined))
  const others = (await verb('list')).json().keys.filter((key: { id: string }) => key.id !== id)
  expect(others.length).toBeGreaterThan(0)
  // Where a run was killed after its commit, the next one finds no such key.
  const gone = { output: expect.stringMatching(`"retired": true|There is no key ${others[0].id}\\. It is retired`) }
  killed.retire = await killAtEach(['retire', others[0].id], LONG_VERBS_STEP, gone)
  expect((await verb('list')).json().keys.map((key: { id: string }) => key.id)).not.toContain(others[0].id)

  await expectReadable()
  expect((await merchant.post('/v1/sessions', sessionBody())).status).toBe(201)
  note(`Key rotation, killed after each message: ${JSON.stringify(killed)}`)
  expect(killed.rotate).toBeGreaterThan(4 - STEP)
  expect(killed.rewrap).toBeGreaterThan(10)
})
