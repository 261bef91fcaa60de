import { createFrameGate, frameMessage, type Outgoing, parseParentMessage } from './frame-protocol.ts'

export interface FrameLink {
  send(message: Outgoing): void
  /** Another one takes its place. */
  end(): void
}

/** For a page that is not embedded: nothing is sent. */
export const NO_FRAME: FrameLink = { send: () => {}, end: () => {} }

/**
 * Until the session is open no origin is known, and none is pinned. The site that frames the page is told that it is here, or that it will
 * never open this link: the browser lets registered origins alone frame it, and they have the link.
 */
export function greetFrame(parent: Window): FrameLink {
  const ended = new AbortController()
  let last: Outgoing | null = null
  const greet = ({ source, origin, data }: MessageEvent) => {
    if (source !== parent || origin === 'null' || parseParentMessage(data)?.type !== 'hello') return
    for (const message of [{ type: 'loading' } as const, last]) {
      if (message !== null) parent.postMessage(frameMessage(message), origin)
    }
  }
  addEventListener('message', greet, { signal: ended.signal })
  return {
    end: () => ended.abort(),
    send(message) {
      if (message.type === 'error') last = message
    },
  }
}

/** The conversation with the embedding page. Until it has said hello nothing leaves; the latest of each kind waits. */
export function connectFrame(options: {
  parent: Window
  allowedOrigins: readonly string[]
  sessionId: string
  content: Element
  onCancel(): void
  /** Whether the cardholder is asked. */
  onClose(): boolean
}): FrameLink {
  const { parent, sessionId } = options
  const gate = createFrameGate(parent, options.allowedOrigins)
  const waiting = new Map<Outgoing['type'], Outgoing>()

  const send = (message: Outgoing) => {
    const origin = gate.pinned()
    if (origin === null) waiting.set(message.type, message)
    else parent.postMessage(frameMessage(message), origin)
  }
  const answerHello = () => {
    send({ type: 'ready', session_id: sessionId })
    for (const message of waiting.values()) send(message)
    waiting.clear()
  }
  addEventListener('message', (event) => {
    const message = gate.accept(event)
    if (message?.type === 'hello') answerHello()
    if (message?.type === 'cancel') options.onCancel()
    if (message?.type === 'close' && options.onClose()) send({ type: 'asking' })
  })
  addEventListener('keydown', ({ key, defaultPrevented, isComposing }) => {
    if (key === 'Escape' && !defaultPrevented && !isComposing && gate.pinned() !== null) send({ type: 'escape' })
  })
  watchHeight(options.content, (height) => send({ type: 'resize', height }))
  return { send, end: () => {} }
}

function watchHeight(content: Element, report: (height: number) => void): void {
  let last = 0
  const observer = new ResizeObserver(() => {
    const height = Math.ceil(content.getBoundingClientRect().height)
    if (height === last) return
    last = height
    report(height)
  })
  observer.observe(content)
}

/** False where the browser says that a site around the page is not a registered one; true also when it says nothing. */
export function ancestorsAllowed(isAllowed: (origin: string) => boolean): boolean {
  const { ancestorOrigins } = location
  return ancestorOrigins === undefined || [...ancestorOrigins].every((origin) => isAllowed(origin))
}
