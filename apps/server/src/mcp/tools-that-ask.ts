import { CreateAgentSessionBody } from '@mintmark/contract/wire/agent-sessions'
import { Amount, CurrencyCode } from '@mintmark/contract/wire/common'
import { CreateQuoteBody, Quote } from '@mintmark/contract/wire/quotes'
import { about, STRICT, text } from '@mintmark/contract/wire/schema'
import { MandateSetup } from '@mintmark/contract/wire/sessions'
import { Type } from 'typebox'
import { fromWireWish, toWireQuote } from '../checkout/quotes/wire.ts'
import { fromWireScope } from '../mandates/wire.ts'
import { minorFromAmount } from '../platform/money.ts'
import type { AgentRequest, AskedSession } from '../sessions/service.ts'
import { agentSessionProblems, fromWireAgentSession, toWireAgentSession } from '../sessions/wire-of-agents.ts'
import { AskedOutput, CheckoutOutput, MandateOutput } from './outputs.ts'
import { type Tool, type ToolDeps, tool } from './tool.ts'
import { MandateInput } from './tools-that-read.ts'
import { toToolMandate } from './wire-of-mandates.ts'

// What an agent changes, and what it asks its owner for. None charges: an owner signs each purchase and each mandate, and a shop that is
// paid is paid by the service.

export function toolsThatAsk(deps: ToolDeps): Tool[] {
  return [createMandate(deps), ...moves(deps), requestPurchase(deps), createQuote(deps), checkout(deps)]
}

const { mandate_setup: _setup, ...PURCHASE } = CreateAgentSessionBody.properties

function asked(created: AskedSession, request: AgentRequest) {
  const { session_id, expires_at, mandate_id, approval } = toWireAgentSession(created, request)
  return askedFor(created, { session_id, expires_at, ...(mandate_id !== undefined && { mandate_id }), approval })
}

const NEXT = 'Give approval_url to your owner, then ask get_session.'

/** The address is for the owner alone: it is where the page is opened. */
function askedFor<Value extends object>({ sessionId, iframeUrl: url, sentence }: AskedSession, value: Value) {
  return {
    value: { status: 'pending' as const, ...value, approval_url: url, next: NEXT },
    ask: { sessionId, url, sentence },
  }
}

function createMandate({ sessions, clock }: ToolDeps): Tool {
  const Input = Type.Object({ ...PURCHASE, mandate_setup: MandateSetup }, STRICT)
  return tool({
    name: 'create_mandate',
    title: 'Ask for a mandate',
    description:
      'Asks your owner for a standing permission, at one shop or any, up to an amount. They may make it smaller, and sign it at the page that ' +
      'they are shown. Then your key charges it, by `POST /v1/mandates/{mandate_id}/charge`.',
    scope: 'mandates:write',
    kind: 'ask',
    needsKey: true,
    input: Input,
    output: AskedOutput,
    check: (body) => agentSessionProblems(body, clock.now()),
    async run(caller, body) {
      const request = fromWireAgentSession(body)
      return asked(await sessions.createForAgent(caller, request), request)
    },
  })
}

const MOVES = [
  ['pause', 'change', 'Pause a mandate', 'Nothing is charged until it is resumed.'],
  ['resume', 'change', 'Resume a mandate', 'After a pause, not after its end.'],
  [
    'cancel',
    'end',
    'Cancel a mandate',
    'For good. Past charges are left alone: a card that was issued before can still pay.',
  ],
] as const

function moves({ mandates }: ToolDeps): Tool[] {
  return MOVES.map(([verb, kind, title, description]) =>
    tool({
      ...{ name: `${verb}_mandate`, kind, title, description },
      scope: 'mandates:write',
      input: MandateInput,
      output: MandateOutput,
      async run(caller, { mandate_id: id }) {
        return { value: toToolMandate(await mandates[verb](fromWireScope(caller, {}), id), caller) }
      },
    }),
  )
}

function requestPurchase({ sessions, clock }: ToolDeps): Tool {
  return tool({
    name: 'request_purchase',
    title: 'Ask for a purchase',
    description:
      'Asks your owner for one purchase at any shop. No tool gives you the card: when they have signed, your key reads it, by ' +
      '`GET /v1/sessions/agent/{session_id}/payment-result`. Where the shop is one of `search_products`, use `create_quote` and `checkout`: then ' +
      'it is bought for you.',
    scope: 'checkout:write',
    kind: 'buy',
    needsKey: true,
    input: Type.Object(PURCHASE, STRICT),
    output: AskedOutput,
    check: (body) => agentSessionProblems(body, clock.now()),
    async run(caller, body) {
      const request = fromWireAgentSession(body)
      return asked(await sessions.createForAgent(caller, request), request)
    },
  })
}

function createQuote({ quotes }: ToolDeps): Tool {
  return tool({
    name: 'create_quote',
    title: 'Ask for a quote',
    description:
      'What a shop wants for these items, sent to this address: good for 15 minutes and one checkout. Nothing is ordered, and no stock is held.',
    scope: 'checkout:write',
    kind: 'look',
    input: CreateQuoteBody,
    output: Quote,
    run: async ({ merchantId, customerId: ownerId }, body) => ({
      value: toWireQuote(await quotes.create({ merchantId, ownerId }, fromWireWish(body))),
    }),
  })
}

const CheckoutInput = Type.Object(
  {
    quote_id: text('The `quote_id`.', 'qte_06gq2w9k5v8c3x1t7n4m0r2hzd'),
    total_amount: about('What the quote says that it costs. Another amount is refused.', Amount),
    currency: CurrencyCode,
  },
  STRICT,
)

function checkout({ sessions, quotes }: ToolDeps): Tool {
  return tool({
    name: 'checkout',
    title: 'Buy what was quoted',
    description:
      'Asks your owner to buy a quote. When they have signed, it is bought at the shop for them; `get_session` says what came of it.',
    scope: 'checkout:write',
    kind: 'buy',
    input: CheckoutInput,
    output: CheckoutOutput,
    async run(caller, { quote_id: quoteId, total_amount, currency }) {
      const amountMinor = minorFromAmount(total_amount)
      const created = await sessions.createQuotedForAgent(caller, { quoteId, amountMinor, currency })
      const quote = toWireQuote(
        await quotes.get({ merchantId: caller.merchantId, quoteId, ownerId: caller.customerId }),
      )
      const { sessionId: session_id, sentence } = created
      const expires_at = created.expiresAt.toISOString()
      return askedFor(created, { session_id, expires_at, approval: { expires_at, sentence, quote } })
    },
  })
}
