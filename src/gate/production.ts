/** Read late and through globalThis: the gate also runs where there is no process. */
export function isProduction(): boolean {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.NODE_ENV === 'production'
}
