/*
 * Values of `Mcp-Name` and `Mcp-Param-*`: plain where a header can hold them as they are, and
 * otherwise their UTF-8 as base64 between two marks.
 */
const MARKED = /^=\?base64\?(.*)\?=$/s
const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/

export function headerValue(text: string): string {
  const isPlain = PLAIN.test(text) && !MARKED.test(text)
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}

/** What a header says. Undefined where it is not written as it has to be. */
export function readHeaderValue(value: string): string | undefined {
  const [, coded] = MARKED.exec(value) ?? []
  if (coded === undefined) return PLAIN.test(value) ? value : undefined
  const bytes = Buffer.from(coded, 'base64')
  // Node reads base64 leniently. Others who look at this header may not, or read something else.
  if (bytes.toString('base64') !== coded) return undefined
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes) ? text : undefined
}
