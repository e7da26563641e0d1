/** The package brings no types of its own; this is what the tests use of it. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>)
    callback(): RequestListener
  }

  // biome-ignore lint/style/noDefaultExport: it is how the package exports it
  export { Provider as default }
}
