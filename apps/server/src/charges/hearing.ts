import { command } from '../db/command.ts'
import { workOff } from '../jobs/handle.ts'
import type { Job } from '../jobs/loop.ts'
import { wake } from '../jobs/wake.ts'
import type { ChargeNews, NetworkMessage } from '../network/events-port.ts'
import { addSeconds } from '../platform/clock.ts'
import type { ChargeDeps } from './deps.ts'
import { observe } from './observed.ts'
import * as store from './observed-store.ts'

// How the service comes to ask about a payment: by a message of the network, by its list of news, and by time.

/**
 * A message of the network. `heard`: what it is about is open work, and stays so until the network was asked. What else
 * it says decides nothing.
 */
export async function hear(deps: ChargeDeps, message: NetworkMessage): Promise<'heard' | 'refused' | 'unknown'> {
  if (deps.networkEvents === null) return 'refused'
  const received = await deps.networkEvents.receive(message)
  if (received.outcome !== 'ok') return received.outcome
  for (const news of received.value.news) await open(deps, news)
  return 'heard'
}

async function open(deps: ChargeDeps, { chargeId, mandateId }: ChargeNews): Promise<void> {
  const owner = await store.findMerchantOfMandate(deps.pool, { mandateId })
  // A network that several deployments share, as a test account, tells each of all.
  if (owner === undefined) return
  const why = 'What is told is an event when it was read at the network.'
  await command(deps, { name: 'charges.hear', together: 'statement', why }, ({ on, at }) => {
    wake(on, store.OBSERVE_JOB)
    return store.openObservation(on, { ...owner, chargeId, at })
  })
}

/** Payments of one round. Each waits for the network. */
const MAX_AT_ONCE = 20
/** Another process has the charge in hand: its network call ends in seconds. */
const BUSY_SECONDS = 2
/** The service itself buys, and its purchase ends first. */
const BOUGHT_SECONDS = 30
/** What is held and was not taken is asked about without news, too, where it is taken days later. */
const HELD_SECONDS = 24 * 60 * 60

/** Asks the network about payments that there is news of. */
export function observing(deps: ChargeDeps): Job {
  const run = () =>
    workOff(deps, store.observationWork, {
      name: store.OBSERVE_JOB,
      limit: MAX_AT_ONCE,
      handle: (work) => observeOne(deps, work),
    })
  return { name: store.OBSERVE_JOB, run }
}

type Work = Awaited<ReturnType<typeof store.observationWork.claim>>['rows'][number]

/** False: the network told nothing; the work is given back. */
async function observeOne(deps: ChargeDeps, work: Work): Promise<boolean> {
  const { merchantId, id: chargeId, mandateId } = work
  const became = await observe(deps, { merchantId, chargeId, mandateId })
  switch (became.state) {
    case 'unknown':
      return false
    case 'busy':
      return putOff(deps, work, became.isBought ? BOUGHT_SECONDS : BUSY_SECONDS)
    case 'recorded':
      if (became.isOpen && deps.following.capturesLater) return putOff(deps, work, HELD_SECONDS)
      break
    case 'gone':
  }
  const why = 'There is nothing left to ask.'
  await command(deps, { name: 'charges.observed', together: 'statement', why }, ({ on }) =>
    store.observationWork.finish(on, work),
  )
  return true
}

async function putOff(deps: ChargeDeps, { merchantId, id, leaseFence }: Work, seconds: number): Promise<true> {
  const why = 'When to ask again is not a change that anyone sees.'
  await command(deps, { name: 'charges.put_off_observation', together: 'statement', why }, ({ on, at }) =>
    store.putOffObservation(on, { merchantId, id, leaseFence, dueAt: addSeconds(at, seconds) }),
  )
  return true
}

/** News may be listed late, and clocks differ: what was listed before is listed again for so long. */
const OVERLAP_SECONDS = 15 * 60
/** How far back the first list goes. Networks keep theirs for about as long. */
const FIRST_SECONDS = 30 * 24 * 60 * 60

/**
 * Reads the network's list of news, of which any number of messages may have been lost. One process does in an
 * interval; how far the list was read moves on when all of it is open work, so what a process that dies has read is
 * read again.
 */
export function pulling(deps: ChargeDeps): Job {
  const name = 'charges.pull_news'
  const restMillis = deps.pullSeconds * 1_000
  const run = async () => {
    await pull(deps)
    return { taken: 0, nextDueAt: null }
  }
  return { name, restMillis, run }
}

async function pull(deps: ChargeDeps): Promise<void> {
  if (deps.networkEvents === null) return
  const why = 'How far a list was read is not a change that anyone sees.'
  const claimed = await command(
    deps,
    { name: 'charges.claim_read', together: 'statement', why },
    async ({ on, at }) => {
      // A little less, so that a loop which wakes early does not wait for the next but one.
      const askedBefore = addSeconds(at, -deps.pullSeconds * 0.8)
      const read = await store.claimRead(on, { at, askedBefore, since: addSeconds(at, -FIRST_SECONDS) })
      return read && { ...read, at }
    },
  )
  if (claimed === undefined) return
  const answer = await deps.networkEvents.listNews({ since: addSeconds(claimed.readUntil, -OVERLAP_SECONDS) })
  if (answer.outcome !== 'ok') {
    deps.log.warn('the news of the network were not read', { job: 'charges.pull_news' })
    return
  }
  for (const news of answer.value.news) await open(deps, news)
  await command(deps, { name: 'charges.read', together: 'statement', why }, ({ on }) =>
    store.updateRead(on, { until: claimed.at }),
  )
}
