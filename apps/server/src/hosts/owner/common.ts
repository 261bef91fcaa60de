import { ownerSession, perOwner } from '../../owners/credential.ts'

/** What is the same of all routes of an owner who is signed in. */
export const OWNERS = { tag: 'Owners', auth: [ownerSession], limit: perOwner, status: 200, noStore: true } as const

/** The answer where there is nothing to say. */
export const DONE = { done: true } as const
