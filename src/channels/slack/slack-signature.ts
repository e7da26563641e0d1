import { createHmac, timingSafeEqual } from 'node:crypto'

/** Older requests are refused, so that a recorded one cannot be sent again later. */
const MOST_SECONDS = 300

/** Whether Slack signed exactly these bytes with one of our secrets, a short while ago. */
export function isSignedBySlack(
  secrets: readonly string[],
  {
    headers,
    body,
    now,
  }: { readonly headers: Headers; readonly body: Uint8Array; readonly now: number },
): boolean {
  const at = headers.get('x-slack-request-timestamp') ?? ''
  const given = Buffer.from(headers.get('x-slack-signature') ?? '')
  if (!/^\d{1,12}$/.test(at) || Math.abs(now / 1_000 - Number(at)) > MOST_SECONDS) return false
  return secrets.some((secret) => {
    const digest = createHmac('sha256', secret).update(`v0:${at}:`).update(body).digest('hex')
    const wanted = Buffer.from(`v0=${digest}`)
    return wanted.length === given.length && timingSafeEqual(wanted, given)
  })
}
