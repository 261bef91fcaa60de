import type { Screen } from '../screen.ts'

/** A screen that keeps what it is told. */
export function keptScreen(home: string, stopped: AbortSignal = new AbortController().signal) {
  const told = { notes: [] as string[], words: [] as string[], answer: {} as Record<string, unknown> }
  const screen: Screen = {
    ...{ env: {}, json: true, home, stopped },
    paint: (_style, text) => text,
    note: (line) => void told.notes.push(line),
    progress: () => undefined,
    show(answer, words) {
      told.answer = { ...answer }
      told.words = words
    },
  }
  return { screen, told }
}
