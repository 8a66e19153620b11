import type { Scene } from '../scene.ts'
import { visitAsMarketplace } from './events.ts'
import { visitAsMachine } from './machines.ts'
import { visitAsApplication, visitAsLeaver } from './refreshes.ts'
import { visitAsPerson } from './sign-ins.ts'
import type { Visitor } from './visit.ts'
import { visitAsIntegrator } from './webhooks.ts'

/** Who comes, and how many of each at a time. */
const VISITORS: Array<[Visitor, number]> = [
  [visitAsPerson, 3],
  [visitAsApplication, 3],
  [visitAsLeaver, 1],
  [visitAsMachine, 2],
  [visitAsIntegrator, 2],
  [visitAsMarketplace, 2],
]

/** Resolves when the scene has ended and the last of them has left. */
export async function runLoad(scene: Scene): Promise<void> {
  const comeAgain = async (visit: Visitor) => {
    while (!scene.isOver()) await visit(scene)
  }
  await Promise.all(VISITORS.flatMap(([visit, count]) => Array.from({ length: count }, () => comeAgain(visit))))
}
