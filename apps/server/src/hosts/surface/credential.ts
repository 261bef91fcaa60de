import type { IncomingHttpHeaders } from 'node:http'
import { type CheckedCredential, checkedBy, credential } from '../../http/credential.ts'
import { byAddress, limit } from '../../http/limit.ts'
import { visitInvalid, visitMissing, visitOver } from '../../permissions/errors.ts'
import type { Visitor, VisitTokens } from '../../permissions/token.ts'
import { sessionExpired, sessionRevoked, sessionTokenInvalid, sessionTokenMissing } from '../../sessions/errors.ts'
import type { SessionTokens, SurfaceCaller } from '../../sessions/token.ts'

/** The token of one session. Whether the session is still alive is read with the session, on every call. */
export const sessionToken = credential<SurfaceCaller>('session_token', {
  scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The token of one session.' },
  header: 'authorization',
  errors: { missing: sessionTokenMissing, invalid: sessionTokenInvalid, ended: [sessionExpired, sessionRevoked] },
  tenantOf: ({ merchantId }) => merchantId,
})

/** The token of a visit to the page of permissions. */
export const visitToken = credential<Visitor>('visit_token', {
  scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The token of a visit by passkey.' },
  header: 'authorization',
  errors: { missing: visitMissing, invalid: visitInvalid, ended: [visitOver] },
  tenantOf: ({ merchantId }) => merchantId,
})

const BEARER_TOKEN = /^bearer +([A-Za-z0-9._-]{1,2048})$/i

/** How a host checks the token of a session, and that of a visit. */
export function surfaceCredentials(tokens: SessionTokens, visits: VisitTokens): CheckedCredential[] {
  return [
    checkedBy(sessionToken, {
      async check({ headers }) {
        const token = bearerOf(headers)
        if (token === undefined) throw sessionTokenMissing()
        return tokens.verify(token)
      },
    }),
    checkedBy(visitToken, {
      async check({ headers }) {
        const token = bearerOf(headers)
        if (token === undefined) throw visitMissing()
        return visits.verify(token)
      },
    }),
  ]
}

const bearerOf = ({ authorization = '' }: IncomingHttpHeaders) => BEARER_TOKEN.exec(authorization)?.[1]

const bySession = ({ merchantId, sessionId }: SurfaceCaller) => `${merchantId}:${sessionId}`

/** One payment is about ten calls, and many begin at one address: a block of 30 serves them. */
const BLOCKS_OF_CALLS = 20

export const perLaunch = limit('launch', {
  points: 600,
  windowSeconds: 60,
  blocks: BLOCKS_OF_CALLS,
  by: byAddress,
  // It stands between an attacker and a launch secret.
  withoutStore: 'refuse',
  meaning: 'Tries to trade a launch secret. Refused when the counter cannot be read.',
  countedBy: 'client address',
})

export const perVisit = limit('permissions_sign_in', {
  points: 60,
  windowSeconds: 60,
  by: byAddress,
  // Each asks the database for a challenge, and no credential stands before it.
  withoutStore: 'refuse',
  meaning: 'Visits to the page of permissions that begin. Refused when the counter cannot be read.',
  countedBy: 'client address',
})

export const perVisitor = limit('permissions', {
  points: 120,
  windowSeconds: 60,
  by: ({ merchantId, customerId }: Visitor) => `${merchantId}:${customerId}`,
  withoutStore: 'pass',
  meaning: 'Calls of the page of permissions.',
  countedBy: 'customer',
})

export const perSession = limit('surface', {
  points: 600,
  windowSeconds: 60,
  blocks: BLOCKS_OF_CALLS,
  by: bySession,
  withoutStore: 'pass',
  meaning: "Calls of the cardholder's page.",
  countedBy: 'session',
})

export const perSecretEntry = limit('surface_secret_entry', {
  points: 20,
  windowSeconds: 900,
  by: bySession,
  // The page goes on in the same session.
  ahead: perSession,
  // It stands between an attacker and a card's data or a step-up code.
  withoutStore: 'refuse',
  meaning: 'Card entries and verification codes. Refused when the counter cannot be read.',
  countedBy: 'session',
})

export const perContactLink = limit('contact_link', {
  points: 60,
  windowSeconds: 60,
  by: byAddress,
  // It stands between an attacker and the secret of a link.
  withoutStore: 'refuse',
  meaning: 'Openings of links that were mailed to contacts. Refused when the counter cannot be read.',
  countedBy: 'client address',
})

export const perDocument = limit('document', {
  points: 600,
  windowSeconds: 60,
  by: byAddress,
  withoutStore: 'pass',
  meaning:
    "The API reference, its description, the directory of agents and their cards, and loads of the cardholder's page.",
  countedBy: 'client address',
})
