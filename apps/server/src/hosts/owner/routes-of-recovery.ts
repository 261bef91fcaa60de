import { Done, SignedIn } from '@mintmark/contract/wire/owner'
import {
  OwnerRecoveries,
  RecoveryAnswer,
  RecoveryBegun,
  RecoveryCard,
  RecoveryCode,
  RecoveryParams,
  RecoveryRef,
  RecoveryStanding,
  RecoveryStop,
  RecoveryVisit,
} from '@mintmark/contract/wire/recovery'
import { Type } from 'typebox'
import { refusedOfAddress } from '../../cards/credential.ts'
import { cardInactive, cardNotFound, cardRefused, networkUnavailable, stepUpInvalid } from '../../cards/errors.ts'
import type { Card } from '../../cards/service.ts'
import type { HostCookie } from '../../http/cookie.ts'
import { open } from '../../http/credential.ts'
import { type Route, route } from '../../http/route.ts'
import { addressNotProven } from '../../mail/errors.ts'
import { ownerUnknown, recoveryNotFound, recoveryOver, recoveryTriesSpent } from '../../owners/errors.ts'
import type { OwnerService, OwnRecoveries } from '../../owners/service.ts'
import { passkeyFailed } from '../../passkeys/errors.ts'
import { invalidFields, invalidState } from '../../platform/errors.ts'
import { arrivalOf, begun, VISIT } from './arriving.ts'
import { DONE, OWNERS } from './common.ts'

const BY_WORD = open(
  'Every passkey of the owner is lost: the credential is the word that this recovery was begun with.',
)
const STEP = { ...VISIT, auth: BY_WORD } as const
/** What tells of a security code, or of the network's code, whether it is right. */
const REFUSALS = { errors: [cardRefused, stepUpInvalid], limits: [refusedOfAddress] }
const Options = Type.Object({ options: Type.Unsafe<object>({ type: 'object', additionalProperties: true }) })

/** An owner who has lost all passkeys: the browser that asks for another one, and the devices that may stop it. */
export function recoveryRoutes(owners: OwnerService, cookie: HostCookie): Route[] {
  return [startRoute(owners, cookie), ...provingRoutes(owners), ...endRoutes(owners, cookie), ...stopRoutes(owners)]
}

function startRoute(owners: OwnerService, cookie: HostCookie): Route {
  return route({
    ...STEP,
    path: '/api/recovery',
    operationId: 'startRecovery',
    summary: 'Begin to recover the owner of an address that was proven',
    auth: open('Every passkey of the owner is lost: the credential is the visit that has proven their address.'),
    body: RecoveryVisit,
    response: RecoveryBegun,
    errors: [addressNotProven, ownerUnknown, recoveryOver],
    async handler({ body, client }) {
      const { word, cards } = await owners.startRecovery(body.visit, arrivalOf(cookie, client()).device)
      return { recovery: word, cards: cards.map(toWireCard) }
    },
  })
}

function provingRoutes(owners: OwnerService): Route[] {
  return [
    route({
      ...STEP,
      path: '/api/recovery/standing',
      operationId: 'readRecovery',
      summary: 'How the recovery stands',
      body: RecoveryRef,
      response: RecoveryStanding,
      errors: [recoveryOver],
      async handler({ body }) {
        const { status, cards, waitsUntil, endsAt, now } = await owners.readRecovery(body.recovery)
        return {
          ...{ status, cards: cards.map(toWireCard), due_at: waitsUntil?.toISOString() ?? null },
          ...{ ends_at: endsAt.toISOString(), now: now.toISOString() },
        }
      },
    }),
    route({
      ...STEP,
      path: '/api/recovery/card',
      operationId: 'proveRecoveryCard',
      summary: 'Type the security code of a card: the network sends its code',
      refusals: REFUSALS,
      body: RecoveryCard,
      response: Done,
      errors: [
        recoveryOver,
        recoveryTriesSpent,
        invalidFields,
        cardNotFound,
        cardRefused,
        cardInactive,
        networkUnavailable,
      ],
      async handler({ body: { recovery, card_id: cardId, cvv } }) {
        await owners.proveCard(recovery, { cardId, cvv })
        return DONE
      },
    }),
    route({
      ...STEP,
      path: '/api/recovery/code',
      operationId: 'proveRecoveryCode',
      summary: 'Type the code that the network sent: the recovery waits from now on',
      refusals: REFUSALS,
      body: RecoveryCode,
      response: Done,
      errors: [recoveryOver, stepUpInvalid, cardNotFound, cardRefused, cardInactive, networkUnavailable],
      async handler({ body }) {
        await owners.proveCode(body.recovery, body.code)
        return DONE
      },
    }),
  ]
}

