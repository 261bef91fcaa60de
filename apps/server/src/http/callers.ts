import { hash } from 'node:crypto'
import { remember } from '../platform/remember.ts'

/** Whose request it is, as far as that is known before its credential is checked. */
export interface Caller {
  /** Places are shared out by it. */
  key: string
  /** It shows no credential that its route takes. */
  isAnonymous: boolean
  /** Whose account it is for is not known: what it shows may be made up, and its sender may show something else each time. */
  isStranger: boolean
}

/** What a request shows of itself: the name of the credential, and what of it is the same each time. */
export interface Shown {
  name: string
  value: string
}

const MAX_KNOWN = 10_000

/**
 * The account of each credential that was good in this process, so that one with many keys or sessions is one caller. By hash, so that no
 * credential lies in memory. The one not shown for longest makes room within its kind, so that the many of cardholders push out no merchant's.
 */
export function createCallers(most = MAX_KNOWN) {
  const kinds = new Map<string, Map<string, string>>()

  function kindOf(name: string): Map<string, string> {
    const known = kinds.get(name)
    if (known !== undefined) return known
    const made = new Map<string, string>()
    kinds.set(name, made)
    return made
  }

  return {
    /** By what a request shows, null: nothing, and from where it comes. */
    of(shown: Shown | null, address: string): Caller {
      if (shown === null) return { key: `address ${address}`, isAnonymous: true, isStranger: true }
      const hashed = hash('sha256', shown.value, 'base64')
      const accounts = kindOf(shown.name)
      const account = accounts.get(hashed)
      if (account === undefined) return { key: `${shown.name} ${hashed}`, isAnonymous: false, isStranger: true }
      remember(accounts, most, hashed, account)
      return ofAccount(account)
    },
    /** What the caller showed is good, and of this account. Returns who they are from now on. */
    learn(caller: Caller, account: string): Caller {
      if (caller.isAnonymous || !caller.isStranger) return caller
      const [name = '', hashed = ''] = caller.key.split(' ')
      remember(kindOf(name), most, hashed, account)
      return ofAccount(account)
    },
  }
}

const ofAccount = (account: string): Caller => ({ key: `account ${account}`, isAnonymous: false, isStranger: false })
