import type { Context } from 'hono'

/** The built documentation, by address below `/docs/`. Nothing outside of this list is served. */
export type DocsFiles = ReadonlyMap<string, DocsFile>

export interface DocsFile {
  readonly type: string
  read(): Promise<Uint8Array<ArrayBuffer>>
}

type Serve = (c: Context) => Promise<Response>

export interface ServedDocs {
  /** By address. */
  readonly files: readonly (readonly [string, Serve])[]
  readonly start: (c: Context) => Response
  readonly missing: Serve
}

const AT = '/docs'
const NOT_FOUND = '404.html'

/** Pages of the documentation, which no one has to sign in for. */
export function serveDocs(docs: DocsFiles): ServedDocs {
  return {
    files: [...docs].map(([name, file]) => {
      const address = `${AT}/${name.replace(/(^|\/)index\.html$/, '$1')}`
      return [address, () => answer(file, 200)] as const
    }),
    start: (c) => c.redirect(`${AT}/`, 308),
    async missing() {
      const page = docs.get(NOT_FOUND)
      return page ? answer(page, 404) : new Response('There is no such page.\n', { status: 404 })
    },
  }
}

async function answer({ type, read }: DocsFile, status: 200 | 404): Promise<Response> {
  const body = await read()
  const headers: Record<string, string> = { 'content-type': type, 'cache-control': 'no-cache' }
  // A worker has the policy of its script, and the search is one.
  const isPage = type.startsWith('text/html')
  if (isPage || type.startsWith('text/javascript')) {
    const html = isPage ? new TextDecoder().decode(body) : ''
    headers['content-security-policy'] = await policyOf(html)
  }
  return new Response(body, { status, headers })
}

/** Written into pages by the generator, to set the theme before the first paint. */
const INLINE = /<script(?<attributes>[^>]*)>(?<code>[\s\S]*?)<\/script>/g

/**
 * The pages share their origin with the inbox, so only scripts that were built with them run: files
 * of this server, and inline code by its hash. The search is WebAssembly.
 */
async function policyOf(html: string): Promise<string> {
  const inline = [...html.matchAll(INLINE)].filter(
    ({ groups }) => !/\ssrc=/.test(groups?.attributes ?? ''),
  )
  const hashes = await Promise.all(inline.map(({ groups }) => hashOf(groups?.code ?? '')))
  return [
    "default-src 'none'",
    ["script-src 'self' 'wasm-unsafe-eval'", ...new Set(hashes)].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

async function hashOf(code: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(code))
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}'`
}
