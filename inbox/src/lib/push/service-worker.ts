/** Loaded to register the service worker: notifications, and the inbox as an app. */
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

// Once, when the page has loaded. Without it there are no notifications and no app; all else works.
if ('serviceWorker' in navigator) {
  navigator.serviceWorker.register(trusted(), { updateViaCache: 'none' }).catch(() => {})
}
