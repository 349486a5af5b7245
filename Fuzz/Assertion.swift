import MienCore
import MienKeys
import MienServerTesting

@testable import MienAttestation

/// Reads any bytes as an assertion of WebAuthn (authenticator data and client data, each after its
/// length in two bytes, and a signature), and as an assertion of App Attest. Each is read as sent,
/// and signed with the known key.
///
/// Must hold: only the signed form is accepted, for one kind of backup eligibility, and with no bit
/// changed.
func fuzzAssertion(_ bytes: [UInt8]) {
    readWebAuthn(bytes)
    readAppAttest(bytes)
}

private let challenge = [UInt8](0..<32), credentialID = [UInt8](1...16)
private let storedCounter: UInt32 = 7
private let verifier = AuthenticationVerifier(
    relyingParty: RelyingParty(id: "example.org", origins: ["https://example.org"]))

private func readWebAuthn(_ bytes: [UInt8]) {
    var reader = BigEndianReader(bytes)
    guard let data = reader.counted(), let client = reader.counted() else { return }
    var response = AuthenticationVerifier.Response(
        credentialID: credentialID, clientDataJSON: client, authenticatorData: data,
        signature: reader.remaining)
    precondition(verify(response) == nil, "a forged signature is accepted")
    response.signature = signature(over: data + Write.sha256(client))
    guard let accepted = verify(response) else { return }
    guard let read = try? AuthenticatorData(data) else {
        preconditionFailure("malformed data is accepted")
    }
    precondition(
        read.relyingPartyHash == Write.sha256(Array("example.org".utf8))
            && read.flags.isSuperset(of: [.userPresent, .userVerified]) && accepted.isUserVerified
            && accepted.isBackedUp == read.flags.contains(.backedUp))
    precondition(
        accepted.counter
            == (read.counter > storedCounter
                ? .grew(from: storedCounter, to: read.counter)
                : .possibleClone(stored: storedCounter, received: read.counter)))
    let position = position(in: bytes)
    let changes: [WritableKeyPath<AuthenticationVerifier.Response, [UInt8]>] = [
        \.authenticatorData, \.clientDataJSON, \.signature, \.credentialID,
    ]
    for part in changes {
        var other = response
        other[keyPath: part][position % other[keyPath: part].count] ^=
            1 << UInt8(position / 256 % 8)
        precondition(verify(other) == nil, "a changed response is accepted")
    }
}

private func verify(_ response: AuthenticationVerifier.Response) -> WebAuthnAuthentication? {
    let results = [false, true].compactMap { isBackupEligible -> WebAuthnAuthentication? in
        do throws(AttestationError) {
            return try verifier.verify(
                response,
                credential: .init(
                    id: credentialID, key: knownPublicKey, counter: storedCounter,
                    isBackupEligible: isBackupEligible),
                challenge: challenge)
        } catch {
            checkReason(error)
            return nil
        }
    }
    precondition(results.count <= 1, "accepted for both kinds of keys")
    return results.first
}

private let app = AppAttest.AppID(team: "ABCDE12345", bundle: "org.example.app")
private let request = Write.sha256(Array("request".utf8))

private func readAppAttest(_ bytes: [UInt8]) {
    precondition(verify(bytes) == nil, "a forged App Attest assertion is accepted")
    guard let value = try? CBOR.read(bytes, form: .ctap2), let entries = value.entries,
        let data = value["authenticatorData"]?.bytesValue
    else { return }
    func signed(_ data: [UInt8], as claimed: [UInt8]) -> [UInt8] {
        Write.cbor(
            .map(
                entries.map {
                    switch $0.key {
                    case "signature":
                        CBOREntry($0.key, .bytes(signature(over: Write.sha256(data + request))))
                    case "authenticatorData": CBOREntry($0.key, .bytes(claimed))
                    default: $0
                    }
                }))
    }
    guard let accepted = verify(signed(data, as: data)) else { return }
    precondition(accepted.previousCounter == storedCounter && accepted.newCounter > storedCounter)
    var other = data
    let position = position(in: bytes)
    other[position % data.count] ^= 1 << UInt8(position / 256 % 8)
    precondition(verify(signed(data, as: other)) == nil, "changed data is accepted")
}

private func verify(_ object: [UInt8]) -> AppAssertion? {
    do throws(AttestationError) {
        return try AppAttest.verifyAssertion(
            object, clientDataHash: request, app: app, key: knownPublicKey,
            previousCounter: storedCounter)
    } catch {
        checkReason(error)
        return nil
    }
}
