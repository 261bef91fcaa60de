import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { SignIn } from './arriving/arriving.tsx'
import { EscalationPage } from './escalation-page.tsx'
import { HomePage } from './home-page.tsx'
import { LinkPage } from './link-page.tsx'
import { PasskeysPage } from './me/passkeys-page.tsx'
import { MePage } from './me-page.tsx'
import { Nav } from './nav.tsx'
import { RecoveryNotice } from './recovery/notice.tsx'
import { StopPage } from './recovery/stop-page.tsx'
import { ActivityPage } from './seen/activity-page.tsx'
import { AgentPage } from './seen/agent-page.tsx'
import { CardsPage } from './seen/cards-page.tsx'
import { ChargePage } from './seen/charge-page.tsx'
import { PermissionPage } from './seen/permission-page.tsx'
import { PermissionsPage } from './seen/permissions-page.tsx'
import { findOut, offline, signOut, who } from './session.tsx'
import { language } from './text/language.ts'
import { words as me } from './text/me/words.ts'
import { words } from './text/seen/words.ts'
import { text } from './text/words.ts'
import { Button, Loading, said, Unreached } from './ui.tsx'

/** `/links/{id}`: the page, and what it is about. */
const [, page = '', id = ''] = location.pathname.split('/')

const WHY: Record<string, string> = {
  links: text.whyLink,
  escalations: text.whyEscalation,
  me: text.whyMe,
  passkeys: me.why,
  permissions: words.whyPermissions,
  cards: words.whyCards,
  activity: words.whyActivity,
  agents: words.whyAgent,
  '': text.whyHome,
}

function Content() {
  if (page === 'stop-recovery') return <StopPage />
  if (offline.value) return <Unreached again={() => void findOut()} />
  if (who.value === undefined) return <Loading />
  if (who.value === null) return <SignIn why={WHY[page] ?? text.whyHome} />
  if (page === 'links') return <LinkPage id={decodeURIComponent(id)} />
  if (page === 'escalations') return <EscalationPage id={decodeURIComponent(id)} />
  if (page === 'me') return <MePage />
  if (page === 'passkeys') return <PasskeysPage />
  if (page === 'permissions') return id === '' ? <PermissionsPage /> : <PermissionPage id={decodeURIComponent(id)} />
  if (page === 'cards') return <CardsPage />
  if (page === 'activity') return id === '' ? <ActivityPage /> : <ChargePage id={decodeURIComponent(id)} />
  if (page === 'agents') return <AgentPage id={decodeURIComponent(id)} />
  return <HomePage />
}

function App() {
  useEffect(() => void findOut(), [])
  return (
    <>
      <header class="top">
        <a class="brand" href="/">
          <span class="brand-mark" aria-hidden="true">
            M
          </span>
          {text.brand}
        </a>
        {who.value && (
          <span class="who">
            <a href="/me" aria-label={text.meNamed(who.value.name)}>
              <bdi>{who.value.name === '' ? text.me : who.value.name}</bdi>
            </a>
            <Button kind="quiet" onPress={() => void signOut()}>
              {text.signOut}
            </Button>
          </span>
        )}
      </header>
      {who.value && <Nav page={page} />}
      {who.value && <RecoveryNotice />}
      <Content />
      <p class="visually-hidden" role="status">
        {said.value}
      </p>
    </>
  )
}

document.documentElement.lang = language
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
