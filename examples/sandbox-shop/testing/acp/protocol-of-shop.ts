import type { Parts, Protocol } from '../../shop.ts'
import { startShop } from '../../start.ts'
import { createIdempotency, REQUEST_TABLE } from './idempotency.ts'
import { acpApi } from './routes.ts'
import { createSessions, SESSION_TABLE } from './sessions.ts'
import { createTokens, TOKEN_TABLE } from './tokens.ts'

/** The parts of the shop with those of the protocol. */
export type AcpShop = Parts & {
  sessions: ReturnType<typeof createSessions>
  tokens: ReturnType<typeof createTokens>
  idempotency: ReturnType<typeof createIdempotency>
}

/** The Agentic Commerce Protocol, below `/acp`. */
export const ACP: Protocol = {
  tables: SESSION_TABLE + REQUEST_TABLE + TOKEN_TABLE,
  open(parts) {
    const sessions = createSessions(parts)
    const tokens = createTokens(parts)
    const idempotency = createIdempotency(parts.db, parts.now)
    const shop: AcpShop = { ...parts, sessions, tokens, idempotency }
    return {
      sweep() {
        idempotency.forgetOld()
        tokens.forgetOld()
      },
      answer(request, url, origin) {
        return url.pathname.startsWith('/acp/') ? acpApi(shop, request, url, origin) : undefined
      },
    }
  },
}

/** The shop, which speaks this protocol as well. */
export const startAcpShop = (options: Parameters<typeof startShop>[0]) => startShop(options, ACP)
