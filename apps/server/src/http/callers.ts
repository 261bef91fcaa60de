import { hash } from 'node:crypto'

/** Whose request it is, as far as that is known before its credential is checked. */
export interface Caller {
  /** Places are shared out by it. */
  key: string
  /** It shows no credential that its route takes. */
  isAnonymous: boolean
  /** Whose account it is for is not known: what it shows may be made up, and its sender may show something else each time. */
  isStranger: boolean
}

const MOST_KNOWN = 10_000

/**
 * Whose the credentials are that were good in this process. So whoever has many keys or sessions, or writes one key in many ways, is one caller.
 * By hash, so that no credential lies in memory; the one that was not shown for longest makes room.
 */
export function createCallers(most = MOST_KNOWN) {
  const accounts = new Map<string, string>()

  function keep(shown: string, account: string): void {
    accounts.delete(shown)
    if (accounts.size >= most) accounts.delete(accounts.keys().next().value ?? '')
    accounts.set(shown, account)
  }

  return {
    /** By what a request shows, null: nothing, and from where it comes. */
    of(shown: string | null, address: string): Caller {
      if (shown === null) return { key: `address ${address}`, isAnonymous: true, isStranger: true }
      const hashed = `shown ${hash('sha256', shown, 'base64')}`
      const account = accounts.get(hashed)
      if (account === undefined) return { key: hashed, isAnonymous: false, isStranger: true }
      keep(hashed, account)
      return ofAccount(account)
    },
    /** What the caller showed is good, and of this account. Returns who they are from now on. */
    learn(caller: Caller, account: string): Caller {
      if (caller.isAnonymous || !caller.isStranger) return caller
      keep(caller.key, account)
      return ofAccount(account)
    },
  }
}

const ofAccount = (account: string): Caller => ({ key: `account ${account}`, isAnonymous: false, isStranger: false })
