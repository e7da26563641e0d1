import type { Session } from '../session.ts'
import { frame } from './frame.ts'
import { meaningOf, type Press } from './keys.ts'
import { createLive } from './live.ts'
import type { Look } from './spans.ts'
import { type Action, firstState, reduce, type State, serverNow } from './state.ts'

interface ScreenOptions {
  readonly signIn: () => Promise<Session>
  readonly stdin: NodeJS.ReadableStream
  readonly stdout: NodeJS.WritableStream
}

const LOOKS: Readonly<Record<Look, object>> = {
  plain: {},
  bold: { bold: true },
  dim: { dimColor: true },
  chosen: { inverse: true },
  good: { color: 'green' },
  bad: { color: 'red' },
  warn: { color: 'yellow' },
}

/** Draws the inbox on the whole screen until the user quits; the screen is then as before. */
export async function runScreen({ signIn, stdin, stdout }: ScreenOptions): Promise<void> {
  // Loaded only for the inbox in a terminal.
  const ink = await import('./ink.ts')
  const { createElement: h, useEffect, useReducer } = ink
  let state: State = firstState(...sizeOf(stdout))
  let redraw = () => {}
  const dispatch = (action: Action) => {
    const before = state
    state = reduce(state, action)
    if (state === before) return
    redraw()
    // Another call was chosen: its card is fetched.
    if (state.current !== before.current) live.again()
  }
  const live = createLive({ signIn, state: () => state, dispatch })

  function Screen() {
    const [, draw] = useReducer((count: number) => count + 1, 0)
    const { exit } = ink.useApp()
    useEffect(() => {
      redraw = draw
      // Something may have come before there was anything to draw on.
      draw()
      const ticking = setInterval(() => {
        dispatch({ type: 'ticked', at: serverNow(state) })
        draw()
      }, 1_000)
      const onResize = () => {
        const [columns, rows] = sizeOf(stdout)
        dispatch({ type: 'resized', columns, rows })
      }
      stdout.on('resize', onResize)
      return () => {
        redraw = () => {}
        clearInterval(ticking)
        stdout.off('resize', onResize)
      }
    }, [])
    ink.useInput((input, key) => {
      const meaning = meaningOf(state, pressOf(input, key), serverNow(state))
      if (meaning === undefined) return
      if (meaning.type === 'quit') exit()
      else if (meaning.type === 'again') live.again()
      else if (meaning.type === 'decide') void live.decide(meaning.id, meaning.body)
      else if (meaning.type === 'reveal') void live.reveal(meaning)
      else if (meaning.type === 'say') void live.say(meaning)
      else dispatch(meaning)
    })
    const lines = frame(state, serverNow(state))
    return h(
      ink.Box,
      { flexDirection: 'column' },
      lines.map((line, at) =>
        h(
          ink.Text,
          { key: at, wrap: 'truncate-end' },
          line.map(({ text, look }, part) => h(ink.Text, { key: part, ...LOOKS[look] }, text)),
          // A line of nothing would have no height.
          line.every(({ text }) => text === '') ? ' ' : '',
        ),
      ),
    )
  }

  const app = ink.render(h(Screen), {
    stdin,
    stdout,
    alternateScreen: true,
    patchConsole: false,
    // It is a terminal: that was asked before. What CI=1 in an environment says is not about that.
    interactive: true,
  })
  try {
    await app.waitUntilExit()
  } finally {
    await live.close()
  }
}

function sizeOf(stdout: NodeJS.WritableStream): [columns: number, rows: number] {
  const { columns, rows } = stdout as Partial<NodeJS.WriteStream>
  return [columns ?? 80, rows ?? 24]
}

type InkKey = Parameters<Parameters<typeof import('./ink.ts')['useInput']>[0]>[1]

function pressOf(input: string, key: InkKey): Press {
  const name = (
    [
      ['enter', key.return],
      ['escape', key.escape],
      ['backspace', key.backspace || key.delete],
      ['up', key.upArrow],
      ['down', key.downArrow],
      ['pageUp', key.pageUp],
      ['pageDown', key.pageDown],
    ] as const
  ).find(([, pressed]) => pressed)?.[0]
  if (name !== undefined) return { text: '', name }
  return { text: key.ctrl || key.meta ? '' : input }
}
