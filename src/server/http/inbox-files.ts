import type { Context } from 'hono'

/** The built web inbox. Nothing outside of this list is ever served. */
export interface InboxFiles {
  readonly index: ServedFile
  readonly files: ReadonlyMap<string, ServedFile>
}

export interface ServedFile {
  readonly body: Uint8Array<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

export interface ServedInbox {
  /** By address. */
  readonly files: readonly (readonly [string, (c: Context) => Response])[]
  /**
   * Which pages the inbox has is its own business: every other address serves the same one, except
   * for those of the API.
   */
  page(c: Context): Response | undefined
}

/** `base`: where the server is mounted; the page learns it from a meta element. */
export function serveInbox({ index: built, files }: InboxFiles, base = ''): ServedInbox {
  const index = base === '' ? built : mountedPage(built, base)
  return {
    files: [...files].map(([address, file]) => {
      const served = address === '/index.html' ? index : file
      return [address, (c: Context) => answer(c.req.header(MATCH), served)] as const
    }),
    page(c) {
      const isPage =
        c.req.path === '/' || (PAGE.test(c.req.path) && wantsPage(c.req.header('accept')))
      return isPage ? answer(c.req.header(MATCH), index) : undefined
    },
  }
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
