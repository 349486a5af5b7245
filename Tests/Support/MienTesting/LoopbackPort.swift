#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// TCP ports of 127.0.0.1, for programs that must be told theirs. Another process can take a free one
/// before it is used.
public enum LoopbackPort {
    /// Returns a free port; `nil` if the system has none.
    public static func free() -> Int? {
        guard let (descriptor, port) = bound(to: 0) else { return nil }
        close(descriptor)
        return Int(port)
    }

    /// Returns a free port whose successor is free as well.
    static func freePair() -> UInt16? {
        guard let (first, port) = bound(to: 0) else { return nil }
        defer { close(first) }
        guard port < .max, let (second, _) = bound(to: port + 1) else { return nil }
        close(second)
        return port
    }

    /// Whether something accepts connections at a port.
    static func accepts(_ port: UInt16) -> Bool {
        let descriptor = streamSocket()
        defer { close(descriptor) }
        var address = loopback(port)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func bound(to port: UInt16) -> (descriptor: Int32, port: UInt16)? {
        let descriptor = streamSocket()
        guard descriptor >= 0 else { return nil }
        var address = loopback(port), size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func streamSocket() -> Int32 {
        #if canImport(Glibc)
        socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }
}
