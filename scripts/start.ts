/** `npm start`: builds the inbox when its sources are newer than it, then runs `countersign start --demo`. */
import { ensureInbox } from '../inbox/build.ts'
import { main } from '../src/cli/main.ts'

await ensureInbox()
process.exitCode = await main(['start', '--demo', ...process.argv.slice(2)])
