import { answers } from './answers.ts'

// biome-ignore lint/style/noDefaultExport: this is where workerd looks for the handler.
export default {
  async fetch(): Promise<Response> {
    const { promise, resolve } = Promise.withResolvers<string>()
    answers().then(
      (found) => resolve(JSON.stringify({ runtime: navigator.userAgent, found })),
      (error: unknown) => resolve(JSON.stringify({ error: String(error) })),
    )
    return new Response(await promise)
  },
}
