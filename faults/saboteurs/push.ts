import type { Saboteur } from './saboteur.ts'

const SERVER = { tests: ['test/server/push.test.ts'] } as const
const PAGE = { tests: ['inbox/test/app.test.ts'] } as const

/** Push messages that reach a device they should not, or stay where they should not. */
export const PUSH_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a push message goes to any address of a network',
    file: 'src/channels/post.ts',
    before: 'const found = await destinationsOf(url, allowHosts, resolve)',
    after: 'const found = await destinationsOf(url, [...allowHosts, url.host], resolve)',
    caughtBy: { tests: ['test/server/push.test.ts', 'src/channels/webhook.test.ts'] },
  },
  {
    name: 'a device outlives the sign-out',
    file: 'src/server/identity/sessions.ts',
    before: ', ...withoutDevices(devices)],',
    after: '],',
    caughtBy: SERVER,
  },
  {
    name: 'a device outlives its person',
    file: 'src/server/identity/membership.ts',
    before: '        ...withoutDevices(devices),\n',
    after: '',
    caughtBy: SERVER,
  },
  {
    name: 'a device outlives the lock on its person',
    file: 'src/gate/admin/locks.ts',
    before: '          ...(isPerson ? await endedDevices(store, lock) : []),\n',
    after: '',
    caughtBy: SERVER,
  },
  {
    name: 'a browser that changed hands is told what became of older calls',
    file: 'src/channels/push/web-push.ts',
    before: 'if (!device || addressOf(device) !== delivery.address)',
    after: 'if (!device)',
    caughtBy: SERVER,
  },
  {
    name: 'a browser goes on being the device of the person before',
    file: 'src/server/devices/devices.ts',
    before: '        await records.remove(DEVICE_RECORD, id)\n        return undefined\n',
    after: '        return undefined\n',
    caughtBy: SERVER,
  },
  {
    name: 'a device that is gone is sent to again',
    file: 'src/channels/push/web-push.ts',
    before: 'if (error instanceof NotDelivered && error.gone) await forget(device)',
    after: '',
    caughtBy: SERVER,
  },
  {
    name: 'a notification stays although the call was decided',
    file: 'src/channels/push/message.ts',
    before: "if (before === 'open') {",
    after: "if (before === 'told') {",
    caughtBy: { tests: ['test/server/push.test.ts', 'test/gate/push-crash.test.ts'] },
  },
  {
    name: 'any caller names a new endpoint for a device',
    file: 'src/server/devices/devices.ts',
    before: 'const isIts = found && sameText(found.renewal, renewalHash(found.id, renewal))',
    after: "const isIts = found && renewal !== ''",
    caughtBy: SERVER,
  },
  {
    name: 'a push message opens another site',
    file: 'inbox/public/sw.js',
    before: 'return isOwn ? url.href : HOME.href',
    after: 'return url.href',
    caughtBy: PAGE,
  },
  {
    name: 'the app keeps pages of the inbox',
    file: 'inbox/public/sw.js',
    before: 'return (await event.preloadResponse) ?? (await fetch(event.request))',
    after:
      "const kept = await caches.open('pages')\n    const page = (await event.preloadResponse) ?? (await fetch(event.request))\n    await kept.put(event.request, page.clone())\n    return page",
    caughtBy: PAGE,
  },
]
