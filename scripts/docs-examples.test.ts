import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { FRAME_PROTOCOL } from '@mintmark/contract'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { secret } from '../apps/server/src/platform/secret.ts'
import { freePort } from '../apps/server/test/processes/spawn.ts'
import { startTestService, type TestService } from '../apps/server/test/service.ts'
import { startShop } from '../examples/sandbox-shop/server.ts'

// What the documentation shows is run as it stands there.

const ROOT = join(import.meta.dirname, '..')
const run = promisify(execFile)

/** The code blocks of a page whose first line is exactly this, in order. */
async function blocks(path: string, opening: string): Promise<string[]> {
  const text = await readFile(join(ROOT, path), 'utf8')
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)]
    .filter(([, info]) => info === opening)
    .map(([, , body = '']) => body)
}

/** A line as a page shows it: `…` stands for what is different each time, and so does the port of a service. */
function shapeOf(line: string): RegExp {
  const parts = line
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/localhost:\d+/, 'localhost:\\d+'))
  return new RegExp(`^${parts.join('.+')}$`)
}

describe('commands against a running service', () => {
  let service: TestService
  let folder: string
  beforeAll(async () => {
    // By the name that tokens of the tool protocol are for.
    service = await startTestService({ env: { API_URL: `http://localhost:${await freePort()}` } })
    folder = await mkdtemp(join(tmpdir(), 'mintmark-examples-'))
    const dev = { api_url: service.apiUrl, secret_key: service.merchant.secretKey }
    await writeFile(join(folder, 'dev.json'), JSON.stringify(dev))
  })
  afterAll(async () => {
    await service?.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  /** The lines that say where the service and its shop are are the test's own. */
  async function shell(script: string, more: NodeJS.ProcessEnv = {}): Promise<string[]> {
    const lines = script.split('\n').filter((line) => !/^(?:API|KEY|WALLET|WALLET_KEY|ACP|SHOP_KEY)=/.test(line))
    const text = ['set -euo pipefail', ...lines].join('\n')
    const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
    const { apiUrl: API, walletUrl: WALLET, merchant } = service
    const keys = { KEY: merchant.secretKey, WALLET_KEY: merchant.wallet.key }
    const env = { ...process.env, PATH, API, WALLET, ...keys, ...more }
    const { stdout } = await run('bash', ['-c', text], { env, cwd: folder })
    return stdout.trimEnd().split('\n')
  }

  test('the first payment of the README, and what it shows of each answer', async () => {
    const lines = await shell((await blocks('README.md', 'bash')).join('\n'))
    const output = lines.join('\n')
    const shown = (await blocks('README.md', 'console')).join('').trimEnd().split('\n')
    expect(shown).toHaveLength(lines.length)
    for (const [index, line] of shown.entries()) expect(lines[index]).toMatch(shapeOf(line))
    expect(output).toContain(`${service.surfaceUrl}/s/`)
    expect(output).toContain('"status":"awaiting_result"')
    expect(output).toMatch(/^\d{16} \d{3} \d{2}\/\d{4}$/m)
    expect(output).toContain('"approved":true,"response_code":"00"')
    expect(output).toContain('"network_confirmation":"SUCCESS"')
    expect(output).toMatch(/completed$/)
  })

  test('the program of the quickstart', async () => {
    const program = await blocks('docs/guides/quickstart.md', 'js run')
    // From the top: each block goes on with what is above it.
    await writeFile(join(folder, 'pay.mjs'), program.join('\n'))
    const env = { ...process.env, DEV_FILE: join(folder, 'dev.json') }
    const { stdout } = await run(process.execPath, ['pay.mjs'], { cwd: folder, env })
    expect(stdout).toContain('Reported: APPROVED SUCCESS')
  })

  test('the retries of the guide to idempotency', async () => {
    const [setup = ''] = await blocks('README.md', 'bash')
    const output = await shell(setup + (await blocks('docs/guides/idempotency.md', 'bash run')).join('\n'))
    const [created] = output
    expect(created).toMatch(/^sess_/)
    expect(output).toEqual([
      ...[created, created, 'IDEMPOTENCY_CONFLICT'],
      ...['completed', 'awaiting_result', '1', '25.00'],
      ...['THRESHOLD_EXCEEDED', 'awaiting_result'],
      ...['failed', 'failed', 'CHARGE_NOT_REPORTABLE'],
      ...[expect.stringMatching(/^txn_/), '2'],
    ])
  })

  test('the guide to mandates', async () => {
    const [setup = ''] = await blocks('README.md', 'bash')
    const output = await shell(setup + (await blocks('docs/guides/mandates.md', 'bash run')).join('\n'))
    expect(output).toEqual([
      ...['completed', 'awaiting_result', expect.stringMatching(/^\d{4}$/), 'completed', 'completed'],
      ...['15.00', 'null', 'active', 'THRESHOLD_EXCEEDED'],
      ...['paused', 'active', 'cancelled'],
    ])
  })

  test('the guide to tools, by hand', async () => {
    const [setup = ''] = await blocks('README.md', 'bash')
    const linked = (await blocks('docs/guides/agents.md', 'bash run')).slice(0, 3)
    const output = await shell([setup, ...linked, ...(await blocks('docs/guides/mcp.md', 'bash run'))].join('\n'))
    expect(output).toEqual([
      ...['pending', 'approved', 'Pantry', 'completed', 'completed'],
      ...['your_key', 'awaiting_result', 'MANDATE_NOT_FOUND'],
    ])
  })

  test('the tool for an agent', async () => {
    const [quickstart = ''] = await blocks('docs/guides/quickstart.md', 'js run')
    const [tool = ''] = await blocks('docs/guides/mandates.md', 'js run')
    await writeFile(join(folder, 'buy.mjs'), quickstart.slice(0, quickstart.indexOf('const session =')) + tool)
    const env = { ...process.env, DEV_FILE: join(folder, 'dev.json') }
    const { stdout } = await run(process.execPath, ['buy.mjs'], { cwd: folder, env })
    const outcomes = ['above what you wanted to pay', 'completed', 'completed', 'THRESHOLD_EXCEEDED']
    expect(stdout.trimEnd().split('\n')).toEqual(outcomes)
  })

  test.each([
    ['merchant', ['true 15.00', '404 MANDATE_NOT_FOUND']],
    ['agent', ['approved', expect.stringMatching(/^Pantry may pay Tea House \(tea\.example\)/), '16 completed']],
  ])("the %s on the SDK's page", async (name, lines) => {
    const [source = ''] = await blocks('packages/node/README.md', `js ${name}`)
    await mkdir(join(folder, '.mintmark'), { recursive: true })
    await copyFile(join(folder, 'dev.json'), join(folder, '.mintmark/dev.json'))
    // Modules in the folder find the package as those of a project that installed it.
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules')).catch(() => undefined)
    await writeFile(join(folder, `${name}.mjs`), source)
    const { stdout } = await run(process.execPath, [`${name}.mjs`], { cwd: folder })
    expect(stdout.trimEnd().split('\n')).toEqual(lines)
  })

  test('the guide to cards', async () => {
    const [setup = ''] = await blocks('README.md', 'bash')
    const output = await shell(setup + (await blocks('docs/guides/cards.md', 'bash run')).join('\n'))
    expect(output).toEqual([
      expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...['awaiting_result', '**** **** **** 0143'],
      ...['NETWORK_DELETE_FAILED', 'true', 'true'],
      expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    ])
  })

  test('the guide to the feed', async () => {
    const [setup = ''] = await blocks('README.md', 'bash')
    await shell((await blocks('README.md', 'bash')).join('\n'))
    await service.runJobs()
    const output = await shell(setup + (await blocks('docs/guides/events.md', 'bash run')).join('\n'))
    expect(output.join('\n')).toMatch(/payment\.succeeded txn_\w+ 3\n/)
    expect(output.join('\n')).toMatch(/kept for the next time: \S+\n/)
    expect(output.at(-1)).toBe('{"data":[],"next_cursor":null}')
  })

  describe('with the shop of a sandbox', () => {
    let home: string
    let shop: Awaited<ReturnType<typeof startShop>>
    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), 'mintmark-shop-'))
      const acquirer = { url: service.apiUrl, key: service.merchant.secretKey }
      shop = await startShop({ home, key: 'key-of-the-shop', acquirer })
      const settings = { name: 'Sandbox Shop', url: 'https://sandbox-shop.example', country: 'US' } as const
      const place = { adapter: 'native', baseUrl: shop.url } as const
      await service.app.shops.ensureSandboxShop({ ...settings, ...place }, secret('key-of-the-shop'))
    })
    afterAll(async () => {
      await shop?.close()
      await rm(home, { recursive: true })
    })

    test('the guide to quotes', async () => {
      const working = setInterval(() => void service.runJobs(), 200)
      const [setup = ''] = await blocks('README.md', 'bash')
      const script = setup + (await blocks('docs/guides/quotes.md', 'bash run')).join('\n')
      const output = await shell(script).finally(() => clearInterval(working))
      expect(output.slice(0, 7)).toEqual([
        ...['Stoneware mug', '36.00', expect.stringMatching(/^\d+\.\d\d$/)],
        ...['ADDRESS_UNIT_CONFIRMATION_SUGGESTED', 'QUOTE_ALREADY_USED'],
        ...['completed', 'paid'],
      ])
      const keys = output
        .slice(7)
        .join('')
        .matchAll(/(\w+):/g)
      expect([...keys].map(([, key]) => key)).toEqual(['txn_id', 'card_id', 'status'])
    })

    test('the guide to agents, signed by hand', async () => {
      const [setup = ''] = await blocks('README.md', 'bash')
      const at = { ACP: `${shop.url}/acp`, SHOP_KEY: 'key-of-the-shop' }
      const output = await shell(setup + (await blocks('docs/guides/agents.md', 'bash run')).join('\n'), at)
      expect(output).toEqual([
        ...['pending', 'approved', 'Pantry', '100.00', 'The pantry'],
        expect.stringMatching(/^The pantry gets a one-time card for up to \$40\.00/),
        ...['awaiting_result', 'awaiting_result', 'confirmed'],
        expect.stringMatching(
          /^The pantry may pay Tea House \(tea\.example\), and nobody else, up to \$50\.00 each month/,
        ),
        ...['completed', 'completed', '30.00', 'allowed', 'completed'],
        // At the sandbox's shop, which no setting has opened.
        ...['ready_for_payment', 'completed', 'card_tokenized', 'completed', 'completed'],
        ...['true', 'key_unknown', 'The pantry'],
        ...['true', expect.stringMatching(/\/v1\/agents\/aa_\w+\/card$/), 'The pantry', 'true'],
      ])
    })

    test('the guide to the wallet API', async () => {
      await service.runJobs()
      const [setup = ''] = await blocks('README.md', 'bash')
      const output = await shell(setup + (await blocks('docs/guides/wallet-api.md', 'bash run')).join('\n'))
      expect(output).toEqual([
        ...['pending', 'verified', '100.00', '18.00', '54.00'],
        ...['completed', '46.00', 'ordered'],
        ...['same', 'IDEMPOTENCY_CONFLICT', '56.00', '1'],
      ])
    })
  })

  test('their page names every background task, and no other', async () => {
    const text = await readFile(join(ROOT, 'docs/background-tasks.md'), 'utf8')
    const [, section = ''] = /^## The tasks\n([\s\S]*)/m.exec(text) ?? []
    const named = [...section.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, name]) => name)
    expect(named.sort()).toEqual(service.app.jobs.map(({ name }) => name).sort())
  })

  test('the expiry of the quickstart', async () => {
    const [setup = ''] = await blocks('README.md', 'bash')
    const [expiry = ''] = await blocks('docs/guides/quickstart.md', 'bash run')
    expect((await shell(setup + expiry)).at(-1)).toBe('SESSION_EXPIRED')
  })
})

