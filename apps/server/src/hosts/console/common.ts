import { AS, perPerson } from '../../console/credential.ts'

const OF_PERSON = { tag: 'Console', limit: perPerson, status: 200, noStore: true } as const
const POST = { ...OF_PERSON, method: 'POST' } as const
/** What everybody may read. */
export const READ = { ...OF_PERSON, method: 'GET', auth: [AS.viewer] } as const
/** What a person does about themselves alone. */
export const OWN = { ...POST, auth: [AS.viewer] } as const
/** What changes nothing but how events arrive. */
export const SUPPORT = { ...POST, auth: [AS.support] } as const
/** What a sandbox is tried out with. */
export const DEVELOPER = { ...POST, auth: [AS.developer] } as const
/** What only they read who try the API out. */
export const DEVELOPER_READ = { ...OF_PERSON, method: 'GET', auth: [AS.developer] } as const
export const ADMIN = { ...POST, auth: [AS.admin] } as const
export const OWNER = { ...POST, auth: [AS.owner] } as const

/** The answer where there is nothing to say. */
export const DONE = { done: true } as const
