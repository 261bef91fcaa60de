import type { Frame, Page } from 'playwright-core'

/**
 * What a screen reader, a keyboard or weak eyes would stumble over on the screen that is shown now; empty when nothing.
 * The checks that find most, by hand: names, one heading, ids, a live region, contrast, size of targets, overflow.
 */
export function accessibilityProblems(screen: Page | Frame): Promise<string[]> {
  return screen.evaluate(() => {
    const problems: string[] = []
    const shown = (element: Element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })
    const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)].filter(shown)
    const nameOf = (element: HTMLElement) => {
      const labels = 'labels' in element ? [...((element as HTMLInputElement).labels ?? [])] : []
      const text = [element.ariaLabel, element.title, element.textContent, ...labels.map((label) => label.textContent)]
      return text.map((part) => part?.trim() ?? '').find((part) => part !== '')
    }
    const words = (element: Element) => `<${element.tagName.toLowerCase()}> ${element.textContent?.trim().slice(0, 40)}`

    if (document.documentElement.lang === '') problems.push('the page has no language')
    if (document.title.trim() === '') problems.push('the page has no title')
    const headings = all('h1')
    if (headings.length !== 1) problems.push(`${headings.length} first headings`)
    for (const control of all('button, a, input, iframe')) {
      if (nameOf(control) === undefined) problems.push(`no name: ${control.outerHTML.slice(0, 80)}`)
    }
    if (document.querySelector('[role=status], [role=alert], [aria-live]') === null) problems.push('no live region')
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
    for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) problems.push(`id twice: ${id}`)
    for (const described of all('[aria-describedby]')) {
      const missing = described
        .getAttribute('aria-describedby')
        ?.split(' ')
        .find((id) => !ids.includes(id))
      if (missing !== undefined) problems.push(`described by nothing: ${missing}`)
    }
    for (const control of all('button, a.button, input')) {
      const { width, height } = control.getBoundingClientRect()
      const target = control.closest('label')?.getBoundingClientRect() ?? { width, height }
      if (target.width < 24 || target.height < 24) problems.push(`too small to touch: ${words(control)}`)
    }
    if (document.documentElement.scrollWidth > innerWidth) problems.push('wider than the window')

    type Colour = [number, number, number, number]
    const parse = (text: string): Colour => {
      const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number)
      // A mixed colour is written as `color(srgb 0.9 0.95 0.94)`.
      const scale = text.startsWith('color(srgb') ? 255 : 1
      return [red * scale, green * scale, blue * scale, alpha]
    }
    const over = (top: Colour, below: Colour): Colour => {
      const mix = (index: 0 | 1 | 2) => top[index] * top[3] + below[index] * (1 - top[3])
      return [mix(0), mix(1), mix(2), 1]
    }
    const ground = (element: Element | null): Colour => {
      if (element === null) return [255, 255, 255, 1]
      const own = parse(getComputedStyle(element).backgroundColor)
      return own[3] === 1 ? own : over(own, ground(element.parentElement))
    }
    const luminance = (colour: Colour) => {
      const linear = (part: number) => (part <= 10.31475 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4)
      return 0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2])
    }
    for (const element of all('body *')) {
      const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim())
      const { fontSize, fontWeight, color } = getComputedStyle(element)
      if (!hasText || element.closest('[aria-hidden=true], .visually-hidden, svg')) continue
      const below = ground(element)
      const [light, dark] = [luminance(over(parse(color), below)), luminance(below)].sort((a, b) => b - a)
      const ratio = ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05)
      const size = Number.parseFloat(fontSize)
      const isLarge = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700)
      if (ratio < (isLarge ? 3 : 4.5)) problems.push(`contrast ${ratio.toFixed(2)}: ${words(element)}`)
      if (size < 12) problems.push(`text of ${fontSize}: ${words(element)}`)
    }
    return problems
  })
}
