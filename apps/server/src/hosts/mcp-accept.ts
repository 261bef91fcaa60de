import { isRecord, valueAt } from '../platform/json.ts'

// The library wants each client to take both JSON and event streams, and answers as it likes. In the field one takes JSON alone, another event
// streams alone, and plain programs anything: they are answered in what they take.

export const JSON_TYPE = 'application/json'
const STREAM_TYPE = 'text/event-stream'
/** What the library is told, whatever the client takes. */
export const TAKES_BOTH = `${JSON_TYPE}, ${STREAM_TYPE}`

/** `any`: both, by name. `none`: neither. */
export type AnswerForm = 'any' | 'json' | 'stream' | 'none'

/** A stream that goes on until its client leaves: there is no JSON of it. */
const ENDLESS = 'subscriptions/listen'

/** In which form a client wants its answer, by its `Accept` header. A stream is for whoever names it, or takes no JSON. */
export function formFor(accept: string | undefined, body: unknown): AnswerForm {
  const ranges = rangesOf(accept ?? '')
  const isJson = ranges.size === 0 || admits(ranges, [JSON_TYPE, 'application/*', '*/*'])
  const isStream = ranges.size === 0 || admits(ranges, [STREAM_TYPE, 'text/*', '*/*'])
  if (valueAt(body, 'method') === ENDLESS) return isStream ? 'stream' : 'none'
  if (isJson && isStream) return ranges.has(STREAM_TYPE) ? 'any' : 'json'
  if (isJson) return 'json'
  return isStream ? 'stream' : 'none'
}

/** Media ranges, and whether each is wanted: a weight of nothing refuses one. */
function rangesOf(accept: string): Map<string, boolean> {
  const items = accept.toLowerCase().split(',')
  const parts = items.map((item) => item.split(';').map((part) => part.trim()))
  const named = parts.filter(([range]) => range !== '')
  return new Map(
    named.map(([range = '', ...params]) => [range, !params.some((param) => /^q *= *0(\.0*)?$/.test(param))]),
  )
}

/** The most specific range that is there decides. */
function admits(ranges: Map<string, boolean>, fromSpecific: readonly string[]): boolean {
  const range = fromSpecific.find((each) => ranges.has(each))
  return range !== undefined && ranges.get(range) === true
}

/** The answer of the library in the form that the client takes. What is no success stays JSON: its status says enough. */
export async function answeredAs(form: AnswerForm, response: Response, isBatch: boolean): Promise<Response> {
  const [type] = (response.headers.get('content-type') ?? '').split(';')
  if (response.status !== 200) return response
  if (form === 'json' && type === STREAM_TYPE) {
    const answers = answersIn(await response.text())
    return withBody(response, JSON_TYPE, JSON.stringify(isBatch ? answers : answers.at(-1)))
  }
  if (form === 'stream' && type === JSON_TYPE) {
    return withBody(response, STREAM_TYPE, `event: message\ndata: ${await response.text()}\n\n`)
  }
  return response
}

function withBody({ status, headers: given }: Response, type: string, body: string): Response {
  const headers = new Headers(given)
  for (const name of ['content-length', 'connection', 'x-accel-buffering']) headers.delete(name)
  headers.set('content-type', type)
  return new Response(body, { status, headers })
}

/** The messages of a stream that answer a request; notices on the way to them are for whoever reads streams. */
function answersIn(stream: string): unknown[] {
  const events = stream.split('\n\n').map((event) => event.split('\n').filter((line) => line.startsWith('data:')))
  const texts = events.map((lines) => lines.map((line) => line.slice('data:'.length).trimStart()).join('\n'))
  const messages: unknown[] = texts.filter((text) => text !== '').map((text) => JSON.parse(text))
  return messages.filter((message) => isRecord(message) && ('result' in message || 'error' in message))
}

/** As the library refuses what it cannot answer. */
export const notAcceptable = () => ({
  jsonrpc: '2.0',
  error: { code: -32_000, message: `Not Acceptable: Accept must have ${JSON_TYPE} or ${STREAM_TYPE}` },
  id: null,
})
