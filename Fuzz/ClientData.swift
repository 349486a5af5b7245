import Crypto
import Foundation
import MienAPI
import MienCore

@testable import MienAttestation

/// Reads any bytes as a browser's client data, in both ceremonies, and as its credential in JSON.
///
/// Must hold: the result is an error, or client data in which Foundation's parser also sees this
/// ceremony, challenge, and origin. A credential with this client data selects the same challenge.
func fuzzClientData(_ bytes: [UInt8]) {
    var isAccepted = false
    for ceremony in [ClientData.Ceremony.registration, .authentication] {
        let strict = accepts(bytes, ceremony, page), embedded = accepts(bytes, ceremony, frame)
        precondition(embedded || !strict, "a looser rule refuses")
        precondition(!embedded || !isAccepted, "accepted in both ceremonies")
        if embedded { isAccepted = true }
    }
    let members: JSONValue = [
        "type": "public-key", "rawId": "AQ",
        "response": ["clientDataJSON": .string(Base64URL.encode(bytes))],
    ]
    guard let credential = try? BrowserCredential(members) else {
        preconditionFailure("a credential with client data is refused")
    }
    precondition(credential.clientDataJSON == bytes)
    if isAccepted { precondition(credential.challenge == challenge) }
    if let json = try? JSONText.parse(bytes) { readCredential(json) }
}

private let challenge = [UInt8](0..<32)
private let page = RelyingParty(
    id: "example.org", origins: ["https://example.org", "https://login.example.org:8443"])
private let frame: RelyingParty = {
    var party = page
    party.crossOrigin = .within(["https://outer.example"])
    return party
}()

private func accepts(_ json: [UInt8], _ ceremony: ClientData.Ceremony, _ party: RelyingParty)
    -> Bool
{
    func read(_ challenge: [UInt8]) throws(AttestationError) -> ClientData {
        try ClientData(json, ceremony: ceremony, challenge: challenge, relyingParty: party)
    }
    do throws(AttestationError) {
        let data = try read(challenge)
        precondition(data.hash.elementsEqual(SHA256.hash(data: json)))
        compare(json, ceremony, party)
        precondition(
            (try? read(challenge.reversed())) == nil && (try? read([])) == nil,
            "a wrong challenge is accepted")
        return true
    } catch {
        precondition(error.reason.isPrintable && !error.reason.isEmpty)
        return false
    }
}

/// Reads accepted client data with another parser. Two readers must not see different data.
private func compare(_ json: [UInt8], _ ceremony: ClientData.Ceremony, _ party: RelyingParty) {
    guard let value = try? JSONSerialization.jsonObject(with: Data(json)),
        let members = value as? [String: Any]
    else { preconditionFailure("Foundation refuses the client data") }
    precondition(members["type"] as? String == ceremony.rawValue)
    precondition((members["origin"] as? String).map(party.origins.contains) == true)
    let text = (members["challenge"] as? String ?? "").replacing("-", with: "+")
        .replacing("_", with: "/")
    precondition(
        Data(base64Encoded: text + "=").map(Array.init) == challenge,
        "Foundation reads another challenge")
    if members["crossOrigin"] as? Bool == true {
        precondition(
            party == frame && members["topOrigin"] as? String == "https://outer.example")
    } else {
        precondition(members["topOrigin"] == nil)
    }
}

private func readCredential(_ json: JSONValue) {
    do throws(Problem) {
        let credential = try BrowserCredential(json)
        precondition((1...1023).contains(credential.id.count))
        precondition(credential.transports.count <= 6)
        _ = credential.challenge
        if let handle = try credential.userHandle() {
            precondition((try? credential.bytes("userHandle")) == handle)
        }
        for name in ["attestationObject", "authenticatorData", "signature"] {
            _ = try credential.bytes(name)
        }
    } catch {
        precondition(error.status == 400 && error.errors?.count == 1)
    }
}
