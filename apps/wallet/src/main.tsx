import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { EscalationPage } from './escalation-page.tsx'
import { HomePage } from './home-page.tsx'
import { LinkPage } from './link-page.tsx'
import { findOut, offline, SignIn, signOut, who } from './session.tsx'
import { text } from './text/en.ts'
import { Button, Loading, said, Unreached } from './ui.tsx'

/** `/links/{id}`: the page, and what it is about. */
const [, page = '', id = ''] = location.pathname.split('/')

/** The operator, as the document names them. */
const operator = document.querySelector<HTMLMetaElement>('meta[name=operator]')?.content ?? ''
const [initial] = operator

const WHY: Record<string, string> = { links: text.whyLink, escalations: text.whyEscalation, '': text.whyHome }

function Content() {
  if (offline.value) return <Unreached again={() => void findOut()} />
  if (who.value === undefined) return <Loading />
  if (who.value === null) return <SignIn why={WHY[page] ?? text.whyHome} />
  if (page === 'links') return <LinkPage id={decodeURIComponent(id)} />
  if (page === 'escalations') return <EscalationPage id={decodeURIComponent(id)} />
  return <HomePage />
}

function App() {
  useEffect(() => void findOut(), [])
  return (
    <>
      <header class="top">
        <a class="brand" href="/">
          <span class="brand-mark" aria-hidden="true">
            {initial}
          </span>
          {operator}
        </a>
        {who.value && (
          <span class="who">
            <bdi>{who.value.name}</bdi>
            <Button kind="quiet" onPress={() => void signOut()}>
              {text.signOut}
            </Button>
          </span>
        )}
      </header>
      <Content />
      <p class="visually-hidden" role="status">
        {said.value}
      </p>
    </>
  )
}

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
