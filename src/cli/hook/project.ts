import { lstatSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import type { CodingAgent } from '../../adapters/coding-agents/agent.ts'
import { CountersignError } from '../../base/errors.ts'
import { usage } from '../failure.ts'
import { governanceFromEnv, POLICY_FILE, why } from '../files.ts'
import type { Shell } from '../shell.ts'
import type { Named } from '../state/policy-files.ts'
import type { HookOptions } from './options.ts'

/** What decides about a call of a coding agent. */
export interface HookProject {
  /** Paths of options start here, and the database lies here. */
  readonly root: string
  /** That of the project first. Each further one can only be stricter. All paths are absolute. */
  readonly policies: readonly [Named, ...Named[]]
}

/**
 * The project decides, not the folder the agent happens to be in: an agent can go to a folder without
 * a policy, or fetch one with a policy of its own. The agent's program sets the environment of a hook;
 * what it runs in a shell cannot change it.
 */
export function findProject(
  options: Pick<HookOptions, 'project' | 'policy' | 'governance'>,
  { name: agent, title, projectVariable }: Pick<CodingAgent, 'name' | 'title' | 'projectVariable'>,
  { cwd, env }: Pick<Shell, 'cwd' | 'env'>,
): HookProject {
  const here = assertFolder('cwd', cwd, `${title} sends the folder it works in.`)
  const set = projectVariable === undefined ? undefined : env[projectVariable]
  const named = [
    [projectVariable ?? '', set] as const,
    ['--project', options.project] as const,
  ].flatMap(([name, value]) =>
    value === undefined
      ? []
      : assertFolder(
          name,
          value,
          projectVariable === undefined
            ? `\`countersign init ${agent}\` writes the whole path of the project.`
            : `${title} sets ${projectVariable}; --project "$${projectVariable}" hands it on.`,
        ),
  )
  const roots = [...new Set(named)]
  const above = policiesAbove(here, roots[0])
  const [root = path.dirname(above.at(-1) ?? path.join(here, POLICY_FILE))] = roots
  const outside = [...(options.governance ?? []), ...governanceFromEnv(env)]
  const governance = [...new Set(outside.map((file) => path.resolve(root, file)))]
  const owner =
    options.policy === undefined ? policiesAbove(root)[0] : path.resolve(root, options.policy)
  if (owner === undefined && governance.length === 0) throw noPolicy(root, agent)
  const others = roots.slice(1).map((other) => {
    const [nearest] = policiesAbove(other)
    if (nearest === undefined) throw noPolicy(other, agent)
    return nearest
  })
  const linked = [set, options.project].flatMap((given) => aboveLink(given))
  const further = new Set([...others, ...above, ...linked])
  if (owner !== undefined) further.delete(owner)
  return {
    root,
    policies: [
      { owner, governance },
      ...[...further].map((file): Named => ({ owner: file, governance: [] })),
    ],
  }
}

/**
 * From a folder upwards, nearest first; inside the project only below its root. Whatever has the name
 * counts, also a link that leads nowhere: that one cannot be read, which blocks.
 */
function policiesAbove(folder: string, root?: string): string[] {
  const found: string[] = []
  for (let at = folder; at !== root; at = path.dirname(at)) {
    const file = path.join(at, POLICY_FILE)
    if (isThere(file)) found.push(file)
    if (at === path.dirname(at)) break
  }
  return found
}

/** Of a project that is named by a link: the nearest one above the link can only be stricter. */
function aboveLink(given: string | undefined): string[] {
  const nearest = given === undefined ? undefined : policiesAbove(path.resolve(given))[0]
  if (nearest === undefined) return []
  return [path.join(realpathSync.native(path.dirname(nearest)), POLICY_FILE)]
}

function isThere(file: string): boolean {
  try {
    lstatSync(file)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw new CountersignError('policy_unreadable', `${file} cannot be read: ${why(error)}`, {
      hint: 'Make the folder readable for the user that runs the agent.',
      cause: error,
    })
  }
}

function assertFolder(name: string, given: string, hint: string): string {
  try {
    if (path.isAbsolute(given) && statSync(given).isDirectory()) return realpathSync.native(given)
  } catch {
    // Said below.
  }
  throw usage(
    `${name} ${JSON.stringify(given.slice(0, 200))} is not the whole path of a folder`,
    hint,
  )
}

function noPolicy(folder: string, agent: string): CountersignError {
  return new CountersignError(
    'policy_unreadable',
    `there is no ${POLICY_FILE} in ${folder} or above it, so no call runs`,
    {
      hint: `Run \`countersign init ${agent}\` in the project, or \`countersign init\` there for a ${POLICY_FILE} alone.`,
    },
  )
}
