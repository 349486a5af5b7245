package import Logging
internal import MienCore
internal import MienIdentity
internal import MienStore
internal import ServiceLifecycle

/// Does the jobs of identity verification inside the server, a few at a time. Apps take turns; within
/// an app, jobs of an earlier process come first.
package struct IdentityWorker: Service, NamedByType {
    private let identities: IdentityService
    private let metrics: Metrics
    private let logger: Logger
    private let running = Locked<[String: IdentityJob]>([:])
    /// The time after which other servers begin the jobs of a server that has died, and the pauses
    /// in which a living one extends it.
    private static let lease = Duration.seconds(60), leasePause = Duration.seconds(20)

    private var jobs: IdentityJobQueue { identities.jobs }
    private var store: Store { identities.store }

    package init(_ identities: IdentityService, metrics: Metrics, logger: Logger) {
        (self.identities, self.metrics, self.logger) = (identities, metrics, logger)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { tasks in
                tasks.addTask {
                    // Poll, because nothing signals when a postponed job is due.
                    while !Task.isCancelled {
                        jobs.wakeUp()
                        try? await Task.sleep(for: .seconds(1))
                    }
                }
                if store.isShared { tasks.addTask { await extendLeases() } }
                for await _ in jobs.signals {
                    while !Task.isCancelled, let job = await next() {
                        tasks.addTask {
                            await perform(job)
                            running.withLock { $0[job.id] = nil }
                            jobs.wakeUp()
                        }
                    }
                }
            }
        }
    }

    private func extendLeases() async {
        while !Task.isCancelled {
            let running = running.withLock { Array($0.values) },
                until = identities.clock.now + Self.lease
            if !running.isEmpty {
                do {
                    try await store.write(.process) {
                        try $0.identityJobs.extend(running, until: until)
                    }
                } catch { log("jobs of identity verification could not be extended", error) }
            }
            try? await Task.sleep(for: Self.leasePause)
        }
    }

    /// Takes the next job, unless all workers are busy or none is due.
    private func next() async -> IdentityJob? {
        let others = running.withLock { Set($0.keys) }, now = identities.clock.now
        do {
            let waiting = try await store.read { try $0.identityJobs.count() }
            metrics.set(.identityJobsWaiting, to: Double(waiting))
            jobs.count(waiting: max(0, waiting - others.count))
            // Read first, because there is mostly no job to start, and a write is expensive.
            guard waiting > others.count, others.count < jobs.workers else { return nil }
            let expiry = store.isShared ? now + Self.lease : nil
            let job = try await store.write(.process) { [jobs] tables in
                try jobs.start(besides: others, at: now, until: expiry, in: tables)
            }
            if let job { running.withLock { $0[job.id] = job } }
            return job
        } catch {
            log("jobs of identity verification could not be read; retrying", error)
            return nil
        }
    }

    private func perform(_ job: IdentityJob) async {
        let begun = ContinuousClock.now
        do {
            do {
                try await identities.perform(job)
                jobs.waiters.end(job.id, .done)
                count("done")
                metrics.record(.identityJobSeconds, ContinuousClock.now - begun)
            } catch  where error is CancellationError || Task.isCancelled {
                // The server stops. The next one begins this job again.
                try await Task { try await postpone(job, by: .zero) }.value
            } catch is ServerBusy {
                try await postpone(job, by: .seconds(1))
                count("postponed")
            } catch {
                if !(error is IdentitySourceError) {
                    log("an identity could not be judged", error)
                }
                count(try await identities.fail(job, error) ? "given_back" : "postponed")
            }
        } catch {
            // The job stays as it is and begins again.
            log("a job of identity verification could not be written; retrying", error)
            try? await Task.sleep(for: .seconds(1))
        }
    }

    private func postpone(_ job: IdentityJob, by pause: Duration) async throws {
        let next = identities.clock.now + pause
        try await store.write { try $0.identityJobs.postpone(job, until: next, failed: false) }
    }

    private func count(_ result: String) { metrics.count(.identityJobs, ["result": result]) }

    private func log(_ message: Logger.Message, _ error: any Error) {
        logger.error(message, metadata: ["error.type": "\(type(of: error))"])
    }
}
