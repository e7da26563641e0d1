import { createCountersign } from '../../../src/app/create-countersign.ts'
import { definePolicy } from '../../../src/policy/load/define-policy.ts'
import { memoryStore } from '../../../src/store/memory/index.ts'
import { RULES } from './rules.ts'

/** All requests about approvals, whoever sends them, in one place: streams and waits cross requests. */
export class Approvals {
  private countersign: ReturnType<typeof createCountersign> | undefined

  async fetch(request: Request): Promise<Response> {
    const { origin, pathname } = new URL(request.url)
    this.countersign ??= createCountersign({
      store: memoryStore(),
      policy: definePolicy(RULES),
      publicUrl: `${origin}/approvals`,
      clientAddress: (sent) => sent.headers.get('cf-connecting-ip') ?? undefined,
    })
    if (pathname === '/link') {
      const roles = ['viewer', 'approver', 'admin'] as const
      const link = await this.countersign.signInLink({ email: 'ana@example.com', roles })
      return new Response(link)
    }
    return this.countersign.fetch(request)
  }
}

interface Env {
  readonly Approvals: {
    idFromName(name: string): unknown
    get(id: unknown): { fetch(request: Request): Promise<Response> }
  }
}

// biome-ignore lint/style/noDefaultExport: this is where workerd looks for the handler.
export default {
  async fetch(request: Request, { Approvals: objects }: Env): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/hello') return new Response('hello')
    if (pathname === '/link' || /^\/approvals(?:\/|$)/.test(pathname)) {
      return objects.get(objects.idFromName('main')).fetch(request)
    }
    return new Response('of the host', { status: 404 })
  },
}
