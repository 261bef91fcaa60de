import type { CheckoutAnswer } from '../port.ts'

/** So many questions of one process wait for one shop at a time; the others wait for a place. */
const MAX_AT_A_SHOP = 16
/** While it is slow only these are asked: they find out when it is well again. */
const MAX_WHILE_SLOW = 2
/** No question waits longer for a place. */
const MAX_WAIT_MILLIS = 2_000

/** What this process has seen of one shop. A hint: nothing is decided by it but who waits. */
interface Sight {
  asked: number
  isSlow: boolean
  /** Told, in their order: true, there is a place; false, there is none. */
  waiting: Set<(hasPlace: boolean) => void>
}

const NO_PLACE = { outcome: 'unknown', cause: 'slow' } as const

/**
 * Bounds what one shop may hold of the workers that buy. A question that lasts longer than its usual time makes the shop slow, at that
 * moment and not when it ends; an answer in time makes it well. A refusal in no time is in time: a shop that is away and says so costs
 * no worker anything. A question that gets no place is not asked, and is answered `unknown`, as of a shop that is silent.
 */
export function createPlaces() {
  const sights = new Map<string, Sight>()
  function sightOf(shopId: string): Sight {
    const known = sights.get(shopId)
    if (known !== undefined) return known
    const fresh = { asked: 0, isSlow: false, waiting: new Set<(hasPlace: boolean) => void>() }
    sights.set(shopId, fresh)
    return fresh
  }

  /** Asks, once there is a place. `usualMillis`: longer than that is slow. */
  async function ask<T>(
    shopId: string,
    usualMillis: number,
    question: () => Promise<CheckoutAnswer<T>>,
  ): Promise<CheckoutAnswer<T>> {
    const sight = sightOf(shopId)
    if (!(await takePlace(sight))) return NO_PLACE
    let isInTime = true
    const timer = setTimeout(() => {
      isInTime = false
      becomeSlow(sight)
    }, usualMillis)
    try {
      return await question()
    } finally {
      clearTimeout(timer)
      sight.asked -= 1
      sight.isSlow = !isInTime
      admit(sight)
    }
  }
  return { ask }
}
export type Places = ReturnType<typeof createPlaces>

/** A place is taken when it is given, not when its holder goes on: or two would be given the same. */
function takePlace(sight: Sight): boolean | Promise<boolean> {
  if (sight.asked < maxAt(sight)) {
    sight.asked += 1
    return true
  }
  if (sight.isSlow) return false
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const tell = (hasPlace: boolean) => {
    clearTimeout(timer)
    sight.waiting.delete(tell)
    resolve(hasPlace)
  }
  const timer = setTimeout(tell, MAX_WAIT_MILLIS, false)
  sight.waiting.add(tell)
  return promise
}

const maxAt = ({ isSlow }: Sight) => (isSlow ? MAX_WHILE_SLOW : MAX_AT_A_SHOP)

function becomeSlow(sight: Sight): void {
  sight.isSlow = true
  for (const tell of sight.waiting) tell(false)
}

/** Those who wait go on, as far as there are places. */
function admit(sight: Sight): void {
  for (const tell of sight.waiting) {
    if (sight.asked >= maxAt(sight)) return
    sight.asked += 1
    tell(true)
  }
}
