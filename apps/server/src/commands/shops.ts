import { readFile } from 'node:fs/promises'
import {
  COUNTRIES,
  type Country,
  SHOP_ADAPTERS,
  SHOP_STATUSES,
  type ShopAdapter,
  type ShopStatus,
} from '@mintmark/contract'
import type { Command } from 'commander'
import type { Shop } from '../checkout/shops/service.ts'
import type { Operated } from '../compose/operated.ts'
import { type Secret, secret } from '../platform/secret.ts'
import { among, needed, UsageError } from './usage.ts'

type Run = (work: (app: Pick<Operated, 'shops'>) => Promise<unknown>) => Promise<void>

interface Options {
  name?: string
  url?: string
  country?: Country
  adapter?: ShopAdapter
  baseUrl?: string
  /** False: it is to be removed. */
  key?: false
  keyFile?: string
  status?: ShopStatus
}

/** `shop …`: where the service buys by itself. */
export function addShopCommands(shop: Command, run: Run): void {
  described(shop.command('add').description('a shop that merchants may have quotes from'), '; required')
    .option('--adapter <adapter>', 'how it is spoken to: native or acp; required', among('--adapter', SHOP_ADAPTERS))
    .action((options: Options) => {
      const settings = {
        name: needed(options.name, '--name'),
        url: needed(options.url, '--url'),
        country: needed(options.country, '--country'),
        adapter: needed(options.adapter, '--adapter'),
        baseUrl: needed(options.baseUrl, '--base-url'),
      }
      return run(async ({ shops }) => shown(await shops.add(settings, (await keyOf(options)) ?? null)))
    })
  shop
    .command('list')
    .description('all shops, without their keys')
    .action(() => run(async ({ shops }) => (await shops.list()).map(shown)))
  described(shop.command('update').description('change a shop; what is not named stays'))
    .argument('<ID>', 'the shop')
    .option('--no-key', 'it asks for no key any more')
    .option('--status <status>', 'active or disabled', among('--status', SHOP_STATUSES))
    .action((id: string, options: Options) =>
      run(async ({ shops }) => shown(await shops.update(needed(id, 'ID'), await changesOf(options)))),
    )
  shop
    .command('disable')
    .description(
      'no more searches, quotes, sessions and purchases; where it may have a card, its word still counts. update --status active ends it',
    )
    .argument('<ID>', 'the shop')
    .action((id: string) =>
      run(async ({ shops }) => shown(await shops.update(needed(id, 'ID'), { status: 'disabled' }))),
    )
}

function country(text: string): Country {
  const found = COUNTRIES.find((code) => code === text)
  if (found === undefined) throw new UsageError('--country must be a country of ISO 3166-1, 2 uppercase letters')
  return found
}

/** What a new shop needs, and what may be changed of one that there is. */
function described(command: Command, kind: '; required' | '' = ''): Command {
  return command
    .option('--name <name>', `its name, as cardholders see it${kind}`)
    .option('--url <url>', `where its customers find it; credentials are good at this host alone${kind}`)
    .option('--country <country>', `where it is, by two letters${kind}`, country)
    .option('--base-url <url>', `where it is asked: the address of its interface${kind}`)
    .option('--key-file <FILE>', 'a file with the key that it wants')
}

async function changesOf({ name, url, country, baseUrl, status, ...options }: Options) {
  const key = await keyOf(options)
  return {
    ...(name === undefined ? {} : { name }),
    ...(url === undefined ? {} : { url }),
    ...(country === undefined ? {} : { country }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(status === undefined ? {} : { status }),
    ...(key === undefined ? {} : { key }),
  }
}

/** From a file: what is on a command line can be read by every user of the machine. Undefined: nothing is said of it. */
async function keyOf({ key, keyFile }: Options): Promise<Secret | null | undefined> {
  if (keyFile === undefined) return key === false ? null : undefined
  const text = await readFile(keyFile, 'utf8').catch((cause: unknown) => {
    throw new Error(`The key file ${keyFile} cannot be read.`, { cause })
  })
  const line = text.trim()
  if (!/^[\x21-\x7e]{1,1000}$/.test(line)) {
    throw new Error(`The key file ${keyFile} must hold one line of 1 to 1000 characters, without blanks.`)
  }
  return secret(line)
}

/** Without what is sealed: whether there is a key is all that is shown of it. */
function shown({ key, seal: _, ...shop }: Shop) {
  return { ...shop, hasKey: key !== null }
}
