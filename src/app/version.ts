import { readFileSync } from 'node:fs'

/** src/cli and dist/cli lie at the same depth, so this is the right file in both. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
