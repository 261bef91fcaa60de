import type { Page } from 'playwright-core'

// What a page owes to who sees it otherwise. Each runs in the page, on the screen that is shown, and is empty when all
// is well.

/**
 * With the colours of the person's own choice every control has an edge, and no words are as the ground they stand on.
 */
function forcedColourProblems(): string[] {
  const shown = (element: Element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })
  const groundOf = (element: Element | null): string => {
    if (element === null) return getComputedStyle(document.documentElement).backgroundColor
    const { backgroundColor } = getComputedStyle(element)
    return /, 0\)$|^transparent$/.test(backgroundColor) ? groundOf(element.parentElement) : backgroundColor
  }
  const problems: string[] = []
  if (!matchMedia('(forced-colors: active)').matches) problems.push('no forced colours')
  for (const control of document.querySelectorAll('button, a.button, input:not([type=checkbox])')) {
    const { borderTopWidth, borderTopStyle, borderTopColor } = getComputedStyle(control)
    const hasEdge =
      borderTopStyle !== 'none' && borderTopWidth !== '0px' && borderTopColor !== groundOf(control.parentElement)
    if (shown(control) && !hasEdge) problems.push(`no edge: ${control.outerHTML.slice(0, 120)}`)
  }
  for (const element of document.querySelectorAll('body *')) {
    const hasWords = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim())
    if (!hasWords || !shown(element) || element.closest('svg, .visually-hidden')) continue
    if (getComputedStyle(element).color === groundOf(element))
      problems.push(`not seen: ${element.textContent?.slice(0, 40)}`)
  }
  return problems
}

/** A person who asked for less motion sees nothing move: at most something fades, and nothing glides. */
function motionProblems(): string[] {
  const problems: string[] = []
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) problems.push('motion is not reduced')
  for (const element of document.querySelectorAll('body, body *')) {
    for (const part of [null, '::before', '::after']) {
      const { transitionDuration } = getComputedStyle(element, part)
      if (!/^0s(, 0s)*$/.test(transitionDuration)) problems.push(`glides: ${element.className}`)
    }
  }
  for (const { effect } of document.getAnimations()) {
    const frames = effect instanceof KeyframeEffect ? effect.getKeyframes() : []
    const moved = frames
      .flatMap((frame) => Object.keys(frame))
      .filter((name) => /translate|rotate|scale|transform|left|top/.test(name))
    if (moved.length > 0) problems.push(`moves: ${moved.join(' ')}`)
  }
  return problems
}

/** Whatever can be pressed is reached by the keyboard in the order it is read, and shows that it was. */
function keyboardProblems(): string[] {
  const problems: string[] = []
  const before = document.activeElement
  for (const control of document.querySelectorAll<HTMLElement>(
    // What cannot be changed while it is sent is passed over.
    ':is(button, a, input, summary, [tabindex], [role=button]):not(:disabled)',
  )) {
    if (control.tabIndex > 0) problems.push(`out of order: ${control.outerHTML.slice(0, 80)}`)
    // A heading takes the focus of a new screen, and is nothing to press.
    if (!control.checkVisibility({ checkVisibilityCSS: true }) || control.matches('[tabindex="-1"]:is(h1, h2, p)'))
      continue
    control.focus({ preventScroll: true, focusVisible: true } as FocusOptions)
    const { outlineStyle, outlineWidth } = getComputedStyle(control)
    if (document.activeElement !== control || control.tabIndex < 0)
      problems.push(`not reached: ${control.outerHTML.slice(0, 80)}`)
    else if (outlineStyle === 'none' || Number.parseFloat(outlineWidth) < 2)
      problems.push(`focus is not seen: ${control.outerHTML.slice(0, 80)}`)
  }
  if (before instanceof HTMLElement) before.focus({ preventScroll: true })
  return problems
}

/** In a low window what stays in sight leaves most of it to the rest. */
function stickyProblems(): string[] {
  const stuck = [...document.querySelectorAll('body *')].filter((element) =>
    /sticky|fixed/.test(getComputedStyle(element).position),
  )
  const taken = stuck.reduce((sum, element) => sum + element.getBoundingClientRect().height, 0)
  return taken > innerHeight / 2 ? [`${Math.round(taken)} of ${innerHeight} px are always taken`] : []
}

const LOW_PHONE = { width: 667, height: 375 }

/** With the browser's own colours, without motion, by the keyboard, and on a phone that lies on its side. */
export async function otherViewProblems(page: Page, fit: () => string[]): Promise<string[]> {
  const problems: string[] = []
  const look = async (name: string, ...checks: (() => string[])[]) => {
    for (const check of checks) problems.push(...(await page.evaluate(check)).map((problem) => `${name}: ${problem}`))
  }
  await look('less motion', motionProblems)
  await look('keyboard', keyboardProblems)
  await page.emulateMedia({ forcedColors: 'active' })
  await look('forced colours', forcedColourProblems)
  await page.emulateMedia({ forcedColors: 'none' })
  await page.setViewportSize(LOW_PHONE)
  await look('landscape', fit, stickyProblems)
  return problems
}
