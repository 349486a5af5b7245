#if canImport(MienTPM)
internal import Foundation

/// Zeros over bytes that nobody else holds a copy of. Swift may have moved them before: what this
/// shortens is how long secrets lie about, no more.
func wipe(_ bytes: inout [UInt8]) {
    let count = bytes.count
    unsafe bytes.withUnsafeMutableBytes { bytes in
        if count > 0, let start = bytes.baseAddress { unsafe explicit_bzero(start, count) }
    }
}
#endif
