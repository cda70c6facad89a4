/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'admin.doubts.list': {
    source: '2019f202',
    summary: '列出结果未知的写操作',
    description:
      '列出对 ERP 的结果未知的写操作，最早的在前。`settled_by` 表示由网关自行查询，还是因无法向 ERP 查询结果而由人工确认。',
  },
  'admin.doubts.settle': {
    source: 'eb167dc1',
    summary: '确认写操作的结果',
    description:
      '供已在 ERP 中查明结果的人员使用：found 读取 ERP 中的单据并完成写操作，absent 再次查询 ERP，撤回写操作并释放幂等键；写操作仍可能到达时，网关会拒绝。带上列表返回的 `reference` 和 `sent_at` 时，只确认这一个写操作，不涉及此后在同一单据上开始的其他写操作。',
  },
}
