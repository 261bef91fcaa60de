import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { type CommandDeps, command, rollback, single } from '../db/command.ts'
import { sqlState } from '../db/errors.ts'
import { bound } from '../platform/bound.ts'
import { type KeyProvider, KeyProviderUnavailable } from '../platform/key-provider.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { SealedPlace } from '../vault/service.ts'
import { createFileKey } from './key-files.ts'
import { checkKeyRow, type KeyRing } from './ring.ts'
import { probeContext, sealedKeyRow } from './seal.ts'
import type { KeyState } from './states.ts'
import * as store from './store.ts'

export interface KeyDeps extends CommandDeps {
  pool: Pool
  ring: KeyRing
  rootKeyFile: string
  providerOf(keyId: string): KeyProvider
  seals: RowSeals
  log: Log
}

const FOREIGN_KEY_VIOLATION = '23503'

/** The key, or the process, is not as the verb needs it. The message is for the operator. */
class KeyRefusal extends Error {
  override readonly name = 'KeyRefusal'
}

export interface AddedKey {
  id: string
  /** The file of a key that was made now, to take to every machine. */
  file?: string
}

/**
 * Makes a key known; nothing is wrapped with it yet. `local` makes one in a file. Before it is written down the key has to
 * prove that it opens what it wrapped, and only where that belongs. Repeated, it changes nothing.
 */
export async function addKey(deps: KeyDeps, given: string): Promise<AddedKey> {
  const made = given === 'local' ? await createFileKey(deps.rootKeyFile) : undefined
  const id = made?.keyId ?? given
  const probe = await makeProbe(deps, id)
  const state = 'added'
  const seal = deps.seals.seal(sealedKeyRow({ id, state, probe }))
  const inserted = await single(deps, { name: 'keys.add', silent: 'operator' }, ({ on, at }) =>
    store.insertKey(on, { id, probe, seal, at }),
  )
  if (inserted === 1) deps.log.warn('a key-encryption key was added', { audit: 'key_added', row_id: id })
  return made === undefined ? { id } : { id, file: made.file }
}

async function makeProbe(deps: KeyDeps, id: string): Promise<Buffer> {
  const provider = deps.providerOf(id)
  const dataKey = randomBytes(32)
  const { keyId, wrapped } = await provider.wrap(dataKey, probeContext(id))
  const opened = await provider.unwrap(keyId, wrapped, probeContext(id))
  if (keyId !== id || !opened.equals(dataKey)) throw new KeyRefusal(`${id} does not give back what it wrapped.`)
  const elsewhere = await provider.unwrap(id, wrapped, probeContext(`${id} elsewhere`)).catch((error: unknown) => {
    if (error instanceof KeyProviderUnavailable) throw error
  })
  if (elsewhere === undefined) return wrapped
  throw new KeyRefusal(
    `${id} opens what it wrapped for another place: it does not authenticate the associated data. Use a symmetric key of the ` +
      'kind that docs/guides/keys.md names.',
  )
}

/** Makes a key current: from now on it wraps every new data key. Refused while a running process cannot reach it. */
export async function rotateKey(deps: KeyDeps, id: string): Promise<{ id: string; moved: boolean }> {
  await deps.ring.refresh()
  // Before the processes are looked at: none of them reaches what is a slip of the pen, and none ever will.
  if (!deps.ring.keys.some((key) => key.id === id)) throw unknownKey(id)
  await checkNodes(deps, id)
  const moved = await command(deps, { name: 'keys.rotate', silent: 'operator' }, async ({ tx, at }) => {
    const keys = await store.lockKeys(tx)
    for (const key of keys) checkKeyRow(deps.seals, key)
    const target = keys.find((key) => key.id === id)
    if (target === undefined) throw unknownKey(id)
    if (target.state === 'current') return rollback
    const former = keys.find((key) => key.state === 'current')
    if (former !== undefined) await store.updateFormer(tx, { ...movedTo(deps, former, 'former'), at })
    await store.updateCurrent(tx, { ...movedTo(deps, target, 'current'), at })
    return true
  })
  if (moved !== null) deps.log.warn('a key-encryption key became current', { audit: 'key_rotated', row_id: id })
  await deps.ring.refresh()
  return { id, moved: moved !== null }
}

