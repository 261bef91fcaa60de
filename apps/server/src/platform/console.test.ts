// Guarantee: what a library writes to the console of the service is a line of its log, which says where it comes from and none of its words.
import { Provider } from 'oidc-provider'
import { afterEach, expect, test } from 'vitest'
import { keepLog } from '../../test/logged.ts'
import { takeConsole } from './console.ts'

const CARD_NUMBER = '4242424242424242'

const { log, lines } = keepLog('error')
let giveBack = () => {}
afterEach(() => giveBack())

const said = () => lines.splice(0).map((line) => JSON.parse(line))

test('by a real library: a line with the place that wrote', () => {
  giveBack = takeConsole(log)
  // With nothing decided it has a warning for each thing.
  new Provider('http://localhost:1')
  const all = said()
  expect(all.length).toBeGreaterThan(1)
  for (const line of all) {
    expect(line).toMatchObject({ level: 'error', message: 'a library wrote to the console' })
    expect(line.frames.join()).toMatch(/node_modules\/oidc-provider\/lib\/helpers\/attention\.js:\d+ /)
  }
})

test.each(['debug', 'error', 'info', 'log', 'trace', 'warn'] as const)(
  'by console.%s: nothing of its words',
  (method) => {
    giveBack = takeConsole(log)
    const { [method]: write } = globalThis.console
    write(`paid with ${CARD_NUMBER}`, new TypeError(CARD_NUMBER))
    write('key sk_live_abcDEF123')
    const all = said()
    expect(all.map(({ error_name }) => error_name)).toEqual(['TypeError', 'ConsoleLine'])
    expect(JSON.stringify(all)).not.toMatch(/4242|abcDEF/)
  },
)

test('the console is given back as it was', () => {
  const before = { ...console }
  takeConsole(log)()
  expect({ ...console }).toEqual(before)
})
