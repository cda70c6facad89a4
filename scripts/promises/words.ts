import type { Language } from '../../packages/gateway/src/contract/language.ts'

/** The texts of the promises page, except the promises themselves. */
export interface Words {
  readonly title: string
  readonly summary: string
  readonly lead: readonly string[]
  readonly subjects: Readonly<Record<string, string>>
  readonly head: readonly string[]
  readonly notTried: string
  readonly notRun: string
  passed(passed: number, ran: number): string
  lastRun(of: { date: string; commit: string }): string
}

export const words: Readonly<Record<Language, Words>> & {
  readonly en: Words & { readonly passedPattern: RegExp; readonly lastRunPattern: RegExp }
} = {
  en: {
    title: 'What we promise and how it is tried',
    summary: 'Every promise of the gateway, the tests that would show it broken, and what they found last.',
    lead: [
      'A promise is listed with the tests that would fail if it were broken. The tests run on real stores and real processes. Only time, randomness and faults are injected. Files are in `packages/gateway`, `packages/simulator` or `scripts`.',
      'The figures come from the report of the tests themselves; nobody writes them by hand. `CONTRIBUTING.md` has the commands that repeat them, and those for the sizes of a release.',
    ],
    subjects: {
      orders: 'Orders',
      stock: 'Stock and change feed',
      events: 'Events and webhooks',
      access: 'Access',
      platform: 'Platform',
    },
    head: ['No.', 'Promise', 'Tried by', 'Last figure'],
    notTried: 'not tried yet',
    notRun: 'not run yet',
    passed: (passed, ran) => `${passed} of ${ran} tests passed`,
    passedPattern: /(\d+) of (\d+) tests passed/,
    lastRun: ({ date, commit }) => `Last run: ${date}, commit \`${commit}\`.`,
    lastRunPattern: /^Last run: (\S+), commit `(\w+)`\.$/m,
  },
  zh: {
    title: '我们的承诺与检验方式',
    summary: '网关的每项承诺、用于证伪的测试，以及最近一次测试的结果。',
    lead: [
      '每项承诺都列出了相应的测试：承诺一旦不成立，测试就会失败。测试使用真实的存储和真实的进程，只注入时间、随机数和故障。文件位于 `packages/gateway`、`packages/simulator` 或 `scripts`。',
      '数字取自测试自身的报告，无人手工填写，因此保留英文。复现这些数字以及按发布规模运行的命令见 `CONTRIBUTING.md`。',
    ],
    subjects: {
      orders: '订单',
      stock: '库存与变更流',
      events: '事件与 Webhook',
      access: '访问控制',
      platform: '平台',
    },
    head: ['编号', '承诺', '检验文件', '最近结果'],
    notTried: '尚未检验',
    notRun: '尚未运行',
    passed: (passed, ran) => `${ran} 项测试中 ${passed} 项通过`,
    lastRun: ({ date, commit }) => `最近运行：${date}，提交 \`${commit}\`。`,
  },
  ko: {
    title: '약속과 그 검증 방법',
    summary: '모든 약속과 이를 검증하는 테스트, 최근 결과입니다.',
    lead: [
      '약속마다 그 약속이 깨지면 실패하는 테스트를 함께 적었습니다. 테스트는 실제 저장소와 실제 프로세스에서 실행되며 시간, 난수, 장애만 주입합니다. 파일은 `packages/gateway`, `packages/simulator` 또는 `scripts`에 있습니다.',
      '수치는 테스트 보고서에서 그대로 가져오며 사람이 적지 않으므로 영어로 표시됩니다. 수치를 재현하는 명령과 릴리스 규모로 실행하는 명령은 `CONTRIBUTING.md`에 있습니다.',
    ],
    subjects: {
      orders: '주문',
      stock: '재고와 변경 피드',
      events: '이벤트와 웹훅',
      access: '접근 제어',
      platform: '플랫폼',
    },
    head: ['번호', '약속', '검증 파일', '최근 결과'],
    notTried: '아직 검증하지 않음',
    notRun: '아직 실행하지 않음',
    passed: (passed, ran) => `테스트 ${ran}개 중 ${passed}개 통과`,
    lastRun: ({ date, commit }) => `최근 실행: ${date}, 커밋 \`${commit}\`.`,
  },
}
