/** Loaded before a program with `--import`: whatever is observed in a world is also an error that nothing catches. */
import { HistoryRecorder } from '../src/history/recorder.ts'

const { observe } = HistoryRecorder.prototype

HistoryRecorder.prototype.observe = function (...observed) {
  void Promise.reject(new Error('nobody catches this'))
  observe.apply(this, observed)
}
