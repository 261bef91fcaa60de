import type { CDPSession, Page } from 'playwright-core'

/** Runs in the page: where text does not fit. Empty when all of it can be read without scrolling sideways. */
export function textProblems(): string[] {
  const problems: string[] = []
  const { scrollWidth } = document.documentElement
  if (scrollWidth > innerWidth) problems.push(`wider than the window: ${scrollWidth} px`)
  const isShown = (element: Element) =>
    element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) &&
    element.closest('.visually-hidden, [aria-hidden=true], svg') === null
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.textContent ?? ''
    const parent = node.parentElement
    if (parent === null || text.trim() === '' || !isShown(parent)) continue
    range.selectNodeContents(node)
    const lines = [...range.getClientRects()]
    const box = range.getBoundingClientRect()
    const words = `"${text.trim().slice(0, 40)}"`
    if (box.left < -0.5 || box.right > innerWidth + 0.5) problems.push(`outside: ${words}`)
    for (let holder: Element | null = parent; holder !== null; holder = holder.parentElement) {
      const { overflowX } = getComputedStyle(holder)
      const { left, right } = holder.getBoundingClientRect()
      if (overflowX !== 'visible' && (box.left < left - 0.5 || box.right > right + 0.5)) problems.push(`cut: ${words}`)
    }
    // A word over more lines than one: broken inside, letter by letter at worst.
    for (const { 0: word, index } of text.matchAll(/[^\s\u00a0-]{2,}/g)) {
      if (lines.length < 2 || word.length > 20) break
      range.setStart(node, index)
      range.setEnd(node, index + word.length)
      const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
      if (tops.size > 1 && /^[\p{Script=Latin}\p{Script=Cyrillic}\p{N}$€.,]+$/u.test(word)) {
        problems.push(`torn apart: ${word} in ${words}`)
      }
    }
  }
  return problems
}

/** Kept as long as their page: one that is detached takes the page's authenticator with it. */
const sessions = new WeakMap<Page, CDPSession>()

/** As the person's own setting of the browser: media queries in em follow it too. */
export async function enlarge(page: Page, percent: number): Promise<void> {
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page))
  sessions.set(page, session)
  await session.send('Page.setFontSizes', {
    fontSizes: { standard: (16 * percent) / 100, fixed: Math.round((13 * percent) / 100) },
  })
  await page.waitForFunction(
    (size) => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) === size,
    (16 * percent) / 100,
  )
}
