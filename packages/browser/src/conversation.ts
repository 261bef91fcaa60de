import { type OwnMessage, type PageMessage, PROTOCOL, readMessage } from './protocol.ts'

const HELLO_EVERY_MILLIS = 250

export interface Conversation {
  say(type: OwnMessage): void
  /** The page has answered: no more hello until it is loaded again. */
  greeted(): void
}

/**
 * Talks to the page in `frame`, and hears no other sender: not another window, not another site in the same window, not a script of
 * this page that makes a message up. `signal` ends it.
 */
export function converse(
  frame: HTMLIFrameElement,
  { origin, signal, hear }: { origin: string; signal: AbortSignal; hear(message: PageMessage): void },
): Conversation {
  let hello: ReturnType<typeof setInterval> | undefined
  const say = (type: OwnMessage) => frame.contentWindow?.postMessage({ protocol: PROTOCOL, type }, origin)
  const greeted = () => clearInterval(hello)
  const listen = (event: MessageEvent) => {
    // A frame that was taken out of the page has no window, as a made-up message has no source.
    if (!event.isTrusted || event.source === null || event.source !== frame.contentWindow) return
    if (event.origin !== origin) return
    const message = readMessage(event.data)
    if (message !== null) hear(message)
  }
  addEventListener('message', listen, { signal })
  // Each time: the cardholder may load the frame alone again.
  frame.addEventListener(
    'load',
    () => {
      greeted()
      say('hello')
      hello = setInterval(say, HELLO_EVERY_MILLIS, 'hello')
    },
    { signal },
  )
  signal.addEventListener('abort', greeted)
  return { say, greeted }
}
