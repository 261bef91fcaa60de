import type { ConsoleActs } from '@mintmark/contract/wire/console-people'
import { useList } from '../list.ts'
import { ListBody } from '../parts/list-body.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { Row } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { words } from '../text/people/words.ts'
import { words as common } from '../text/shell/words.ts'

type Act = ConsoleActs['acts'][number]

/** What people did at the account, each with their name. */
export function ActsPage() {
  const list = useList<Act, ConsoleActs>({
    path: 'acts',
    key: 'acts',
    after: 'before',
    itemsOf: ({ acts }) => acts,
    nextOf: ({ next_before }) => next_before,
    idOf: ({ act_id }) => act_id,
  })
  const { person, act, about, at } = words.columns
  return (
    <Page title={words.actsTitle} name={words.actsTitle} crumb={<a href="/team">{words.teamTitle}</a>}>
      <p class="lead">{words.actsWords}</p>
      <ListBody
        list={list}
        label={words.actsTitle}
        columns={[person, act, about, at]}
        row={(one) => (
          <Row
            key={one.act_id}
            cells={[
              <bdi key="who" class="strong">
                {one.person ?? words.theOperator}
              </bdi>,
              words.acts[one.act],
              <>
                {one.subject !== null && <bdi>{one.subject}</bdi>}
                {one.role !== null && <span class="cell-note">{words.asRole(common.roles[one.role])}</span>}
              </>,
              <Time key="at" at={one.at} />,
            ]}
          />
        )}
        empty={<Empty text={words.noActs} />}
      />
    </Page>
  )
}
