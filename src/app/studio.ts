import type { UpstreamSpec } from '../gateway/upstream/upstream-spec.ts'
import type { Policy } from '../policy/policy.ts'
import type { Route } from '../server/http/route.ts'
import type { HostedRules } from '../server/policy/active-policy.ts'
import type { Services } from '../server/services.ts'
import type { Store } from '../store/store.ts'
import type { KeyFolder } from '../store/vault.ts'
import { createStudio } from '../studio/studio.ts'
import { studioRoutes } from './studio-routes.ts'
import { studioRules, studioSpecs, studioTools } from './studio-rules.ts'

/** Tools that people write in the inbox, for `createCountersign({ studio })`. */
export interface ToolStudio {
  open(context: { readonly store: Store; readonly keys: KeyFolder | undefined }): OpenStudio
}

export interface OpenStudio {
  readonly rules: HostedRules
  specs(policy: Policy): readonly UpstreamSpec[]
  routes(services: Services): readonly Route[]
  close(): void
}

export interface ToolStudioOptions {
  /** Hosts of your own network that tools may reach. */
  readonly allowHosts?: readonly string[]
}

/** Tools run in processes of their own, so this needs Node, and `mcp` to be served at `/mcp`. */
export function toolStudio({ allowHosts = [] }: ToolStudioOptions = {}): ToolStudio {
  return {
    open({ store, keys }) {
      const studio = createStudio({ store, keys, allowHosts })
      const tools = studioTools(studio)
      return {
        rules: studioRules(studio),
        specs: (policy) => studioSpecs(policy, tools),
        routes: (services) => studioRoutes(studio, services),
        close: studio.close,
      }
    },
  }
}
