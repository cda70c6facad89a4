import { describe, expect, it } from 'vitest'
import { formatDuration, formatFigure, formatMoney, formatShare, formatSpan, formatTime } from './formats.ts'

// Noon in UTC is the same day in every zone in which somebody works on this code.
const at = '2026-09-04T12:00:00.000Z'
const [minute, hour, day] = [60, 3_600, 86_400]

describe('money, dates, numbers and plurals', () => {
  it.each([
    [
      'en',
      ['4 Sept 2026', '1,234.50 AUD', '58,000 KRW', '1,234,567', '12.5%', '1.5ms', '12s'],
      ['1 second', '59 seconds', '1 minute', '2 hours', '1 day', '2 days'],
    ],
    [
      'zh',
      ['2026年9月4日', '1,234.50 AUD', '58,000 KRW', '1,234,567', '12.5%', '1.5ms', '12秒'],
      ['1秒钟', '59秒钟', '1分钟', '2小时', '1天', '2天'],
    ],
    [
      'ko',
      ['2026. 9. 4.', '1,234.50 AUD', '58,000 KRW', '1,234,567', '12.5%', '1.5ms', '12초'],
      ['1초', '59초', '1분', '2시간', '1일', '2일'],
    ],
  ] as const)('are written in %s as its readers write them', (language, values, plurals) => {
    expect([
      formatTime(at, 'day', language),
      formatMoney(1_234.5, 'AUD', language),
      formatMoney(58_000, 'KRW', language),
      formatFigure(1_234_567, 0, language),
      formatShare(1, 8, language),
      formatDuration(1.5, language),
      formatDuration(12_000, language),
    ]).toEqual(values)
    const spans = [1, 59, minute, 2 * hour, day, 2 * day]
    expect(spans.map((seconds) => formatSpan(seconds, language))).toEqual(plurals)
  })
})
