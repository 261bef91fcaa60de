import type { Command } from 'commander'
import type { Operated } from '../compose/operated.ts'
import { MAX_COUNTED, type RewrapCount } from '../vault/rewrap.ts'
import { needed } from './usage.ts'

type Keys = Pick<Operated, 'keys' | 'rewrap' | 'sealedPlaces'>
type Run = (work: (app: Keys) => Promise<unknown>) => Promise<void>

/** `keys …`: the key-encryption keys, while the service runs. Each verb may be killed and run again. */
export function addKeyRingCommands(keys: Command, run: Run): void {
  const verb = (name: string, description: string, work: (app: Keys, id: string) => Promise<unknown>) =>
    keys
      .command(name)
      .description(description)
      .argument('<KEY_ID>', 'the key')
      .action((id: string) => run((app) => work(app, needed(id, 'KEY_ID'))))
  keys
    .command('list')
    .description('all keys, what they wrap, and the processes that reach them')
    .action(() => run(({ keys, sealedPlaces }) => keys.describeKeys(sealedPlaces)))
  keys
    .command('add')
    .description('make a key known; nothing is wrapped with it yet')
    .argument('<KEY>', 'local for a new key file, or the id of a key that exists')
    .action((given: string) => run(({ keys }) => keys.addKey(needed(given, 'KEY'))))
  verb('rotate', 'make a key current: it wraps every new data key', ({ keys }, id) => keys.rotateKey(id))
  keys
    .command('rewrap')
    .description('wrap everything that other keys wrap with the current one')
    .action(() => run(rewrapAll))
  verb('retire', 'take a key out of use that wraps nothing any more', ({ keys, sealedPlaces }, id) =>
    keys.retireKey(id, sealedPlaces),
  )
}

/** Between two lines of progress. */
const PROGRESS_MILLIS = 1_000

async function rewrapAll({ keys, rewrap, sealedPlaces }: Keys): Promise<RewrapCount> {
  const total = { rewrapped: 0, broken: 0 }
  for (const keyId of await keys.listFormerKeys()) {
    for (const place of sealedPlaces) {
      const of = await place.count(keyId)
      let saidAt = performance.now()
      const count = await rewrap(place, keyId, (soFar) => {
        if (performance.now() - saidAt < PROGRESS_MILLIS) return
        saidAt = performance.now()
        console.error(progress(place.name, keyId, soFar, of))
      })
      if (count.rewrapped + count.broken > 0) console.error(`${progress(place.name, keyId, count, of)}: done`)
      total.rewrapped += count.rewrapped
      total.broken += count.broken
    }
  }
  return total
}

function progress(name: string, keyId: string, { rewrapped, broken }: RewrapCount, of: number): string {
  const all = of < MAX_COUNTED ? String(of) : `${MAX_COUNTED} or more`
  return `${name}, under ${keyId}: ${rewrapped} of ${all} wrapped anew${broken > 0 ? `, ${broken} do not open` : ''}`
}
