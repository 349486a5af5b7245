// The parts of Apple's DeviceCheck that the SDK uses. Apple's server is `FakePhoneState.attest`.
// Source: developer.apple.com/documentation/devicecheck, the pages dcappattestservice,
// dcappattestservice/generatekey(completionhandler:), and
// dcappattestservice/attestkey(_:clientdatahash:completionhandler:).
import FakePhone
import Foundation

open class DCAppAttestService: NSObject, @unchecked Sendable {
    public static let shared = DCAppAttestService()
    open var isSupported: Bool { FakePhone.shared.with { $0.supportsAppAttest } }
    open func generateKey() async throws -> String { UUID().uuidString }
    // swift-format-ignore
    open func attestKey(_ keyId: String, clientDataHash: Data) async throws -> Data { try FakePhone.shared.with { $0.attest }(keyId, clientDataHash) }
}
