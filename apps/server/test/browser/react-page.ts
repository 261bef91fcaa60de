import { MintmarkPage } from '@mintmark/browser/react'
import { createElement, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import type { Made } from './shop-page.ts'

interface Props {
  publishableKey: string
  session: Made
}

function Checkout({ publishableKey, session }: Props) {
  const [isShown, setShown] = useState(true)
  const [words, setWords] = useState('')
  const page = createElement(MintmarkPage, {
    publishableKey,
    sessionToken: session.session_token,
    iframeUrl: session.iframe_url,
    // New at each drawing, as in most programs.
    onSuccess: ({ cardLast4, sessionId }) => setWords(`Paid with ${cardLast4} in ${sessionId}`),
    onChange: ({ step }) => setWords(step),
  })
  const leave = createElement('button', { type: 'button', onClick: () => setShown(false) }, 'Unmount')
  return createElement('div', null, isShown && page, leave, createElement('p', null, words))
}

/** For the test. */
function show(props: Props): void {
  const place = document.querySelector('#place')
  if (place !== null) createRoot(place).render(createElement(StrictMode, null, createElement(Checkout, props)))
}
Object.assign(window, { show })
