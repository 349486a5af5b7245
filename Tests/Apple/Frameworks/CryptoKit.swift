// The parts of Apple's CryptoKit that swift-crypto does not have: keys of the Secure Enclave, whose
// references no other enclave opens. Source: developer.apple.com/documentation/cryptokit, the pages
// secureenclave, secureenclave/p256/keyagreement/privatekey, its initializers
// init(compactrepresentable:accesscontrol:authenticationcontext:) and
// init(datarepresentation:authenticationcontext:), and datarepresentation; documentation/cryptotokenkit/tkerror.
@_exported import Crypto
import FakePhone
import Foundation

public enum SecureEnclave {
    public static var isAvailable: Bool { FakePhone.shared.with { $0.hasEnclave } }

    public enum P256 {
        public enum KeyAgreement {
            public struct PrivateKey {
                private let key: Crypto.P256.KeyAgreement.PrivateKey
                private let enclave: UInt8

                public init(compactRepresentable: Bool = true) throws {
                    guard isAvailable else { throw CryptoKitError.incorrectParameterSize }
                    key = Crypto.P256.KeyAgreement.PrivateKey()
                    enclave = UInt8(FakePhone.shared.with { $0.enclave })
                }

                /// Opens a reference that this enclave has made.
                public init(dataRepresentation: Data) throws {
                    enclave = UInt8(FakePhone.shared.with { $0.enclave })
                    if let code = FakePhone.shared.with({ $0.enclaveError }) {
                        throw NSError(domain: "CryptoTokenKit", code: code)
                    }
                    guard dataRepresentation.count == 33 else {
                        throw CryptoKitError.incorrectParameterSize
                    }
                    guard isAvailable, dataRepresentation.first == enclave else {
                        throw CryptoKitError.authenticationFailure
                    }
                    key = try Crypto.P256.KeyAgreement.PrivateKey(
                        rawRepresentation: dataRepresentation.dropFirst())
                }

                public var dataRepresentation: Data { Data([enclave]) + key.rawRepresentation }
                public var publicKey: Crypto.P256.KeyAgreement.PublicKey { key.publicKey }

                public func sharedSecretFromKeyAgreement(
                    with publicKeyShare: Crypto.P256.KeyAgreement.PublicKey
                ) throws -> SharedSecret {
                    guard isAvailable else { throw CryptoKitError.authenticationFailure }
                    return try key.sharedSecretFromKeyAgreement(with: publicKeyShare)
                }
            }
        }
    }
}
