import { Button } from '@mintmark/ui/button.tsx'
import type { ComponentChild } from 'preact'
import type { useList } from '../list.ts'
import { words } from '../text/shell/words.ts'
import { BoneRows, Empty, Tidings } from './page.tsx'
import { RowList } from './rows.tsx'

/** What `useList` has, as one sees it: on its way, lost, empty, or lines that go on at a press. */
export function ListBody<Item, Answer>({ list, label, columns, row, empty }: ListBodyProps<Item, Answer>) {
  const { items, lost, next, newer, isStale, isBusy } = list
  if (lost !== undefined) {
    return (
      <Empty text={`${words.lost[lost].title}. ${words.lost[lost].words}`}>
        <Button onPress={list.again}>{words.again}</Button>
      </Empty>
    )
  }
  if (items === undefined) return <BoneRows />
  return (
    <>
      <Tidings news={newer > 0 ? words.newOnes(newer) : ''} isStale={isStale} show={list.show} />
      {items.length > 0 ? (
        <RowList label={label} columns={columns}>
          {items.map(row)}
        </RowList>
      ) : (
        !isBusy && empty
      )}
      {next !== null && (
        <div class="more">
          <Button kind="secondary" busy={isBusy} onPress={list.more}>
            {items.length > 0 ? words.more : words.moreBack}
          </Button>
        </div>
      )}
    </>
  )
}

interface ListBodyProps<Item, Answer> {
  list: ReturnType<typeof useList<Item, Answer>>
  label: string
  columns: readonly string[]
  /** With a key of its own. */
  row: (item: Item) => ComponentChild
  empty: ComponentChild
}
