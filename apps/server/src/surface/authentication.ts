import type { Authenticator } from '../http/authenticator.ts'
import { sessionTokenMissing } from '../sessions/errors.ts'
import type { SessionTokens } from '../sessions/token.ts'

/** The session token in `Authorization: Bearer`. Whether its session still lives is read with the session, on every call. */
export function sessionTokenAuthenticator(tokens: SessionTokens): Authenticator<'session_token'> {
  return async (header) => {
    const [, token] = /^bearer +([A-Za-z0-9._-]{1,2048})$/i.exec(header ?? '') ?? []
    if (token === undefined) throw sessionTokenMissing()
    return tokens.verify(token)
  }
}
