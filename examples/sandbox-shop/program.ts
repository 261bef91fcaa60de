import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Acquirer } from './buying/acquirer.ts'
import type { Protocol } from './shop.ts'
import { startShop } from './start.ts'

const { env } = process

/** The shop as a program of its own: settings from the environment, or beside a running service from its `dev.json`. */
export async function run(protocol?: Protocol): Promise<void> {
  const home = env.SHOP_HOME ?? '.sandbox-shop'
  // A child of the service. The channel closes when the service ends, however it ends: a shop that stayed would keep
  // port and files.
  let stop: () => void = () => process.exit(0)
  const isChild = process.send !== undefined
  if (isChild) process.once('disconnect', () => stop())
  const options = {
    home,
    port: Number(env.PORT ?? 4005),
    key: env.SHOP_KEY ?? (await ownKey(home)),
    acquirer: await findAcquirer(),
    merchantUrl: env.SHOP_URL,
    ...(env.SHOP_SLOW_SECONDS === undefined ? {} : { slowMillis: Number(env.SHOP_SLOW_SECONDS) * 1000 }),
    ...(!isChild ? { log: (line: string) => console.log(`  ${line}`) } : {}),
    onKeyRefused: () => {
      // The service has a log of its own, and knows whose key it is.
      if (isChild) process.send?.({ problem: 'key_refused' }, () => undefined)
      else
        console.error(
          '  The acquirer refuses the key of the shop, so nothing can be paid. Start the shop with another ACQUIRER_KEY.',
        )
    },
  }
  const shop = await startShop(options, protocol).catch(fail)
  stop = once(() => void shop.close().finally(() => process.exit(0)))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop())
  // The service may be gone already; the channel then says so by itself.
  if (isChild) process.send?.({ url: shop.url }, () => undefined)
  else console.log(`\n  The sandbox shop is open: ${shop.url}\n  Its files are in ${home}. Stop with Ctrl-C.\n`)
}

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    work()
  }
}

/** Made once and kept, for whoever calls a shop that was started by hand. */
async function ownKey(home: string): Promise<string> {
  const file = join(home, 'key')
  await mkdir(home, { recursive: true, mode: 0o700 })
  const made = randomBytes(24).toString('base64url')
  await writeFile(file, made, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return (await readFile(file, 'utf8')).trim()
}

async function findAcquirer(): Promise<Acquirer> {
  const { ACQUIRER_URL: url, ACQUIRER_KEY: key, MINTMARK_HOME: home = '.mintmark' } = env
  if (url && key) return { url, key }
  const file = join(home, 'dev.json')
  try {
    const dev = JSON.parse(await readFile(file, 'utf8')) as { api_url: string; secret_key: string }
    return { url: dev.api_url, key: dev.secret_key }
  } catch {
    return fail(
      new Error(`there is no ${file}. Start the service first (npm start), or set ACQUIRER_URL and ACQUIRER_KEY.`),
    )
  }
}

function fail(error: Error): never {
  console.error(`sandbox shop: ${error.message}`)
  process.exit(1)
}
