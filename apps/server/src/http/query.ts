import { type ParsedUrlQuery, parse } from 'node:querystring'

/**
 * The parameters of a query. Names that begin with `_` are the client's own: many add one so that no cache on the way
 * answers. They are left out before anything is judged; signatures are over the query as it was sent.
 */
export function parseQuery(text: string): ParsedUrlQuery {
  const query = parse(text, '&', '=', { maxKeys: 0 })
  for (const name of Object.keys(query)) if (name.startsWith('_') && name !== '__proto__') delete query[name]
  return query
}
