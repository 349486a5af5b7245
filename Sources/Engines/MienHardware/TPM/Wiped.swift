internal import Foundation
internal import SystemTSS

/// Overwrites a C value's bytes with zeros. The compiler cannot optimize it away.
func wipe<T: BitwiseCopyable>(_ value: inout T) {
    unsafe withUnsafeMutableBytes(of: &value) { unsafe explicit_bzero($0.baseAddress!, $0.count) }
}

/// Overwrites an array's bytes with zeros. The array must not be shared.
func wipe(_ bytes: inout [UInt8]) {
    let count = bytes.count
    unsafe bytes.withUnsafeMutableBytes {
        if count > 0 { unsafe explicit_bzero($0.baseAddress!, count) }
    }
}

extension TPM2B_AUTH {
    /// - Precondition: at most 64 bytes.
    init(_ bytes: some Collection<UInt8>) {
        self.init()
        size = UInt16(bytes.count)
        unsafe withUnsafeMutableBytes(of: &buffer) { unsafe $0.copyBytes(from: bytes) }
    }
}
