export { type ErpClient, erpClient } from './client.ts'
export * from './erp.ts'
export * from './operations.ts'
export { bearerCheck, bodyOf, erpServer, say } from './server.ts'