function endRoutes(owners: OwnerService, cookie: HostCookie): Route[] {
  return [
    route({
      ...STEP,
      path: '/api/recovery/options',
      operationId: 'recoveryOptions',
      summary: 'Begin to make the passkey of a recovery that has waited',
      body: RecoveryRef,
      response: Options,
      errors: [recoveryOver],
      handler: ({ body }) => owners.recoveryOptions(body.recovery),
    }),
    route({
      ...STEP,
      path: '/api/recovery/passkey',
      operationId: 'recoverOwner',
      summary: 'Store the passkey in place of those that were lost, and be signed in',
      body: RecoveryAnswer,
      response: SignedIn,
      errors: [passkeyFailed, recoveryOver, invalidState],
      handler: async ({ body, client }) =>
        begun(cookie, await owners.recover(body.recovery, body.response, arrivalOf(cookie, client()))),
    }),
  ]
}

function stopRoutes(owners: OwnerService): Route[] {
  return [
    route({
      ...STEP,
      path: '/api/recovery/stop',
      operationId: 'stopRecovery',
      summary: 'Stop the recovery in the browser that began it',
      body: RecoveryRef,
      response: Done,
      errors: [recoveryOver],
      async handler({ body }) {
        await owners.stopRecovery(body.recovery)
        return DONE
      },
    }),
    route({
      ...STEP,
      path: '/api/recovery/stop-by-mail',
      operationId: 'stopRecoveryByMail',
      summary: 'Stop a recovery by the link of its mail',
      auth: open(
        'Whoever reads the mail of the owner may stop it, which takes away and gives nothing: the link is the credential.',
      ),
      body: RecoveryStop,
      response: Done,
      errors: [recoveryNotFound, recoveryOver],
      async handler({ body }) {
        await owners.stopRecoveryByMail(body.token)
        return DONE
      },
    }),
    route({
      ...OWNERS,
      method: 'GET',
      path: '/api/recoveries',
      operationId: 'listOwnerRecoveries',
      summary: 'A recovery that can be stopped, and since when a passkey is new',
      response: OwnerRecoveries,
      errors: [],
      handler: async ({ caller }) => toWireRecoveries(await owners.recoveriesOf(caller)),
    }),
    route({
      ...OWNERS,
      method: 'POST',
      path: '/api/recoveries/:recoveryId/stop',
      operationId: 'stopOwnRecovery',
      summary: 'Stop a recovery on a device that is signed in',
      params: RecoveryParams,
      response: Done,
      errors: [recoveryNotFound, recoveryOver],
      async handler({ caller, params }) {
        await owners.stopOwnRecovery(caller, params.recoveryId)
        return DONE
      },
    }),
  ]
}

const toWireCard = ({ id, brand, last4 }: Pick<Card, 'id' | 'brand' | 'last4'>) => ({ card_id: id, brand, last4 })

function toWireRecoveries({ waiting, madeAt, frozenUntil }: OwnRecoveries): OwnerRecoveries {
  return {
    waiting:
      waiting === undefined || waiting.waitsUntil === null
        ? null
        : {
            ...{ recovery_id: waiting.id, browser: waiting.browser, system: waiting.system, place: waiting.place },
            ...{ asked_at: waiting.askedAt.toISOString(), due_at: waiting.waitsUntil.toISOString() },
          },
    made_at: madeAt?.toISOString() ?? null,
    frozen_until: frozenUntil?.toISOString() ?? null,
  }
}
