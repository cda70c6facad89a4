import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

/** The baseline for reads: returns the bytes of one file from memory for every request. Arguments: port, file. */

const [, , port, file = ''] = process.argv
const body = readFileSync(file)
const headers = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(body.length)]

const server = createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(body)
})
server.keepAliveTimeout = 65_000
server.listen(Number(port), '127.0.0.1')
