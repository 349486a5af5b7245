#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Overwrites bytes with zeros. The caller must hold the only copy. Swift may have moved the bytes
/// before, so this only shortens the time that secrets stay in memory.
func wipe(_ bytes: inout [UInt8]) {
    let count = bytes.count
    unsafe bytes.withUnsafeMutableBytes { bytes in
        guard count > 0, let start = bytes.baseAddress else { return }
        #if canImport(Darwin)
        _ = unsafe memset_s(start, count, 0, count)
        #else
        unsafe explicit_bzero(start, count)
        #endif
    }
}
