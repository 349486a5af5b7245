#if os(Linux)
internal import Foundation

/// A named thread whose end can be awaited completely. Dispatch's and Foundation's threads report
/// at best that their work is done, while the per-thread state of C++ libraries still has to be
/// torn down.
@safe public struct WorkerThread: Sendable {
    private let id: pthread_t

    private final class Start: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts `body` at once. Call ``join()`` or ``detach()`` once.
    ///
    /// - Parameter name: The name for debuggers and `top`, which show its first 15 bytes.
    /// - Returns: `nil` if the system starts no further thread.
    public init?(name: String, _ body: @escaping @Sendable () -> Void) {
        let start = unsafe Unmanaged.passRetained(
            Start {
                Thread.current.name = name
                body()
            })
        var id = pthread_t()
        let status = unsafe pthread_create(
            &id, nil,
            { start in
                // Take ownership, so that everything the body holds is released on this thread
                // before it ends.
                unsafe Unmanaged<Start>.fromOpaque(start!).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        guard status == 0 else {
            unsafe start.release()
            return nil
        }
        self.id = id
    }

    /// Starts a thread without which the process cannot work.
    public static func required(
        name: String, _ body: @escaping @Sendable () -> Void
    ) -> WorkerThread {
        guard let thread = WorkerThread(name: name, body) else {
            fatalError("cannot start the thread \(name): the system's limit is reached")
        }
        return thread
    }

    /// Runs `body`, which may block, on a thread of its own. The pool that runs tasks is as small as
    /// the number of cores, and whatever `body` waits for may need it.
    public static func run<Output: Sendable>(
        name: String, _ body: @escaping @Sendable () throws -> Output
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            required(name: name) { continuation.resume(with: Result(catching: body)) }.detach()
        }
    }

    /// Waits for the thread to end. A thread cannot wait for itself; called on the thread itself,
    /// this detaches it.
    public func join() {
        if pthread_equal(id, pthread_self()) != 0 {
            pthread_detach(id)
        } else {
            pthread_join(id, nil)
        }
    }

    /// Lets the thread end by itself.
    public func detach() { pthread_detach(id) }
}
#endif
