// Guarantee: a key that others can read is not used, a server that is none or leads elsewhere gets nothing out of this program, what is cut
// off can be repeated, and what others wrote commands no terminal.
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../apps/server/test/service.ts'
import type { ExitCode, Failure } from '../failure.ts'
import { apiAddress } from './address.ts'
import { charge } from './charge.ts'
import { agentHome } from './home.ts'
import { makeKey } from './key.ts'
import { link } from './link.ts'
import { limits, status } from './me.ts'
import { rotateKey } from './rotate.ts'
import type { Screen } from './screen.ts'
import { keptScreen } from './testing/screen.ts'

let service: TestService
let folder: string
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.close())
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'mintmark-agent-')), 'home')
})
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }))

const screenOf = (stopped?: AbortSignal) => keptScreen(folder, stopped)

async function failureOf(work: Promise<ExitCode>): Promise<Failure> {
  return work.then(
    () => expect.unreachable('It did not fail.'),
    (error: Failure) => error,
  )
}

const home = () => agentHome(folder, {})

/** An agent that is linked, with its files. */
async function linked(body: object = {}): Promise<string> {
  const { screen } = screenOf()
  await link({ name: 'Pantry', apiUrl: service.apiUrl, wait: false }, screen)
  const { link: pending } = JSON.parse(await readFile(home().stateFile, 'utf8'))
  const approved = await service.merchant.post(`/v1/test_helpers/agent_links/${pending.id}/approve`, body)
  await status(screenOf().screen)
  return approved.body.agent_id
}

/** The same file elsewhere, and a link to it in its place. */
async function putBehindLink(file: string): Promise<void> {
  const other = join(folder, 'other')
  await writeFile(other, await readFile(file), { mode: 0o600 })
  await rm(file)
  await symlink(other, file)
}

