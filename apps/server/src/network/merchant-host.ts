/**
 * The host a merchant lock compares, or null when `url` names no web merchant. Two URLs mean the same merchant when
 * their hosts are equal: letter case, scheme (http or https), port, path, query, user info and one trailing dot do not
 * count; international names compare in their ASCII form. A subdomain is another merchant, `www.` included, because
 * the network cannot know that both belong to one owner.
 */
export function merchantHost(url: string): string | null {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return null
  const host = parsed.hostname.toLowerCase().replace(/\.$/, '')
  return host === '' ? null : host
}
