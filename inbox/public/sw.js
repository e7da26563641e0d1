/**
 * The service worker of the inbox: notifications, and a page that says that there is no network. It
 * stores no response of the server, so it has nothing to show that is old, or another person's.
 */
const HOME = new URL(self.registration.scope)

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => {
  const preload = self.registration.navigationPreload?.enable()
  event.waitUntil(Promise.all([self.clients.claim(), preload]))
})

self.addEventListener('fetch', (event) => {
  // Everything but a page goes to the server as if this were not here.
  if (event.request.mode === 'navigate') event.respondWith(pageOf(event))
})

async function pageOf(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request))
  } catch {
    return new Response(OFFLINE, {
      status: 503,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      },
    })
  }
}

const OFFLINE = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>Offline · Countersign</title>
  <style>
    body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: light-dark(#11161d, #e8ecf1);
      background: light-dark(#f3f5f7, #0c0f13) }
    main { display: grid; min-height: 90vh; place-content: center; gap: 12px; padding: 24px;
      text-align: center }
    h1, p { margin: 0 }
    h1 { font-size: 20px }
    a { color: light-dark(#0b5a78, #6fc1e0); padding: 12px }
  </style>
  <main>
    <h1>You are offline</h1>
    <p>Nothing is decided while you are offline, and calls go on waiting.</p>
    <p><a href="">Try again</a></p>
  </main>
</html>
`

self.addEventListener('push', (event) => event.waitUntil(show(payloadOf(event.data))))

/** A message that cannot be read still has to be shown: browsers demand it of every push. */
function payloadOf(data) {
  try {
    return data.json()
  } catch {
    return {}
  }
}

const CLOSE_AFTER_MS = 3_000

/** No actions: what is decided is decided in the inbox, with the whole call on the screen. */
async function show({ notification = {}, closed = false }) {
  const { title = 'Countersign', body = 'Open the inbox to see what waits.', tag } = notification
  await self.registration.showNotification(title, {
    body,
    icon: new URL('icons/icon-192.png', HOME).href,
    badge: new URL('icons/badge-96.png', HOME).href,
    lang: 'en',
    data: { url: ownUrl(notification.navigate) },
    ...(tag === undefined ? {} : { tag, renotify: notification.renotify === true }),
    ...(notification.silent === true ? { silent: true } : {}),
    ...(notification.requireInteraction === true ? { requireInteraction: true } : {}),
  })
  // Shown first, because browsers punish a push that shows nothing, and gone a moment later.
  if (closed) setTimeout(() => closeShown(tag), CLOSE_AFTER_MS)
}

async function closeShown(tag) {
  const shown = await self.registration.getNotifications({ tag })
  for (const one of shown) if (one.silent) one.close()
}

/** Only pages of the inbox are opened, wherever a message says to go. */
function ownUrl(text) {
  const url = URL.canParse(text, HOME) ? new URL(text, HOME) : HOME
  const isOwn = url.origin === HOME.origin && url.pathname.startsWith(HOME.pathname)
  return isOwn ? url.href : HOME.href
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openPage(ownUrl(event.notification.data?.url)))
})

/** A page that is open elsewhere is left alone: a reason may be half written there. */
async function openPage(url) {
  const windows = await self.clients.matchAll({ type: 'window' })
  const there = windows.find((client) => client.url === url)
  return there ? there.focus() : self.clients.openWindow(url)
}

self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)))

/** The browser changed where it takes messages. The server is told with the secret of this device. */
async function renew({ newSubscription }) {
  const device = await readDevice()
  if (device === undefined) return
  const options = { userVisibleOnly: true, applicationServerKey: device.key }
  const made = newSubscription ?? (await self.registration.pushManager.subscribe(options))
  const { endpoint, keys } = made.toJSON()
  const answer = await fetch(new URL('v1/devices/renew', HOME), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ was: device.endpoint, renewal: device.renewal, endpoint, ...keys }),
  })
  if (answer.ok) await keepDevice({ ...device, endpoint, ...(await answer.json()) })
}

/*
 * What the page left here when notifications were turned on: the endpoint, the key of the server
 * and the secret of this device. The page writes it in inbox/src/lib/push/kept-device.ts.
 */
function withDevices(mode, work) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(`countersign-device${HOME.pathname}`, 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore('device')
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const database = opening.result
      const asked = work(database.transaction('device', mode).objectStore('device'))
      asked.transaction.oncomplete = () => {
        database.close()
        resolve(asked.result)
      }
      asked.transaction.onerror = () => reject(asked.error)
    }
  })
}

const readDevice = () => withDevices('readonly', (devices) => devices.get('own'))
const keepDevice = (device) => withDevices('readwrite', (devices) => devices.put(device, 'own'))
