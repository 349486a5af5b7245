internal import MienCore
internal import SwiftASN1

extension KeyDescription {
    static let oid: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 11129, 2, 1, 17]

    /// Parses the extension's value (DER).
    public init(der: [UInt8]) throws(AttestationError) {
        do { self = try Self.parse(der) } catch let error as AttestationError { throw error } catch
        {
            throw AttestationError(
                .androidExtension, "the attestation extension does not match its schema")
        }
    }

    private static func parse(_ der: [UInt8]) throws -> KeyDescription {
        try DER.sequence(DER.parse(der), identifier: .sequence) { fields in
            let versions = (
                try Int(derEncoded: &fields), try level(&fields), try Int(derEncoded: &fields),
                try level(&fields)
            )
            let challenge = try ASN1OctetString(derEncoded: &fields),
                uniqueID = try ASN1OctetString(derEncoded: &fields)
            return KeyDescription(
                attestationVersion: versions.0, attestationSecurityLevel: versions.1,
                keyMintVersion: versions.2, keyMintSecurityLevel: versions.3,
                challenge: Array(challenge.bytes), uniqueID: Sensitive(Array(uniqueID.bytes)),
                softwareEnforced: try AuthorizationList(next(&fields)),
                hardwareEnforced: try AuthorizationList(next(&fields)))
        }
    }

    private static func level(_ fields: inout ASN1NodeCollection.Iterator) throws -> SecurityLevel {
        let value = try Int(derEncoded: next(&fields), withIdentifier: .enumerated)
        guard let level = SecurityLevel(rawValue: value) else {
            throw AttestationError(.androidExtension, "unknown security level \(value)")
        }
        return level
    }

    private static func next(_ fields: inout ASN1NodeCollection.Iterator) throws -> ASN1Node {
        guard let node = fields.next() else {
            throw AttestationError(.androidExtension, "a field is missing")
        }
        return node
    }
}

extension AuthorizationList {
    init(_ list: ASN1Node) throws {
        self = try DER.sequence(list, identifier: .sequence) { fields in
            var result = AuthorizationList(), seen: Set<UInt> = []
            while let field = fields.next() {
                let tag = field.identifier.tagNumber
                guard field.identifier.tagClass == .contextSpecific,
                    case .constructed(let inner) = field.content
                else {
                    throw AttestationError(.androidExtension, "a field has no tag number")
                }
                guard seen.insert(tag).inserted else {
                    throw AttestationError(.androidExtension, "duplicate field \(tag)")
                }
                var nodes = inner.makeIterator()
                guard let node = nodes.next(), nodes.next() == nil else {
                    throw AttestationError(
                        .androidExtension, "field \(tag) must have exactly one value")
                }
                try result.set(tag, node)
            }
            return result
        }
    }

    private mutating func set(_ tag: UInt, _ node: ASN1Node) throws {
        switch tag {
        case 1: purposes = try Self.numbers(node)
        case 2: algorithm = try Int(derEncoded: node)
        case 3: keySize = try Int(derEncoded: node)
        case 5: digests = try Self.numbers(node)
        case 6: paddings = try Self.numbers(node)
        case 10: curve = try Int(derEncoded: node)
        case 200: rsaExponent = try Int(derEncoded: node)
        case 303, 703: rollbackResistance = try Self.present(node)
        case 305: earlyBootOnly = try Self.present(node)
        case 400: activeFrom = try Self.time(node)
        case 401: originationExpires = try Self.time(node)
        case 402: usageExpires = try Self.time(node)
        case 405: usageCountLimit = try Int(derEncoded: node)
        case 503: noAuthenticationRequired = try Self.present(node)
        case 504: userAuthenticationType = try Int(derEncoded: node)
        case 505: authenticationTimeoutSeconds = try Int(derEncoded: node)
        case 506: allowedWhileOnBody = try Self.present(node)
        case 507: presenceRequired = try Self.present(node)
        case 508: confirmationRequired = try Self.present(node)
        case 509: unlockedDeviceRequired = try Self.present(node)
        case 600: allApplications = try Self.present(node)
        case 701: created = try Self.time(node)
        case 702: origin = try Self.origin(node)
        case 704: rootOfTrust = try RootOfTrust(node)
        case 705: systemVersion = try Int(derEncoded: node)
        case 706: systemPatchLevel = try Int(derEncoded: node)
        case 718: vendorPatchLevel = try Int(derEncoded: node)
        case 719: bootPatchLevel = try Int(derEncoded: node)
        case 709: application = try AttestedApplication(Self.octets(node))
        case 710: brand = try Self.text(node)
        case 711: device = try Self.text(node)
        case 712: product = try Self.text(node)
        case 713: serialNumber = Sensitive(try Self.octets(node))
        case 714: imei = Sensitive(try Self.octets(node))
        case 715: meid = Sensitive(try Self.octets(node))
        case 716: manufacturer = try Self.text(node)
        case 717: model = try Self.text(node)
        case 723: secondIMEI = Sensitive(try Self.octets(node))
        case 724: moduleHash = try Self.octets(node)
        default: otherTags.insert(tag)
        }
    }

