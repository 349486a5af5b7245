// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// The parts of Apple's Darwin module that the SDK uses beyond the C library. The lock is declared for
// type checking and never runs. Source: Apple's documentation of os_unfair_lock, and the manual page
// memset_s(3).
@_exported import Glibc

public struct os_unfair_lock {
    public init() {}
}
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock>
public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) { fatalError() }
public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) { fatalError() }

public func memset_s(
    _ s: UnsafeMutableRawPointer!, _ smax: Int, _ c: Int32, _ n: Int
) -> Int32 {
    memset(s, c, min(smax, n))
    return n > smax ? EOVERFLOW : 0
}
