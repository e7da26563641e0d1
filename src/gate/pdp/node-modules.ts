/*
 * The little of Node that asking a decision point takes. Not imported: the gate also loads where
 * there is none.
 */

export interface NodeRequest {
  on(event: 'error', listen: (error: Error) => void): void
  end(body: string): void
  destroy(): void
}

export interface NodeResponse {
  readonly statusCode?: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  on(event: 'data', listen: (chunk: Uint8Array) => void): void
  on(event: 'end' | 'close', listen: () => void): void
  on(event: 'error', listen: (error: Error) => void): void
  destroy(): void
}

type Looked = (error: null, address: unknown, family?: number) => void

export interface NodeHttp {
  request(
    url: URL,
    options: {
      readonly method: string
      readonly agent: false
      readonly signal: AbortSignal
      readonly headers: Readonly<Record<string, string>>
      readonly lookup: (host: string, options: { readonly all?: boolean }, done: Looked) => void
    },
    listen: (response: NodeResponse) => void,
  ): NodeRequest
}

interface NodeModules {
  readonly 'node:http': NodeHttp
  readonly 'node:https': NodeHttp
  readonly 'node:dns/promises': {
    lookup(
      host: string,
      options: { readonly all: true },
    ): Promise<{ address: string; family: number }[]>
  }
  readonly 'node:fs/promises': { readFile(path: string, encoding: 'utf8'): Promise<string> }
}

interface NodeProcess {
  readonly env?: Readonly<Record<string, string | undefined>>
  getBuiltinModule?(name: string): unknown
}

const nodeProcess = () => (globalThis as { readonly process?: NodeProcess }).process

export function nodeModule<N extends keyof NodeModules>(name: N): NodeModules[N] | undefined {
  return nodeProcess()?.getBuiltinModule?.(name) as NodeModules[N] | undefined
}

export function variable(name: string): string | undefined {
  const { env = {} } = nodeProcess() ?? {}
  return Object.hasOwn(env, name) ? env[name] : undefined
}
