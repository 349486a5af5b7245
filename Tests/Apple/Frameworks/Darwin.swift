// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// The parts of Apple's Darwin module that the SDK uses beyond the C library, declared for type
// checking where they are not available. This code never runs. Source: Apple's documentation of
// os_unfair_lock.
@_exported import Glibc

public struct os_unfair_lock {
    public init() {}
}
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock>
public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) { fatalError() }
public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) { fatalError() }
