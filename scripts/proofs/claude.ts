/**
 * The Claude Agent SDK, Claude Code's hooks and Claude Code as an MCP client: the real programs, with
 * a scripted model on this machine. They are not free software and large, so npm installs them here.
 */
import { proveClaudeCode } from './claude/code-cases.ts'
import { install } from './claude/install.ts'
import { place } from './claude/place.ts'
import { provePrograms } from './claude/program-cases.ts'
import { failures } from './claude/prove.ts'
import { proveSdk } from './claude/sdk-cases.ts'

const installed = await install()
const here = place()
try {
  await proveSdk(installed, here)
  await provePrograms(installed, here)
} finally {
  here.remove()
}
await proveClaudeCode(installed)
process.exitCode = failures() === 0 ? 0 : 1
