/** A PostgreSQL server that only one sandbox uses, on 127.0.0.1. */
import { existsSync } from 'node:fs'
import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  findOwner,
  findPostgres,
  giveTo,
  type Owner,
  type Running,
  runProgram,
  SandboxError,
  startProgram,
  waitUntilReady,
} from './programs.ts'

const [maxRestarts, restartPauseMs] = [5, 500] as const
const startWait = { maxMs: 120_000, pollMs: 100 } as const

export interface PostgresSettings {
  /** The folder of the data and the log. Data that are in it already are kept. */
  readonly folder: string
  readonly port: number
  /** The database of the sandbox, and the user as whom everybody connects. */
  readonly database: string
  readonly user: string
  /** Settings of postgresql.conf, which replace those of a sandbox. */
  readonly configuration?: Readonly<Record<string, string>>
}

/**
 * The data of a sandbox may be lost in a power failure. In return, migrations take a fraction of the time. What was
 * committed outlives a kill of PostgreSQL's processes: a trial kills them and compares the books afterwards.
 */
const formatConfiguration = ({ port, folder, configuration = {} }: PostgresSettings) => `
listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = '${folder}'
fsync = off
synchronous_commit = on
full_page_writes = off
jit = off
${Object.entries(configuration)
  .map(([name, value]) => `${name} = ${value}\n`)
  .join('')}`

export class Postgres {
  readonly #settings: PostgresSettings
  readonly #bin: string
  readonly #owner: Owner | undefined
  #server: Running | undefined

  private constructor(settings: PostgresSettings, bin: string, owner: Owner | undefined) {
    this.#settings = settings
    this.#bin = bin
    this.#owner = owner
  }

  /** Starts the server, after making its data folder if there is none. Throws `SandboxError`. */
  static async start(settings: PostgresSettings): Promise<Postgres> {
    const bin = findPostgres()
    if (!bin) throw new SandboxError('There is no PostgreSQL server: install one.')
    const postgres = new Postgres(settings, bin, await findOwner('postgres'))
    await postgres.#makeCluster()
    await postgres.#startServer()
    return postgres
  }

  /** The URL of the sandbox's database. */
  get url(): string {
    return this.toUrl(this.#settings.database)
  }

  /** The id of the server's first process, whose children are all others; 0 if it never ran. */
  get pid(): number {
    return this.#server?.pid ?? 0
  }

  /**
   * Starts the server again on its data, after it has ended. After a SIGKILL it refuses to start while one of its former
   * processes still has the shared memory, so it is tried again. Throws `SandboxError`.
   */
  async restart(): Promise<void> {
    for (let tries = 1; ; tries++) {
      await this.#server?.ended
      try {
        return await this.#startServer()
      } catch (error) {
        if (tries === maxRestarts) throw error
        await pause(restartPauseMs)
      }
    }
  }

  /** Returns the URL of a database of this server. */
  toUrl(database: string): string {
    const { port, user } = this.#settings
    return `postgres://${user}@127.0.0.1:${port}/${database}`
  }

  get #data(): string {
    return join(this.#settings.folder, 'data')
  }

  async #makeCluster(): Promise<void> {
    const { folder, user } = this.#settings
    await mkdir(folder, { recursive: true })
    await giveTo(this.#owner, folder)
    if (existsSync(join(this.#data, 'PG_VERSION'))) return
    const args = ['-D', this.#data, '-U', user, '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8']
    await runProgram(join(this.#bin, 'initdb'), args, { owner: this.#owner, cwd: folder })
    await appendFile(join(this.#data, 'postgresql.conf'), formatConfiguration(this.#settings))
  }

  async #startServer(): Promise<void> {
    const { folder, port } = this.#settings
    const log = join(folder, 'postgres.log')
    const options = { owner: this.#owner, cwd: folder, log }
    this.#server = startProgram(join(this.#bin, 'postgres'), ['-D', this.#data], options)
    if (await waitUntilReady(this.#server, () => this.#isReady(), startWait)) return
    await this.stop()
    throw new SandboxError(
      `PostgreSQL did not start on port ${port}. Give another --postgres-port, or see ${log}.`,
    )
  }

  #isReady(): Promise<boolean> {
    return this.#run('pg_isready', '-q', '-d', this.toUrl('postgres')).then(
      () => true,
      () => false,
    )
  }

  /** Runs a client as this process's own user, who can read and write the files that it names. */
  #run(program: string, ...args: readonly string[]): Promise<string> {
    return runProgram(join(this.#bin, program), args)
  }

  async hasDatabase(): Promise<boolean> {
    const sql = `select 1 from pg_database where datname = '${this.#settings.database}'`
    return (await this.query(sql, 'postgres')) !== ''
  }

  /** Lists the databases of the server, without the templates. */
  async listDatabases(): Promise<string[]> {
    const sql = 'select datname from pg_database where not datistemplate'
    return (await this.query(sql, 'postgres')).split('\n')
  }

  /** Runs SQL and returns its rows as text, without decoration. */
  async query(sql: string, database: string = this.#settings.database): Promise<string> {
    return (await this.#run('psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-c', sql, this.toUrl(database))).trim()
  }

  async createDatabase(database: string = this.#settings.database): Promise<void> {
    await this.query(`create database ${database}`, 'postgres')
  }

  /** Creates a database from a dump that `save` has written. */
  async restore(file: string, database: string = this.#settings.database): Promise<void> {
    await this.createDatabase(database)
    await this.#run('pg_restore', '--no-owner', '--exit-on-error', '-d', this.toUrl(database), file)
  }

  /** Writes a dump of a database to a file. */
  async save(file: string, database: string = this.#settings.database): Promise<void> {
    await this.#run('pg_dump', '-Fc', '-Z9', '--no-owner', '-f', file, this.toUrl(database))
  }

  async stop(): Promise<void> {
    // SIGINT is PostgreSQL's fast shutdown, which does not wait for clients.
    await this.#server?.stop('SIGINT')
  }
}
