import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'

/** What a browser gives with its subscription, in base64url. */
export interface PushKeys {
  readonly p256dh: string
  readonly auth: string
}

const CURVE = 'prime256v1'
const RECORD_SIZE = 4_096
/** What fits into one record with its header, mark and tag: push services take 4,096 bytes. */
const LONGEST = 3_993
/** Messages are filled up to a multiple of this, so that their length says little about them. */
const STEP = 1_024

/** RFC 8291: readable by the browser that made the keys, and by no push service on the way. */
export function encrypt(text: string, { p256dh, auth }: PushKeys): Buffer {
  const receiver = Buffer.from(p256dh, 'base64url')
  const sender = createECDH(CURVE)
  const own = sender.generateKeys()
  const salt = randomBytes(16)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiver, own])
  const shared = sender.computeSecret(receiver)
  const secret = derive(shared, Buffer.from(auth, 'base64url'), info, 32)
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16)
  const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const size = Buffer.alloc(4)
  size.writeUInt32BE(RECORD_SIZE)
  return Buffer.concat([
    ...[salt, size, Buffer.from([own.length]), own],
    ...[cipher.update(padded(Buffer.from(text))), cipher.final(), cipher.getAuthTag()],
  ])
}

/** Whether these are keys that a message can be encrypted for. */
export function areKeys({ p256dh, auth }: PushKeys): boolean {
  const point = Buffer.from(p256dh, 'base64url')
  if (point.length !== 65 || point[0] !== 4) return false
  if (Buffer.from(auth, 'base64url').length !== 16) return false
  try {
    const probe = createECDH(CURVE)
    probe.generateKeys()
    // Throws for a point that is not on the curve.
    probe.computeSecret(point)
    return true
  } catch {
    return false
  }
}

function derive(key: Buffer, salt: Buffer, info: string | Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, info, length))
}

function padded(bytes: Buffer): Buffer {
  if (bytes.length > LONGEST) throw new RangeError('the message does not fit into a push')
  const filled = Math.min(Math.ceil((bytes.length + 1) / STEP) * STEP, LONGEST + 1)
  // 2 marks the end of the last record; what follows it is filling.
  return Buffer.concat([bytes, Buffer.from([2]), Buffer.alloc(filled - bytes.length - 1)])
}
