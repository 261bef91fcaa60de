import { createApprovalService } from '../approvals/service.ts'
import { createBinService } from '../bins/service.ts'
import { createCardholderService } from '../cardholder/service.ts'
import { cardJobs } from '../cards/jobs.ts'
import { createCardService } from '../cards/service.ts'
import { createChargeService } from '../charges/service.ts'
import { createPurchaseService } from '../checkout/purchases/service.ts'
import { quoteJobs } from '../checkout/quotes/jobs.ts'
import { createCustomerService } from '../customers/service.ts'
import type { CommandDeps } from '../db/command.ts'
import { enrollmentJobs } from '../enrollment/jobs.ts'
import { createEnrollmentService } from '../enrollment/service.ts'
import { eventJobs } from '../events/jobs.ts'
import { createEventService, createEventSink } from '../events/service.ts'
import type { Job } from '../jobs/loop.ts'
import { oldKeyJob } from '../jobs/old-keys.ts'
import { createKeyService } from '../keys/service.ts'
import { mailJobs } from '../mail/jobs.ts'
import { createMailer, createMailService } from '../mail/service.ts'
import { createMandateService } from '../mandates/service.ts'
import { createMerchantService } from '../merchants/service.ts'
import { createSimulatedNetwork } from '../network/simulator/simulator.ts'
import { passkeyJobs } from '../passkeys/jobs.ts'
import { CHALLENGE_TTL_SECONDS, createPasskeyService } from '../passkeys/service.ts'
import { deriveKeys } from '../platform/keys.ts'
import type { Metrics } from '../platform/metrics.ts'
import { createRowSeals } from '../platform/row-seals.ts'
import { createSandboxService } from '../sandbox/service.ts'
import { sessionJobs } from '../sessions/jobs.ts'
import { createSessionService, findUse } from '../sessions/service.ts'
import { createSessionTokens } from '../sessions/token.ts'
import { createVault, type RewrapCount, rewrapPlace, type SealedPlace } from '../vault/service.ts'
import { cartJobs } from '../wallets/carts/jobs.ts'
import { storeJobs } from '../wallets/store/jobs.ts'
import { onNumbered } from '../webhooks/delivery/service.ts'
import { webhookJobs } from '../webhooks/jobs.ts'
import { composeCheckout } from './checkout.ts'
import type { Ground } from './ground.ts'
import { composeWallets } from './wallets.ts'
import { composeWebhooks } from './webhooks.ts'

export type Features = ReturnType<typeof composeFeatures>

type Services = ReturnType<typeof composeServices>

export function composeFeatures(ground: Ground, metrics: Metrics) {
  const services = composeServices(ground, metrics)
  const jobs = jobsOf(services, ground)
  return { ...services, jobs, sealedPlaces: sealedPlacesOf(services), rewrap: rewrapWith(ground) }
}

