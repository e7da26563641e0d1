const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost'])
const LONGEST = 2_048

/** An https address, or a program on the machine of the person. No other scheme, and nothing hidden. */
export function readRedirect(text: string): URL | undefined {
  if (text.length > LONGEST || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const isHttp = url.protocol === 'https:' || isNativeApp(url)
  // What a browser would spell in another way could mean one host here and another one there.
  const isPlain = url.href === text && !text.includes('#')
  return isHttp && isPlain && url.username === '' && url.password === '' ? url : undefined
}

function isNativeApp({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && LOOPBACK.has(hostname)
}

/** By https too: what listens there is a program on that machine, whatever it shows. */
export function isOnTheirMachine({ hostname }: URL): boolean {
  return LOOPBACK.has(hostname) || /^127\.|(?:^|\.)localhost\.?$/.test(hostname)
}

/**
 * Letter by letter; of a program on the machine of the person only the port may differ, which it
 * learns when it starts to listen (RFC 8252).
 */
export function isRegistered(asked: URL, registered: readonly URL[]): boolean {
  return registered.some(
    (one) =>
      one.href === asked.href ||
      (isNativeApp(one) && isNativeApp(asked) && portless(one) === portless(asked)),
  )
}

function portless(url: URL): string {
  const copy = new URL(url)
  copy.port = ''
  return copy.href
}
