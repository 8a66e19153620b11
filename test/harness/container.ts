import { spawnSync } from 'node:child_process'
import type { ImageFolder } from './image-folder.ts'
import { type HandoverProcess, runProgram } from './process.ts'

/** As the image and compose.yaml have it: another account, no new rights, and a file system that can only be read. */
const ENTER = `mount -o remount,bind,ro / && exec setpriv --reuid=1000 --regid=1000 --clear-groups --no-new-privs "$0" "$@"`

/** Whether this machine lets us do that; in most containers it does not. */
const canEnter =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'sh', '-c', ENTER, process.execPath, '--version']).status === 0

/** False, or in what this differs from a container of the image. */
export const lessThanAContainer = !canEnter && 'as this account and with a file system that can be written'

/** `handover …` of the image, without Docker. */
export function runContainer(image: ImageFolder, args: string[], env: Record<string, string>): HandoverProcess {
  const all = { NODE_ENV: 'production', ...env }
  return canEnter
    ? runProgram('unshare', ['-m', 'sh', '-c', ENTER, image.handover, ...args], all, image.folder)
    : runProgram(image.handover, args, all, image.folder)
}
