import type { Promised } from './promise.ts'

export const eventPromises = {
  I19: {
    en: 'No event of a committed change is lost, and none is sent for a change that was rolled back.',
    zh: '已提交的变更不会丢失事件，已回滚的变更不会发送事件。',
    ko: '커밋된 변경의 이벤트는 유실되지 않으며, 롤백된 변경의 이벤트는 전송되지 않습니다.',
    triedBy: {
      'packages/gateway/tests/faults/webhook-kills.test.ts': ['kill -9 while delivering'],
      'packages/gateway/tests/faults/webhook-processes.test.ts': ['events that eight connections write'],
      'packages/gateway/tests/events.test.ts': ['an event'],
    },
  },
  I20: {
    en: 'Each event is delivered at least once, always under the same `event_id`.',
    zh: '每个事件至少投递一次，且 `event_id` 始终相同。',
    ko: '모든 이벤트는 최소 한 번 전송되며 `event_id`는 항상 같습니다.',
    triedBy: {
      'packages/gateway/tests/faults/webhook-kills.test.ts': ['loses no event and tells of nothing'],
      'packages/gateway/tests/faults/webhook-processes.test.ts': [
        'deliver together, each event once to each',
      ],
      'packages/gateway/tests/faults/behind-nginx.test.ts': ['send each event once to each receiver'],
    },
  },
  I21: {
    en: 'A delivery is tried six times, never earlier than the schedule says, and is then a dead letter that can be sent again.',
    zh: '一次投递最多尝试六次，不会早于计划时间；之后成为死信，可以重新发送。',
    ko: '전송은 일정보다 빠르지 않게 여섯 번 시도하며, 그 뒤에는 다시 보낼 수 있는 데드 레터가 됩니다.',
    triedBy: {
      'packages/gateway/tests/webhooks.test.ts': ['is tried at 0 s, 30 s, 2 min', 'can be sent again, under'],
      'packages/gateway/tests/faults/clock-jumps.test.ts': [
        'is neither lost nor tried more often than promised',
      ],
    },
  },
  I22: {
    en: 'Each delivery verifies with a library of Standard Webhooks over the raw body, also during a rotation of secrets.',
    zh: '每次投递都能用 Standard Webhooks 的库对原始请求体验签，轮换密钥期间也是如此。',
    ko: '모든 전송은 원본 본문에 대해 Standard Webhooks 라이브러리로 검증되며, 시크릿을 교체하는 중에도 마찬가지입니다.',
    triedBy: { 'packages/gateway/tests/webhooks.test.ts': ['a signature'] },
  },
  I23: {
    en: 'Receivers that hang do not delay the others.',
    zh: '无响应的接收端不会拖慢其他接收端。',
    ko: '응답하지 않는 수신 서버가 다른 수신 서버로의 전송을 늦추지 않습니다.',
    triedBy: { 'packages/gateway/tests/webhooks.test.ts': ['receivers that hang'] },
  },
  I24: {
    en: 'No webhook connection is opened to an address that is not public, whatever the name resolves to later.',
    zh: '无论域名之后解析到何处，都不会向非公网地址建立 Webhook 连接。',
    ko: '이름이 나중에 무엇으로 해석되더라도 공인 IP 주소가 아닌 곳으로는 웹훅 연결을 열지 않습니다.',
    triedBy: { 'packages/gateway/tests/webhook-egress.test.ts': ['a connection', 'a webhook URL'] },
  },
} as const satisfies Readonly<Record<string, Promised>>
