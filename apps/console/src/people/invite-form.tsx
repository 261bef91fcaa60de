import { CONSOLE_ROLES, type ConsoleRole, mayAs } from '@mintmark/contract/console'
import { post } from '@mintmark/ui/backend.ts'
import { Button } from '@mintmark/ui/button.tsx'
import { Field } from '@mintmark/ui/field.tsx'
import { Alert } from '@mintmark/ui/notice.tsx'
import { Panel } from '@mintmark/ui/panel.tsx'
import { useState } from 'preact/hooks'
import { words } from '../text/people/words.ts'
import { words as common } from '../text/shell/words.ts'
import { useAct } from './act.ts'
import { confirmed } from './confirm.ts'

/** An address and a role; the passkey says yes to both. `role`: of who invites, above whom they invite no one. */
export function InviteForm({ role: own }: { role: ConsoleRole }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<ConsoleRole>('developer')
  const [problem, setProblem] = useState<string | null>(null)
  const [sent, setSent] = useState('')
  const { isBusy, failure, act } = useAct(words.refusals)
  async function invite(): Promise<void> {
    const address = email.trim()
    setSent('')
    if (!/^\S+@\S+$/.test(address)) {
      setProblem(words.addressWrong)
      document.getElementById('invite-email')?.focus()
      return
    }
    const isSent = await act(async () => {
      const answer = await confirmed({ act: 'invite', email: address, role })
      await post('team/invite', { email: address, role, answer })
    })
    if (!isSent) return
    setEmail('')
    setSent(words.invited(address))
  }
  return (
    <Panel title={words.invite}>
      <form
        noValidate
        class="panel-body people-form"
        onSubmit={(event) => {
          event.preventDefault()
          void invite()
        }}
      >
        <p>{words.inviteWords}</p>
        <Field
          id="invite-email"
          label={words.address}
          problem={problem}
          input={{
            type: 'email',
            autoComplete: 'off',
            maxLength: 254,
            value: email,
            onInput: (event) => {
              setEmail(event.currentTarget.value)
              setProblem(null)
            },
          }}
        />
        <div class="field">
          <label class="label" for="invite-role">
            {words.columns.role}
          </label>
          <select
            id="invite-role"
            class="input"
            value={role}
            aria-describedby="invite-role-hint"
            onChange={(event) => setRole(CONSOLE_ROLES.find((one) => one === event.currentTarget.value) ?? 'viewer')}
          >
            {CONSOLE_ROLES.filter((one) => mayAs(own, one)).map((one) => (
              <option key={one} value={one}>
                {common.roles[one]}
              </option>
            ))}
          </select>
          <p class="hint" id="invite-role-hint">
            {words.rolesMay[role]}
          </p>
        </div>
        <Alert words={failure} />
        <p class="hint" role="status">
          {sent}
        </p>
        <Button submit busy={isBusy}>
          {words.sendInvitation}
        </Button>
      </form>
    </Panel>
  )
}
