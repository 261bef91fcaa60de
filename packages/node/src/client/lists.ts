/** Everything of a list, in its order; a page is read when it is needed. */
export async function* everyItem<Page extends { next_cursor?: string | null | undefined }, Item>(
  read: (cursor: string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): AsyncGenerator<Item, void, void> {
  let cursor: string | undefined
  do {
    const page: Page = await read(cursor)
    yield* itemsOf(page)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
}
