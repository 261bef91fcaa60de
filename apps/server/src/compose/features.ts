import { createAgentDirectory } from '../agents/directory.ts'
import { agentJobs } from '../agents/jobs.ts'
import { createAgentService } from '../agents/service.ts'
import { createApprovalService } from '../approvals/service.ts'
import { createCardholderService } from '../cardholder/service.ts'
import { cardJobs } from '../cards/jobs.ts'
import { createCardService } from '../cards/service.ts'
import { quoteJobs } from '../checkout/quotes/jobs.ts'
import { createQuoteService } from '../checkout/quotes/service.ts'
import { enrollmentJobs } from '../enrollment/jobs.ts'
import { createEnrollmentService } from '../enrollment/service.ts'
import { createEscalationService } from '../escalations/service.ts'
import { eventJobs } from '../events/jobs.ts'
import type { Job } from '../jobs/loop.ts'
import { oldKeyJob } from '../jobs/old-keys.ts'
import { mailJobs } from '../mail/jobs.ts'
import { toolJobs } from '../mcp/jobs.ts'
import { ownerJobs } from '../owners/jobs.ts'
import { createOwnerService } from '../owners/service.ts'
import { passkeyJobs } from '../passkeys/jobs.ts'
import { CHALLENGE_TTL_SECONDS, createPasskeyService } from '../passkeys/service.ts'
import { addSeconds } from '../platform/clock.ts'
import type { Metrics } from '../platform/metrics.ts'
import { following } from '../restored/jobs.ts'
import { rowJob } from '../rows/jobs.ts'
import { createSandboxService } from '../sandbox/service.ts'
import { sessionJobs } from '../sessions/jobs.ts'
import { createSessionService, findUse } from '../sessions/service.ts'
import { createSessionTokens } from '../sessions/token.ts'
import { cartJobs } from '../wallets/carts/jobs.ts'
import { storeJobs } from '../wallets/store/jobs.ts'
import { webhookJobs } from '../webhooks/jobs.ts'
import type { Ground } from './ground.ts'
import { contradictionCounter } from './metrics.ts'
import { composeOperated } from './operated.ts'
import { operatorOf, relyingPartyOf } from './operator.ts'
import { ownerUrlOf } from './owners.ts'
import { composeTools } from './tools.ts'
import { composeWallets } from './wallets.ts'
import { composeWebhooks } from './webhooks.ts'

export type Features = ReturnType<typeof composeFeatures>

type Services = ReturnType<typeof composeServices>

export function composeFeatures(ground: Ground, metrics: Metrics) {
  const services = composeServices(ground, metrics)
  return { ...services, jobs: jobsOf(services, ground, metrics) }
}

