/** The PostgreSQL database of a sandbox: on a server of its own, or an existing one. */
import { appendFile, chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { databaseName, databaseUser, type SandboxSettings } from './settings.ts'
import {
  findOwner,
  findPostgres,
  type Owner,
  type Running,
  runProgram,
  SandboxError,
  startProgram,
} from './system.ts'

const maxStartMs = 30_000
const pollMs = 100

/** The data of a sandbox may be lost in a power failure. In return, migrations take a fraction of the time. */
const configuration = (port: number, sockets: string) => `
listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = '${sockets}'
fsync = off
synchronous_commit = off
full_page_writes = off
jit = off
`

/** A PostgreSQL server that only this sandbox uses. */
export class Postgres {
  readonly url: string
  readonly #bin: string
  readonly #folder: string
  readonly #owner: Owner | undefined
  #server: Running | undefined

  private constructor(settings: SandboxSettings, bin: string, owner: Owner | undefined) {
    this.url = `postgres://${databaseUser}@127.0.0.1:${settings.postgresPort}/${databaseName}`
    this.#bin = bin
    this.#folder = join(settings.work, 'postgres')
    this.#owner = owner
  }

  /** Makes a cluster and starts its server. */
  static async start(settings: SandboxSettings): Promise<Postgres> {
    const bin = findPostgres()
    if (!bin) throw new SandboxError('There is no PostgreSQL server. Install one, or give --database-url.')
    const postgres = new Postgres(settings, bin, await findOwner('postgres'))
    await postgres.#makeCluster(settings.postgresPort)
    await postgres.#startServer(settings.postgresPort)
    return postgres
  }

  async #makeCluster(port: number): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    if (this.#owner) await chown(this.#folder, this.#owner.uid, this.#owner.gid)
    const data = join(this.#folder, 'data')
    await this.#run('initdb', [
      '-D',
      data,
      '-U',
      databaseUser,
      '--auth=trust',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
    ])
    await appendFile(join(data, 'postgresql.conf'), configuration(port, this.#folder))
  }

  async #startServer(port: number): Promise<void> {
    const log = join(this.#folder, 'postgres.log')
    const options = { owner: this.#owner, cwd: this.#folder, log }
    const server = startProgram(join(this.#bin, 'postgres'), ['-D', join(this.#folder, 'data')], options)
    this.#server = server
    let isOver = false
    void server.ended.then(() => {
      isOver = true
    })
    for (let waited = 0; waited < maxStartMs && !isOver; waited += pollMs) {
      if (await this.#isReady(port)) return
      await pause(pollMs)
    }
    throw new SandboxError(`PostgreSQL did not start on port ${port}. Give another --postgres-port.`)
  }

  #isReady(port: number): Promise<boolean> {
    return this.#run('pg_isready', ['-q', '-h', '127.0.0.1', '-p', String(port)]).then(
      () => true,
      () => false,
    )
  }

  #run(program: string, args: readonly string[]): Promise<string> {
    return runProgram(join(this.#bin, program), args, { owner: this.#owner, cwd: this.#folder })
  }

  get #maintenanceUrl(): string {
    return this.url.replace(/\/[^/]*$/, '/postgres')
  }

  async createDatabase(): Promise<void> {
    await this.#run('psql', ['-qX', this.#maintenanceUrl, '-c', `create database ${databaseName}`])
  }

  /** Restores a dump that `save` has written. */
  async restore(file: string): Promise<void> {
    await this.createDatabase()
    await runProgram(join(this.#bin, 'pg_restore'), ['--no-owner', '--exit-on-error', '-d', this.url, file])
  }

  async save(file: string): Promise<void> {
    await runProgram(join(this.#bin, 'pg_dump'), ['-Fc', '--no-owner', '-f', file, this.url])
  }

  async stop(): Promise<void> {
    // SIGINT is PostgreSQL's fast shutdown, which does not wait for clients.
    await this.#server?.stop('SIGINT')
  }
}
