internal import Foundation

/// Overwrites bytes with zeros. The caller must hold the only copy. Swift may have moved the bytes
/// before, so this only shortens the time that secrets stay in memory.
func wipe(_ bytes: inout [UInt8]) {
    let count = bytes.count
    unsafe bytes.withUnsafeMutableBytes { bytes in
        if count > 0, let start = bytes.baseAddress { unsafe explicit_bzero(start, count) }
    }
}
