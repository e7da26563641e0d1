import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { Json } from '../../src/base/json/json.ts'

export interface SigningOptions {
  readonly origin: string
  /** Whether the person was recognised by it, as by a fingerprint; yes unless told. */
  readonly verified?: boolean
  /** What it says it counted; one more than before unless told. */
  readonly counter?: number
  /** Signs another question than the one it got. */
  readonly challenge?: string
}

/** A passkey made of software: speaks WebAuthn as a browser and its authenticator do together. */
export interface Authenticator {
  create(options: unknown, signing: SigningOptions): Json
  get(options: unknown, signing: SigningOptions): Json
}

interface Asked {
  readonly challenge: string
  readonly rp?: { readonly id: string }
  readonly rpId?: string
}

export function softAuthenticator(): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(32)
  let count = 0

  function clientData(type: string, asked: Asked, signing: SigningOptions): Buffer {
    const challenge = signing.challenge ?? asked.challenge
    return Buffer.from(
      JSON.stringify({ type, challenge, origin: signing.origin, crossOrigin: false }),
    )
  }

  function authData(rpId: string, { verified = true, counter }: SigningOptions, more?: Buffer) {
    count = counter ?? count + 1
    const flags = 0x01 | (verified ? 0x04 : 0) | (more ? 0x40 : 0)
    const number = Buffer.alloc(4)
    number.writeUInt32BE(count)
    return Buffer.concat([
      createHash('sha256').update(rpId).digest(),
      Buffer.from([flags]),
      number,
      more ?? Buffer.alloc(0),
    ])
  }

  function answer(response: Json): Json {
    const name = id.toString('base64url')
    return { id: name, rawId: name, type: 'public-key', clientExtensionResults: {}, response }
  }

  return {
    create(options, signing) {
      const asked = options as Asked
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const point = (value: string) => Buffer.from(value, 'base64url')
      // COSE: EC2, ES256, P-256, x, y.
      const key = Buffer.concat([
        Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
        point(x),
        Buffer.from([0x22, 0x58, 0x20]),
        point(y),
      ])
      const credential = Buffer.concat([Buffer.alloc(16), length, id, key])
      const data = authData(asked.rp?.id ?? '', signing, credential)
      // {"fmt": "none", "attStmt": {}, "authData": bytes}
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        cborText('fmt'),
        cborText('none'),
        cborText('attStmt'),
        Buffer.from([0xa0]),
        cborText('authData'),
        Buffer.from([0x58, data.length]),
        data,
      ])
      return answer({
        clientDataJSON: clientData('webauthn.create', asked, signing).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      })
    },
    get(options, signing) {
      const asked = options as Asked
      const client = clientData('webauthn.get', asked, signing)
      const data = authData(asked.rpId ?? '', signing)
      const hash = createHash('sha256').update(client).digest()
      const signature = createSign('sha256').update(data).update(hash).sign(privateKey)
      return answer({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      })
    },
  }
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)])
}
