import { describe, expect, it } from 'vitest'
import { ConfigError, pickOwnVariables, readConfig, readSettingFiles } from './config.ts'

const secret = 'a-secret-of-thirty-two-characters'
const given = { SECRETS_KEY: secret }

/** Returns the problems for which a configuration is refused. */
function listProblems(values: Record<string, string>): readonly string[] {
  try {
    readConfig({ ...given, ...values })
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

describe('a configuration', () => {
  it('has its defaults where nothing but the key is set, and an empty value is as good as none', () => {
    const usual = readConfig(given)
    expect(usual).toMatchObject({ host: '127.0.0.1', port: 8080, writesEnabled: true, adminToken: undefined })
    expect(usual.views).toEqual({ AU: ['AUSYD1', 'AUSYD2'], CN: ['CHNZJ1'] })
    expect(usual.legacyTokens.until).toBe(Date.UTC(2026, 10, 30, 23, 59, 59))
    expect(readConfig({ ...given, PORT: '', ADMIN_TOKEN: '', WRITES_ENABLED: '' })).toEqual(usual)
  })

  it('names all of its problems at once, with the value that is wrong', () => {
    const values = { PORT: '65536', LOG_LEVEL: 'loud', WRITES_ENABLED: 'yes', UPSTREAM_URL: 'http://erp' }
    expect(listProblems(values)).toEqual([
      'PORT must be a whole number from 0 to 65535, not "65536".',
      'WRITES_ENABLED must be 1 or 0, not "yes".',
      'LOG_LEVEL must be one of debug, info, warn, error, silent, not "loud".',
      'UPSTREAM_TOKEN is missing: with UPSTREAM_URL set, the ERP’s connector wants a token.',
    ])
  })

  it('is refused with the token of an ERP but not its URL, because the sandbox would run instead', () => {
    expect(listProblems({ UPSTREAM_TOKEN: 'a-token' })).toEqual([
      'UPSTREAM_URL is missing: set it to the address of the ERP’s connector, or remove UPSTREAM_TOKEN to run the sandbox.',
    ])
  })

  it('does not repeat a value that may hold a password', () => {
    expect(listProblems({ DATABASE_URL: 'mysql://user:hunter2@db' })).toEqual([
      'DATABASE_URL must be a URL that begins with postgres:// or postgresql://.',
    ])
    expect(listProblems({ ADMIN_TOKEN: 'hunter2' }).join()).not.toContain('hunter2')
  })

  it.each([
    ['LEGACY_TOKENS_UNTIL', '2026-11-30'],
    ['LEGACY_TOKENS_UNTIL', '2026-11-31T23:59:59Z'],
    ['LEGACY_TOKENS_UNTIL', '2027-02-29T00:00:00Z'],
    ['TRUST_PROXY', '10.0.0.0/8,local'],
    ['MCP_ALLOWED_ORIGINS', 'https://a.example/path'],
    ['WAREHOUSE_VIEWS', 'AU:AUSYD1'],
  ])('refuses %s=%s', (name, value) => {
    expect(listProblems({ [name]: value })).toEqual([expect.stringMatching(`^${name} must be .*"`)])
  })

  it.each([
    ['AU=AUSYD1,AU=AUSYD2', 'has the view AU twice.'],
    ['AU=AUSYD1+AUSYD1', 'has AUSYD1 twice in the view AU.'],
    ['APAC=AU+CHNZJ1,AU=AUSYD1', 'has AU in the view APAC, which is a view itself.'],
    ['AUSYD1=AUSYD1+AUSYD2', 'has AUSYD1 in the view AUSYD1, which is a view itself.'],
  ])('refuses WAREHOUSE_VIEWS=%s', (value, problem) => {
    expect(listProblems({ WAREHOUSE_VIEWS: value })).toEqual([
      expect.stringContaining(`WAREHOUSE_VIEWS ${problem}`),
    ])
  })
})

describe('HOST', () => {
  it.each(['127.0.0.1', '0.0.0.0', '::', '::1', 'localhost', 'gateway-1', 'node2.example.com'])(
    'may be %s',
    (host) => expect(readConfig({ ...given, HOST: host }).host).toBe(host),
  )

  it.each(['300.1.1.1', '127.1', '1', '[::1]', 'a..b', '-a', 'http://a', 'a b', '::1%lo'])(
    'may not be %s',
    (host) => {
      expect(listProblems({ HOST: host })).toEqual([
        `HOST must be an IP address such as 127.0.0.1 or a host name such as localhost, not "${host}".`,
      ])
    },
  )
})

describe('PROCESSES', () => {
  const own = { UPSTREAM_URL: 'http://erp.example', UPSTREAM_TOKEN: 'a-token' }
  const database = { DATABASE_URL: 'postgres://db.example/gateway' }

  it('may be above 1 with PostgreSQL and an ERP of its own', () => {
    expect(readConfig({ ...given, PROCESSES: '2', ...own, ...database }).processes).toBe(2)
  })

  it('is refused above 1 with the embedded store or the sandbox, each in a sentence', () => {
    expect(listProblems({ PROCESSES: '2', ...own })).toEqual([
      'PROCESSES is 2, and the embedded database serves one process: set DATABASE_URL to a PostgreSQL database, or PROCESSES to 1.',
    ])
    expect(listProblems({ PROCESSES: '2', ...database })).toEqual([
      'PROCESSES is 2, and the built-in ERP serves one process: set UPSTREAM_URL and UPSTREAM_TOKEN, or PROCESSES to 1.',
    ])
  })
})

describe.each(['ADMIN_TOKEN', 'LEGACY_TOKEN_SECRET', 'SECRETS_KEY'])('%s', (name) => {
  it('has at least 32 characters', () => {
    expect(listProblems({ [name]: 'x'.repeat(32) })).toEqual([])
    expect(listProblems({ [name]: 'x'.repeat(31) })).toEqual([
      `${name} is too short: 31 of at least 32 characters; set random ones, for example from: openssl rand -hex 32`,
    ])
  })
})

describe('a token that is sent in a header', () => {
  const long = 'a-token-of-more-than-thirty-two-characters'
  const erp = { UPSTREAM_URL: 'http://erp.example', UPSTREAM_TOKEN: 'a-token' }
  const refusal = (name: string) => [
    `${name} has a space, a line break or another character that its header cannot carry; use visible ASCII characters only.`,
  ]

  it('ends before the blank lines of its file', () => {
    const read = (content: string) =>
      readConfig({
        ...given,
        UPSTREAM_URL: 'http://erp.example',
        ...readSettingFiles({ UPSTREAM_TOKEN_FILE: '/token', ADMIN_TOKEN_FILE: '/admin' }, () => content),
      })
    for (const content of [long, `${long}\n`, `${long}\n\n`, `${long} \r\n\r\n`])
      expect(read(content)).toMatchObject({ adminToken: long, upstream: { token: long } })
  })

  it('is refused with what no header carries, and its value is not repeated', () => {
    for (const wrong of [`${long}\n${long}`, `${long}한`, `${long}\u0001`, `${long}\u007f`]) {
      expect(listProblems({ ADMIN_TOKEN: wrong })).toEqual(refusal('ADMIN_TOKEN'))
      expect(listProblems({ METRICS_TOKEN: wrong })).toEqual(refusal('METRICS_TOKEN'))
      expect(listProblems({ ...erp, UPSTREAM_TOKEN: wrong })).toEqual(refusal('UPSTREAM_TOKEN'))
    }
    expect(listProblems({ ...erp, UPSTREAM_TOKEN: '\n\n' })).toEqual(refusal('UPSTREAM_TOKEN'))
    expect(listProblems({ ADMIN_TOKEN: ` ${long}` })).toEqual(refusal('ADMIN_TOKEN'))
    for (const wrong of [` ${long}`, `${long} ${long}`, `${long}\u00a0${long}`])
      expect(listProblems({ METRICS_TOKEN: wrong })).toEqual(refusal('METRICS_TOKEN'))
  })

  it('may have what a header does carry', () => {
    for (const token of [`${long} ${long}`, `${long}\tü`]) {
      expect(readConfig({ ...given, ADMIN_TOKEN: token }).adminToken).toBe(token)
      expect(readConfig({ ...given, ...erp, UPSTREAM_TOKEN: ` ${token}` }).upstream?.token).toBe(` ${token}`)
    }
    expect(readConfig({ ...given, METRICS_TOKEN: `${long}ü` }).metrics.token).toBe(`${long}ü`)
  })
})

describe('a name that is not a setting', () => {
  it('is refused, with the setting that was meant', () => {
    expect(listProblems({ WRITES_ENABLE: '0' })).toEqual([
      'WRITES_ENABLE is not a setting; did you mean WRITES_ENABLED?',
    ])
    expect(listProblems({ DATABASE_URL_FIEL: '/secret' })).toEqual([
      'DATABASE_URL_FIEL is not a setting; did you mean DATABASE_URL_FILE?',
    ])
  })

  it('is refused where none is near', () => {
    expect(listProblems({ COLOUR: 'red' })).toEqual([
      'COLOUR is not a setting; remove it from .env or settings.env.',
    ])
  })
})

describe('the environment', () => {
  it('is read for settings and for what is nearly one; the rest belongs to others', () => {
    const ours = {
      PORT: '1',
      SANDBOX_PASSWORD: 'x',
      WRITES_ENABLE: '0',
      LOGLEVEL: 'debug',
      port: '2',
      DATABASE_URL_FIEL: '/secret',
    }
    const others = {
      PATH: '/bin',
      HOME: '/root',
      HOSTNAME: 'box',
      HOSTTYPE: 'x86_64',
      PWD: '/',
      LANG: 'C',
      TERM: 'xterm',
      PGHOST: 'db',
      PGPORT: '5432',
      PGDATABASE: 'x',
      REDIS_PORT: 'tcp://10.0.0.1',
      GATEWAY_SERVICE_PORT: '80',
      TEST_DATABASE_URL: 'postgres://test',
      NODE_OPTIONS: '',
      npm_config_port: '1',
    }
    expect(pickOwnVariables({ ...ours, ...others })).toEqual(ours)
  })
})

describe('a setting that names a file', () => {
  const list = (values: Record<string, string>, content: string): readonly string[] => {
    try {
      readSettingFiles(values, () => content)
      return []
    } catch (error) {
      if (error instanceof ConfigError) return error.problems
      throw error
    }
  }

  it('has the content of the file, without the newline at its end', () => {
    expect(readSettingFiles({ DATABASE_URL_FILE: '/secret' }, () => 'postgres://db\n')).toEqual({
      DATABASE_URL: 'postgres://db',
    })
  })

  it('keeps further line breaks of a key, with which a database may have been encrypted', () => {
    const values = readSettingFiles({ SECRETS_KEY_FILE: '/key' }, () => `${secret}\n\n`)
    expect(readConfig(values).secretsKeys.present).toBe(`${secret}\n`)
  })

  it('is refused if the file is empty, because another database would be used', () => {
    expect(list({ DATABASE_URL_FILE: '/secret' }, '\n')).toEqual([
      'DATABASE_URL_FILE names an empty file: "/secret". Write the value of DATABASE_URL into it.',
    ])
  })
})
