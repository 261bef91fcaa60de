import { createAgentOperations } from '../agents/operations.ts'
import { createBinService } from '../bins/service.ts'
import { createChargeService } from '../charges/service.ts'
import { createDelegations } from '../checkout/delegations/service.ts'
import { createPurchaseService } from '../checkout/purchases/service.ts'
import { createCustomerService, nextVersion } from '../customers/service.ts'
import type { CommandDeps } from '../db/command.ts'
import { createAsking } from '../escalations/service.ts'
import { createEventService, createEventSink } from '../events/service.ts'
import { createKeyService } from '../keys/service.ts'
import { createLedgerService } from '../ledger/service.ts'
import {
  createMailer,
  createMailService,
  forgetOwnerAddress,
  queueAskedMail,
  queueIncidentMail,
} from '../mail/service.ts'
import { createMandateService } from '../mandates/service.ts'
import { deleteGrants } from '../mcp/operations.ts'
import { createMerchantService } from '../merchants/service.ts'
import { withoutNew } from '../network/closed.ts'
import { createSimulatedNetwork } from '../network/simulator/simulator.ts'
import { forgetOwner } from '../owners/operations.ts'
import { createPasskeyRecovery } from '../passkeys/release.ts'
import { webhookPolicy } from '../platform/egress/policy.ts'
import { deriveKeys } from '../platform/keys.ts'
import { createRowSeals } from '../platform/row-seals.ts'
import { createRestoredService } from '../restored/service.ts'
import { createRowService } from '../rows/service.ts'
import { createVault } from '../vault/service.ts'
import { createWalletErasure } from '../wallets/customers/erase.ts'
import { verifyOrders } from '../wallets/orders/service.ts'
import { createAccountUrls } from '../webhooks/account.ts'
import { onNumbered } from '../webhooks/delivery/service.ts'
import { ENDINGS } from './endings.ts'
import { CALLER_WAIT_MILLIS, type Ground, outsidePolicy } from './ground.ts'
import { ownerUrlOf } from './owners.ts'
import { rewrapWith, sealedPlacesOf } from './sealed.ts'
import { composeShops } from './shops.ts'
import { composeStores } from './stores.ts'

export type Operated = ReturnType<typeof composeOperated>

/**
 * What operator verbs use, and the rest of the program stands on: what answers no caller. A verb builds no more than this. All of the program
 * takes a verb longer to load than its database to answer.
 */
export function composeOperated(ground: Ground) {
  const { config, pool, clock, log } = ground
  const { environment } = config
  const parts = partsOf(ground)
  const { common, work, waiting, derived, seals, network, vault } = parts

  const mailer = createMailer({ ...config, log })
  const mail = createMailService({
    ...common,
    ...work,
    seals,
    mailer,
    ...sender(config),
    ...{ ownerUrl: ownerUrlOf(config), operatorName: config.operatorName },
    linksKey: derived.contactLinks,
  })
  const bins = createBinService({ pool, clock, environment })
  const merchants = createMerchantService({ ...common, apiKeysKey: derived.apiKeys, seals, environment, vault })
  const recovery = createPasskeyRecovery({ ...common, log, nextVersion })
  const receivers = {
    policy: outsidePolicy(ground, webhookPolicy({ allowLoopback: config.webhookAllowLoopback })),
    incidentListeners: [queueIncidentMail],
  }
  const accountUrls = createAccountUrls({ ...common, environment, seals, ...receivers })
  const shops = composeShops(ground, { vault, seals })
  const mandates = createMandateService({ ...common, ...work, seals, network })
  const asking = createAsking({ pool, clock, seals, mandates, ownerUrl: ownerUrlOf(config), tellOwner: queueAskedMail })
  const charges = createChargeService({
    ...common,
    ...work,
    ...waiting,
    seals,
    network,
    vault,
    mandates,
    escalations: asking,
    delegations: createDelegations({ shops, isClosed: () => clock.closedSince() !== null }),
  })
  const purchases = createPurchaseService({
    ...{ ...common, ...work, seals, charges, mandates, shops },
    humanHours: config.checkoutHumanHours,
  })
  const agentOperations = createAgentOperations({ pool, clock, log, seals, merchantId: merchants.operatorMerchantId })
  return {
    ...{ parts, receivers, bins, merchants, mail, recovery, accountUrls, shops, mandates, charges, purchases, asking },
    /** How mails leave, in words. */
    mailDescription: mailer.description,
    events: createEventService({ ...common, log, cursorKey: derived.feedCursors, onNumbered: [onNumbered] }),
    restored: createRestoredService({ pool, clock, endings: ENDINGS, merchantId: merchants.operatorMerchantId }),
    agentOperations,
    customers: createCustomerService({
      ...{ ...common, log },
      onErased: [
        forgetOwner,
        forgetOwnerAddress,
        async (change, owner) => {
          const agentIds = await agentOperations.endOfErased(change, owner)
          await deleteGrants(change, { merchantId: owner.merchantId, agentIds })
        },
      ],
    }),
    walletErasure: createWalletErasure({ ...common, log }),
    stores: composeStores(ground, common, { merchants, shops }),
    ledger: createLedgerService({ pool, seals, checks: [verifyOrders] }),
    rows: createRowService({ pool }),
    keys: createKeyService({ ...common, ...ground.keys, seals, log }),
    sealedPlaces: sealedPlacesOf({ pool, vault, merchants, shops, charges }),
    rewrap: rewrapWith(ground),
  }
}

/** What services are made with. */
function partsOf(ground: Ground) {
  const { config, pool, clock, log, rootKey, keys, lostMillis, callerWaitMillis = CALLER_WAIT_MILLIS } = ground
  const { environment, leaseSeconds, networkTimeoutMillis: timeoutMillis } = config
  const derived = deriveKeys(rootKey)
  const common: CommandDeps = { pool, clock, events: createEventSink({ environment, log }) }
  const seals = createRowSeals({ key: derived.rowSeals, log })
  const simulated = createSimulatedNetwork({ pool, clock, key: derived.simulatedNetwork, timeoutMillis, lostMillis })
  const network = withoutNew(simulated, () => clock.closedSince() !== null)
  const vault = createVault({ keys: keys.ring, fingerprintKey: derived.fingerprints, network, pool })
  return { derived, common, work: { log, leaseSeconds }, waiting: { callerWaitMillis }, seals, network, vault }
}

/** The sender of mails, and where their links lead. */
function sender({ mailFrom, surfaceUrl }: Ground['config']) {
  return { from: mailFrom ?? `mintmark@${new URL(surfaceUrl).hostname}`, surfaceUrl }
}