/** Builds every service once and hands each what it needs, from the ground up. What is missing here does not compile. */
function composeServices(ground: Ground, metrics: Metrics) {
  const { config, pool, clock, log, rootKey } = ground
  const { environment, leaseSeconds, surfaceUrl } = config
  const keys = deriveKeys(rootKey)
  const work = { log, leaseSeconds }
  const seals = createRowSeals({ key: keys.rowSeals, log })
  const common: CommandDeps = { pool, clock, events: createEventSink({ environment, log }) }
  const rp = { rpId: new URL(surfaceUrl).hostname, rpName: 'Mintmark', surfaceOrigin: surfaceUrl }
  const timeoutMillis = config.networkTimeoutMillis
  const network = createSimulatedNetwork({ pool, clock, key: keys.simulatedNetwork, timeoutMillis })
  const vault = createVault({ keys: ground.keys.ring, fingerprintKey: keys.fingerprints, network, pool })

  const mailer = createMailer({ ...config, log })
  const mail = createMailService({ ...common, ...work, mailer, ...sender(config), linksKey: keys.contactLinks })

  const bins = createBinService({ pool, clock, environment })
  const merchants = createMerchantService({ ...common, apiKeysKey: keys.apiKeys, seals, environment, vault })
  const checkout = composeCheckout(ground, { vault, seals })
  const sending = composeWebhooks(ground, { ...common, vault, merchants }, metrics)
  const passkeys = createPasskeyService({ ...common, ...rp, seals, log, challengeTtlSeconds: CHALLENGE_TTL_SECONDS })
  const approvals = createApprovalService({ passkeys })
  const mandates = createMandateService({ ...common, ...work, seals, network })
  const cards = createCardService({ ...common, ...work, seals, vault, network, mandates, bins, findUse })
  const charges = createChargeService({ ...common, ...work, seals, network, vault, mandates })
  const purchases = createPurchaseService({ ...common, ...work, seals, charges, mandates, ...checkout })
  const enrollments = createEnrollmentService({ ...common, ...work, seals, vault, bins, cards })
  const tokens = createSessionTokens({ key: keys.sessionTokens, environment })
  const subjects = { cards, charges, purchases, mandates, enrollments, approvals, passkeys, seals, tokens }
  const sessions = createSessionService({
    ...common,
    ...work,
    ...subjects,
    environment,
    quotes: checkout.quotes,
    launchSecretsKey: keys.launchSecrets,
    lifetimeSeconds: config.sessionLifetimeSeconds,
    recurringMustBeScoped: config.recurringMandates === 'listed',
    surfaceUrl,
    retentionDays: config.retentionDays,
  })
  const cardholder = createCardholderService({ clock, environment, sessions, cards })
  const authenticatorKey = keys.softwareAuthenticator
  const sandbox = createSandboxService({ clock, sessions, cardholder, authenticatorKey, ...rp })
  const events = createEventService({ ...common, log, cursorKey: keys.feedCursors, onNumbered: [onNumbered] })
  const wallets = composeWallets(ground, common, keys, seals, { merchants, shops: checkout.shops })
  const keyRing = createKeyService({ ...common, ...ground.keys, seals, log })
  const customers = createCustomerService({ ...common, log })
  const below = { network, bins, merchants, customers, passkeys, tokens, events, mail, mailer, vault, keyRing }
  const above = { cards, enrollments, mandates, charges, purchases, sessions, cardholder, sandbox }
  return { ...below, ...sending, ...checkout, ...wallets, ...above }
}

/** The background tasks of all features. */
function jobsOf(services: Services, { pool, clock }: Ground): Job[] {
  return [
    ...sessionJobs(services.sessions),
    ...quoteJobs(services.quotes),
    services.charges.reconciling(),
    ...services.purchases.jobs,
    services.mandates.carryingOutEnds(),
    ...cardJobs(services.cards),
    ...enrollmentJobs(services.enrollments),
    ...passkeyJobs(services.passkeys),
    ...eventJobs(services.events, clock.now),
    ...webhookJobs(services.webhooks),
    ...services.deliveryJobs,
    ...storeJobs(services.stores),
    ...cartJobs(services.carts),
    ...mailJobs(services.mail),
    oldKeyJob({ pool, clock }),
  ]
}

/** Everything that a key-encryption key wraps: a key that a place was forgotten of could be retired with secrets under it. */
function sealedPlacesOf({ vault, merchants, shops, charges, webhooks }: Services): SealedPlace[] {
  return [
    vault.sealedNumbers(),
    merchants.sealedSecrets(),
    shops.sealedKeys(),
    charges.sealedCredentials('charge'),
    charges.sealedCredentials('purchase'),
    ...webhooks.sealedSecrets(),
  ]
}

/** Who mails come from, and where their links lead. */
function sender({ mailFrom, surfaceUrl }: Ground['config']) {
  return { from: mailFrom ?? `mintmark@${new URL(surfaceUrl).hostname}`, surfaceUrl }
}

/** Wraps what is in a place with the current key. */
const rewrapWith =
  ({ keys, log }: Ground) =>
  (place: SealedPlace, keyId: string, onProgress: (count: RewrapCount) => void): Promise<RewrapCount> =>
    rewrapPlace(
      {
        keys: keys.ring,
        onBroken: ({ table, merchantId, id }, error) =>
          log.failure('a sealed value does not open', error, {
            alarm: 'seal_broken',
            table,
            row_id: id,
            merchant_id: merchantId,
          }),
      },
      place,
      keyId,
      onProgress,
    )
