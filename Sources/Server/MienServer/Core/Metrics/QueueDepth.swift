/// How full a queue is.
package struct QueueDepth: Sendable {
    package let waiting, limit, workers: Int
}