function movedTo({ seals }: KeyDeps, { id, probe }: store.KeyRow, state: KeyState) {
  return { id, probe, seal: seals.seal(sealedKeyRow({ id, state, probe })) }
}

function unknownKey(id: string): KeyRefusal {
  return new KeyRefusal(`There is no key ${id}. keys add makes one known.`)
}

async function checkNodes({ pool }: KeyDeps, id: string): Promise<void> {
  const nodes = await store.listNodes(pool)
  const without = nodes.filter(({ isAlive, proven }) => isAlive && !proven.includes(id)).map(({ name }) => name)
  if (without.length === 0) return
  throw new KeyRefusal(
    `These running processes have not proven to reach ${id} yet: ${without.join(', ')}. They try every few seconds; their log says ` +
      'what is in the way. Nothing was changed.',
  )
}

/**
 * Takes a key out of use. Refused while anything is wrapped by it or a running process still wraps with it; the foreign keys
 * refuse what comes in between, and what a process that slept all the time would still write. The key itself is not ours to
 * destroy: backups from its time open with nothing else.
 */
export async function retireKey(deps: KeyDeps, id: string, places: readonly SealedPlace[]): Promise<{ retired: true }> {
  await deps.ring.refresh()
  const key = deps.ring.keys.find((known) => known.id === id)
  // After it was retired nothing tells its id from a slip of the pen, which must not pass for done.
  if (key === undefined) throw new KeyRefusal(`There is no key ${id}. It is retired, or never was: look at keys list.`)
  if (key.state === 'current') throw new KeyRefusal(`${id} is current. Make another key current first: keys rotate.`)
  const nodes = (await store.listNodes(deps.pool)).filter(({ isAlive, wrapsWith }) => isAlive && wrapsWith === id)
  if (nodes.length > 0) {
    const names = nodes.map(({ name }) => name).join(', ')
    throw new KeyRefusal(`These running processes still wrap with ${id}: ${names}. Within 30 seconds they do not.`)
  }
  for (const place of places) {
    if ((await place.list(id, null, 1)).length > 0) throw stillUsed(id, place.name)
  }
  const retired = await single(deps, { name: 'keys.retire', silent: 'operator' }, ({ on }) =>
    store.deleteKey(on, { id }),
  ).catch((error: unknown) => {
    throw sqlState(error) === FOREIGN_KEY_VIOLATION ? stillUsed(id, 'something') : error
  })
  if (retired === 0) throw new KeyRefusal(`${id} was made current, or retired, meanwhile. Look at keys list.`)
  deps.log.warn('a key-encryption key was retired', { audit: 'key_retired', row_id: id })
  return { retired: true }
}

function stillUsed(id: string, what: string): KeyRefusal {
  return new KeyRefusal(`${id} still wraps ${what}. Run keys rewrap, then retire it. Nothing was changed.`)
}

/** Every key with its state and how much it wraps, and the processes that run. */
export async function describeKeys(deps: KeyDeps, places: readonly SealedPlace[]) {
  await deps.ring.refresh()
  const keys = []
  for (const { id, state } of deps.ring.keys) {
    const wraps: Record<string, number> = {}
    for (const place of places) wraps[place.name] = await place.count(id)
    keys.push({ id, state, wraps })
  }
  const nodes = (await store.listNodes(deps.pool)).filter(({ isAlive }) => isAlive)
  return {
    keys,
    processes: nodes.map(({ name, proven, wrapsWith }) => ({ name, reaches: proven, wraps_with: wrapsWith })),
  }
}

/** The keys that nothing new is wrapped with. */
export async function listFormerKeys({ ring }: KeyDeps): Promise<string[]> {
  await ring.refresh()
  return ring.keys.filter(({ state }) => state !== 'current').map(({ id }) => id)
}

export const createKeyService = (deps: KeyDeps) =>
  bound(deps, { addKey, rotateKey, retireKey, describeKeys, listFormerKeys })
