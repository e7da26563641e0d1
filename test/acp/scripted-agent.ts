import { Readable, Writable } from 'node:stream'
import { agent, methods, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk'

/** An agent of the official SDK. A prompt is a list of requests that it makes to its editor, in turn. */
type Step = readonly [method: string, params: object]

agent({ name: 'scripted' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: {},
  }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: 's1' }))
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const { sessionId, prompt } = params
    const [first] = prompt
    const steps = JSON.parse(first?.type === 'text' ? first.text : '[]') as Step[]
    for (const [method, given] of steps) {
      const asked = { sessionId, ...given }
      const result = await (method === 'session/update'
        ? client.notify(method as never, asked as never)
        : client.request(method as never, asked as never)
      ).then(
        (value: unknown) => ({ value }),
        (error: { code?: number; message: string }) => ({ code: error.code, error: error.message }),
      )
      if (method === 'session/update') continue
      await client.notify(methods.client.session.update, {
        sessionId,
        update: {
          sessionUpdate: 'agent_message_chunk',
          content: { type: 'text', text: JSON.stringify({ method, ...result }) },
        },
      })
    }
    return { stopReason: 'end_turn' }
  })
  .onNotification(methods.agent.session.cancel, () => {})
  .connect(
    ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  )
