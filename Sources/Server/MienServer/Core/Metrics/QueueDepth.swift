/// How full a queue is.
package struct QueueDepth: Sendable {
    package let waiting, limit, workers: Int

    package init(waiting: Int, limit: Int, workers: Int) {
        (self.waiting, self.limit, self.workers) = (waiting, limit, workers)
    }
}
