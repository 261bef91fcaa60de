import { effect } from '@preact/signals'
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { EventPage } from './events/event-page.tsx'
import { EventsPage } from './events/events-page.tsx'
import { HomePage } from './home/home-page.tsx'
import { KeysPage } from './keys/keys-page.tsx'
import { Bones, LostPage, said } from './parts/page.tsx'
import { PaymentPage } from './payments/payment-page.tsx'
import { PaymentsPage } from './payments/payments-page.tsx'
import { ActsPage } from './people/acts-page.tsx'
import { InvitationPage } from './people/invitation-page.tsx'
import { MePage } from './people/me-page.tsx'
import { TeamPage } from './people/team-page.tsx'
import { PermissionPage } from './permissions/permission-page.tsx'
import { PermissionsPage } from './permissions/permissions-page.tsx'
import { forgetAll } from './reading.ts'
import { address, followLinks } from './router.ts'
import { SandboxBar } from './sandbox/bar.tsx'
import { findOut, offline, who } from './session.ts'
import { Nav } from './shell/nav.tsx'
import { Logo, Top } from './shell/top.tsx'
import { SignIn } from './sign-in.tsx'
import { language } from './text/language.ts'
import { words } from './text/shell/words.ts'
import { DeliveryPage } from './webhooks/delivery-page.tsx'
import { EndpointPage } from './webhooks/endpoint-page.tsx'
import { WebhooksPage } from './webhooks/webhooks-page.tsx'

const LISTS = new Map([
  ['', () => <HomePage />],
  ['payments', () => <PaymentsPage />],
  ['permissions', () => <PermissionsPage />],
  ['webhooks', () => <WebhooksPage />],
  ['events', () => <EventsPage />],
  ['keys', () => <KeysPage />],
  ['team', () => <TeamPage />],
  ['acts', () => <ActsPage />],
  ['me', () => <MePage />],
])
const THINGS = new Map([
  ['payments', (id: string) => <PaymentPage key={id} id={id} />],
  ['permissions', (id: string) => <PermissionPage key={id} id={id} />],
  ['webhooks', (id: string) => <EndpointPage key={id} id={id} />],
  ['deliveries', (id: string) => <DeliveryPage key={id} id={id} />],
  ['events', (id: string) => <EventPage key={id} id={id} />],
])

/** `/payments/{id}`: the page, and what it is about. */
function place(): { page: string; id: string } {
  const [, page = '', id = ''] = address.value.pathname.split('/')
  return { page, id: decoded(id) }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function Content({ page, id }: { page: string; id: string }) {
  const shown = id === '' ? LISTS.get(page)?.() : THINGS.get(page)?.(id)
  return shown === undefined ? <LostPage lost="unknown" again={() => undefined} /> : shown
}

function Outside() {
  return (
    <>
      <header class="top">
        <Logo />
      </header>
      {offline.value ? (
        <LostPage lost="unreachable" again={() => void findOut()} />
      ) : place().page === 'invitation' && who.value !== undefined ? (
        <InvitationPage />
      ) : who.value === null ? (
        <SignIn />
      ) : (
        <Bones title={words.product} />
      )}
    </>
  )
}

function App() {
  useEffect(() => void findOut(), [])
  const { page, id } = place()
  return (
    <>
      {who.value && page !== 'invitation' ? (
        <>
          <a class="skip" href="#page">
            {words.skip}
          </a>
          <header>
            <Top />
            <SandboxBar />
          </header>
          <div class="frame">
            <Nav page={page} />
            <Content page={page} id={id} />
          </div>
        </>
      ) : (
        <Outside />
      )}
      <p class="visually-hidden" role="status">
        {said.value}
      </p>
    </>
  )
}

document.documentElement.lang = language
followLinks()
// What one person read is not there for the next.
effect(() => {
  if (who.value === null) forgetAll()
  document.documentElement.dataset.environment = who.value?.account.environment ?? ''
})
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
