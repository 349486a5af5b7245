import Foundation
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

@Suite("Recorded exchanges")
struct ConformanceTests {
    private static let recordings =
        (try? RecordedServer.recordings(of: "Linux", in: Repository.root)) ?? []

    @Test("there are recordings for Linux")
    func count() { #expect(Self.recordings.count >= 10) }

    @Test(
        "the client sends the recorded requests, and understands the answers, also a later server's",
        arguments: recordings.map(\.0), [false, true])
    func replay(name: String, hasNews: Bool) async throws {
        let recording = try #require(Self.recordings.first { $0.0 == name }?.1)
        let faults = try await RecordedServer.faults(
            of: name, recording, hasNews: hasNews, device: WillingOwner().device,
            in: Repository.root)
        #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    }
}

/// A device whose owner always agrees.
private final class WillingOwner: DeviceKeyProvider, LocalAuthenticator {
    private let keys = Locked<[DeviceKeyTag: ProofKey]>([:])

    var device: BiometricDevice {
        BiometricDevice(keys: self, authenticator: self, model: "Desk", system: "linux")
    }

    private func key(_ tag: DeviceKeyTag) throws -> ProofKey {
        guard let key = keys.withLock({ $0[tag] }) else {
            throw DeviceError(.biometricPrivateKeyNotFound, "There is no such key.")
        }
        return key
    }

    func makeKey(_ request: DeviceKeyRequest) async throws -> MadeDeviceKey {
        let key = ProofKey()
        keys.withLock { $0[request.tag] = key }
        return MadeDeviceKey(key.publicKey)
    }
    func publicKey(tag: DeviceKeyTag) async throws -> DevicePublicKey { try key(tag).publicKey }
    func unlock(tag: DeviceKeyTag, _ prompt: UnlockPrompt) async throws -> UnlockedKey {
        let key = try key(tag)
        return UnlockedKey(publicKey: key.publicKey, method: .finger) { try key.sign($0) }
    }
    func deleteKey(tag: DeviceKeyTag) async throws { keys.withLock { $0[tag] = nil } }
    func listTags() async throws -> [DeviceKeyTag] { keys.withLock { $0.keys.sorted() } }

    func capability() async throws -> BiometricCapability {
        BiometricCapability(
            isSupported: true, isEnrolled: true, isPasscodeSet: true, isLockedOut: false)
    }
    func authenticate(_ prompt: UnlockPrompt) async throws -> LocalVerdict {
        LocalVerdict(
            method: .finger, generation: try await enrollmentGeneration(),
            at: Instant(milliseconds: 0))
    }
    func enrollmentGeneration() async throws -> EnrollmentGeneration {
        EnrollmentGeneration(bytes: [1])
    }
}
