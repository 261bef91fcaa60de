/** A second tap of the same finger comes within this time. */
const HELD_MILLIS = 400

const timers = new WeakMap<HTMLElement, ReturnType<typeof setTimeout>>()

/**
 * What has just appeared takes no press for a moment: a second tap that was meant for what stood there before must not
 * reach it. The keyboard works immediately, because the focus has moved on.
 */
export function holdPresses(element: HTMLElement): void {
  clearTimeout(timers.get(element))
  element.classList.add('unsettled')
  timers.set(
    element,
    setTimeout(() => element.classList.remove('unsettled'), HELD_MILLIS),
  )
}