/** Builds every service once and hands each what it needs, from the ground up. What is missing here does not compile. */
function composeServices(ground: Ground, metrics: Metrics) {
  const operated = composeOperated(ground)
  const { parts, receivers, bins, merchants, mandates, charges, purchases, shops, asking, mail } = operated
  const { derived, common, work, waiting, seals, network, vault } = parts
  const { config, pool, clock, log } = ground
  const { environment, surfaceUrl } = config
  const ownerUrl = ownerUrlOf(config)
  const rp = relyingPartyOf(config)

  const sending = composeWebhooks(ground, { ...common, ...waiting, ...receivers, seals, vault, merchants }, metrics)
  const quotes = createQuoteService({ pool, clock, seals, shops })
  const passkeys = createPasskeyService({ ...common, ...rp, seals, log, challengeTtlSeconds: CHALLENGE_TTL_SECONDS })
  const approvals = createApprovalService({ passkeys })
  const agents = createAgentService({
    ...{
      ...common,
      log,
      seals,
      approvals,
      passkeys,
      asking,
      ownersKey: derived.agentOwners,
      ownerUrl,
      apiUrl: config.apiUrl,
      ticketsKey: derived.agentTickets,
    },
    ...{ merchantId: merchants.operatorMerchantId, ensureAccount: merchants.ensureOperatorMerchant },
  })
  const directory = createAgentDirectory({
    ...{ pool, clock, seals, merchantId: merchants.operatorMerchantId, apiUrl: config.apiUrl },
    key: derived.agentDirectory,
  })
  const escalations = createEscalationService({
    ...{ ...common, seals, mandates, approvals, passkeys, ownerUrl },
  })
  const cards = createCardService({ ...common, ...work, seals, vault, network, mandates, charges, bins, findUse })
  const creating = { ...common, storedResponsesKey: derived.storedResponses }
  const enrollments = createEnrollmentService({ ...creating, ...work, ...waiting, seals, vault, bins, cards })
  const tokens = createSessionTokens({ key: derived.sessionTokens, environment })
  const subjects = { cards, charges, purchases, mandates, enrollments, approvals, passkeys, seals, tokens }
  const sessions = createSessionService({
    ...creating,
    ...work,
    ...subjects,
    environment,
    agents,
    escalations,
    quotes,
    launchSecretsKey: derived.launchSecrets,
    lifetimeSeconds: config.sessionLifetimeSeconds,
    recurringMustBeScoped: config.recurringMandates === 'listed',
    ...{ surfaceUrl, operatorName: config.operatorName },
    retentionDays: config.retentionDays,
  })
  const page = { clock, environment, operator: operatorOf(ground), ownerUrl: config.ownerUrl }
  const cardholder = createCardholderService({ ...page, seals, sessions, cards })
  const owners = createOwnerService({
    ...{ ...common, seals, passkeys, agents, directory, escalations, sessions, mandates, mail },
    ...{ merchantId: merchants.operatorMerchantId, ensureAccount: merchants.ensureOperatorMerchant },
  })
  const authenticatorKey = derived.softwareAuthenticator
  const sandbox = createSandboxService({ clock, agents, escalations, sessions, cardholder, authenticatorKey, ...rp })
  const wallets = composeWallets(ground, common, derived, seals)
  const withTools = composeTools(ground, operated, { agents, sessions, cards, quotes })
  const own = {
    network,
    agents,
    directory,
    owners,
    passkeys,
    quotes,
    cards,
    enrollments,
    tokens,
    sessions,
    cardholder,
    sandbox,
  }
  return { ...operated, ...sending, ...wallets, ...withTools, ...own }
}

/** The background tasks of all features. While the deployment is closed those run that ask the network and follow its word. */
function jobsOf(services: Services, { pool, clock, log }: Ground, metrics: Metrics): Job[] {
  const { parts, network, charges, mandates, cards } = services
  const asking = [
    following({ ...parts.common, clock, log, network, charges, mandates, cards }),
    charges.reconciling(),
    mandates.carryingOutEnds(charges),
    ...cardJobs(cards),
  ]
  const others = [
    ...sessionJobs(services.sessions),
    ...quoteJobs(services.quotes),
    services.purchases.buying(),
    ...enrollmentJobs(services.enrollments),
    ...passkeyJobs(services.passkeys),
    ...agentJobs(services.agents),
    ...toolJobs(services.toolDeps),
    ...ownerJobs(services.owners),
    ...eventJobs(services.events, clock.now),
    ...webhookJobs(services.webhooks),
    ...services.deliveryJobs,
    ...storeJobs(services.stores),
    ...cartJobs(services.carts),
    ...mailJobs(services.mail),
    oldKeyJob({ pool, clock }),
    rowJob({ pool, clock, log, onFound: contradictionCounter(metrics) }),
  ]
  return [...asking, ...others.map((job) => whileOpen(job, clock))]
}

/** The same job, which finds nothing to do while the deployment is closed. */
function whileOpen(job: Job, { now, closedSince }: Ground['clock']): Job {
  const look = async () => ({ taken: 0, nextDueAt: addSeconds(now(), 1) })
  return { ...job, run: () => (closedSince() === null ? job.run() : look()) }
}
