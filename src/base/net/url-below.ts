/**
 * The address of a path, such as `/v1/calls`, on a server that may be mounted below a path of its
 * host: `https://example.com/approvals` and `/v1/calls` are `https://example.com/approvals/v1/calls`.
 */
export function urlBelow(server: string, path: string): URL {
  const { origin, pathname } = new URL(server)
  return new URL(`${origin}${pathname.replace(/\/+$/, '')}${path}`)
}
