import MienAttestation
import MienServerTesting

/// Reads any bytes as CBOR, in both forms, and as authenticator data.
///
/// Must hold: the result is an error, or a value with no more parts than bytes. The general form
/// reads whatever the CTAP2 form accepts as the same value. A value in the CTAP2 form and
/// authenticator data are written back unchanged.
func fuzzCBOR(_ bytes: [UInt8]) {
    let general = try? CBOR.readFirst(bytes, form: .general)
    if let general {
        precondition(general.bytes <= bytes.count && parts(general.value) <= general.bytes)
    }
    if let strict = try? CBOR.readFirst(bytes, form: .ctap2) {
        precondition(general?.value == strict.value && general?.bytes == strict.bytes)
        precondition(
            Write.cbor(strict.value).elementsEqual(bytes.prefix(strict.bytes)),
            "a value has more than one encoding")
    }
    if let data = try? AuthenticatorData(bytes) {
        precondition(
            data.relyingPartyHash.count == 32
                && (1...AuthenticatorData.maxCredentialIDBytes).contains(
                    data.credential?.id.count ?? 1)
        )
        precondition(written(data) == bytes, "authenticator data has more than one encoding")
        guard let again = try? AuthenticatorData(bytes, toleratingMissingCredential: true) else {
            preconditionFailure("accepted in the strict form, but not in the lenient one")
        }
        precondition(again == data)
    }
}

private func parts(_ value: CBORValue) -> Int {
    switch value {
    case .array(let values): 1 + values.reduce(0) { $0 + parts($1) }
    case .map(let entries): 1 + entries.reduce(0) { $0 + parts($1.key) + parts($1.value) }
    case .tagged(_, let value): 1 + parts(value)
    default: 1
    }
}

private func written(_ data: AuthenticatorData) -> [UInt8] {
    let head = data.relyingPartyHash + [data.flags.rawValue] + Write.big(data.counter)
    let credential = data.credential.map {
        $0.aaguid + Write.counted($0.id) + Write.cbor($0.key)
    }
    return head + (credential ?? []) + (data.extensions.map(Write.cbor) ?? [])
}
