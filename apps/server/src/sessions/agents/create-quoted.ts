import { command } from '../../db/command.ts'
import { insertQuotedAgentPayment } from '../create-store.ts'
import type { SessionDeps } from '../deps.ts'
import { newPayment, opened } from '../kinds/payment/create.ts'
import { purchaseOf } from '../kinds/quoted/create.ts'
import { newLaunchSecret } from '../launch.ts'
import { paymentSentence, toldByAgents } from '../sentence.ts'
import { type AskedSession, type Asker, agentIn } from './create.ts'

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
  const launchSecret = newLaunchSecret()
  const session = newPayment(deps, merchantId, purchase, launchSecret, at)
  const named = { ...session, ...agentIn(deps, caller, session.sessionId) }
  const why = 'A session that nobody approved is no payment yet.'
  const created = await command(
    deps,
    { name: 'sessions.create_quoted_for_agent', why, together: 'statement' },
    ({ on }) => insertQuotedAgentPayment(on, { ...named, quoteId, simulated: false }),
  )
  const { text: sentence } = paymentSentence({ ...named, quoteId }, toldByAgents(deps))
  return { ...(await opened(deps, { ...named, mandateId: null, launchSecret, isPurchase: true }, created)), sentence }
}
