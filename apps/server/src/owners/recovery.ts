import type { RecoveryStanding } from '@mintmark/contract/wire/recovery'
import { cardNotFound } from '../cards/errors.ts'
import { type Card, type EntryStore, isOwnCard, sealedPasskeyOf } from '../cards/service.ts'
import { command } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import { repeatAfter } from '../db/transaction.ts'
import { addSeconds } from '../platform/clock.ts'
import { type Device, nameOfDevice } from '../platform/device.ts'
import { newId } from '../platform/ids.ts'
import { digestOf, newToken } from '../platform/page-session.ts'
import { isUntouched } from '../platform/row-seals.ts'
import type { OwnerDeps } from './deps.ts'
import { ownerUnknown, recoveryOver, recoveryTriesSpent } from './errors.ts'
import * as store from './recovery-store.ts'
import { sealedRecovery } from './seal.ts'

// An owner who has lost all passkeys proves their address, then a card by its security code and the code of the
// network. Then it waits a day. What is done then is in `recovered.ts`, and how it is stopped in `stop-recovery.ts`.

const [MINUTE, DAY] = [60, 24 * 60 * 60]
/** How long a card may take to be proven. */
const PROVE_SECONDS = 30 * MINUTE
/** How long every other device and address can stop it, before a passkey is made. */
export const WAIT_SECONDS = DAY
/** When it has waited, its owner may be away for some days. */
const GOES_ON_SECONDS = 7 * DAY
/** Security codes that are tried for an owner in a day: each costs the bank a message. */
const MAX_TRIES = 10
export const SILENT = 'Owners have no feed.'

repeatAfter(store.ONE_WAITING_CONSTRAINT)

export type Recovery = NonNullable<Awaited<ReturnType<typeof store.findByWord>>>

/**
 * Begins with an address that was proven in the visit, which is used up. `word` null: the owner has no card to prove,
 * and nothing was begun.
 */
export async function startRecovery(deps: OwnerDeps, visit: string, device: Device) {
  const { merchantId, mail } = deps
  const email = await mail.provenEmail({ merchantId, visit })
  const customerId = await mail.ownerOf(merchantId, email)
  if (customerId === undefined) throw ownerUnknown()
  const cards = await provable(deps, customerId)
  if (cards.length === 0) return { word: null, cards }
  const word = newToken()
  const recoveryId = newId('ownerRecovery')
  const values = { merchantId, visit, email, recoveryId, customerId, wordHash: digestOf(word), ...device }
  const begun = await command(
    deps,
    { name: 'owners.start_recovery', why: SILENT, together: 'statement' },
    ({ on, at }) => store.insertRecovery(on, { ...values, at, endsAt: addSeconds(at, PROVE_SECONDS) }),
  )
  if (begun === undefined) throw recoveryOver()
  return { word, cards }
}

/** One that was edited, or is said to be another passkey's, proves nothing. */
async function provable({ pool, merchantId, seals }: OwnerDeps, customerId: string): Promise<Card[]> {
  const cards = await store.listProvable(pool, { merchantId, customerId })
  const isOfPasskey = (card: Card) =>
    isUntouched(() => seals.check(sealedPasskeyOf(card, card.passkeyId ?? ''), card.passkeySeal))
  return cards.filter((card) => isOwnCard(seals, card) && isOfPasskey(card))
}

/** By the word that its browser has. Throws for one that is over. */
export async function findRecovery({ pool, merchantId, clock }: OwnerDeps, word: string): Promise<Recovery> {
  const found = await store.findByWord(pool, { merchantId, wordHash: digestOf(word) })
  if (found === undefined || found.endsAt <= clock.now()) throw recoveryOver()
  return found
}

/** Where it stands: the last of what has happened to it. */
export function statusOf(found: Recovery, now: Date): RecoveryStanding['status'] {
  const { usedAt, stoppedAt, waitsUntil, entryId } = found
  if (usedAt !== null) return 'made'
  if (stoppedAt !== null) return 'stopped'
  if (waitsUntil !== null) return waitsUntil <= now ? 'ready' : 'waiting'
  return entryId === null ? 'card' : 'code'
}

