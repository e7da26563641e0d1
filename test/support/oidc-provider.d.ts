/** The package brings no types of its own; this is what the tests use of it. */
declare module 'oidc-provider' {
  import type { RequestListener, ServerResponse } from 'node:http'

  interface Context {
    readonly path: string
    readonly res: ServerResponse
    status: number
    body: unknown
    readonly oidc?: { readonly params?: Readonly<Record<string, unknown>> }
  }

  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>)
    readonly AccessToken: {
      find(token: string): Promise<
        | {
            readonly aud?: unknown
            readonly scope?: string
            readonly clientId?: string
            readonly exp?: number
            readonly grantId?: string
            destroy(): Promise<void>
          }
        | undefined
      >
      revokeByGrantId(grant: string): Promise<void>
    }
    readonly RefreshToken: {
      revokeByGrantId(grant: string): Promise<void>
    }
    readonly Grant: new (of: {
      clientId: string
      accountId: string
    }) => Grant
    use(middleware: (ctx: Context, next: () => Promise<void>) => Promise<void>): void
    backchannelResult(request: string, result: Grant | Error, options?: object): Promise<void>
    callback(): RequestListener
  }

  export const errors: {
    readonly AccessDenied: new (why?: string) => Error
    readonly InvalidBindingMessage: new (why?: string) => Error
  }

  // biome-ignore lint/style/noDefaultExport: it is how the package exports it
  export { Provider as default }
}
