/**
 * In it a page sends the token of its session with each request that changes something, and is answered the next token
 * once a passkey was used.
 */
export const PAGE_TOKEN_HEADER = 'x-page-token'