export async function readRecovery(deps: OwnerDeps, word: string) {
  const found = await findRecovery(deps, word)
  const now = deps.clock.now()
  const status = statusOf(found, now)
  const cards = found.provenAt === null ? await provable(deps, found.customerId) : []
  return { ...found, status, cards, now }
}

/** The security code of a card of theirs. The network sends its code then. */
export async function proveCard(
  deps: OwnerDeps,
  word: string,
  { cardId, cvv }: { cardId: string; cvv: string },
): Promise<void> {
  const { merchantId } = deps
  const found = await findRecovery(deps, word)
  const card = (await provable(deps, found.customerId)).find(({ id }) => id === cardId)
  if (card === undefined) throw cardNotFound()
  const taken = await command(
    deps,
    { name: 'owners.take_recovery_try', why: SILENT, together: 'statement' },
    ({ on, at }) =>
      store.takeTry(on, { merchantId, recoveryId: found.id, since: addSeconds(at, -DAY), most: MAX_TRIES, at }),
  )
  if (taken === undefined) throw recoveryOver()
  if (!taken.isTaken) throw recoveryTriesSpent()
  const entered = await deps.cards.prove(card, entriesOf(deps, found), { cvv, once: false })
  if (!entered.card.isChosen) throw recoveryOver()
}

/** The code that the network has sent: right, and the recovery waits from now on. */
export async function proveCode(deps: OwnerDeps, word: string, code: string): Promise<void> {
  const { merchantId } = deps
  const found = await findRecovery(deps, word)
  const { customerId, cardId, entryId } = found
  if (statusOf(found, deps.clock.now()) !== 'code' || cardId === null || entryId === null) throw recoveryOver()
  const { isChosen } = await deps.cards.verify(
    { merchantId, customerId },
    { cardId, entryId },
    entriesOf(deps, found),
    code,
  )
  if (!isChosen) throw recoveryOver()
}

/** What the network says of the card is written with the recovery, and nothing of the card is. */
function entriesOf(deps: OwnerDeps, found: Recovery): EntryStore {
  const { merchantId } = deps
  const { id: recoveryId, customerId } = found
  const place = { merchantId, recoveryId, customerId }
  const never = async () => {
    throw new Error('A card is entered, or accepted without a code, in no recovery.')
  }
  return {
    insertCard: never,
    updateAccepted: never,
    updateAwaited: (on, { cardId, enrolment, entryId, at }) =>
      store.updateAwaited(on, { ...place, cardId, enrolment, entryId, at }),
    updateVerified: (on, { cardId, enrolment, entryId, at }) =>
      store.updateProven(on, { ...place, cardId, enrolment, entryId, ...proven(deps, on, found, cardId, at), at }),
  }
}

function proven(deps: OwnerDeps, on: Queryable, found: Recovery, cardId: string, at: Date) {
  const { merchantId, seals } = deps
  const { id, customerId, wordHash } = found
  const [waitsUntil, endsAt] = [addSeconds(at, WAIT_SECONDS), addSeconds(at, GOES_ON_SECONDS)]
  const recoverySeal = seals.seal(
    sealedRecovery({ merchantId, id, customerId, wordHash, cardId, provenAt: at, waitsUntil }),
  )
  return { waitsUntil, endsAt, recoverySeal, ...tellingOf(deps, on, { ...found, waitsUntil }, at) }
}

/** The mail to its owner, as parameters of a statement. */
export function tellingOf({ mail }: OwnerDeps, on: Queryable, found: Recovery, at: Date) {
  const { id: recoveryId, place, waitsUntil } = found
  const facts = { recoveryId, device: nameOfDevice(found), place, dueAt: (waitsUntil ?? at).toISOString() }
  return mail.recoveryMail(on, facts, at)
}
