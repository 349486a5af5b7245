// The parts of Apple's DeviceCheck that MienDevice uses, declared for type checking where the
// framework is not available. This code never runs. Source: Apple's documentation of
// DCAppAttestService (iOS 14, macOS 11).
import Foundation

open class DCAppAttestService: NSObject, @unchecked Sendable {
    public static var shared: DCAppAttestService { fatalError() }
    open var isSupported: Bool { fatalError() }
    open func generateKey() async throws -> String { fatalError() }
    // swift-format-ignore
    open func attestKey(_ keyId: String, clientDataHash: Data) async throws -> Data { fatalError() }
}
