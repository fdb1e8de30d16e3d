// A time limit as a signal. AbortSignal.timeout would be the obvious one, but Node 20 collects such a signal as garbage once only an
// AbortSignal.any refers to it: the limit is then never kept, and a server that drips holds its client for ever.

/** A signal that aborts after `timeoutMs` with a TimeoutError, as AbortSignal.timeout does, and stays alive until then. It keeps no process
 *  running. */
export function createDeadline(timeoutMs: number): AbortSignal {
  const controller = new AbortController()
  const expire = () => controller.abort(new DOMException(`no answer within ${timeoutMs} ms`, "TimeoutError"))
  setTimeout(expire, timeoutMs).unref()
  return controller.signal
}
