import type { Promised } from './promise.ts'

export const stockPromises = {
  I11: {
    en: 'A client that pulls a warehouse once and follows the change feed ends with the same rows as a fresh pull.',
    zh: '客户端全量拉取一次仓库后持续消费变更流，最终得到的行与重新拉取的相同。',
    ko: '창고를 한 번 전체 조회한 뒤 변경 피드를 이어서 조회하면 새로 전체 조회한 것과 같은 행을 갖게 됩니다.',
    triedBy: {
      'packages/gateway/tests/faults/interleavings.test.ts': ['a follower, whatever happens in between'],
      'packages/gateway/tests/faults/kills.test.ts': ['kill -9, at random moments and while starting'],
      'packages/gateway/tests/stock-feed.test.ts': ['converges to a fresh pull from any start'],
    },
  },
  I12: {
    en: 'Concurrent commits never hide a change from a reader of the feed.',
    zh: '并发提交不会让变更流的读者漏掉任何变更。',
    ko: '동시에 커밋되어도 변경 피드에서 빠지는 변경은 없습니다.',
    triedBy: {
      'packages/gateway/tests/faults/postgres-feed.test.ts': ['the change feed under eight connections'],
    },
  },
  I13: {
    en: 'A cursor never goes backwards, across processes and restarts, and one version represents one state.',
    zh: '跨进程、重启之后，游标也不会倒退；一个版本只对应一种状态。',
    ko: '프로세스가 달라지거나 다시 시작해도 커서는 뒤로 가지 않으며, 버전 하나는 상태 하나를 나타냅니다.',
    triedBy: {
      'packages/gateway/tests/faults/four-processes.test.ts': [
        'tells one version as one state',
        'never answers with an older state than the tag of the request names',
        'goes on when a process is killed while it syncs',
        'goes on when a process is frozen while it syncs',
      ],
      'packages/gateway/tests/faults/behind-nginx.test.ts': [
        'give a client that follows the feed cursors that only go forward',
      ],
      'packages/gateway/tests/faults/kills.test.ts': ['of the %s loses no acknowledged movement'],
    },
  },
  I14: {
    en: 'The feed sets `needs_full_sync` exactly when a cursor cannot be followed: it is too old, from another history or ahead of the database.',
    zh: '仅当游标无法继续使用（过旧、属于其他历史，或超前于数据库）时，变更流才返回 `needs_full_sync`。',
    ko: '커서를 이어 쓸 수 없을 때만, 즉 너무 오래되었거나 다른 이력의 커서이거나 데이터베이스보다 앞선 경우에만 피드가 `needs_full_sync`를 반환합니다.',
    triedBy: {
      'packages/gateway/tests/faults/restore.test.ts': ['an older database that is put back'],
      'packages/gateway/tests/stock-feed.test.ts': ['asks for a full sync exactly when'],
    },
  },
  I15: {
    en: 'A pull by pages, completed from the feed, equals the stock even if it changes between the pages.',
    zh: '分页拉取后再用变更流补齐，即使各页之间库存有变更，结果也与库存一致。',
    ko: '페이지로 나누어 조회하고 피드로 보완하면, 페이지 사이에 재고가 바뀌어도 결과는 실제 재고와 같습니다.',
    triedBy: {
      'packages/gateway/tests/faults/four-processes.test.ts': [
        'converges from a pull whose pages came from different processes',
      ],
      'packages/gateway/tests/faults/interleavings.test.ts': ['converges, is proved on every last page'],
    },
  },
  I16: {
    en: 'The age of the stock is visible in each response and in `/statusz`. Reads go on while the ERP is away.',
    zh: '每个响应和 `/statusz` 都会给出库存数据的时效；ERP 不可用时，读取照常进行。',
    ko: '재고 데이터의 경과 시간은 모든 응답과 `/statusz`에 표시됩니다. ERP를 사용할 수 없어도 조회는 계속됩니다.',
    triedBy: {
      'packages/gateway/tests/erp-hangs.test.ts': ['lets the age of what is read grow'],
      'packages/gateway/tests/stock-sync.test.ts': ['serves what it knows while the ERP is away'],
    },
  },
  I17: {
    en: 'A read costs the points of the rows that it returns, and no request is refused for points after its work was done.',
    zh: '读取按返回的行数消耗点数；请求不会在执行完毕后才因点数不足被拒绝。',
    ko: '조회는 반환한 행만큼 포인트를 차감하며, 작업이 끝난 뒤에 포인트 부족으로 거부되는 요청은 없습니다.',
    triedBy: {
      'packages/gateway/tests/stock-feed.test.ts': ['never answers 429 while a point is left'],
      'packages/gateway/tests/stock-read.test.ts': ['refuses what cannot be paid, charges nothing for it'],
    },
  },
  I18: {
    en: 'A channel receives no figure of a warehouse outside its allowlist, in any response, event, error or MCP result.',
    zh: '渠道不会在任何响应、事件、错误或 MCP 结果中得到白名单之外仓库的数字。',
    ko: '채널은 어떤 응답, 이벤트, 오류, MCP 결과에서도 허용 목록 밖 창고의 수치를 받지 않습니다.',
    triedBy: {
      'packages/gateway/tests/foreign-warehouse.test.ts': ['a channel that may use one warehouse'],
    },
  },
} as const satisfies Readonly<Record<string, Promised>>
