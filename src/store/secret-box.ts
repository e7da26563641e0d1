import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { CountersignError } from '../base/errors.ts'
import type { KeyFolder } from './vault.ts'

/** Seals what the database must not show: it is opened with a key of this machine. */
export interface SecretBox {
  seal(text: string, about: string): Promise<Sealed>
  open(sealed: Sealed, about: string): Promise<string>
}

export interface Sealed {
  /** Which key: a digest of it. */
  readonly key: string
  readonly iv: string
  readonly tag: string
  readonly text: string
}

const ALG = 'aes-256-gcm'

/** Another key for each purpose: what one part of the server sealed, no other part can open. */
export type SecretPurpose = 'studio secrets' | 'chat model keys' | 'push keys' | 'server tokens'

/** Derived from the private keys of this machine, which never enter a database. */
export function createSecretBox(keys: KeyFolder | undefined, purpose: SecretPurpose): SecretBox {
  async function all() {
    const kept = (await keys?.list()) ?? []
    return kept.map((text) => {
      const { d, iat } = JSON.parse(text) as { d: string; iat: number }
      const key = Buffer.from(hkdfSync('sha256', d, '', `countersign ${purpose}`, 32))
      return { key, iat, id: createHash('sha256').update(key).digest('hex').slice(0, 16) }
    })
  }
  return {
    async seal(text, about) {
      const newest = (await all()).sort((a, b) => a.iat - b.iat).at(-1)
      if (!newest) {
        throw new CountersignError('usage', 'secrets need a key to be sealed with', {
          hint: 'Start the server with keys: keyFolder(path). `countersign start` does.',
        })
      }
      const iv = randomBytes(12)
      const cipher = createCipheriv(ALG, newest.key, iv).setAAD(Buffer.from(about))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      const parts = [iv, cipher.getAuthTag(), sealed].map((part) => part.toString('base64'))
      return { key: newest.id, iv: parts[0] ?? '', tag: parts[1] ?? '', text: parts[2] ?? '' }
    },
    async open({ key: id, iv, tag, text }, about) {
      const found = (await all()).find((one) => one.id === id)
      if (!found) {
        throw new CountersignError(
          'key_unusable',
          'the key of this secret is not on this machine',
          {
            hint: 'Enter the value again, or bring the keys folder of the machine it was entered on.',
          },
        )
      }
      const [at, seal, bytes] = [iv, tag, text].map((part) => Buffer.from(part, 'base64'))
      const cipher = createDecipheriv(ALG, found.key, at ?? '').setAAD(Buffer.from(about))
      cipher.setAuthTag(seal ?? Buffer.alloc(16))
      return Buffer.concat([cipher.update(bytes ?? Buffer.alloc(0)), cipher.final()]).toString()
    },
  }
}
