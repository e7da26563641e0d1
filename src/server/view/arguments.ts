import { canonicalJson, freshParse } from '../../base/canonical.ts'
import type { JsonObject } from '../../base/json.ts'
import { maskPaths } from '../../base/mask.ts'

/** Arguments as a person may see them. */
export interface MaskedArguments {
  /** Canonical JSON of the bound bytes, secrets replaced; empty when they are no longer kept. */
  readonly text: string
  /** Bytes before masking. */
  readonly bytes: number
  readonly masked: readonly (readonly string[])[]
  /** As the agent asked, where somebody edited them. */
  readonly asked: string | undefined
}

export interface Bound {
  /** Canonical text of what would run; undefined when it was erased. */
  readonly now: string | undefined
  /** Canonical text of what the agent asked for, where it was edited. */
  readonly asked: string | undefined
  readonly secrets: readonly { readonly keys: readonly string[] }[]
}

export function maskedArguments({ now, asked, secrets }: Bound): MaskedArguments {
  if (now === undefined) return { text: '', bytes: 0, masked: [], asked: undefined }
  const args = freshParse(now) as JsonObject
  return {
    text: mask(now, secrets),
    bytes: Buffer.byteLength(now),
    masked: secrets.map(({ keys }) => keys).filter((keys) => isThere(args, keys)),
    asked: asked === undefined ? undefined : mask(asked, secrets),
  }
}

function mask(text: string, secrets: Bound['secrets']): string {
  return canonicalJson(maskPaths(freshParse(text), secrets))
}

function isThere(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false
  return isThere((value as Record<string, unknown>)[key], rest)
}
