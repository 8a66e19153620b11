/**
 * Who started a command: what it was told by the environment, where its answer goes and where everything else goes. Standard
 * output is for what a person asked to see, so that a script can take it from there.
 */
export type Terminal = {
  env: Readonly<Record<string, string | undefined>>
  print: (text: string) => void
  warn: (text: string) => void
  /** Standard output when somebody looks at it; absent when it is a pipe or a file. */
  screen?: Screen | undefined
  /** Everything that is piped in, or typed until Ctrl-D. */
  input?: (() => Promise<Buffer>) | undefined
}

export type Screen = {
  /** As it is, without a line break at its end. */
  write: (text: string) => void
  columns: () => number
}
