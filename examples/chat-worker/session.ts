/** Stands in for your own sign-in: a cookie that only this Worker can have written. */
const COOKIE = 'session'
const text = new TextEncoder()

export async function sessionCookie(user: string, secret: string): Promise<string> {
  const name = encodeURIComponent(user)
  const mark = await crypto.subtle.sign('HMAC', await keyOf(secret, 'sign'), text.encode(name))
  return `${COOKIE}=${name}.${hex(new Uint8Array(mark))}`
}

/** Who sent the request; undefined unless the cookie is one of ours and the page is, too. */
export async function signedIn(request: Request, secret: string): Promise<string | undefined> {
  // Browsers send cookies with sockets that any page opens, and say which page it was.
  const origin = request.headers.get('origin')
  if (origin !== null && origin !== new URL(request.url).origin) return undefined
  const cookies = request.headers.get('cookie')?.split('; ') ?? []
  const value = cookies.find((cookie) => cookie.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1)
  const [, name = '', mark = ''] = /^(.+)\.([0-9a-f]{64})$/.exec(value ?? '') ?? []
  if (name === '') return undefined
  const key = await keyOf(secret, 'verify')
  const isOurs = await crypto.subtle.verify('HMAC', key, bytes(mark), text.encode(name))
  // Only what we wrote is decoded: anything else may be no text at all.
  return isOurs ? decodeURIComponent(name) : undefined
}

function keyOf(secret: string, use: 'sign' | 'verify'): Promise<CryptoKey> {
  const how = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', text.encode(secret), how, false, [use])
}

const hex = (mark: Uint8Array) => [...mark].map((one) => one.toString(16).padStart(2, '0')).join('')

const bytes = (mark: string) =>
  Uint8Array.from(mark.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
