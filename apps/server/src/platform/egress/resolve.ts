import { lookup, Resolver } from 'node:dns/promises'
import { setTimeout as delay } from 'node:timers/promises'

/** All addresses of a name. Rejects when there are none, or when no name server tells them; ends with the signal. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>

interface Patience {
  /** How long one question waits for its answer before it is asked again. */
  questionMillis: number
  /** When one family has answered, the other one may take so much longer: many name servers never answer for AAAA. */
  otherFamilyMillis: number
}
const PATIENCE: Patience = { questionMillis: 1_000, otherFamilyMillis: 500 }

/** RFC 6761, 6.3: these names are this machine, and no name server is asked. */
const LOCALHOST = /^(?:.+\.)?localhost$/

/**
 * Asks the name servers of the machine for A and AAAA, by itself (c-ares). `dns.lookup` would take one of the four threads that
 * files, compression and hashes share, and cannot be cancelled: four endpoints whose name servers keep silent would stop the
 * process. Neither `/etc/hosts` nor search domains are looked at, so a name means the same here as for everybody else.
 */
export function resolvePublicly(servers?: readonly string[], patience: Partial<Patience> = {}): Resolve {
  const { questionMillis, otherFamilyMillis } = { ...PATIENCE, ...patience }
  return async (host, signal) => {
    if (LOCALHOST.test(host)) return ['127.0.0.1', '::1']
    const resolver = new Resolver({ timeout: questionMillis, tries: 3 })
    if (servers !== undefined) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      return await bothFamilies(resolver.resolve4(host), resolver.resolve6(host), otherFamilyMillis)
    } finally {
      signal.removeEventListener('abort', cancel)
      resolver.cancel()
    }
  }
}

/** `getaddrinfo`, for names that the operator chose. */
export const resolveLikeTheSystem: Resolve = async (host) => {
  const found = await lookup(host, { all: true })
  return found.map(({ address }) => address)
}

type Answer = { addresses: string[] } | { error: unknown }

async function bothFamilies(
  a: Promise<string[]>,
  aaaa: Promise<string[]>,
  otherFamilyMillis: number,
): Promise<readonly string[]> {
  const [first, second] = [settled(a), settled(aaaa)]
  const early = await Promise.race([
    first.then((answer) => ({ answer, other: second })),
    second.then((answer) => ({ answer, other: first })),
  ])
  const wait = new AbortController()
  const patience = delay(otherFamilyMillis, { addresses: [] }, { signal: wait.signal }).catch(() => ({
    addresses: [],
  }))
  const late: Answer = await ('addresses' in early.answer ? Promise.race([early.other, patience]) : early.other)
  wait.abort()
  const found = [early.answer, late].flatMap((answer) => ('addresses' in answer ? answer.addresses : []))
  if (found.length > 0) return found
  throw [early.answer, late].map((answer) => ('error' in answer ? answer.error : undefined)).find(Boolean)
}

function settled(question: Promise<string[]>): Promise<Answer> {
  return question.then(
    (addresses) => ({ addresses }),
    (error: unknown) => ({ error }),
  )
}
