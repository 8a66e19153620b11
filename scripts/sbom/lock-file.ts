type Named = Record<string, string>

/** What package-lock.json says of one installed package. */
export type LockEntry = {
  version?: string
  integrity?: string
  license?: string
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
  dependencies?: Named
  optionalDependencies?: Named
  peerDependencies?: Named
}
export type LockFile = { packages: Record<string, LockEntry> }

const FOLDER = 'node_modules/'

/** Those that come along where the service runs; the tools of development do not. */
export function deliveredPaths({ packages }: LockFile): string[] {
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path]) => path)
}

export function nameAt(path: string): string {
  return path.slice(path.lastIndexOf(FOLDER) + FOLDER.length)
}

/** Where Node finds what a package needs: in its own folder, or in the nearest one above. */
export function neededPaths({ packages }: LockFile, path: string): string[] {
  const { dependencies, optionalDependencies, peerDependencies } = packages[path] ?? {}
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
  return names.flatMap((name) => {
    for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf(`/${FOLDER}`)))) {
      const candidate = folder === '' ? FOLDER + name : `${folder}/${FOLDER}${name}`
      if (packages[candidate] !== undefined) return [candidate]
      if (folder === '') return []
    }
  })
}
