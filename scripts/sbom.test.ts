import { expect, it } from 'vitest'
import { filterSbom } from './sbom.ts'

const hono = {
  name: 'hono',
  version: '4.0.0',
  licence: 'MIT',
  isOptional: false,
  hasInstallScript: false,
  folder: '',
}
const whole = JSON.stringify({
  bomFormat: 'CycloneDX',
  components: ['hono@4.0.0', 'vitest@5.0.0', '@own/gateway@0.1.0'].map((ref) => ({
    'bom-ref': ref,
    type: 'library',
  })),
  dependencies: [
    { ref: '@own/gateway@0.1.0', dependsOn: ['hono@4.0.0', 'vitest@5.0.0'] },
    { ref: 'vitest@5.0.0', dependsOn: [] },
  ],
})

it('keeps our packages and those of production, and no reference to another', () => {
  expect(filterSbom(whole, [hono], '@own/')).toEqual({
    bomFormat: 'CycloneDX',
    components: [
      { 'bom-ref': 'hono@4.0.0', type: 'library' },
      { 'bom-ref': '@own/gateway@0.1.0', type: 'library' },
    ],
    dependencies: [{ ref: '@own/gateway@0.1.0', dependsOn: ['hono@4.0.0'] }],
  })
})

it('fails where npm left a production package out', () => {
  expect(() => filterSbom(whole, [hono, { ...hono, name: 'zod' }], '@own/')).toThrow('left out zod@4.0.0')
})