/** Another server, at which the agent of these files is linked. */
async function elsewhere(answer: RequestListener, use: (url: string) => Promise<void>): Promise<void> {
  const server: Server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await mkdir(folder, { mode: 0o700 })
  await makeKey(home().keyFile)
  await writeFile(home().stateFile, JSON.stringify({ api_url: url, agent_id: 'aa_1', link: null }), { mode: 0o600 })
  try {
    await use(url)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

describe('the key', () => {
  test('that others can read is not used, nor one behind a link', async () => {
    await linked()
    await chmod(home().keyFile, 0o640)
    expect(await failureOf(status(screenOf().screen))).toMatchObject({ code: 'KEY_FILE_OPEN', exitCode: 1 })
    await chmod(home().keyFile, 0o600)
    await putBehindLink(home().keyFile)
    expect(await failureOf(status(screenOf().screen))).toMatchObject({
      message: expect.stringContaining('a link to another file'),
    })
  })

  test('is never written over, and what is in it is never said', async () => {
    await mkdir(folder, { mode: 0o700 })
    await writeFile(home().keyFile, 'mine', { mode: 0o600 })
    const failed = await failureOf(link({ name: 'Pantry', apiUrl: service.apiUrl, wait: false }, screenOf().screen))
    expect([failed.code, failed.message]).toEqual(['KEY_UNREADABLE', expect.not.stringContaining('mine')])
    expect(await readFile(home().keyFile, 'utf8')).toBe('mine')
  })

  test.each([
    ['before the server heard of it', false],
    ['after it', true],
  ])('a change that was cut off %s is finished with the same new key', async (_when, isHeard) => {
    await linked()
    if (isHeard) {
      // As a process leaves it that ends between the answer and the rename.
      const before = await readFile(home().keyFile)
      await rotateKey({ oldKeySeconds: 0 }, screenOf().screen)
      await writeFile(home().nextKeyFile, await readFile(home().keyFile), { mode: 0o600 })
      await writeFile(home().keyFile, before)
    } else await makeKey(home().nextKeyFile)
    const next = await readFile(home().nextKeyFile, 'utf8')
    expect(await rotateKey({}, screenOf().screen)).toBe(0)
    expect(await readFile(home().keyFile, 'utf8')).toBe(next)
    expect(await status(screenOf().screen)).toBe(0)
  })
})

describe('where it is linked', () => {
  test.each([
    ['that others can change', 0o666],
    ['that others can read', 0o644],
    ['that its group can change', 0o620],
  ])('a file %s is not believed, and nobody is called', async (_, mode) => {
    await linked()
    await chmod(home().stateFile, mode)
    for (const work of [status, limits, (screen: Screen) => link({ wait: false }, screen)]) {
      expect(await failureOf(work(screenOf().screen))).toMatchObject({ code: 'STATE_FILE_OPEN', exitCode: 1 })
    }
    await chmod(home().stateFile, 0o600)
    expect(await status(screenOf().screen)).toBe(0)
  })

  test('a file behind a link is not believed', async () => {
    await linked()
    await putBehindLink(home().stateFile)
    expect(await failureOf(status(screenOf().screen))).toMatchObject({
      message: expect.stringContaining('a link to another file'),
    })
  })

  test.each(['http://api.pay.example', 'https://a:secret@b.example', 'file:///etc/passwd'])(
    'an address that is none is called by no command: %s',
    async (api_url) => {
      await linked()
      const state = JSON.parse(await readFile(home().stateFile, 'utf8'))
      await writeFile(home().stateFile, JSON.stringify({ ...state, api_url }))
      const failed = await failureOf(status(screenOf().screen))
      expect([failed.code, failed.message]).toEqual([
        'ADDRESS_REFUSED',
        expect.stringContaining(`in ${home().stateFile} is no address`),
      ])
      expect(failed.message).not.toContain('secret')
    },
  )

  test.each(['', 'null', '[]', '"x"', '{"api_url":7}'])('a file of %j is no state', async (text) => {
    await linked()
    await writeFile(home().stateFile, text)
    expect(await failureOf(status(screenOf().screen))).toMatchObject({ code: 'STATE_UNREADABLE' })
  })
})

describe('the owner', () => {
  test('who denies the link, or does not answer it: two ends, and it can be asked again by the same key', async () => {
    const ask = () => link({ name: 'Pantry', apiUrl: service.apiUrl, wait: false }, screenOf().screen)
    expect(await ask()).toBe(2)
    const { link: first } = JSON.parse(await readFile(home().stateFile, 'utf8'))
    await service.clock.advance(16 * 60)
    expect(await failureOf(status(screenOf().screen))).toMatchObject({ code: 'LINK_EXPIRED', exitCode: 2 })
    expect(await ask()).toBe(2)
    const { link: second } = JSON.parse(await readFile(home().stateFile, 'utf8'))
    expect(second.id).not.toBe(first.id)
  })

  test('whose agent it is at one server is not asked at another', async () => {
    await linked()
    const other = link({ apiUrl: 'https://api.pay.example', wait: false }, screenOf().screen)
    expect(await failureOf(other)).toMatchObject({ code: 'OTHER_SERVER' })
  })
})

describe('an address', () => {
  test.each(['https://api.pay.example', 'http://localhost:4000', 'http://127.0.0.1:4000/', 'http://[::1]:4000'])(
    '%s is one',
    (text) => {
      expect(apiAddress(text)).toBe(text.replace(/\/$/, ''))
    },
  )
  test.each([
    'http://api.pay.example',
    'https://a:secret@b.example',
    'ftp://localhost',
    'localhost:4000',
    'http://127.0.0.1.evil.example',
    'https://a.example/?',
  ])('%s is none', (text) => {
    expect(() => apiAddress(text)).toThrow(/is no address of the main API/)
    expect(() => apiAddress(text)).not.toThrow(/secret/)
  })
})

describe('a server that is none', () => {
  const evil = '\u001b]0;x\u0007Ann\u202e\n\u009b2Jmintmark: paid'
  test.each<[string, RequestListener, string]>([
    ['garbage', (_q, response) => void response.end('<html>'), 'BAD_ANSWER'],
    ['another JSON', (_q, response) => void response.end('{"agent_id":"aa_1"}'), 'BAD_ANSWER'],
    ['a list', (_q, response) => void response.end('[]'), 'BAD_ANSWER'],
    ['too much', (_q, response) => void response.end('x'.repeat(3_000_000)), 'NO_ANSWER'],
    [
      'half of it',
      (_q, response) => void response.writeHead(200, { 'content-length': 99 }).write('{', () => response.destroy()),
      'NO_ANSWER',
    ],
    ['elsewhere', (_q, response) => void response.writeHead(307, { location: service.apiUrl }).end(), 'BAD_ANSWER'],
    ['nothing', (_q, response) => void response.destroy(), 'NO_ANSWER'],
    ['later', (_q, response) => void response.writeHead(503, { 'retry-after': '1' }).end('{}'), 'NO_ANSWER'],
    [
      'words with commands and a card',
      (_q, response) =>
        void response
          .writeHead(400)
          .end(JSON.stringify({ error: { code: 'X\n', message: `${evil} 4242 4242 4242 4242` } })),
      'BAD_ANSWER',
    ],
  ])('%s', async (_name, answer, code) => {
    await elsewhere(answer, async () => {
      const { screen, told } = screenOf()
      const failed = await failureOf(limits(screen))
      expect(failed).toMatchObject({ code, exitCode: 1 })
      // A port may have four digits of a card.
      expect(failed.message).not.toMatch(/[\p{Cc}\u202e]|4242\D?4242/u)
      expect(told).toMatchObject({ words: [], answer: {} })
    })
  })

  test('a field that it adds to an answer is not shown', async () => {
    const answer = {
      status: 'awaiting_result',
      amount: '1.00',
      currency: 'USD',
      credentials: { token: '4111' },
      token: '4111',
    }
    await elsewhere(
      (_q, response) => void response.end(JSON.stringify(answer)),
      async () => {
        const { screen, told } = screenOf()
        await charge('mdt_1', { amount: '1.00' }, screen)
        expect(JSON.stringify(told)).not.toContain('4111')
      },
    )
  })

  test("a shop's token pays as a card does, and goes into a file as well", async () => {
    const delivery = { type: 'acp', checkout_session_id: 'cs_1', token: 'vt_secret', handler_id: 'h' }
    const answer = { status: 'awaiting_result', amount: '1.00', currency: 'USD', delivery }
    const file = join(folder, 'token.json')
    let sent = ''
    await elsewhere(
      async (request, response) => {
        for await (const chunk of request) sent += chunk
        response.end(JSON.stringify(answer))
      },
      async () => {
        const { screen, told } = screenOf()
        await charge('mdt_1', { amount: '1.00', checkoutSession: 'cs_1', outputFile: file }, screen)
        expect(told.answer).toMatchObject({
          delivery: { checkout_session_id: 'cs_1', handler_id: 'h' },
          card_file: file,
        })
        expect(JSON.stringify(told)).not.toContain('vt_secret')
      },
    )
    expect(JSON.parse(sent)).toMatchObject({ delivery: { type: 'acp', checkout_session_id: 'cs_1' } })
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(delivery)
  })

  test('an id is a part of a path, and no other path', async () => {
    const paths: (string | undefined)[] = []
    await elsewhere(
      (request, response) => {
        paths.push(request.url)
        response.end('{}')
      },
      () => failureOf(charge('../agents/me?x', { amount: '1.00' }, screenOf().screen)).then(() => undefined),
    )
    expect(paths).toEqual(['/v1/mandates/..%2Fagents%2Fme%3Fx/charge'])
  })
})

describe('a charge that is cut off', () => {
  test('has told its reference before it was sent, and ends with 2', async () => {
    const { screen, told } = screenOf()
    let toldBefore: string[] = []
    const sent: string[] = []
    await elsewhere(
      async (request, response) => {
        if (sent.length === 0) toldBefore = [...told.notes]
        let body = ''
        for await (const chunk of request) body += chunk
        sent.push(body)
        response.destroy()
      },
      async () => {
        const failed = await failureOf(charge('mdt_1', { amount: '1.00' }, screen))
        const { reference } = JSON.parse(sent[0] ?? '')
        // Repeated, it is the same.
        expect(sent).toEqual([sent[0], sent[0]])
        expect(toldBefore.join()).toContain(reference)
        expect(failed).toMatchObject({ code: 'OUTCOME_UNKNOWN', exitCode: 2, facts: { reference } })
        expect(failed.message).toContain(`--reference ${reference}`)
      },
    )
  })

  test('by Ctrl-C, too; and the file for its card is gone', async () => {
    const controller = new AbortController()
    const { screen } = screenOf(controller.signal)
    const file = join(folder, 'card.json')
    await elsewhere(
      () => controller.abort(new Error('Ctrl-C')),
      async () => {
        const failed = await failureOf(charge('mdt_1', { amount: '1.00', reference: 'r', outputFile: file }, screen))
        expect(failed).toMatchObject({ code: 'OUTCOME_UNKNOWN', exitCode: 2 })
      },
    )
    await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
