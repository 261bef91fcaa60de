import { createElement, type ReactElement, useEffect, useRef } from 'react'
import { Mintmark } from './client.ts'
import type { SurfaceOptions } from './options.ts'

export interface MintmarkPageProps extends Omit<SurfaceOptions, 'container'> {
  publishableKey: string
  /** What the session is for; `collectPAN` unless it is said. */
  method?: 'collectPAN' | 'enrollCard' | 'setUpMandate' | undefined
}

/** The cardholder's page of one session, for as long as it is mounted. It calls the latest callbacks that it was given. */
export function MintmarkPage({ publishableKey, method = 'collectPAN', ...options }: MintmarkPageProps): ReactElement {
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(options)
  useEffect(() => {
    latest.current = options
  })
  const { sessionToken, iframeUrl, presentation } = options
  // Another session is another page. Other styles or functions are none.
  useEffect(() => {
    const mintmark = new Mintmark({ publishableKey })
    mintmark[method]({
      ...latest.current,
      sessionToken,
      iframeUrl,
      presentation,
      container: place.current,
      onReady: (ready) => latest.current.onReady?.(ready),
      onChange: (change) => latest.current.onChange?.(change),
      onSuccess: (success) => latest.current.onSuccess?.(success),
      onError: (error) => latest.current.onError?.(error),
      onDismiss: (dismissal) => latest.current.onDismiss?.(dismissal),
    })
    return () => mintmark.destroy()
  }, [publishableKey, method, sessionToken, iframeUrl, presentation])
  return createElement('div', { ref: place })
}
