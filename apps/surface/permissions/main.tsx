import type { PermissionsView } from '@mintmark/contract/wire/permissions'
import { render } from 'preact'
import { supportsPasskeys } from '../src/passkey-dialogs.ts'
import { createCalls, NotSigned, Refused } from './calls.ts'
import { words } from './here.ts'
import { type Acts, Page, SIGNING_IN, type State, type Trouble } from './page.tsx'

// One state, drawn anew after each change. What was signed in with is in memory alone: a page that is loaded again asks
// for the passkey.

const root = document.getElementById('app') as HTMLElement
const [, , merchantId = ''] = location.pathname.split('/')
const calls = createCalls(decodeURIComponent(merchantId))
let state: State = {
  view: null,
  trouble: supportsPasskeys() ? null : 'unusable',
  busy: null,
  asking: null,
  said: '',
}

function change(changes: Partial<State>): void {
  state = { ...state, ...changes }
  render(<Page state={state} acts={acts} />, root)
}

const acts: Acts = {
  signIn: () => void perform(SIGNING_IN, () => calls.signIn(), ''),
  pause: (id) => void perform(id, () => calls.pause(id), words.paused),
  goOn: (id) => void perform(id, () => calls.goOn(id), words.resumed),
  end: (id) => void perform(id, () => calls.end(id), words.cancelled),
  ask(id) {
    change({ asking: id, trouble: null, said: '' })
    const asks = root.querySelector<HTMLElement>(id === null ? '.button-danger' : 'legend')
    asks?.focus()
  },
}

/** One at a time: while something is under way, nothing else is begun. */
async function perform(busy: string, work: () => Promise<PermissionsView>, said: string): Promise<void> {
  if (state.busy !== null) return
  change({ busy, trouble: null, said: '' })
  try {
    change({ view: await work(), busy: null, asking: null, said })
  } catch (error) {
    await failed(error)
  }
  root.querySelector<HTMLElement>('h1')?.focus()
}

/** What moved elsewhere is read again, and shown as it stands. */
async function failed(error: unknown): Promise<void> {
  const trouble = troubleOf(error, state.view !== null)
  const view = trouble === 'moved' ? await calls.read().catch(() => state.view) : state.view
  if (trouble === 'over') calls.signOut()
  change({ trouble, busy: null, asking: null, view: trouble === 'over' ? null : view })
}

const OF_STATUS: Readonly<Record<number, Trouble>> = {
  401: 'over',
  404: 'moved',
  409: 'moved',
  429: 'busy',
  503: 'offline',
}

function troubleOf(error: unknown, isSignedIn: boolean): Trouble {
  if (error instanceof NotSigned) return 'closed'
  if (!(error instanceof Refused)) return 'offline'
  if (isSignedIn) return OF_STATUS[error.status] ?? 'failed'
  if (error.status === 404) return 'nowhere'
  return error.code === 'PASSKEY_FAILED' ? 'unknown' : (OF_STATUS[error.status] ?? 'failed')
}

change({})

// A page kept for the back button must not come back signed in.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})
