#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// A value that one thread at a time reads or changes.
///
/// Does what `Mutex` does, which needs iOS 18 and macOS 15. The lock is not recursive: a body that
/// calls ``withLock(_:)`` of the same value never returns.
@safe public final class Locked<Value>: @unchecked Sendable {
    /// The lock has an allocation of its own, because it must keep its address.
    private let lock: UnsafeMutablePointer<SystemLock>
    private let value: UnsafeMutablePointer<Value>

    public init(_ value: sending Value) {
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
        unsafe lock = .allocate(capacity: 1)
        unsafe create(lock)
    }

    deinit {
        unsafe destroy(lock)
        unsafe lock.deallocate()
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    /// Waits for the lock, calls `body`, and releases the lock, even if `body` throws.
    ///
    /// Keep `body` short and never wait in it: other threads are blocked meanwhile.
    public func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe acquire(lock)
        defer { unsafe release(lock) }
        return unsafe try body(&value.pointee)
    }
}

// MARK: The system's lock

#if canImport(Darwin)
private typealias SystemLock = os_unfair_lock

private func create(_ lock: UnsafeMutablePointer<SystemLock>) {
    unsafe lock.initialize(to: os_unfair_lock())
}

private func destroy(_ lock: UnsafeMutablePointer<SystemLock>) {
    unsafe lock.deinitialize(count: 1)
}

private func acquire(_ lock: UnsafeMutablePointer<SystemLock>) { unsafe os_unfair_lock_lock(lock) }

private func release(_ lock: UnsafeMutablePointer<SystemLock>) {
    unsafe os_unfair_lock_unlock(lock)
}
#else
private typealias SystemLock = pthread_mutex_t

private func create(_ lock: UnsafeMutablePointer<SystemLock>) {
    unsafe lock.initialize(to: pthread_mutex_t())
    unsafe succeed(pthread_mutex_init(lock, nil))
}

private func destroy(_ lock: UnsafeMutablePointer<SystemLock>) {
    unsafe succeed(pthread_mutex_destroy(lock))
    unsafe lock.deinitialize(count: 1)
}

private func acquire(_ lock: UnsafeMutablePointer<SystemLock>) {
    unsafe succeed(pthread_mutex_lock(lock))
}

private func release(_ lock: UnsafeMutablePointer<SystemLock>) {
    unsafe succeed(pthread_mutex_unlock(lock))
}

/// These calls fail only for a lock that is invalid or still held.
private func succeed(_ status: Int32) {
    precondition(status == 0, "a lock failed with status \(status)")
}
#endif
