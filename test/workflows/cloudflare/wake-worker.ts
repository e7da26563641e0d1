/** A Worker without modules of Node that answers the webhook, and tells what it sent. */
import { remoteGate } from 'countersign/client'
import { waitForApproval, wake } from 'countersign/cloudflare'

interface Env {
  readonly SECRET: string
}

// biome-ignore lint/style/noDefaultExport: this is where workerd looks for the handler.
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const sent: unknown[] = []
    const instance = {
      status: async () => ({ status: 'waiting' }),
      sendEvent: async (event: unknown) => void sent.push(event),
    }
    const workflows = [{ get: async () => instance }]
    const { status } = await wake(request, { secret: env.SECRET, workflows })
    const isLoaded = typeof waitForApproval === 'function' && typeof remoteGate === 'function'
    return Response.json({ status, sent, isLoaded })
  },
}
