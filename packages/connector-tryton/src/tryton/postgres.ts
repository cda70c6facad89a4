/** A PostgreSQL server of the sandbox's own, in its home, on 127.0.0.1. */
import { existsSync } from 'node:fs'
import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { databaseName, databaseUser, type SandboxSettings } from './settings.ts'
import {
  findOwner,
  findPostgres,
  giveTo,
  type Owner,
  type Running,
  runProgram,
  SandboxError,
  startProgram,
} from './system.ts'

const maxStartMs = 30_000
const pollMs = 100

/** Data of a sandbox may be lost in a power failure. In return, activating the modules takes half the time. */
const configuration = (port: number, sockets: string) => `
listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = '${sockets}'
fsync = off
synchronous_commit = off
full_page_writes = off
shared_buffers = 128MB
max_connections = 60
jit = off
`

export class Postgres {
  readonly #settings: SandboxSettings
  readonly #bin: string
  readonly #owner: Owner | undefined
  #server: Running | undefined

  private constructor(settings: SandboxSettings, bin: string, owner: Owner | undefined) {
    this.#settings = settings
    this.#bin = bin
    this.#owner = owner
  }

  /** Starts the server, after making its data folder if there is none. */
  static async start(settings: SandboxSettings): Promise<Postgres> {
    const bin = findPostgres()
    if (!bin) throw new SandboxError('There is no PostgreSQL server.')
    const postgres = new Postgres(settings, bin, await findOwner('postgres'))
    await postgres.#makeData()
    await postgres.#startServer()
    return postgres
  }

  get #folder(): string {
    return join(this.#settings.home, 'postgres')
  }

  get #data(): string {
    return join(this.#folder, 'data')
  }

  async #makeData(): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    await giveTo(this.#owner, this.#folder)
    if (existsSync(join(this.#data, 'PG_VERSION'))) return
    const args = ['-D', this.#data, '-U', databaseUser, '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8']
    await this.#run('initdb', args)
    await appendFile(
      join(this.#data, 'postgresql.conf'),
      configuration(this.#settings.postgresPort, this.#folder),
    )
  }

  async #startServer(): Promise<void> {
    const log = join(this.#folder, 'postgres.log')
    const options = { owner: this.#owner, cwd: this.#folder, log }
    const { postgresPort } = this.#settings
    const server = startProgram(join(this.#bin, 'postgres'), ['-D', this.#data], options)
    this.#server = server
    let isOver = false
    void server.ended.then(() => {
      isOver = true
    })
    for (let waited = 0; waited < maxStartMs && !isOver; waited += pollMs) {
      if (await this.#isReady()) return
      await pause(pollMs)
    }
    throw new SandboxError(
      `PostgreSQL did not start on port ${postgresPort}. Give another --postgres-port, or see ${log}.`,
    )
  }

  async #isReady(): Promise<boolean> {
    return this.#run('pg_isready', ['-q', ...this.#connection]).then(
      () => true,
      () => false,
    )
  }

  get #connection(): string[] {
    return ['-h', '127.0.0.1', '-p', String(this.#settings.postgresPort), '-U', databaseUser]
  }

  #run(program: string, args: readonly string[]): Promise<string> {
    return runProgram(join(this.#bin, program), args, { owner: this.#owner, cwd: this.#folder })
  }

  async hasDatabase(): Promise<boolean> {
    return (
      (await this.query(`select 1 from pg_database where datname = '${databaseName}'`, 'postgres')) !== ''
    )
  }

  /** Runs SQL and returns its rows as text, without decoration. */
  async query(sql: string, database: string = databaseName): Promise<string> {
    return (await this.#run('psql', [...this.#connection, '-d', database, '-XAtqc', sql])).trim()
  }

  async createDatabase(): Promise<void> {
    await this.#run('createdb', [...this.#connection, '-E', 'UTF8', databaseName])
  }

  async dropDatabase(): Promise<void> {
    await this.#run('dropdb', [...this.#connection, '--if-exists', '--force', databaseName])
  }

  /** Restores a dump that `save` has written. */
  async restore(file: string): Promise<void> {
    await this.createDatabase()
    await this.#run('pg_restore', [
      ...this.#connection,
      '--no-owner',
      '--exit-on-error',
      '-d',
      databaseName,
      file,
    ])
  }

  /** Writes the database to a file, without sessions. */
  async save(file: string): Promise<void> {
    await this.query('delete from ir_session; delete from web_user_session; delete from ir_cache')
    const args = [
      ...this.#connection,
      '-Fc',
      '-Z9',
      '--no-owner',
      '-f',
      join(this.#folder, 'saved.dump'),
      databaseName,
    ]
    await this.#run('pg_dump', args)
    await runProgram('cp', [join(this.#folder, 'saved.dump'), file])
  }

  /** Stops the server and starts it again, to simulate an outage. */
  async restart(): Promise<void> {
    await this.stop()
    await this.#startServer()
  }

  async stop(): Promise<void> {
    // SIGINT is PostgreSQL's fast shutdown, which does not wait for clients.
    await this.#server?.stop('SIGINT')
  }
}
