/** Passkeys, as browsers offer them. Options and answers are JSON; the server makes and checks both. */

import type { PasskeyWish } from '../../../src/api/passkeys.ts'
import { t } from '../lib/language/t.ts'
import { call } from './client.ts'
import { DeviceError } from './errors.ts'

type Parsed<T> = (json: unknown) => T

function ours(): typeof PublicKeyCredential & {
  readonly parseCreationOptionsFromJSON: Parsed<PublicKeyCredentialCreationOptions>
  readonly parseRequestOptionsFromJSON: Parsed<PublicKeyCredentialRequestOptions>
} {
  if (
    typeof PublicKeyCredential === 'undefined' ||
    !('parseRequestOptionsFromJSON' in PublicKeyCredential)
  ) {
    throw new DeviceError(t('This browser is too old for passkeys. Nothing was decided.'))
  }
  return PublicKeyCredential as ReturnType<typeof ours>
}

/** Makes a passkey and tells the server its public half. */
export async function makePasskey(name: string): Promise<void> {
  const read = ours().parseCreationOptionsFromJSON
  const { options } = await call('POST /v1/passkey-options')
  const response = await asked(() => navigator.credentials.create({ publicKey: read(options) }))
  await call('POST /v1/passkeys', { body: { name, response } })
}

/** Has exactly this decision signed. */
export async function signDecision(id: string, decision: PasskeyWish): Promise<unknown> {
  const read = ours().parseRequestOptionsFromJSON
  const { options } = await call('POST /v1/approvals/:id/passkey', {
    params: { id },
    body: decision,
  })
  return asked(() => navigator.credentials.get({ publicKey: read(options) }))
}

async function asked(act: () => Promise<Credential | null>): Promise<unknown> {
  try {
    const credential = await act()
    if (credential instanceof PublicKeyCredential) return credential.toJSON()
  } catch (error) {
    if (error instanceof DOMException && error.name === 'InvalidStateError') {
      throw new DeviceError(t('This device already has a passkey for you.'))
    }
  }
  throw new DeviceError(t('No passkey answered. Nothing was changed; try again.'))
}
