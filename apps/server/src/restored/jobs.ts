import { type CardService, networkCardId } from '../cards/service.ts'
import type { ChargeService } from '../charges/service.ts'
import type { DatabaseClock } from '../db/clock.ts'
import { type CommandDeps, single } from '../db/command.ts'
import type { Job } from '../jobs/loop.ts'
import type { MandateService } from '../mandates/service.ts'
import type { CardNetwork } from '../network/port.ts'
import type { Log } from '../platform/log.ts'
import type { SubjectKind, Word } from './states.ts'
import * as store from './store.ts'

export interface FollowDeps extends CommandDeps {
  clock: DatabaseClock
  log: Log
  network: Pick<CardNetwork, 'inquireToken' | 'inquireInstruction'>
  charges: Pick<ChargeService, 'endCredential'>
  mandates: Pick<MandateService, 'cancel'>
  cards: Pick<CardService, 'remove'>
}

interface Subject {
  merchantId: string
  kind: SubjectKind
  id: string
}

const MAX_AT_ONCE = 50
/** After a round in which the network said nothing. */
const REST_MILLIS = 1_000

const FOLLOW_JOB = 'restored.follow'

/**
 * While the door is closed the network is asked about everything that was open in the backup, and its word is followed here. Every step may
 * be done twice, by one process or by several: the network is asked by our own ids, and what is written is written once.
 */
export function following(deps: FollowDeps): Job {
  return { name: FOLLOW_JOB, restMillis: REST_MILLIS, run: () => follow(deps) }
}

async function follow(deps: FollowDeps) {
  const { pool, clock } = deps
  const nothing = { taken: 0, nextDueAt: null }
  if (clock.closedSince() === null) return nothing
  const restored = await store.findRestored(pool)
  if (restored === undefined || restored.closedSince === null) return nothing
  if (!restored.isListed) await listSubjects(deps, restored.closedSince)
  const subjects = await store.listUnheard(pool, { limit: MAX_AT_ONCE })
  const heard = await Promise.all(subjects.map((subject) => followOne(deps, subject)))
  return { taken: heard.filter(Boolean).length, nextDueAt: null }
}

/** Killed in between it begins again: what is listed already stays. */
async function listSubjects(deps: FollowDeps, closedSince: Date): Promise<void> {
  for (const { id: merchantId } of await store.listMerchants(deps.pool)) {
    await single(deps, { name: 'restored.list', silent: 'operator' }, ({ on }) =>
      store.insertSubjects(on, { merchantId }),
    )
  }
  await single(deps, { name: 'restored.listed', silent: 'operator' }, ({ on }) =>
    store.updateListed(on, { closedSince }),
  )
}

/** False: the network said nothing. */
async function followOne(deps: FollowDeps, subject: Subject): Promise<boolean> {
  let word: Word | 'unknown' = 'unknown'
  try {
    word = await ASK[subject.kind](deps, subject)
  } catch (error) {
    const { merchantId, id } = subject
    deps.log.failure('what the network says was not followed', error, { merchant_id: merchantId, row_id: id })
  }
  await single(deps, { name: 'restored.heard', silent: 'operator' }, ({ on, at }) =>
    word === 'unknown' ? store.updateUnanswered(on, { ...subject }) : store.updateWord(on, { ...subject, word, at }),
  )
  return word !== 'unknown'
}

const ASK: Readonly<Record<SubjectKind, (deps: FollowDeps, subject: Subject) => Promise<Word | 'unknown'>>> = {
  charge: ({ charges }, { merchantId, id }) => charges.endCredential({ merchantId, chargeId: id }),
  mandate: askMandate,
  card: askCard,
}

async function askMandate(deps: FollowDeps, { merchantId, id }: Subject): Promise<Word | 'unknown'> {
  const { pool, clock, network, mandates } = deps
  const answer = await network.inquireInstruction({ mandateId: id })
  if (answer.outcome !== 'ok') return 'unknown'
  const { state } = answer.value
  const isOpen = async () => (await store.findMandate(pool, { merchantId, id, at: clock.now() })) !== undefined
  if (state === 'ended' && (await isOpen())) await mandates.cancel({ merchantId }, id)
  return state
}

async function askCard({ pool, network, cards }: FollowDeps, { merchantId, id }: Subject): Promise<Word | 'unknown'> {
  const card = await store.findCard(pool, { merchantId, id })
  if (card === undefined || card.networkTokenRef === null) return 'gone'
  const { customerId, enrolment, networkTokenRef: tokenRef } = card
  const answer = await network.inquireToken({ cardId: networkCardId({ id, enrolment }), tokenRef })
  if (answer.outcome !== 'ok') return 'unknown'
  if (answer.value.state === 'ended') {
    await cards.remove({ merchantId, customer: customerId, cardId: id, reason: 'OTHER' })
  }
  return answer.value.state
}
