/**
 * Power cuts on both databases, on a disk that drops what was not synced. Three parts, each of which
 * can fail: the journal of the disk agrees with the files, nothing acknowledged is lost, and a
 * control without syncs does lose something, so that the harness can see it.
 */
import { lacksDisk } from '../../faults/disk/disk.ts'
import { powerCuts, unrecordedChanges } from '../../faults/nemeses/power.ts'
import { randomOf } from '../../faults/seeds.ts'

const seed = process.env.POWER_SEED ?? String(Date.now())
const CUTS = {
  sqlite: Number(process.env.POWER_SQLITE ?? 120),
  postgres: Number(process.env.POWER_POSTGRES ?? 40),
}
const CUTS_PER_DATABASE = 4
/** A cut that keeps everything by chance loses nothing, also without syncs. */
const CONTROLS = 12

const say = (line: string) => process.stdout.write(`${line}\n`)

function sceneOf(store: 'sqlite' | 'postgres', name: string) {
  const own = `${seed}/${store}/${name}`
  const note = () => {}
  return {
    store,
    seed: own,
    random: randomOf(own, 'power loss'),
    postgres: undefined,
    note,
    killed: note,
  }
}

async function prove(store: 'sqlite' | 'postgres'): Promise<boolean> {
  const unrecorded = await unrecordedChanges(sceneOf(store, 'journal'))
  for (const name of unrecorded) say(`FAILED ${store}: the journal does not know: ${name}`)

  const totals = { cuts: 0, unsynced: 0, dropped: 0, unsyncedNames: 0, droppedNames: 0 }
  const found = { lost: 0, double: 0, stuck: 0, broken: 0 }
  for (let group = 0; totals.cuts < CUTS[store]; group += 1) {
    // Postgres relies on the order of names, as journaling file systems keep it.
    const names = store === 'sqlite' && group % 2 === 0 ? 'strict' : 'ordered'
    const violations = await powerCuts(sceneOf(store, String(group)), {
      cuts: Math.min(CUTS_PER_DATABASE, CUTS[store] - totals.cuts),
      names,
      report: ({ unsynced, dropped, unsyncedNames, droppedNames }) => {
        totals.cuts += 1
        totals.unsynced += unsynced
        totals.dropped += dropped
        totals.unsyncedNames += unsyncedNames
        totals.droppedNames += droppedNames
      },
    })
    for (const { kind } of violations) found[kind] += 1
    for (const { invariant, says } of violations.slice(0, 5)) {
      say(`FAILED ${store}/${group} ${names}: ${invariant} ${says}`)
    }
  }
  const { cuts, unsynced, dropped, unsyncedNames, droppedNames } = totals
  say(
    `${store}: cuts ${cuts}, lost ${found.lost}, double ${found.double}, stuck ${found.stuck}, broken ${found.broken}; ` +
      `unsynced writes ${unsynced}, of which dropped or torn ${dropped}; names ${unsyncedNames}, of which dropped ${droppedNames}`,
  )

  let lost = 0
  let controls = 0
  while (lost === 0 && controls < CONTROLS) {
    const scene = sceneOf(store, `control ${controls}`)
    controls += 1
    const violations = await powerCuts(scene, { cuts: 2, names: 'ordered', ignoresSyncs: true })
    lost += violations.filter(({ kind }) => kind === 'lost').length
  }
  say(
    `${store}: the control without syncs ${lost > 0 ? 'loses' : 'FAILED: it loses nothing'} (${lost} found lost, ${controls} databases)`,
  )
  const isClean = found.lost + found.double + found.stuck + found.broken === 0
  return unrecorded.length === 0 && isClean && lost > 0 && dropped > 0
}

const reason = lacksDisk()
if (reason !== undefined) {
  say(`skipped power-loss: ${reason}. Nothing was proved.`)
} else {
  say(`seed ${seed}`)
  const sqlite = CUTS.sqlite === 0 || (await prove('sqlite'))
  const postgres = CUTS.postgres === 0 || (await prove('postgres'))
  process.exitCode = sqlite && postgres ? 0 : 1
}
