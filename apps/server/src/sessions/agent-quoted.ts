import { single } from '../db/command.ts'
import { type AskedSession, type Asker, agentIn } from './agent.ts'
import { newPayment, opened } from './create.ts'
import { purchaseOf } from './create-quoted.ts'
import type { SessionDeps } from './deps.ts'
import { agentLaunch } from './launch.ts'
import { paymentSentence, toldByAgents } from './sentence.ts'
import { insertQuotedAgentPayment } from './store.ts'

/** A quote that an agent asks its owner to let the service buy, for what the agent says that it costs. */
export interface QuotedAgentRequest {
  quoteId: string
  amountMinor: bigint
  currency: string
}

/** As `createQuoted`, in the operator's own account, of the agent's owner. */
export async function createQuotedForAgent(
  deps: SessionDeps,
  caller: Asker,
  { quoteId, amountMinor, currency }: QuotedAgentRequest,
): Promise<AskedSession> {
  const { merchantId, agentId, customerId: ownerId } = caller
  const at = deps.clock.now()
  const quote = await deps.quotes.usable({ merchantId, quoteId, ownerId }, { amountMinor, currency, at })
  const none = {
    callbackUrl: null,
    description: null,
    externalOrderRef: null,
    locale: null,
    cardId: null,
    vaultRecordId: null,
  }
  const customer = { agentId, ownerId }
  const purchase = purchaseOf(quote, { ...none, customer, amountMinor, currency, integrationType: 'full_checkout' })
  const launch = agentLaunch(deps.launchSecretsKey, caller.agentId)
  const session = newPayment(deps, merchantId, purchase, launch, at)
  const named = { ...session, ...agentIn(deps, caller, session.sessionId) }
  const created = await single(deps, { name: 'sessions.create_quoted_for_agent', silent: 'unapproved' }, ({ on }) =>
    insertQuotedAgentPayment(on, { ...named, quoteId, simulated: false }),
  )
  const { text: sentence } = paymentSentence({ ...named, quoteId }, toldByAgents(deps))
  return {
    ...(await opened(deps, { ...named, ...launch, mandateId: null, readAs: 'quoted_payment' }, created)),
    sentence,
  }
}
