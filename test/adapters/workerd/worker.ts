import { story } from './story.ts'

// biome-ignore lint/style/noDefaultExport: this is where workerd looks for the handler.
export default {
  async fetch(): Promise<Response> {
    try {
      return Response.json({ runtime: navigator.userAgent, told: await story() })
    } catch (error) {
      return Response.json({ error: error instanceof Error ? error.stack : String(error) })
    }
  },
}
