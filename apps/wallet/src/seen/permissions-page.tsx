import type { OwnerPermission, PermissionList } from '@mintmark/contract/wire/owner-permissions'
import { get } from '@mintmark/ui/backend.ts'
import { useEffect } from 'preact/hooks'
import { words } from '../text/seen/words.ts'
import { Button, Loading, Sheet, Unreached } from '../ui.tsx'
import { isLive, PermissionItem } from './permission-parts.tsx'
import { paging, reading } from './seen.ts'

const first = reading<PermissionList>()
const page = paging<OwnerPermission>()

/** What an owner has permitted: those that hold, then those that have ended. */
export function PermissionsPage() {
  first.use('permissions')
  const seen = first.view.value
  useEffect(() => {
    if (seen !== undefined) page.begin(seen.permissions, seen.next_before)
  }, [seen])
  if (first.lost.value !== undefined) return <Unreached again={() => void first.refresh('permissions')} />
  if (seen === undefined) return <Loading />
  const all = page.items.value
  const over = all.filter((permission) => !isLive(permission))
  return (
    <Sheet wide title={words.permissionsTitle}>
      {all.length === 0 && seen.permissions.length === 0 && <p class="lead">{words.permissionsNone}</p>}
      <List permissions={all.filter(isLive)} />
      {over.length > 0 && (
        <section>
          <h2>{words.ended}</h2>
          <List permissions={over} />
        </section>
      )}
      {page.next.value !== null && (
        <Button kind="secondary" busy={page.isBusy.value} onPress={() => void more()}>
          {words.more}
        </Button>
      )}
    </Sheet>
  )
}

function List({ permissions }: { permissions: readonly OwnerPermission[] }) {
  if (permissions.length === 0) return null
  return (
    <ul class="agents">
      {permissions.map((permission) => (
        <PermissionItem key={permission.mandate_id} permission={permission} />
      ))}
    </ul>
  )
}

const more = () =>
  page.more(async (before) => {
    const found = await get<PermissionList>(`permissions?before=${encodeURIComponent(before)}`)
    return { found: found.permissions, following: found.next_before }
  })
