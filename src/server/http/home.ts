import type { Context } from 'hono'

/** Where this server is, as its clients know it. Without a slash at its end, as issuers are written. */
export function homeOf(
  c: Context,
  { publicUrl, base }: { readonly publicUrl: URL | undefined; readonly base: string },
): string {
  const url = publicUrl?.href ?? `${new URL(c.req.url).origin}${base}`
  return url.replace(/\/$/, '')
}
