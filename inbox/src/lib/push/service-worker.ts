import { BASE_PATH } from '../base-path.ts'

const WORKER = `${BASE_PATH}/sw.js`

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string }
}

/** The one script address that the page's rules let it name, and it can be no other. */
function trusted(): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
  const policy = trustedTypes?.createPolicy('countersign-worker', {
    createScriptURL: () => WORKER,
  })
  return policy?.createScriptURL(WORKER) ?? WORKER
}

/** Once. Without it there are no notifications and no app; all else works. */
export async function registerWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  await navigator.serviceWorker.register(trusted(), { updateViaCache: 'none' }).catch(() => {})
}
