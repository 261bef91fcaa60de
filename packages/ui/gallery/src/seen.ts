import { options } from 'preact'

/** Names of the functions that Preact was given to draw: a part that is listed and not drawn is not among them. */
export function watchParts(): ReadonlySet<unknown> {
  const seen = new Set<unknown>()
  const before = options.vnode
  options.vnode = (vnode) => {
    if (typeof vnode.type === 'function') seen.add(vnode.type)
    before?.(vnode)
  }
  return seen
}
