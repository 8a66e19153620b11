// The parts of the peers that the benchmark uses. They are installed only for who measures, and types are checked without them.

declare module '@node-oauth/oauth2-server' {
  type Request = { method: string; headers: object; query: object; body: Record<string, string> }
  type Response = { readonly status?: number; readonly headers: Record<string, string>; readonly body: unknown }
  type Server = { token: (request: Request, response: Response) => Promise<unknown> }

  // A CommonJS module: what it exports is the class, with the others on it.
  const OAuth2Server: {
    new (options: { model: object; [option: string]: unknown }): Server
    Request: new (request: Request) => Request
    Response: new () => Response
  }
  export = OAuth2Server
}

declare module 'pg-boss' {
  export type Job<Data> = { id: string; data: Data }
  export type JobResult = { id: string; status: 'completed' | 'failed' }
  type Executor = { executeSql: (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }> }

  export class PgBoss {
    constructor(options: Record<string, unknown>)
    on(event: 'error', listener: (error: Error) => void): this
    start(): Promise<this>
    createQueue(name: string, options: Record<string, unknown>): Promise<void>
    insert(name: string, jobs: Array<{ data: object }>, options: { db: Executor }): Promise<unknown>
    work<Data>(
      name: string,
      options: Record<string, unknown>,
      carryOut: (jobs: Array<Job<Data>>) => Promise<JobResult[]>,
    ): Promise<string>
  }
}

declare module 'graphile-worker' {
  type Task = (payload: unknown) => Promise<void>
  export const Logger: new (factory: () => () => void) => object
  export function runMigrations(options: { connectionString: string }): Promise<void>
  export function run(options: {
    connectionString: string
    taskList: Record<string, Task>
    noHandleSignals: boolean
    preset: { worker: Record<string, unknown> }
  }): Promise<object>
}
