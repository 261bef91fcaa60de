const MINUTE = 60
const DAY = 24 * 60 * MINUTE

/** A token that a thief took from a client is good for no longer, also where no owner notices. */
export const ACCESS_TOKEN_SECONDS = 10 * MINUTE

/** In seconds, by what oidc-provider calls it. */
export const TTL = {
  AccessToken: ACCESS_TOKEN_SECONDS,
  AuthorizationCode: MINUTE,
  // As long as the link.
  Interaction: 15 * MINUTE,
  Session: 15 * MINUTE,
  // Each use gives a new one: a client that is used at least as often stays.
  RefreshToken: 30 * DAY,
  Grant: 400 * DAY,
} as const

/** A refresh token is answered once; a client that did not hear the answer asks again within this. */
export const REPEAT_SECONDS = 30

/** How long a client that registered itself is known, from the last owner's approval on. */
export const CLIENT_SECONDS = TTL.Grant
