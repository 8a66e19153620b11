/**
 * Who started a command: what it was told by the environment, where its answer goes and where everything else goes. Standard
 * output is for what a person asked to see, so that a script can take it from there.
 */
export type Terminal = {
  env: Readonly<Record<string, string | undefined>>
  print: (text: string) => void
  warn: (text: string) => void
}
