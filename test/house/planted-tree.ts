import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const repository = join(import.meta.dirname, '../..')

/** A small repository in a temporary folder, for a check to be aimed at. */
export class PlantedTree {
  readonly root: string

  private constructor(root: string) {
    this.root = root
  }

  /** `settings` are copied from this repository, `files` are written as given. */
  static async plant(files: Record<string, string>, settings: string[] = []): Promise<PlantedTree> {
    const tree = new PlantedTree(await mkdtemp(join(tmpdir(), 'handover-planted-')))
    for (const name of settings) await cp(join(repository, name), join(tree.root, name))
    await tree.write(files)
    return tree
  }

  async write(files: Record<string, string>): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(this.root, path)), { recursive: true })
      await writeFile(join(this.root, path), content)
    }
  }

  /** For checks that look up the packages of the repository. */
  async linkPackages(): Promise<void> {
    await symlink(join(repository, 'node_modules'), join(this.root, 'node_modules'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true })
  }
}