describe('the embedding example', () => {
  const SURFACE = 'http://localhost:4002'

  test('greets, listens to the surface alone, and cleans up', async () => {
    const [source = ''] = await blocks('docs/guides/embedding.md', 'js module')
    const { openPayment } = await import(`data:text/javascript,${encodeURIComponent(source)}`)
    const page = fakePage()
    vi.stubGlobal('document', { createElement: () => page.frame })
    vi.stubGlobal('window', page)
    const seen: string[] = []
    const onMessage = ({ type }: { type: string }) => seen.push(type)
    const close = openPayment({ iframeUrl: `${SURFACE}/s/ma_1/sess_1#x`, container: { append: () => {} }, onMessage })

    page.frame.load()
    expect(page.sent).toEqual([[{ protocol: FRAME_PROTOCOL, type: 'hello' }, SURFACE]])
    const ready = { protocol: FRAME_PROTOCOL, type: 'ready', session_id: 'sess_1' }
    page.receive(ready, 'https://evil.example', page.frame.contentWindow)
    page.receive(ready, SURFACE, {})
    page.receive({ type: 'ready' }, SURFACE, page.frame.contentWindow)
    expect(seen).toEqual([])
    page.receive(ready, SURFACE, page.frame.contentWindow)
    page.receive({ protocol: FRAME_PROTOCOL, type: 'resize', height: 321 }, SURFACE, page.frame.contentWindow)
    expect(seen).toEqual(['ready', 'resize'])
    expect(page.frame.style.height).toBe('321px')
    close()
    page.receive(ready, SURFACE, page.frame.contentWindow)
    expect(seen).toHaveLength(2)
    vi.unstubAllGlobals()
  })

  /** As much of a browser as the example touches. */
  function fakePage() {
    const sent: unknown[][] = []
    const listeners = new Set<(event: object) => void>()
    const frame = {
      style: { cssText: '', height: '' },
      contentWindow: { postMessage: (...message: unknown[]) => sent.push(message) },
      load: () => {},
      addEventListener: (_type: string, listener: () => void) => {
        frame.load = listener
      },
      remove: () => {},
    }
    return {
      frame,
      sent,
      addEventListener: (_type: string, listener: (event: object) => void) => listeners.add(listener),
      removeEventListener: (_type: string, listener: (event: object) => void) => listeners.delete(listener),
      receive: (data: object, origin: string, source: object) => {
        for (const listener of listeners) listener({ data, origin, source })
      },
    }
  }
})
