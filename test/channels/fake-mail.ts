import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { onTestFinished } from 'vitest'

/** A mail server of others, which can refuse. */
export async function mailServer() {
  const mails: Email[] = []
  const state = { refuse: new Map<string, { code: number; times: number }>() }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _, done) {
      const refusal = state.refuse.get(address)
      if (!refusal || refusal.times-- <= 0) return done()
      done(Object.assign(new Error('not now'), { responseCode: refusal.code }))
    },
    onData(stream, _, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        mails.push(await PostalMime.parse(Buffer.concat(chunks)))
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as { port: number }
  return { mails, state, smtp: `smtp://127.0.0.1:${port}` }
}