    private static func numbers(_ node: ASN1Node) throws -> Set<Int> {
        Set(try DER.set(of: Int.self, identifier: .set, rootNode: node))
    }

    /// Only the presence of the node matters.
    private static func present(_ node: ASN1Node) throws -> Bool {
        _ = try ASN1Null(derEncoded: node)
        return true
    }

    private static func time(_ node: ASN1Node) throws -> Instant {
        Instant(milliseconds: try Int64(derEncoded: node))
    }

    private static func octets(_ node: ASN1Node) throws -> [UInt8] {
        Array(try ASN1OctetString(derEncoded: node).bytes)
    }

    private static func text(_ node: ASN1Node) throws -> String {
        String(decoding: try octets(node), as: UTF8.self).printable
    }

    private static func origin(_ node: ASN1Node) throws -> Origin {
        let value = try Int(derEncoded: node)
        guard let origin = Origin(rawValue: value) else {
            throw AttestationError(.androidExtension, "unknown origin \(value)")
        }
        return origin
    }
}

extension RootOfTrust {
    fileprivate init(_ node: ASN1Node) throws {
        self = try DER.sequence(node, identifier: .sequence) { fields in
            let key = try ASN1OctetString(derEncoded: &fields),
                locked = try Bool(derEncoded: &fields)
            guard let stateNode = fields.next(),
                let state = BootState(
                    rawValue: try Int(derEncoded: stateNode, withIdentifier: .enumerated))
            else {
                throw AttestationError(.androidExtension, "unknown boot state")
            }
            let hash = try fields.next().map { try ASN1OctetString(derEncoded: $0) }
            return RootOfTrust(
                bootKey: Array(key.bytes), isLocked: locked, state: state,
                bootHash: hash.map { Array($0.bytes) })
        }
    }
}

extension AttestedApplication {
    fileprivate init(_ der: [UInt8]) throws {
        self = try DER.sequence(DER.parse(der), identifier: .sequence) { fields in
            guard let packages = fields.next(), let signatures = fields.next() else {
                throw AttestationError(.androidExtension, "the application ID is cut off")
            }
            return AttestedApplication(
                packages: try DER.set(packages, identifier: .set) { nodes in
                    var found: [Package] = []
                    while let node = nodes.next() { found.append(try Package(node)) }
                    return found
                },
                signatures: try DER.set(
                    of: ASN1OctetString.self, identifier: .set, rootNode: signatures
                ).map { Array($0.bytes) })
        }
    }
}

extension AttestedApplication.Package {
    fileprivate init(_ node: ASN1Node) throws {
        self = try DER.sequence(node, identifier: .sequence) { fields in
            let name = try ASN1OctetString(derEncoded: &fields)
            return Self(
                name: String(decoding: name.bytes, as: UTF8.self).printable,
                version: try Int(derEncoded: &fields))
        }
    }
}
