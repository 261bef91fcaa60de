import type { Signal } from '@preact/signals'
import { CURRENCY_CODES, type Draft, type Problems } from './limits.ts'
import { text } from './text/words.ts'
import { Field } from './ui.tsx'

interface FormProps {
  draft: Signal<Draft>
  problems: Signal<Problems>
}

interface LimitsFormProps extends FormProps {
  /** The currency, where it can be no other one. */
  fixed?: string
}

/** What an agent may spend without asking. Empty: no limit of that kind. */
export function LimitsForm({ draft, problems, fixed }: LimitsFormProps) {
  return (
    <fieldset class="limits">
      <legend>{text.limitsTitle}</legend>
      <p class="note">{fixed === undefined ? text.limitsHint : text.limitsHintIn(fixed)}</p>
      <div class="pair">
        <Amount field="charge" label={text.charge} draft={draft} problems={problems} />
        <Amount field="day" label={text.day} draft={draft} problems={problems} />
        <Amount field="month" label={text.month} draft={draft} problems={problems} />
        <Amount field="askAbove" label={text.askAbove} draft={draft} problems={problems} />
        <Amount field="open" label={text.open} draft={draft} problems={problems} />
        {fixed === undefined && <Currency draft={draft} />}
      </div>
      <Tick field="askRepeats" label={text.askRepeats} draft={draft} />
      <Tick field="onlyShops" label={text.onlyShops} draft={draft} />
      {draft.value.onlyShops && <Shops draft={draft} problems={problems} />}
      <Tick field="onlyHours" label={text.onlyHours} draft={draft} />
      {draft.value.onlyHours && <Hours draft={draft} problems={problems} />}
    </fieldset>
  )
}

function change(draft: Signal<Draft>, fields: Partial<Draft>): void {
  draft.value = { ...draft.value, ...fields }
}

type TextField = { [Name in keyof Draft]: Draft[Name] extends string ? Name : never }[keyof Draft]

function Amount({ field, label, draft, problems }: FormProps & { field: TextField; label: string }) {
  const problem = problems.value[field]
  return (
    <Field id={field} label={label} problem={problem}>
      <input
        id={field}
        inputMode={field === 'open' ? 'numeric' : 'decimal'}
        autoComplete="off"
        maxLength={15}
        value={draft.value[field]}
        aria-invalid={problem !== undefined}
        aria-describedby={`${field}-note`}
        onInput={(event) => {
          change(draft, { [field]: event.currentTarget.value })
          problems.value = { ...problems.value, [field]: undefined }
        }}
      />
    </Field>
  )
}

function Currency({ draft }: Pick<FormProps, 'draft'>) {
  return (
    <Field id="currency" label={text.currency}>
      <select
        id="currency"
        value={draft.value.currency}
        aria-describedby="currency-note"
        onChange={(event) => change(draft, { currency: event.currentTarget.value })}
      >
        {CURRENCY_CODES.map((code) => (
          <option key={code} value={code}>
            {code}
          </option>
        ))}
      </select>
    </Field>
  )
}

function Tick({
  field,
  label,
  draft,
}: { field: 'onlyShops' | 'onlyHours' | 'askRepeats'; label: string } & Pick<FormProps, 'draft'>) {
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={draft.value[field]}
        onChange={(event) => change(draft, { [field]: event.currentTarget.checked })}
      />
      {label}
    </label>
  )
}

function Shops({ draft, problems }: FormProps) {
  const problem = problems.value.shops
  return (
    <Field id="shops" label={text.shops} hint={text.shopsHint} problem={problem}>
      <textarea
        id="shops"
        rows={2}
        autoCapitalize="off"
        spellcheck={false}
        value={draft.value.shops}
        aria-invalid={problem !== undefined}
        aria-describedby="shops-note"
        onInput={(event) => {
          change(draft, { shops: event.currentTarget.value })
          problems.value = { ...problems.value, shops: undefined }
        }}
      />
    </Field>
  )
}

function Hours({ draft, problems }: FormProps) {
  return (
    <div class="pair">
      <Time field="from" label={text.from} draft={draft} problem={problems.value.from} hint={draft.value.zone} />
      <Time field="to" label={text.to} draft={draft} />
    </div>
  )
}

interface TimeProps extends Pick<FormProps, 'draft'> {
  field: 'from' | 'to'
  label: string
  problem?: string | undefined
  hint?: string
}

function Time({ field, label, draft, problem, hint }: TimeProps) {
  return (
    <Field id={field} label={label} hint={hint} problem={problem}>
      <input
        id={field}
        type="time"
        value={draft.value[field]}
        aria-describedby={`${field}-note`}
        onInput={(event) => change(draft, { [field]: event.currentTarget.value })}
      />
    </Field>
  )
}
