import { generateKeyPairSync, sign } from 'node:crypto'

/** A key and a certificate for `127.0.0.1`, in PEM. Made anew: no private key lies in the repository. */
export function selfSigned(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = der(0x30, der(0x31, der(0x30, oid('5504 03'), der(0x0c, Buffer.from('test')))))
  const algorithm = der(0x30, oid('2a8648ce3d040302'))
  const time = (year: number) => der(0x18, Buffer.from(`${year}0101000000Z`))
  const address = der(0x87, Buffer.from([127, 0, 0, 1]))
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    der(0x30, time(2020), time(2120)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      der(
        0x30,
        der(0x30, oid('551d11'), der(0x04, der(0x30, address))),
        der(0x30, oid('551d13'), der(0x04, der(0x30, der(0x01, Buffer.from([255]))))),
      ),
    ),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey))
  const base64 = der(0x30, body, algorithm, signature).toString('base64')
  const lines = base64.match(/.{1,64}/g)?.join('\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex.replaceAll(' ', ''), 'hex'))
}

/** One value of ASN.1. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
