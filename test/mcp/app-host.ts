/** The page of a host, for a browser: the extension's own bridge before the card. */
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'

interface Asked {
  readonly html: string
  /** Results of the tool, one after another: the first is sent, others are what a look finds. */
  readonly results: readonly object[]
}

const host = globalThis as unknown as {
  show(asked: Asked): Promise<void>
  opened: string[]
  called: unknown[]
  sizes: unknown[]
}

host.opened = []
host.called = []
host.sizes = []
host.show = async ({ html, results: [first, ...others] }) => {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  document.body.append(frame)
  const view = frame.contentWindow
  if (!view) throw new Error('there is no frame')
  const bridge = new AppBridge(
    null,
    { name: 'a-host', version: '1' },
    { openLinks: {}, serverTools: {} },
    { hostContext: { theme: 'dark' } },
  )
  bridge.onopenlink = async ({ url }) => {
    host.opened.push(url)
    return {}
  }
  bridge.oncalltool = async (params) => {
    host.called.push(params)
    return (others.shift() ?? first) as never
  }
  bridge.onsizechange = (size) => void host.sizes.push(size)
  const ready = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve()
  })
  await bridge.connect(new PostMessageTransport(view, view))
  frame.srcdoc = html
  await ready
  await bridge.sendToolInput({ arguments: { id: 'x' } })
  await bridge.sendToolResult(first as never)
}
