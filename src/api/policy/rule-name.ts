/** `tools.pay.approval.condition[1]` → `pay`: the part of a rule's name that people gave it. */
const NAMES: readonly RegExp[] = [
  /^(?<alias>studio)\.(?<name>[^.]+)\.humanInTheLoop$/,
  /^tools\.(?<name>.+?)\.(?:approval|risk|humanInTheLoop)\b/,
  /^(?:mcp_servers|remote_agents)\.(?<alias>.+?)\.allowed_(?:tools|skills)\.(?<name>.+?)\.(?:approval|risk|humanInTheLoop)\b/,
  /^(?:mcp_servers|remote_agents|local_agents)\.(?<name>.+?)\.(?:approval|risk|humanInTheLoop)\b/,
]

export function ruleName(rule: string): string {
  for (const pattern of NAMES) {
    const found = pattern.exec(rule)?.groups
    if (found?.name !== undefined)
      return found.alias === undefined ? found.name : `${found.alias}/${found.name}`
  }
  return rule
}
