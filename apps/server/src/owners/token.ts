import { pageTokenFor } from '../platform/page-session.ts'

/** What the page of owners sends along with each request that changes something. */
export const pageTokenOf = (digest: Buffer) => pageTokenFor('owner', digest)
