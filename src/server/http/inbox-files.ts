import type { Hono } from 'hono'

/** The built web inbox. Nothing outside of this list is ever served. */
export interface InboxFiles {
  readonly index: ServedFile
  readonly files: ReadonlyMap<string, ServedFile>
}

export interface ServedFile {
  readonly body: Uint8Array<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

/** `base`: where the server is mounted; the page learns it from a meta element. */
export function addInbox(app: Hono, { index: built, files }: InboxFiles, base = ''): void {
  const index = base === '' ? built : mountedPage(built, base)
  for (const [address, file] of files) {
    const served = address === '/index.html' ? index : file
    app.get(address, (c) => answer(c.req.header(MATCH), served))
  }
  // Which pages the inbox has is its own business: every other address serves the inbox.
  app.get('*', (c) => {
    const isPage =
      c.req.path === '/' || (PAGE.test(c.req.path) && wantsPage(c.req.header('accept')))
    return isPage ? answer(c.req.header(MATCH), index) : c.notFound()
  })
}

/** An address without a dot in it, and not one of the API. */
const PAGE = /^\/(?!v1\/)[^.]*$/

function wantsPage(accept: string | undefined): boolean {
  return accept?.includes('text/html') === true
}

/** The page as built refers to its files from the root. `base` holds no character to escape. */
function mountedPage({ body, headers }: ServedFile, base: string): ServedFile {
  const page = new TextDecoder()
    .decode(body)
    .replaceAll(/(\s(?:src|href)=")\/(?!\/)/g, `$1${base}/`)
    .replace('<head>', `<head>\n    <meta name="countersign-base" content="${base}">`)
  const etag = headers.etag?.replace(/"$/, `${base.replaceAll('/', '.')}"`)
  return {
    body: new TextEncoder().encode(page),
    headers: { ...headers, ...(etag === undefined ? {} : { etag }) },
  }
}

const MATCH = 'if-none-match'

function answer(known: string | undefined, { body, headers }: ServedFile): Response {
  return known !== undefined && known === headers.etag
    ? new Response(null, { status: 304, headers: { etag: known } })
    : new Response(body, { headers })
}
